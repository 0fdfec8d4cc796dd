package termsafe

import (
	"strings"
	"unicode"
)

// Width is how many columns of a terminal a line of safe text takes: letters
// of East Asian scripts and emoji take two, marks that are set on the letter
// before them none. It follows Unicode's East Asian Width (UAX 11) as far as
// terminals agree on it.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// Cut shortens a line of safe text to at most width columns, the last of them
// an ellipsis if anything was left out. A width below 1 gives "".
func Cut(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	n := 0
	for i, r := range s {
		if n+columns(r) > width-1 {
			return s[:i] + "…"
		}
		n += columns(r)
	}
	return s
}

// Pad fills a line with blanks up to width columns.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

func columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r == 0x200d, r >= 0xfe00 && r <= 0xfe0f, unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff01 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
