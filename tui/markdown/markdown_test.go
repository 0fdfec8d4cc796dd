package markdown

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func shown(text string, width int, o Options) string {
	var out []string
	for _, l := range Render(text, width, o) {
		out = append(out, l.String(nil))
	}
	return strings.Join(out, "\n")
}

func TestRender(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"words wrap", "one two three four", 9, "one two\nthree\nfour"},
		{"line feeds stay", "to wait\n\n*Saya menunggu bus.*\nI am waiting.", 40, "to wait\n\nSaya menunggu bus.\nI am waiting."},
		{"emphasis across lines", "a **b\nc** d", 40, "a b c d"},
		{"a long word", "abcdefghij", 4, "abcd\nefgh\nij"},
		{"heading", "## Pasar ##\ntext", 20, "Pasar\n\ntext"},
		{"emphasis", "**a** *b* ***c*** ~~d~~ `e*f` snake_case_name 2 * 3 * 4", 80, "a b c d e*f snake_case_name 2 * 3 * 4"},
		{"unclosed", "**a `b [c](d", 80, "**a `b [c](d"},
		{"escapes", `\*a\* \$5 \\`, 80, `*a* $5 \`},
		{"list", "- a\n- b b b b b b\n  - c\n\n1. x\n2. y", 12, "• a\n• b b b b b\n  b\n  • c\n\n1. x\n2. y"},
		{"quote", "> a\n> - b\n\nc", 20, "▏ a\n▏ • b\n\nc"},
		{"code", "```go\nif a {\n\n    b()\n}\n```", 20, "┌ go\n│ if a {\n│\n│     b()\n│ }"},
		{"code is not inline", "```\n**a** [b](c)\n```", 20, "│ **a** [b](c)"},
		{"a code line breaks", "```\nabcdefghijklmnop\n```", 10, "│ abcdefgh\n│ ijklmnop"},
		{"table", "| a | bb |\n|---|:-:|\n| ccc | d |", 20, "a   │ bb\n────┼───\nccc │ d"},
		{"a table too wide", "| head | other |\n|---|---|\n| long long | cell cell |", 12, "head: long\nlong\nother: cell\ncell"},
		{"rule", "a\n\n---\n\nb", 5, "a\n\n─────\n\nb"},
		{"link", "see [the page](https://example.com/a_(b)) now", 80, "see the page now"},
		{"a link that is not https", "[x](javascript:alert)", 80, "x (javascript:alert)"},
		{"image", "![a cat](https://example.com/c.png)", 80, "[▨ a cat]"},
		{"html is text", "<b>x</b> <script>y</script>", 80, "<b>x</b> <script>y</script>"},
		{"escape sequences are text", "a\x1b[31mb\x1b]0;t\x07c\u009b2J", 80, "a␛[31mb␛]0;t␇c\ufffd2J"},
		{"formula", `$E = mc^2$ and $\frac{a+b}{2} \le x_{10}$`, 80, "E = mc² and (a+b)/2 ≤ x₁₀"},
		{"a formula not known", `$\begin{matrix}1\end{matrix}$`, 80, `$\begin{matrix}1\end{matrix}$`},
		{"prices", "from $5 to $10", 80, "from $5 to $10"},
		{"formula block", "$$\n\\int_0^1 x\\,dx = \\frac{1}{2}\n$$", 80, "  ∫₀¹ x dx = 1/2"},
		{"block not known", "$$\n\\begin{aligned}\nx\n\\end{aligned}\n$$", 30, "┌ LaTeX\n│ \\begin{aligned}\n│ x\n│ \\end{aligned}"},
		{"wide characters", "你好世界", 5, "你好\n世界"},
		{"emoji", "👨‍👩‍👧 ab", 4, "👨‍👩‍👧\nab"},
		{"combining marks", "e\u0301a\u0308o\u0302", 2, "e\u0301a\u0308\no\u0302"},
		{"right to left", "שלום עולם", 20, "\u2068שלום עולם\u2069"},
		{"overrides are seen, isolates dropped", "a\u202eb\u2066c", 20, "a\ufffdbc"},
		{"one column", "你a", 1, "\ufffd\na"},
		{"deep lists do not starve", "- a\n  - b\n    - c\n      - dddddddd", 10, "• a\n  • b\nc\ndddddddd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := shown(tt.text, tt.width, Options{}); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestSpoken(t *testing.T) {
	text := "# T\n\n> q\n\n- a\n\n```sh\nls\n```\n\n[x](https://e.org) ![y](https://e.org/y)\n\n| a | b |\n|---|---|\n| 1 | 2 |"
	want := "T\n\n> q\n\n- a\n\nsh:\n    ls\n\nx (https://e.org) [image: y]\n\na: 1\nb: 2"
	if got := shown(text, 60, Options{Spoken: true}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLinks(t *testing.T) {
	var urls []string
	for _, l := range Render("[a](https://example.com) <https://b.org> https://c.org/d. [e](http://f.org) [g](https://h.org/\x1b)", 80, Options{}) {
		l.String(func(_ Look, url, text string) string {
			if url != "" {
				urls = append(urls, url)
			}
			return text
		})
	}
	if got := strings.Join(urls, " "); got != "https://example.com https://b.org https://c.org/d" {
		t.Errorf("links to %s", got)
	}
	if got := Images("![a](https://e.org/a.png) ![b](fcasset:1) ![c](file:///etc/passwd)"); len(got) != 1 || got[0] != (Image{"a", "https://e.org/a.png"}) {
		t.Errorf("images %v", got)
	}
}

func seeds() []string {
	return []string{
		"", "a", "**", "# ", "- ", "> > > a", "```", "$$", "$a$", "|a|\n|-|\n|b|", "[a](b)", "![a](https://b.c)", "1) x\n   y\n\n   z",
		"\x1b[2J\x1b]8;;https://x\x1b\\", "你好👨‍👩‍👧e\u0301", "שלום", "\u202e", "<https://a.b>", `\frac{`, `$\sqrt[3]{x}$`, "a\tb", "***a**b*", "~~~x\ny",
		strings.Repeat("*a", 50), strings.Repeat("[", 50), strings.Repeat("> ", 20) + "x", strings.Repeat("- ", 20) + "x", "\U000e0041\ufeff",
		"`` ` ``", "| a \\| b | c |\n|--|--|\n| d |", strings.Repeat("$", 20), "$x^{y^{z}}$", "\xff\xfe", "á̂̃̄" + strings.Repeat("\u0301", 30),
	}
}

// FuzzRender: never panics, never wider than the screen, lets nothing through
// that is not text.
func FuzzRender(f *testing.F) {
	for i, s := range seeds() {
		f.Add(s, uint8(1+i*3%40), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, text string, width uint8, spoken bool) {
		w := max(1, int(width))
		for _, l := range Render(text, w, Options{Spoken: spoken}) {
			out := l.String(nil)
			if n := ansi.StringWidth(out); n > w || n != l.Width() {
				t.Fatalf("%q is %d wide, says %d, in %d columns", out, n, l.Width(), w)
			}
			if !utf8.ValidString(out) {
				t.Fatalf("%q is not UTF-8", out)
			}
			inner := strings.TrimSuffix(strings.TrimPrefix(out, isolate), pop)
			for _, r := range inner {
				if unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0x2028 && r <= 0x2029 {
					t.Fatalf("%q lets %U through", out, r)
				}
			}
			l.String(func(_ Look, url, text string) string {
				if url != "" && !safeURL(url) {
					t.Fatalf("links to %q", url)
				}
				return text
			})
		}
		Images(text)
	})
}

// TestHostile: time grows with the length only.
func TestHostile(t *testing.T) {
	const n = 60_000
	for _, unit := range []string{"*", "[", "![", "`", "$", "> ", "- ", "1. ", "|", "_a", "**a", "[a](", "<https://", "https://", "\n- ", "\n> ", "\n```\n", "|a\n|-\n", "``` ", "$$\n", `\frac{`, "a ", "\u0301"} {
		text := strings.Repeat(unit, n/len(unit))
		began := time.Now()
		got := Render(text, 40, Options{})
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%q took %v", unit, took)
		}
		if len(got) == 0 && strings.TrimSpace(text) == "" {
			t.Errorf("%q gave nothing", unit)
		}
	}
}
