package markdown

import (
	"strings"
)

type kind int

const (
	paragraph kind = iota
	heading
	list
	quote
	code
	table
	rule
	math
)

// A block is a part of a card. Which fields have a meaning depends on kind.
type block struct {
	kind  kind
	level int        // heading
	name  string     // code: the language
	lines []string   // paragraph, heading, code, math
	items []item     // list
	inner []block    // quote
	cells [][]string // table; the first row is the head
}

type item struct {
	mark   string
	blocks []block
}

// walk visits the lines that hold inline text.
func (b block) walk(visit func(line string)) {
	switch b.kind {
	case paragraph, heading:
		visit(strings.Join(b.lines, "\n"))
	case table:
		for _, r := range b.cells {
			for _, c := range r {
				visit(c)
			}
		}
	}
	for _, it := range b.items {
		for _, c := range it.blocks {
			c.walk(visit)
		}
	}
	for _, c := range b.inner {
		c.walk(visit)
	}
}

// maxDepth bounds blocks within blocks; deeper ones are paragraphs.
const maxDepth = 6

// parse reads blocks. Each line is looked at a bounded number of times on each
// level, and levels are bounded.
func parse(lines []string, depth int) (out []block) {
	var para []string
	flush := func() {
		if len(para) > 0 {
			out = append(out, block{kind: paragraph, lines: para})
			para = nil
		}
	}
	for i := 0; i < len(lines); {
		line := lines[i]
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			flush()
			i++
			continue
		}
		if b, n := opener(lines[i:], trimmed, depth, len(para) > 0); n > 0 {
			flush()
			out = append(out, b)
			i += n
			continue
		}
		para = append(para, strings.TrimLeft(line, " "))
		i++
	}
	flush()
	return out
}

// opener reads the block that begins with the first of lines, if it is no
// paragraph. n is how many lines it takes.
func opener(lines []string, trimmed string, depth int, inParagraph bool) (b block, n int) {
	if fence := fenceOf(trimmed); fence != "" {
		return fenced(lines, fence)
	}
	if level, text := headingOf(trimmed); level > 0 {
		return block{kind: heading, level: level, lines: []string{text}}, 1
	}
	if isRule(trimmed) {
		return block{kind: rule}, 1
	}
	if strings.HasPrefix(trimmed, "$$") {
		if b, n := mathBlock(lines, trimmed); n > 0 {
			return b, n
		}
	}
	if trimmed[0] == '>' && depth < maxDepth {
		return quoted(lines, depth)
	}
	if mark, _, _ := marker(lines[0]); mark != "" && depth < maxDepth && (!inParagraph || mark == "•" || mark == "1.") {
		return listed(lines, depth)
	}
	if len(lines) > 1 && strings.Contains(trimmed, "|") && isDelimiter(lines[1]) && len(cells(trimmed)) == len(cells(lines[1])) {
		return tabled(lines)
	}
	return block{}, 0
}

func fenceOf(trimmed string) string {
	for _, c := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, c))
		if n >= 3 && (c == "~" || !strings.Contains(trimmed[n:], "`")) {
			return trimmed[:n]
		}
	}
	return ""
}

func fenced(lines []string, fence string) (block, int) {
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], " "))
	name, _, _ := strings.Cut(strings.TrimSpace(strings.TrimSpace(lines[0])[len(fence):]), " ")
	b := block{kind: code, name: name}
	for i, line := range lines[1:] {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == "" {
			return b, i + 2
		}
		for k := 0; k < indent && strings.HasPrefix(line, " "); k++ {
			line = line[1:]
		}
		b.lines = append(b.lines, line)
	}
	return b, len(lines)
}

func headingOf(trimmed string) (level int, text string) {
	n := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
	if n < 1 || n > 6 || len(trimmed) > n && trimmed[n] != ' ' {
		return 0, ""
	}
	text = strings.TrimSpace(trimmed[n:])
	if t := strings.TrimRight(text, "#"); t == "" || strings.HasSuffix(t, " ") {
		text = strings.TrimSpace(t)
	}
	return n, text
}

func isRule(trimmed string) bool {
	bare := strings.ReplaceAll(trimmed, " ", "")
	return len(bare) >= 3 && strings.ContainsAny(bare[:1], "-*_") && strings.Trim(bare, bare[:1]) == ""
}

func mathBlock(lines []string, trimmed string) (block, int) {
	b := block{kind: math}
	first := strings.TrimPrefix(trimmed, "$$")
	if text, ok := strings.CutSuffix(first, "$$"); ok && strings.TrimSpace(text) != "" {
		b.lines = []string{strings.TrimSpace(text)}
		return b, 1
	}
	if first != "" {
		b.lines = append(b.lines, first)
	}
	for i, line := range lines[1:] {
		t := strings.TrimSpace(line)
		if text, ok := strings.CutSuffix(t, "$$"); ok {
			if text != "" {
				b.lines = append(b.lines, text)
			}
			return b, i + 2
		}
		if t == "" {
			break // a formula has no empty line; this is no formula
		}
		b.lines = append(b.lines, t)
	}
	return block{}, 0
}

func quoted(lines []string, depth int) (block, int) {
	var inner []string
	n := 0
	for _, line := range lines {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), ">")
		if !ok {
			break
		}
		inner = append(inner, strings.TrimPrefix(text, " "))
		n++
	}
	return block{kind: quote, inner: parse(inner, depth+1)}, n
}

// marker finds a list's mark at the start of a line: the mark to show, the
// column where the item's text begins, and the text.
func marker(line string) (mark string, column int, text string) {
	t := strings.TrimLeft(line, " ")
	column = len(line) - len(t)
	size := 0
	switch {
	case strings.HasPrefix(t, "- "), strings.HasPrefix(t, "* "), strings.HasPrefix(t, "+ "), t == "-", t == "*", t == "+":
		mark, size = "•", 1
	default:
		digits := 0
		for digits < len(t) && digits < 9 && t[digits] >= '0' && t[digits] <= '9' {
			digits++
		}
		if digits == 0 || digits == len(t) || t[digits] != '.' && t[digits] != ')' || len(t) > digits+1 && t[digits+1] != ' ' {
			return "", 0, ""
		}
		mark, size = t[:digits+1], digits+1
	}
	rest := t[size:]
	text = strings.TrimLeft(rest, " ")
	gap := len(rest) - len(text)
	if gap < 1 || gap > 4 || text == "" {
		gap = 1
		text = strings.TrimPrefix(rest, " ")
	}
	return mark, column + size + gap, text
}

func listed(lines []string, depth int) (block, int) {
	b := block{kind: list}
	var inner []string
	var column int
	var mark string
	flush := func() {
		if mark != "" {
			b.items = append(b.items, item{mark, parse(inner, depth+1)})
		}
		inner = nil
	}
	i := 0
	for i < len(lines) {
		line := lines[i]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		blank := strings.TrimSpace(line) == ""
		switch m, c, text := marker(line); {
		case blank:
			// The item goes on if what follows is indented, the list if it is an item.
			if i+1 < len(lines) && follows(lines[i+1], column) {
				inner = append(inner, "")
				i++
				continue
			}
			flush()
			return b, i
		case mark != "" && indent >= column:
			inner = append(inner, line[column:])
		case m != "" && (mark == "" || (m == "•") == (mark == "•")) && !isRule(strings.TrimSpace(line)):
			flush()
			mark, column = m, c
			inner = []string{text}
		case mark != "" && i > 0 && strings.TrimSpace(lines[i-1]) != "" && plainLine(line):
			inner = append(inner, strings.TrimSpace(line)) // a paragraph that goes on
		default:
			flush()
			return b, i
		}
		i++
	}
	flush()
	return b, i
}

func follows(line string, column int) bool {
	m, _, _ := marker(line)
	return m != "" || strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) >= column
}

// plainLine says that a line begins no block of its own.
func plainLine(line string) bool {
	t := strings.TrimSpace(line)
	level, _ := headingOf(t)
	return t != "" && fenceOf(t) == "" && level == 0 && !isRule(t) && t[0] != '>' && !strings.HasPrefix(t, "$$")
}

func isDelimiter(line string) bool {
	t := strings.TrimSpace(line)
	return strings.Contains(t, "-") && strings.Contains(t, "|") && strings.Trim(t, "|-: ") == ""
}

func tabled(lines []string) (block, int) {
	b := block{kind: table, cells: [][]string{cells(lines[0])}}
	n := 2
	for _, line := range lines[2:] {
		if strings.TrimSpace(line) == "" || !strings.Contains(line, "|") {
			break
		}
		b.cells = append(b.cells, cells(line))
		n++
	}
	return b, n
}

func cells(line string) (out []string) {
	t := strings.TrimSpace(line)
	t = strings.TrimPrefix(t, "|")
	if strings.HasSuffix(t, "|") && !strings.HasSuffix(t, `\|`) {
		t = t[:len(t)-1]
	}
	var cell strings.Builder
	for i := 0; i < len(t); i++ {
		switch {
		case t[i] == '\\' && i+1 < len(t) && t[i+1] == '|':
			cell.WriteByte('|')
			i++
		case t[i] == '|':
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(t[i])
		}
	}
	return append(out, strings.TrimSpace(cell.String()))
}
