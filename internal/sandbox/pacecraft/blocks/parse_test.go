package blocks

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Each construct of the documented subset, in and out.
func TestSubset(t *testing.T) {
	para := func(s ...Span) []Block { return []Block{{Type: Paragraph, Text: s}} }
	p := func(s string) Block { return Block{Type: Paragraph, Text: Plain(s)} }
	for _, c := range []struct {
		name, in string
		want     []Block
		out      string // "" means in
	}{
		{"heading 1", "# Rencana rilis\n", []Block{{Type: Heading, Level: 1, Text: Plain("Rencana rilis")}}, ""},
		{"heading 2", "## Scope\n", []Block{{Type: Heading, Level: 2, Text: Plain("Scope")}}, ""},
		{"heading 3", "### Risiko\n", []Block{{Type: Heading, Level: 3, Text: Plain("Risiko")}}, ""},
		{"heading 4 becomes 3", "#### Deep\n", []Block{{Type: Heading, Level: 3, Text: Plain("Deep")}}, "### Deep\n"},
		{"seven is text", "####### x\n", []Block{p("####### x")}, ""},
		{"hashtag is text", "#rilis\n", []Block{p("#rilis")}, ""},
		{"paragraph of two lines", "satu\ndua\n", []Block{p("satu\ndua")}, ""},
		{"two paragraphs", "satu\n\n\n\ndua", []Block{p("satu"), p("dua")}, "satu\n\ndua\n"},
		{"bullets", "- a\n- b\n", []Block{{Type: Bullets, Items: [][]Block{{p("a")}, {p("b")}}}}, ""},
		{"star bullets", "* a\n* b\n", []Block{{Type: Bullets, Items: [][]Block{{p("a")}, {p("b")}}}}, "- a\n- b\n"},
		{"loose bullets", "- a\n\n- b\n", []Block{{Type: Bullets, Items: [][]Block{{p("a")}, {p("b")}}}}, "- a\n- b\n"},
		{"ordered", "1. a\n2. b\n", []Block{{Type: Ordered, Items: [][]Block{{p("a")}, {p("b")}}}}, ""},
		{"ordered from 7", "7. a\n9. b\n", []Block{{Type: Ordered, Start: 7, Items: [][]Block{{p("a")}, {p("b")}}}}, "7. a\n8. b\n"},
		{"nested, indented by two under a number", "1. a\n  - b\n    - c\n2. d\n", []Block{{Type: Ordered, Items: [][]Block{
			{p("a"), {Type: Bullets, Items: [][]Block{{p("b"), {Type: Bullets, Items: [][]Block{{p("c")}}}}}}}, {p("d")},
		}}}, "1. a\n   - b\n     - c\n2. d\n"},
		{"nested by tabs", "- a\n\t- b\n\t\t- c\n", []Block{{Type: Bullets, Items: [][]Block{
			{p("a"), {Type: Bullets, Items: [][]Block{{p("b"), {Type: Bullets, Items: [][]Block{{p("c")}}}}}}},
		}}}, "- a\n  - b\n    - c\n"},
		{"a year is no list", "sejak\n1998. Lalu\n", []Block{p("sejak\n1998. Lalu")}, "sejak\n1998\\. Lalu\n"},
		{"quote", "> satu\n> dua\n", []Block{{Type: Quote, Blocks: []Block{p("satu\ndua")}}}, ""},
		{"quote with a list", "> - a\n>\n> b\n", []Block{{Type: Quote, Blocks: []Block{{Type: Bullets, Items: [][]Block{{p("a")}}}, p("b")}}}, ""},
		{"fence", "```go\nx := `1`\n\n\ty\n```\n", []Block{{Type: Code, Lang: "go", Code: "x := `1`\n\n\ty"}}, ""},
		{"fence with a fence", "````\n```\n````\n", []Block{{Type: Code, Code: "```"}}, ""},
		{"open fence", "```\nx", []Block{{Type: Code, Code: "x"}}, "```\nx\n```\n"},
		{"empty fence", "```\n```\n", []Block{{Type: Code}}, ""},
		{"rule", "---\n", []Block{{Type: Rule}}, ""},
		{"rule under text", "a\n---\nb", []Block{p("a"), {Type: Rule}, p("b")}, "a\n\n---\n\nb\n"},
		{"table stays text", "| a | b |\n|---|---|\n", []Block{p("| a | b |\n|---|---|")}, ""},
		{"task item stays text", "- [ ] a\n", []Block{{Type: Bullets, Items: [][]Block{{p("[ ] a")}}}}, ""},

		{"bold", "**a**\n", para(Span{Text: "a", Bold: true}), ""},
		{"italic", "*a*\n", para(Span{Text: "a", Italic: true}), ""},
		{"bold italic", "***a***\n", para(Span{Text: "a", Bold: true, Italic: true}), ""},
		{"strike", "~~a~~\n", para(Span{Text: "a", Strike: true}), ""},
		{"code", "`a*b*`\n", para(Span{Text: "a*b*", Code: true}), ""},
		{"code with ticks", "`` `a ``\n", para(Span{Text: "`a", Code: true}), ""},
		{"link", "[teks](https://example.com/a_(b)?q=1#x)\n", para(Span{Text: "teks", Href: "https://example.com/a_(b)?q=1#x"}), ""},
		{"link with title", "[a](<https://example.com/x y> \"t\")\n", para(Span{Text: "a", Href: "https://example.com/x%20y"}), "[a](https://example.com/x%20y)\n"},
		{"marks in a link", "**[a *b*](/x)**\n", para(Span{Text: "a ", Bold: true, Href: "/x"}, Span{Text: "b", Bold: true, Italic: true, Href: "/x"}), ""},
		{"link in a mark", "~~a **b [`c`](/x)**~~\n", para(Span{Text: "a ", Strike: true}, Span{Text: "b ", Strike: true, Bold: true}, Span{Text: "c", Strike: true, Bold: true, Code: true, Href: "/x"}), ""},
		{"bold with italic inside", "**a *b* c**\n", para(Span{Text: "a ", Bold: true}, Span{Text: "b", Bold: true, Italic: true}, Span{Text: " c", Bold: true}), ""},
		{"inside a word", "a**b**c\n", para(Span{Text: "a"}, Span{Text: "b", Bold: true}, Span{Text: "c"}), ""},
		{"sums are text", "2 * 3 * 4\n", para(Span{Text: "2 * 3 * 4"}), ""},
		{"lone stars are text", "5* a **b\n", para(Span{Text: "5* a **b"}), "5\\* a \\*\\*b\n"},
		{"escapes", "\\*a\\* \\# \\[b\\](c) C:\\dir\n", para(Span{Text: "*a* # [b](c) C:\\dir"}), "\\*a\\* # [b\\](c) C:\\dir\n"},
		{"underscores are text", "snake_case_name __x__\n", para(Span{Text: "snake_case_name __x__"}), ""},
		{"script target is text", "[a](javascript:alert(1))\n", para(Span{Text: "[a](javascript:alert(1))"}), "[a\\](javascript:alert(1))\n"},
		{"html is text", "<script>alert(1)</script>\n", para(Span{Text: "<script>alert(1)</script>"}), ""},
		{"nothing", " \n\t\n", nil, "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := mustParse(t, c.in)
			if !reflect.DeepEqual(got, c.want) {
				t.Fatalf("Parse(%q)\n got %s\nwant %s", c.in, dump(got), dump(c.want))
			}
			want := c.out
			switch want {
			case "":
				want = c.in
			case "-":
				want = ""
			}
			if out := Render(got); out != want {
				t.Errorf("Render = %q, want %q", out, want)
			}
		})
	}
}

// Line ends of Windows and old Macs, bytes that are no UTF-8 and NUL.
func TestParseCleansInput(t *testing.T) {
	got := mustParse(t, "# a\r\n\r\nb\rc\xff\x00\r\n")
	want := []Block{{Type: Heading, Level: 1, Text: Plain("a")}, {Type: Paragraph, Text: Plain("b\nc\uFFFD\uFFFD")}}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %s", dump(got))
	}
}

func TestHiddenBlocksDoNotAppear(t *testing.T) {
	doc := []Block{
		{Type: Paragraph, Text: Plain("sebelum")},
		{Type: Table, Rows: [][]string{{"rahasia-tabel"}}},
		{Type: Callout, Icon: "!", Text: Plain("rahasia-callout")},
		{Type: Quote, Blocks: []Block{{Type: Checklist, Checks: []Check{{Text: Plain("rahasia-checklist")}}}, {Type: Paragraph, Text: Plain("kutip")}}},
		{Type: Toggle, Text: Plain("rahasia-toggle"), Blocks: []Block{{Type: Paragraph, Text: Plain("rahasia-isi")}}},
		{Type: "unheard-of", Text: Plain("rahasia-baru")},
		{Type: Paragraph, Text: Plain("sesudah")},
	}
	if got, want := Render(doc), "sebelum\n\n> kutip\n\nsesudah\n"; got != want {
		t.Fatalf("Render = %q, want %q", got, want)
	}
}

func TestParseIsBounded(t *testing.T) {
	if _, err := Parse(strings.Repeat("a", MaxBytes+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	for _, s := range []string{"a\n\n", "- a\n", "---\n", "> a\n\n", "- - - a\n"} {
		if _, err := Parse(strings.Repeat(s, MaxBlocks+1)); !errors.Is(err, ErrTooManyBlocks) {
			t.Errorf("%d × %q: %v", MaxBlocks+1, s, err)
		}
	}
	for _, s := range []string{">", "> ", "- ", "1. ", "> - "} {
		bs := mustParse(t, strings.Repeat(s, 2000)+"x")
		if d := depth(bs); d > MaxDepth+1 {
			t.Errorf("2000 × %q: depth %d", s, d)
		}
	}
}

// Inputs on which a careless scanner takes quadratic time. Each is 256 KiB:
// a tenth of a second's work, or minutes for a quadratic pass.
func TestHostileInputIsLinear(t *testing.T) {
	const size = MaxBytes / 4
	var ticks strings.Builder
	for n := 1; ticks.Len() < size-2000; n = n%1400 + 1 {
		ticks.WriteString(strings.Repeat("`", n) + " ")
	}
	for _, s := range []string{
		"*a ", "a* ", "*a* ", "**a ", "~~a ", "***a** ", "[", "[a](", "[a](<", "[`", "[\\", "`a", "![[", "[a](b \"", "[`a` ", "\\", "*~~", "- ", ">", "\t", "a\n", " -\n",
	} {
		mustParseBounded(t, strings.Repeat(s, size/len(s)))
	}
	mustParseBounded(t, ticks.String())
	mustParseBounded(t, "["+strings.Repeat("`a` ", size/8))
	mustParseBounded(t, "- a\n"+strings.Repeat("\n", size/2)+"- b")
}

func mustParseBounded(t *testing.T, s string) {
	t.Helper()
	start := time.Now()
	defer func() {
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%.20q…: took %v", s, d)
		}
	}()
	bs, err := Parse(s)
	if err != nil {
		if !errors.Is(err, ErrTooManyBlocks) {
			t.Errorf("%.20q…: %v", s, err)
		}
		return
	}
	Render(bs)
}

func TestBlocksSurviveJSON(t *testing.T) {
	want := generate(newRand(7), 60)
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []Block
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if a, b := Render(want), Render(got); a != b || a == "" {
		t.Fatalf("JSON changed the document:\n%s\n--\n%s", a, b)
	}
}

func mustParse(t *testing.T, s string) []Block {
	t.Helper()
	bs, err := Parse(s)
	if err != nil {
		t.Fatalf("Parse(%.60q): %v", s, err)
	}
	return bs
}

func depth(bs []Block) int {
	d := 0
	for _, b := range bs {
		d = max(d, 1+depth(b.Blocks))
		for _, it := range b.Items {
			d = max(d, 1+depth(it))
		}
	}
	return d
}

func dump(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
