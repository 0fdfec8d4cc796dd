package auth

import (
	"slices"
	"strings"
)

// union joins scope lists in order, each scope once.
func union(lists ...string) string {
	var out []string
	for _, l := range lists {
		for _, s := range strings.Fields(l) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, " ")
}

// covers reports whether every scope of want is in have.
func covers(have, want string) bool {
	h := strings.Fields(have)
	for _, s := range strings.Fields(want) {
		if !slices.Contains(h, s) {
			return false
		}
	}
	return true
}
