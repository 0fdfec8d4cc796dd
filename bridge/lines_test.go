package bridge

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll renders what a reader makes of an input.
func readAll(r io.Reader, limit int64) (out []string) {
	lines := newLineReader(r, limit)
	for {
		line, err := lines.next()
		var long *longLine
		switch {
		case err == nil:
			out = append(out, string(line))
		case errors.As(err, &long):
			out = append(out, "!long")
		default:
			if !errors.Is(err, io.EOF) {
				out = append(out, "!"+err.Error())
			}
			return out
		}
	}
}

func TestLines(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"lf", "a\nb\n", "a|b"},
		{"crlf", "a\r\nb\r\n", "a|b"},
		{"no end", "a\nb", "a|b"},
		{"blank", "\n\r\n  \na\n\n", "a"},
		{"blanks around", "  a b \t\n", "a b"},
		{"bom", "\xef\xbb\xbfa\nb\n", "a|b"},
		{"bom and blank", "\xef\xbb\xbf\na\n", "a"},
		{"long", strings.Repeat("x", 100) + "\nb\n", "!long|b"},
		{"just fits", strings.Repeat("x", 50) + "\r\nb\n", strings.Repeat("x", 50) + "|b"},
		{"long at the end", "a\n" + strings.Repeat("x", 100), "a|!long"},
		{"much longer than the buffer", strings.Repeat("x", 300<<10) + "\nb", "!long|b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := strings.Join(readAll(strings.NewReader(tc.in), 50), "|"); got != tc.want {
				t.Errorf("got %.200q, want %.200q", got, tc.want)
			}
		})
	}
	broken := io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if got := strings.Join(readAll(broken, 50), "|"); got != "a|b|!unexpected EOF" {
		t.Errorf("an input that fails gives %q", got)
	}
}

func FuzzLines(f *testing.F) {
	for _, s := range []string{"a\nb", "\xef\xbb\xbf{}\r\n\r\n", "x\n\n\ny", strings.Repeat("z", 200) + "\n{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 100
		got := readAll(iotest.OneByteReader(bytes.NewReader(in)), limit)
		whole := readAll(bytes.NewReader(in), limit)
		if strings.Join(got, "\n") != strings.Join(whole, "\n") {
			t.Fatalf("byte by byte %q, whole %q", got, whole)
		}
		want := 0
		for i, line := range bytes.Split(in, []byte("\n")) {
			if i == 0 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			}
			if len(bytes.TrimSpace(line)) > 0 || len(bytes.TrimRight(line, "\r\n")) > limit {
				want++
			}
		}
		if len(whole) != want {
			t.Fatalf("%d lines of %q, want %d: %q", len(whole), in, want, whole)
		}
	})
}
