package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

type layout struct {
	width int
	o     Options
	lines []Line
}

// prefix is what stands before the lines of a block: first once, then rest.
type prefix struct {
	first, rest string
	look        Look
	used        bool
}

func (l *layout) blocks(bs []block, outer []*prefix) {
	for i, b := range bs {
		if i > 0 && !(b.kind == list && bs[i-1].kind == paragraph && len(outer) > 0) {
			l.line(outer, nil, false)
		}
		l.block(b, outer)
	}
}

func (l *layout) block(b block, outer []*prefix) {
	switch b.kind {
	case paragraph:
		l.paragraph(strings.Join(b.lines, "\n"), 0, outer)
	case heading:
		l.paragraph(b.lines[0], Heading, outer)
	case rule:
		if l.o.Spoken {
			l.line(outer, nil, false)
			return
		}
		l.line(outer, []span{{text: strings.Repeat("─", max(1, l.room(outer))), look: Faint}}, false)
	case list:
		for _, it := range b.items {
			pad := strings.Repeat(" ", ansi.StringWidth(it.mark)+1)
			mark := it.mark
			if l.o.Spoken && mark == "•" {
				mark = "-"
			}
			in := slices.Concat(outer, []*prefix{{first: mark + " ", rest: pad}})
			if len(it.blocks) == 0 {
				l.line(in, nil, false)
			}
			l.blocks(it.blocks, in)
		}
	case quote:
		bar := "▏ "
		if l.o.Spoken {
			bar = "> "
		}
		l.blocks(b.inner, slices.Concat(outer, []*prefix{{first: bar, rest: bar, look: Quote}}))
	case code:
		l.code(b, outer)
	case table:
		l.table(b, outer)
	case math:
		l.math(b, outer)
	}
}

// room is how many columns are left after the prefixes.
func (l *layout) room(outer []*prefix) int {
	n := l.width
	for _, p := range outer {
		n -= ansi.StringWidth(p.first)
	}
	return n
}

// line adds one line. Prefixes that would leave no room for text are left out.
func (l *layout) line(outer []*prefix, text []span, rtl bool) {
	out := Line{RTL: rtl}
	if l.room(outer) < narrow {
		outer = nil
	}
	for _, p := range outer {
		s := p.rest
		if !p.used && len(text) > 0 || !p.used && p.first == p.rest {
			s, p.used = p.first, true
		}
		out.spans = append(out.spans, span{text: s, look: p.look | Faint})
	}
	out.spans = append(out.spans, text...)
	if len(text) == 0 {
		out.spans = trimRight(out.spans)
	}
	for _, s := range out.spans {
		out.width += ansi.StringWidth(s.text)
	}
	l.lines = append(l.lines, out)
}

func trimRight(spans []span) []span {
	for len(spans) > 0 {
		last := &spans[len(spans)-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		spans = spans[:len(spans)-1]
	}
	return spans
}

// narrow is the least room for text; marks before it go first.
const narrow = 6

func (l *layout) textRoom(outer []*prefix) int {
	if room := l.room(outer); room >= narrow {
		return room
	}
	return l.width
}

func (l *layout) paragraph(text string, look Look, outer []*prefix) {
	rtl := !l.o.Spoken && rightToLeft(text)
	for _, hard := range hardLines(text) {
		spans := l.spans(hard, look)
		for _, line := range wrap(spans, l.textRoom(outer)) {
			l.line(outer, line, rtl)
		}
	}
}

// hardLines splits at line feeds. A card's author sees lines as they typed
// them, so they stay: the service's own renderer keeps them too.
func hardLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, s := range lines {
		lines[i] = strings.TrimRight(s, " ")
	}
	// Emphasis, links and formulas may span lines; then the paragraph is one.
	for _, s := range lines[:len(lines)-1] {
		if strings.Count(s, "**")%2 == 1 || strings.Count(s, "`")%2 == 1 {
			return []string{strings.Join(lines, " ")}
		}
	}
	return lines
}

// spans turns inline text into what is shown.
func (l *layout) spans(text string, look Look) (out []span) {
	for _, p := range inline(text) {
		s := span{text: strings.ReplaceAll(p.text, "\n", " "), look: p.look | look}
		switch {
		case p.image && l.o.Spoken:
			s.text = "[image: " + p.text + "]"
		case p.image:
			s.text = "[▨ " + p.text + "]"
			if safeURL(p.url) {
				s.url = p.url
			}
		case p.look&Link != 0 && safeURL(p.url) && !l.o.Spoken:
			s.url = p.url
		case p.look&Link != 0 && p.url != "" && p.url != p.text:
			s.text += " (" + p.url + ")"
		case p.look&Code != 0 && l.o.Spoken:
			s.text = "`" + s.text + "`"
		}
		out = append(out, s)
	}
	return out
}

func (l *layout) code(b block, outer []*prefix) {
	bar, name := "│ ", b.name
	if l.o.Spoken {
		bar = "    "
	}
	in := slices.Concat(outer, []*prefix{{first: bar, rest: bar, look: Faint}})
	if name != "" {
		head := "┌ " + name
		if l.o.Spoken {
			head = name + ":"
		}
		for i, line := range wrap([]span{{text: head, look: Faint}}, l.textRoom(outer)) {
			if i == 0 {
				l.line(outer, line, false)
			}
		}
	}
	for _, line := range b.lines {
		if line == "" {
			l.line(in, nil, false)
			continue
		}
		for _, part := range breakAll(span{text: line, look: Code}, l.textRoom(in)) {
			l.line(in, []span{part}, false)
		}
	}
}

func (l *layout) math(b block, outer []*prefix) {
	source := strings.Join(b.lines, " ")
	text, ok := Formula(source)
	if !ok {
		l.code(block{kind: code, name: "LaTeX", lines: b.lines}, outer)
		return
	}
	in := slices.Concat(outer, []*prefix{{first: "  ", rest: "  "}})
	for _, line := range wrap([]span{{text: text, look: Math}}, l.textRoom(in)) {
		l.line(in, line, false)
	}
}

// table draws columns where they fit, and otherwise each row as a list of
// "head: cell".
func (l *layout) table(b block, outer []*prefix) {
	head := b.cells[0]
	cell := func(text string, look Look) []span { return l.spans(text, look) }
	widths := make([]int, len(head))
	total := 0
	for c := range head {
		for r, row := range b.cells {
			if c < len(row) {
				look := Look(0)
				if r == 0 {
					look = Bold
				}
				widths[c] = max(widths[c], spansWidth(cell(row[c], look)))
			}
		}
		total += widths[c]
	}
	if total += 3 * (len(head) - 1); l.o.Spoken || total > l.room(outer) {
		for r, row := range b.cells[1:] {
			if r > 0 {
				l.line(outer, nil, false)
			}
			for c, text := range row {
				if c < len(head) && head[c] != "" {
					text = head[c] + ": " + text
				}
				l.paragraph(text, 0, outer)
			}
		}
		return
	}
	for r, row := range b.cells {
		var line []span
		for c := range head {
			look := Look(0)
			if r == 0 {
				look = Bold
			}
			var spans []span
			if c < len(row) {
				spans = cell(row[c], look)
			}
			if c > 0 {
				line = append(line, span{text: " │ ", look: Faint})
			}
			line = append(line, spans...)
			if pad := widths[c] - spansWidth(spans); pad > 0 && c < len(head)-1 {
				line = append(line, span{text: strings.Repeat(" ", pad)})
			}
		}
		l.line(outer, line, false)
		if r == 0 {
			parts := make([]string, len(head))
			for c := range head {
				parts[c] = strings.Repeat("─", widths[c])
			}
			l.line(outer, []span{{text: strings.Join(parts, "─┼─"), look: Faint}}, false)
		}
	}
}

func spansWidth(spans []span) (n int) {
	for _, s := range spans {
		n += ansi.StringWidth(s.text)
	}
	return n
}

// wrap breaks text at blanks, between wide characters, and within a word that
// is longer than a line. It never splits a grapheme cluster.
func wrap(spans []span, width int) (lines [][]span) {
	w := wrapper{width: max(1, width)}
	for _, s := range spans {
		rest := s.text
		for rest != "" {
			g, n := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			if g == "" {
				break
			}
			rest = rest[len(g):]
			w.put(g, n, s)
		}
	}
	w.endWord()
	w.endLine()
	return w.lines
}

type wrapper struct {
	width int
	lines [][]span
	line  []span
	used  int // columns of line
	blank []span
	space int // columns of blanks that wait for a word
	word  []span
	long  int // columns of word
}

func (w *wrapper) put(g string, n int, s span) {
	if n > w.width {
		g, n = "\ufffd", 1
	}
	if g == " " {
		w.endWord()
		w.blank = appendText(w.blank, g, s)
		w.space++
		return
	}
	if n == 2 && breakable(g) { // Chinese and Japanese may break anywhere
		w.endWord()
		w.word, w.long = appendText(w.word, g, s), n
		w.endWord()
		return
	}
	if w.long+n > w.width { // a word longer than a line
		w.endWord()
		if w.used+n > w.width {
			w.endLine()
		}
	}
	w.word = appendText(w.word, g, s)
	w.long += n
}

// breakable is true for ideographs and kana, false for emoji, which stay with
// their word, and for punctuation that must not begin a line.
func breakable(g string) bool {
	r, _ := utf8.DecodeRuneInString(g)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func (w *wrapper) endWord() {
	if len(w.word) == 0 {
		return
	}
	if w.used+w.space+w.long > w.width {
		w.endLine()
	}
	if w.used > 0 || len(w.lines) == 0 { // blanks at a break are dropped, at the very start kept
		if w.space+w.long+w.used <= w.width {
			w.line = appendSpans(w.line, w.blank)
			w.used += w.space
		}
	}
	w.line = appendSpans(w.line, w.word)
	w.used += w.long
	w.word, w.long, w.blank, w.space = nil, 0, nil, 0
}

func (w *wrapper) endLine() {
	if len(w.line) > 0 {
		w.lines = append(w.lines, w.line)
	}
	w.line, w.used = nil, 0
	if len(w.lines) > 0 {
		w.blank, w.space = nil, 0
	}
}

func appendText(spans []span, text string, like span) []span {
	if n := len(spans); n > 0 && spans[n-1].look == like.look && spans[n-1].url == like.url {
		spans[n-1].text += text
		return spans
	}
	return append(spans, span{text, like.look, like.url})
}

func appendSpans(spans, more []span) []span {
	for _, s := range more {
		spans = appendText(spans, s.text, s)
	}
	return spans
}

// breakAll breaks a line of code at the edge, blanks kept.
func breakAll(s span, width int) (out []span) {
	width = max(1, width)
	var b strings.Builder
	used := 0
	for rest := s.text; rest != ""; {
		g, n := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if g == "" {
			break
		}
		rest = rest[len(g):]
		if n > width {
			g, n = "\ufffd", 1
		}
		if used+n > width {
			out = append(out, span{b.String(), s.look, s.url})
			b.Reset()
			used = 0
		}
		b.WriteString(g)
		used += n
	}
	if b.Len() > 0 {
		out = append(out, span{b.String(), s.look, s.url})
	}
	return out
}

// rightToLeft looks at the first strong letter (Unicode Annex 9, P2 and P3).
func rightToLeft(text string) bool {
	for _, r := range text {
		if r < 0x590 {
			if unicode.IsLetter(r) {
				return false
			}
			continue
		}
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) && unicode.IsLetter(r) {
			return true
		}
		if unicode.IsLetter(r) {
			return false
		}
	}
	return false
}
