package blocks

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 20261130)) }

// generate makes a random canonical document of the subset. Its words are
// mostly what the grammar could trip over.
func generate(r *rand.Rand, size int) []Block { return Canonical(genBlocks(r, size, 0)) }

func genBlocks(r *rand.Rand, size, depth int) []Block {
	n := r.IntN(max(size, 1)) + 1
	if depth > 0 {
		n = r.IntN(4)
	}
	var out []Block
	for range n {
		kinds := 7
		if depth >= 4 {
			kinds = 4 // leaves
		}
		var b Block
		switch r.IntN(kinds) {
		case 0:
			b = Block{Type: Heading, Level: r.IntN(3) + 1, Text: genSpans(r, false)}
		case 1:
			b = Block{Type: Paragraph, Text: genSpans(r, true)}
		case 2:
			b = Block{Type: Code, Lang: pick(r, "", "go", "c++", "~~~"), Code: genText(r, "\n", "```", "  ", "\t", "> ", "- ")}
		case 3:
			b = Block{Type: Rule}
		case 4, 5:
			b = Block{Type: Bullets}
			if r.IntN(2) == 0 {
				b = Block{Type: Ordered, Start: pick(r, 0, 0, 1, 2, 9, 99, 2026)}
			}
			for range r.IntN(4) + 1 {
				b.Items = append(b.Items, genBlocks(r, size, depth+1))
			}
		case 6:
			b = Block{Type: Quote, Blocks: genBlocks(r, size, depth+1)}
		}
		out = append(out, b)
	}
	return out
}

func genSpans(r *rand.Rand, breaks bool) []Span {
	var out []Span
	for range r.IntN(5) + 1 {
		s := Span{
			Bold: r.IntN(3) == 0, Italic: r.IntN(3) == 0, Strike: r.IntN(4) == 0, Code: r.IntN(6) == 0,
			Href: pick(r, "", "", "", "/a", "https://example.com/x_(y)?a=b*c#~~", "mailto:a@example.com", "a b)", "[::1]`"),
		}
		if breaks {
			s.Text = genText(r, "\n")
		} else {
			s.Text = genText(r)
		}
		out = append(out, s)
	}
	return out
}

func genText(r *rand.Rand, more ...string) string {
	words := []string{
		"a", "Rilis", "é", "日本", "שלום", "🙂", " ", " ", "  ", "\t", "\u00a0", "*", "**", "***", "_", "~", "~~", "`", "``", "[", "]", "](", "(", ")", "!",
		"\\", "#", "# ", "- ", "-", "--", "---", "+ ", "> ", ">", "1. ", "2)", "0. ", ".", ":", "|", "<", "&amp;", "=", "===", "```", "~~~", "x", "/",
	}
	words = append(words, more...)
	var b strings.Builder
	for range r.IntN(6) + 1 {
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// Parse(Render(blocks)) == blocks, for random documents of the subset.
func TestRenderThenParseIsIdentity(t *testing.T) {
	for seed := range uint64(2_500) {
		want := generate(newRand(seed), 5)
		md := Render(want)
		got := mustParse(t, md)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d\nmarkdown %q\n got %s\nwant %s", seed, md, dump(got), dump(want))
		}
	}
}

// Render(Parse(x)) is stable, and Parse answers canonical blocks, for random
// text made of the grammar's own characters.
func TestParseThenRenderIsStable(t *testing.T) {
	for seed := range uint64(20_000) {
		r := newRand(seed)
		var b strings.Builder
		for range r.IntN(8) + 1 {
			b.WriteString(genText(r, "\n", "\n", "\n\n", "\n  ", "\n- ", "\n> ", "\n   ", "[a](b)", "[a", "](/x)"))
		}
		checkStable(t, b.String())
	}
}

// Text of the reader's own making comes back as it was.
func TestPlainTextSurvives(t *testing.T) {
	for seed := range uint64(20_000) {
		want := Canonical([]Block{{Type: Paragraph, Text: Plain(genText(newRand(seed), "\n"))}})
		if got := mustParse(t, Render(want)); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %q\n got %s\nwant %s", seed, Render(want), dump(got), dump(want))
		}
	}
}

func checkStable(t *testing.T, md string) {
	t.Helper()
	bs, err := Parse(md)
	if err != nil {
		return // too much of it; said by name in TestParseIsBounded
	}
	if c := Canonical(bs); !reflect.DeepEqual(c, bs) {
		t.Fatalf("Parse(%q) is not canonical\n got %s\nwant %s", md, dump(bs), dump(c))
	}
	once := Render(bs)
	if len(once) > MaxBytes {
		return // escapes made it longer than Parse takes
	}
	again := mustParse(t, once)
	if !reflect.DeepEqual(again, bs) {
		t.Fatalf("round trip of %q\nmarkdown %q\n got %s\nwant %s", md, once, dump(again), dump(bs))
	}
	if twice := Render(again); twice != once {
		t.Fatalf("Render(Parse(%q)) is not stable: %q, then %q", md, once, twice)
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{
		"# a\n\nb **c *d* e** ~~f~~ `g` [h](https://example.com)\n", "- a\n  1. b\n\n     ```go\n     x\n     ```\n- c\n", "> q\n> - r\n---\n",
		"***a** b*", "**a***b*", "[a](b", "[**a](/b)**", "`` ` ``", "- - -", "-\n  - a", "- --", "1. 2. 3.", "~~~x\n`", "\t- a\n\t\tb", "> ```\n>\n> a\n",
	} {
		f.Add(s)
	}
	for seed := range uint64(40) {
		f.Add(Render(generate(newRand(seed), 4)))
	}
	f.Fuzz(func(t *testing.T, md string) { checkStable(t, md) })
}
