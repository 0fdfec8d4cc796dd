// Package termsafe makes text of unknown origin fit for a terminal. It exists
// because a terminal obeys what it shows: the name of a tool, the text of a
// card or the words of an error can set the window's title, clear the screen,
// write the clipboard or type for the user, if they hold the right bytes.
//
// It refuses to guess which sequences are harmless. Every control character
// but the newline and the tab is shown as a picture of itself, so that no
// sequence survives, whatever terminal it was meant for; what makes text read
// otherwise than it is (bidirectional overrides, invisible letters) is shown
// as U+FFFD or left out.
//
// It is a leaf. Its functions may be called from many goroutines at once.
package termsafe

import (
	"strings"
	"unicode"
)

// Text makes text of several lines safe. Newlines and tabs stay; a carriage
// return before a newline is left out, since it is how half the world ends a
// line, and any other is shown.
func Text(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.Map(shown, strings.ReplaceAll(s, "\r\n", "\n"))
}

// Line is Text for what has to stand in one line: newlines and tabs become
// blanks.
func Line(s string) string {
	s = Text(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

// Unsafe reports whether r must not reach a terminal as it is. It is how JSON,
// which has escapes of its own, is made safe without changing its meaning.
func Unsafe(r rune) bool { return r != '\n' && r != '\t' && shown(r) != r }

// isPlain is the fast way out for what nearly all text is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// shown maps a rune to what stands in its place, or to -1 for nothing. Bytes
// that are no UTF-8 arrive as U+FFFD.
func shown(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < 0x20:
		return 0x2400 + r // control pictures stand in the same order
	case r < 0x7f:
		return r
	case r == 0x7f:
		return 0x2421
	case r < 0xa0: // C1: CSI, OSC, DCS and their kin in one byte
		return unicode.ReplacementChar
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // bidirectional overrides, embeddings, isolates
		return unicode.ReplacementChar
	case r == 0x2028, r == 0x2029: // line and paragraph separators, which some terminals take for newlines
		return unicode.ReplacementChar
	case r == 0x200e, r == 0x200f, r == 0x061c, // marks of direction
		r == 0x200b, r == 0x2060, r == 0xfeff, r == 0x00ad, r == 0x180e, // letters without width
		r >= 0x2061 && r <= 0x2064, r >= 0x206a && r <= 0x206f,
		r >= 0xfff9 && r <= 0xfffb,
		r >= 0xe0000 && r <= 0xe007f: // tags: text that only a program reads
		return -1
	}
	return r
}
