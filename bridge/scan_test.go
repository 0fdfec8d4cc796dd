package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// validInPieces is valid with the text arriving n bytes at a time.
func validInPieces(b []byte, n int) error {
	have := 0
	s := scanner{more: func() ([]byte, bool) {
		if have == len(b) {
			return nil, false
		}
		have = min(have+n, len(b))
		return b[:have], true
	}}
	if err := s.value(); err != nil {
		return err
	}
	s.peek()
	if s.fill(1) || s.i != len(b) {
		return errSyntax
	}
	return nil
}

var scanSeeds = []string{
	`{}`, `[]`, `null`, `true`, `false`, `0`, `-0`, `1.5e+10`, `-`, `01`, `1.`, `.5`, `1e`, `""`, `"a`, `"\u00e9\n\""`, `"\u00g0"`, `"\x"`,
	`{"a":1,"b":[1,2,{"c":null}]}`, `{"a":1,}`, `[1,]`, `{a:1}`, `{"a" 1}`, `{"a":}`, `[1 2]`, `nul`, `truefalse`, "\"a\tb\"", "\"a\x7fb\"",
	`"éü漢字🙂 and a longer tail of plain text"`, "\"\xff\"", "\"\xc3\"", "\"\xe6\xbc\"", "\"\xed\xa0\x80\"", " \t\r\n[ 1 , 2 ] \n", `"12345678"`, `"1234567"`, `"123456789\\"`,
	`[[[[[[]]]]]]`, `{"a":{"b":{"c":{}}}}`, "{\"a\":\"\x00\"}", `"\ud83d\ude42"`, `"!!!!!!!!\"!!!!"`, "\"        !#\"", `]`, `{]`, `[}`, ``, ` `,
}

func FuzzScan(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := valid(b)
		// encoding/json accepts invalid UTF-8 in strings; the scanner does not.
		want := json.Valid(b) && utf8.Valid(b)
		if (err == nil) != want && !errors.Is(err, errDepth) {
			t.Fatalf("valid(%q) = %v, want valid: %v", b, err, want)
		}
		for _, n := range []int{1, 2, 3, 7, 64} {
			if got := validInPieces(b, n); (got == nil) != (err == nil) {
				t.Fatalf("in pieces of %d: %v, whole: %v", n, got, err)
			}
		}
	})
}

func TestScanDepth(t *testing.T) {
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if err := valid([]byte(deep)); err != nil {
		t.Errorf("depth %d: %v", maxDepth, err)
	}
	if err := valid([]byte("[" + deep + "]")); !errors.Is(err, errDepth) {
		t.Errorf("depth %d: %v, want errDepth", maxDepth+1, err)
	}
	if err := valid([]byte(strings.Repeat("[", 1<<20))); !errors.Is(err, errDepth) {
		t.Errorf("a million open brackets: %v, want errDepth", err)
	}
}

func BenchmarkScan(b *testing.B) {
	line := `{\"id\": 1207, \"title\": \"Café menu\", \"tags\": [\"food\", \"draft\"], \"open\": true},\n`
	for _, bm := range []struct {
		name string
		text []byte
	}{
		{"small", []byte(`{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 256) + `"}],"isError":false}}`)},
		{"escaped-1MB", []byte(`{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"` + strings.Repeat(line, 1<<20/len(line)) + `"}]}}`)},
		{"plain-1MB", []byte(`{"text":"` + strings.Repeat("plain text without any escape ", 1<<20/30) + `"}`)},
		{"objects-1MB", bytes.Join(bytes.SplitN([]byte(`[`+strings.Repeat(`{"id":1207,"title":"menu","open":true,"n":null,"x":[1.5,-2e9]},`, 1<<20/64)+`{}]`), nil, 1), nil)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			for b.Loop() {
				if err := valid(bm.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
