package termsafe

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "two\n\tlines", "two\n\tlines"},
		{"window title", "\x1b]0;owned\x07ok", "␛]0;owned␇ok"},
		{"clear the screen", "\x1b[2J\x1b[H", "␛[2J␛[H"},
		{"write the clipboard", "\x1b]52;c;cm0gLXJm\x1b\\", "␛]52;c;cm0gLXJm␛\\"},
		{"CSI in one byte", "\u009b2J", "\ufffd2J"},
		{"DCS in one byte", "\u0090q\u009c", "\ufffdq\ufffd"},
		{"raw C1 byte", "\x9b2J", "\ufffd2J"},
		{"backspaces", "yes\b\b\bno", "yes␈␈␈no"},
		{"carriage return", "safe\rEVIL", "safe␍EVIL"},
		{"Windows lines", "a\r\nb\r\n", "a\nb\n"},
		{"delete and null", "\x7f\x00", "␡␀"},
		{"bidi override", "user\u202etxt.exe", "user\ufffdtxt.exe"},
		{"bidi isolate", "\u2066a\u2069", "\ufffda\ufffd"},
		{"zero width", "pass\u200bword\ufeff", "password"},
		{"tag letters", "hi\U000e0041\U000e007f", "hi"},
		{"line separator", "a\u2028b", "a\ufffdb"},
		{"other scripts", "Rapat évaluasi 会議 עברית 👩‍💻", "Rapat évaluasi 会議 עברית 👩‍💻"},
	} {
		if got := Text(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := Line("a\n\tb\r\nc"); got != "a  b c" {
		t.Errorf("Line gives %q", got)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x1b]0;t\x07", "\x1b[2J", "\u009b31m", "\x9b", "\xff\xfe", "a\r\nb\rc", "\u202e", "\U000e0041", "\x1bP+q544e\x1b\\", "é\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Text(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q became invalid UTF-8 %q", in, out)
		}
		for _, r := range out {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("%q let %U through", in, r)
			}
			if Unsafe(r) {
				t.Fatalf("%q: %U is in the output and called unsafe", in, r)
			}
		}
		if again := Text(out); again != out {
			t.Fatalf("%q is %q once and %q twice", in, out, again)
		}
		if line := Line(in); strings.ContainsAny(line, "\n\t\r\x1b") {
			t.Fatalf("Line(%q) has more than a line: %q", in, line)
		}
	})
}

func TestPlainTextCostsNothing(t *testing.T) {
	text := strings.Repeat("plain text\n", 100)
	same := true
	if n := testing.AllocsPerRun(100, func() { same = same && Text(text) == text }); n != 0 || !same {
		t.Errorf("%v allocations", n)
	}
}

func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		cut4  string
	}{
		{"", 0, ""},
		{"abcd", 4, "abcd"},
		{"abcde", 5, "abc…"},
		{"会議室", 6, "会…"},
		{"e\u0301te\u0301", 3, "e\u0301te\u0301"},
		{"🙂🙂🙂", 6, "🙂…"},
	} {
		if got := Width(tt.in); got != tt.width {
			t.Errorf("Width(%q) = %d, want %d", tt.in, got, tt.width)
		}
		if got := Cut(tt.in, 4); got != tt.cut4 {
			t.Errorf("Cut(%q, 4) = %q, want %q", tt.in, got, tt.cut4)
		}
	}
	if got := Cut("abc", 0) + Pad("会", 4) + "|"; got != "会  |" {
		t.Errorf("got %q", got)
	}
}
