package blocks

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Canonical returns bs in the one form that each document has, the form that
// Parse answers: no empty paragraphs or spans, neighbours that look alike
// joined, no bold, italic or strike on white space at the edge of their run
// (Markdown cannot say it), lines trimmed, links percent-encoded, levels and
// numbers in range. Hidden blocks stay. bs is not changed.
func Canonical(bs []Block) []Block { return canonBlocks(bs, 0) }

func canonBlocks(bs []Block, depth int) []Block {
	var out []Block
	for _, b := range bs {
		switch b.Type {
		case Heading:
			b = Block{Type: Heading, Level: min(max(b.Level, 1), 3), Text: canonLine(b.Text)}
		case Paragraph:
			b = Block{Type: Paragraph, Text: canonText(b.Text)}
			if len(b.Text) == 0 {
				continue
			}
		case Bullets, Ordered:
			if depth >= MaxDepth || len(b.Items) == 0 {
				continue
			}
			c := Block{Type: b.Type, Items: make([][]Block, len(b.Items))}
			if b.Type == Ordered && b.Start > 1 {
				c.Start = min(b.Start, maxStart)
			}
			for i, it := range b.Items {
				c.Items[i] = canonBlocks(it, depth+1)
			}
			b = c
		case Quote:
			if depth >= MaxDepth {
				continue
			}
			b = Block{Type: Quote, Blocks: canonBlocks(b.Blocks, depth+1)}
		case Code:
			b = Block{Type: Code, Lang: canonLang(b.Lang), Code: clean(b.Code)}
		case Rule:
			b = Block{Type: Rule}
		}
		out = append(out, b)
	}
	return out
}

// Visible returns bs without its hidden blocks.
func Visible(bs []Block) []Block {
	var out []Block
	for _, b := range bs {
		if b.Type.Hidden() {
			continue
		}
		b.Blocks = Visible(b.Blocks)
		if b.Items != nil {
			items := make([][]Block, len(b.Items))
			for i, it := range b.Items {
				items[i] = Visible(it)
			}
			b.Items = items
		}
		out = append(out, b)
	}
	return out
}

// clean makes s valid UTF-8 with "\n" as its only line end.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\r\x00") {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(s)
	}
	return s
}

// canonLang keeps the first word of a fence's info string.
func canonLang(s string) string {
	f := strings.FieldsFunc(clean(s), func(r rune) bool { return unicode.IsSpace(r) || r == '`' })
	if len(f) == 0 {
		return ""
	}
	return f[0]
}

// canonLine is canonText for what cannot be broken over lines.
func canonLine(in []Span) []Span {
	out := slices.Clone(in)
	for i := range out {
		out[i].Text = strings.ReplaceAll(clean(out[i].Text), "\n", " ")
	}
	return canonText(out)
}

// mark is one of a rune's toggles.
type mark uint8

const (
	bold mark = 1 << iota
	italic
	strike
)

// cell is a rune with what is on it. Working rune by rune makes the rules
// below independent of how the text was cut into spans.
type cell struct {
	r     rune
	marks mark
	code  bool
	href  int // index into the hrefs of the text plus one; 0 is no link
}

// space reports whether a delimiter next to c would count as next to white
// space. A code span never does: its backtick stands between.
func (c cell) space() bool { return !c.code && unicode.IsSpace(c.r) }

func blank(r rune) bool { return r == ' ' || r == '\t' }

func canonText(in []Span) []Span {
	cells, hrefs := toCells(in)
	cells = trimLines(cells)
	for _, m := range []mark{bold, italic, strike} {
		trimMark(cells, m)
	}
	return toSpans(cells, hrefs)
}

func toCells(in []Span) ([]cell, []string) {
	var cells []cell
	var hrefs []string
	index := map[string]int{}
	for _, s := range in {
		c := cell{code: s.Code}
		if s.Bold {
			c.marks |= bold
		}
		if s.Italic {
			c.marks |= italic
		}
		if s.Strike {
			c.marks |= strike
		}
		if h, ok := canonHref(s.Href); ok {
			if index[h] == 0 {
				hrefs = append(hrefs, h)
				index[h] = len(hrefs)
			}
			c.href = index[h]
		}
		for _, r := range clean(s.Text) {
			if s.Code && r == '\n' {
				r = ' '
			}
			c.r = r
			cells = append(cells, c)
		}
	}
	return cells, hrefs
}

// trimLines drops blanks at the edges of lines, and lines with nothing in them.
func trimLines(in []cell) []cell {
	out := in[:0]
	edge := func(c cell) bool { return !c.code && (blank(c.r) || c.r == '\n') }
	for _, c := range in {
		lineStart := len(out) == 0 || (out[len(out)-1].r == '\n' && !out[len(out)-1].code)
		if lineStart && edge(c) {
			continue
		}
		if c.r == '\n' && !c.code {
			for n := len(out); n > 0 && !out[n-1].code && blank(out[n-1].r); n-- {
				out = out[:n-1]
			}
		}
		out = append(out, c)
	}
	for n := len(out); n > 0 && edge(out[n-1]); n-- {
		out = out[:n-1]
	}
	return out
}

// trimMark takes m from the white space at both ends of each of its runs.
func trimMark(cells []cell, m mark) {
	for i := 0; i < len(cells); {
		if cells[i].marks&m == 0 {
			i++
			continue
		}
		j := i
		for j < len(cells) && cells[j].marks&m != 0 {
			j++
		}
		for k := i; k < j && cells[k].space(); k++ {
			cells[k].marks &^= m
		}
		for k := j - 1; k >= i && cells[k].space(); k-- {
			cells[k].marks &^= m
		}
		i = j
	}
}

func toSpans(cells []cell, hrefs []string) []Span {
	var out []Span
	for i := 0; i < len(cells); {
		c, j := cells[i], i
		var b strings.Builder
		for ; j < len(cells); j++ {
			d := cells[j]
			if d.r = c.r; d != c {
				break
			}
			b.WriteRune(cells[j].r)
		}
		s := Span{Text: b.String(), Bold: c.marks&bold != 0, Italic: c.marks&italic != 0, Strike: c.marks&strike != 0, Code: c.code}
		if c.href > 0 {
			s.Href = hrefs[c.href-1]
		}
		out = append(out, s)
		i = j
	}
	return out
}

// lastRune returns the last rune of s, or a space when there is none: the edge
// of a text counts as white space.
func lastRune(s string) rune {
	if s == "" {
		return ' '
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func firstRune(s string) rune {
	if s == "" {
		return ' '
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
