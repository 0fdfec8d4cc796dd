package main

import "strings"

// nearest returns the word of among that was probably meant by word, or "": at
// most one slip in three letters, counting a swap of neighbours as one, or else
// the only one that begins with word.
func nearest(word string, among []string) string {
	word = strings.ToLower(strings.TrimLeft(word, "-"))
	if word == "" || len(word) > 64 {
		return ""
	}
	best, least := "", max(1, len(word)/3)+1
	for _, candidate := range among {
		if d := slips(word, strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	if best != "" || len(word) < 3 {
		return best
	}
	for _, candidate := range among {
		switch {
		case !strings.HasPrefix(strings.ToLower(candidate), word):
		case best != "":
			return "" // of several none is meant more than another
		default:
			best = candidate
		}
	}
	return best
}

// slips is the optimal string alignment distance of two words.
func slips(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
