package blocks

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Render writes bs as Markdown, ended by a line feed unless empty. Hidden
// blocks are left out.
func Render(bs []Block) string {
	s := renderBlocks(Visible(Canonical(bs)), false)
	if s == "" {
		return ""
	}
	return s + "\n"
}

// renderBlocks joins blocks. In an item a list comes right under the paragraph
// it belongs to, where the grammar reads that as a list.
func renderBlocks(bs []Block, item bool) string {
	var b strings.Builder
	other := false // the second choice of marker, so that two lists stay two
	for i, bl := range bs {
		other = i > 0 && bs[i-1].Type == bl.Type && !other
		s := renderBlock(bl, other)
		if i > 0 {
			b.WriteByte('\n')
			first, _, _ := strings.Cut(s, "\n")
			list := bl.Type == Bullets || bl.Type == Ordered
			if !(item && list && bs[i-1].Type == Paragraph && interrupts(first, true)) {
				b.WriteByte('\n')
			}
		}
		b.WriteString(s)
	}
	return b.String()
}

func renderBlock(b Block, other bool) string {
	switch b.Type {
	case Heading:
		return trim(strings.Repeat("#", b.Level) + " " + renderInline(b.Text))
	case Paragraph:
		lines := strings.Split(renderInline(b.Text), "\n")
		for i, l := range lines {
			lines[i] = escapeLine(l)
		}
		return strings.Join(lines, "\n")
	case Bullets, Ordered:
		items := make([]string, len(b.Items))
		for i, it := range b.Items {
			items[i] = renderItem(it, itemLabel(b, i, other))
		}
		return strings.Join(items, "\n")
	case Quote:
		return prefix(renderBlocks(b.Blocks, false), ">", "> ")
	case Code:
		f := strings.Repeat("`", max(3, longestTicks(b.Code)+1))
		if b.Code == "" {
			return f + b.Lang + "\n" + f
		}
		return f + b.Lang + "\n" + b.Code + "\n" + f
	default: // Rule; Visible left nothing else
		return "---"
	}
}

func itemLabel(b Block, i int, other bool) string {
	switch {
	case b.Type == Bullets && other:
		return "*"
	case b.Type == Bullets:
		return "-"
	case other:
		return strconv.Itoa(max(b.Start, 1)+i) + ")"
	default:
		return strconv.Itoa(max(b.Start, 1)+i) + "."
	}
}

// renderItem writes an item behind its label. A list or a rule as its first
// block goes to the next line: "- - -" would be a rule.
func renderItem(bs []Block, label string) string {
	if len(bs) == 0 {
		return label
	}
	s := prefix(renderBlocks(bs, true), "", strings.Repeat(" ", len(label)+1))
	switch bs[0].Type {
	case Bullets, Ordered, Rule:
		return label + "\n" + s
	}
	return label + " " + trimLeft(s)
}

// prefix puts p before each line of s, and empty before an empty line.
func prefix(s, empty, p string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l == "" {
			lines[i] = empty
		} else {
			lines[i] = p + l
		}
	}
	return strings.Join(lines, "\n")
}

func longestTicks(s string) int {
	longest := 0
	for n := range tickRuns(s) {
		longest = max(longest, n)
	}
	return longest
}

// delimiter is what opens and closes one property of a span.
type delimiter struct {
	kind int // index into the spans' properties; also the order of opening among equals
	href string
	last int // the last span that has it
}

// inlineWriter keeps the open delimiters as a stack, so that what was opened
// last is closed first wherever the marks nest.
type inlineWriter struct {
	b     strings.Builder
	stack []delimiter
}

func renderInline(spans []Span) string {
	var w inlineWriter
	for i, s := range spans {
		w.closeBefore(i)
		for _, d := range w.missing(spans, i) {
			w.b.WriteString([]string{"**", "*", "~~", "["}[d.kind])
			w.stack = append(w.stack, d)
		}
		if s.Code {
			w.b.WriteString(codeSpan(s.Text))
		} else {
			w.b.WriteString(escapeText(s.Text, s.Href != ""))
		}
	}
	w.closeBefore(len(spans))
	return w.b.String()
}

// closeBefore closes what ends before span i, innermost first.
func (w *inlineWriter) closeBefore(i int) {
	for k := len(w.stack) - 1; k >= 0; k-- {
		d := w.stack[k]
		if d.last >= i {
			continue
		}
		if d.kind == 3 {
			w.b.WriteString("](" + d.href + ")")
		} else {
			w.b.WriteString([]string{"**", "*", "~~"}[d.kind])
		}
		w.stack = slices.Delete(w.stack, k, k+1)
	}
}

// missing lists what span i has and the stack has not, the longest first.
func (w *inlineWriter) missing(spans []Span, i int) []delimiter {
	var ds []delimiter
	for kind := range 4 {
		if !has(spans[i], kind) || slices.ContainsFunc(w.stack, func(d delimiter) bool { return d.kind == kind }) {
			continue
		}
		d := delimiter{kind: kind, href: spans[i].Href, last: i}
		for d.last+1 < len(spans) && has(spans[d.last+1], kind) && (kind != 3 || spans[d.last+1].Href == d.href) {
			d.last++
		}
		ds = append(ds, d)
	}
	slices.SortStableFunc(ds, func(a, b delimiter) int { return cmp.Compare(b.last, a.last) })
	return ds
}

func has(s Span, kind int) bool {
	return [4]bool{s.Bold, s.Italic, s.Strike, s.Href != ""}[kind]
}

func codeSpan(s string) string {
	n := 1
	for runs := tickRuns(s); runs[n] != nil; n++ {
	}
	f := strings.Repeat("`", n)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		s = " " + s + " "
	}
	return f + s + f
}

// escapeText escapes what would be read as a delimiter, and no more: people
// and assistants read the result too. The edges of a run touch delimiters, so
// a character there is escaped where it could join them.
func escapeText(s string, inLink bool) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		before, after := byte(0), byte(0)
		if i > 0 {
			before = s[i-1]
		}
		if i+1 < len(s) {
			after = s[i+1]
		}
		var esc bool
		switch c {
		case '\\':
			esc = after == 0 || after == '\n' || punct(after)
		case '`':
			esc = true
		case '*':
			esc = !blank(rune(before)) || !blank(rune(after))
		case '~':
			esc = before == 0 || after == 0 || before == '~' || after == '~'
		case '[':
			esc = inLink
		case ']':
			esc = inLink || after == '('
		}
		if esc {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
