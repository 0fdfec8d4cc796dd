package dialect

import (
	"strings"
	"unicode/utf8"
)

// maxPattern keeps a pattern under SQLite's own limit of 50,000 bytes after
// every character was escaped.
const maxPattern = 16_000

// terminator lists what the wildcards do not match: the service turns them into
// the dot of a JavaScript regular expression.
func terminator(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

func terminators(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n', '\r':
			n++
		case 0xe2:
			if strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
				n++
			}
		}
	}
	return n
}

// LikeMatch says whether s matches a LIKE pattern, in time linear in both for
// each wildcard.
func LikeMatch(pattern, s string) bool {
	// The usual double loop: on a mismatch, go back to the last % and let it
	// take one character more. % cannot be given a line terminator.
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if p < len(pattern) {
			switch pr, pn := utf8.DecodeRuneInString(pattern[p:]); {
			case pr == '%':
				star, mark = p, i
				p++
				continue
			case pr == '_' && !terminator(r), pr == r && pn == n && pr != '_':
				p += pn
				i += n
				continue
			}
		}
		if star < 0 {
			return false
		}
		r, n = utf8.DecodeRuneInString(s[mark:])
		if terminator(r) {
			return false
		}
		mark += n
		i, p = mark, star+1
	}
	for p < len(pattern) && pattern[p] == '%' {
		p++
	}
	return p == len(pattern)
}

// glob writes a LIKE pattern in the language of SQLite's GLOB, which is case
// sensitive and has no escape character.
func glob(pattern string) string {
	var b strings.Builder
	for _, r := range pattern {
		switch r {
		case '%':
			b.WriteByte('*')
		case '_':
			b.WriteByte('?')
		case '*', '?', '[':
			b.WriteByte('[')
			b.WriteRune(r)
			b.WriteByte(']')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
