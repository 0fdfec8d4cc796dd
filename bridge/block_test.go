package bridge

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMasksAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var block [blockLen]byte
		for i := range block {
			switch r.IntN(4) {
			case 0:
				block[i] = `\"`[r.IntN(2)]
			case 1:
				block[i] = byte(r.IntN(0x22))
			default:
				block[i] = byte(r.IntN(256))
			}
		}
		s, q, o := masks(&block)
		gs, gq, g := masksGo(&block)
		if s != gs || q != gq || o != g {
			t.Fatalf("%q: %x %x %x, want %x %x %x", block, s, q, o, gs, gq, g)
		}
	}
}

// Long strings with every kind of neighbourhood at every place in a block,
// whole and arriving in pieces, against encoding/json.
func TestLongStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parts := []string{`\"`, `\\`, `\n`, `\u00e9`, `\u12`, `\x`, `é`, `漢`, `🙂`, "a", "plain text ", `"`, "\t", "\xff", "\xc3", `\`, "\xe6\xbc"}
	wellFormed := []int{0, 1, 2, 3, 6, 7, 8, 9, 10}
	for n := range 30000 {
		var b strings.Builder
		b.WriteString(strings.Repeat("x", r.IntN(70)))
		for b.Len() < 60+r.IntN(400) {
			if r.IntN(400) == 0 {
				b.WriteString(parts[r.IntN(len(parts))])
			} else {
				b.WriteString(parts[wellFormed[r.IntN(len(wellFormed))]])
			}
		}
		text := []byte(`{"k":"` + b.String() + `","n":[1]}`)
		want := json.Valid(text) && utf8.Valid(text)
		if got := valid(text); (got == nil) != want {
			t.Fatalf("%d: valid(%q) = %v, want valid: %v", n, text, got, want)
		}
		for _, step := range []int{1, 63, 64, 65, 100} {
			if got := validInPieces(text, step); (got == nil) != want {
				t.Fatalf("%d: in pieces of %d: %v, want valid: %v, for %q", n, step, got, want, text)
			}
		}
	}
}
