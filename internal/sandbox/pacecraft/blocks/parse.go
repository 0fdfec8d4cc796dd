package blocks

import "strings"

// Parse reads Markdown into canonical blocks. What is not of the subset stays
// text. It fails only with ErrTooLarge and ErrTooManyBlocks.
func Parse(markdown string) ([]Block, error) {
	if len(markdown) > MaxBytes {
		return nil, ErrTooLarge
	}
	p := parser{}
	bs := p.blocks(strings.Split(clean(markdown), "\n"), 0)
	if p.count > MaxBlocks {
		return nil, ErrTooManyBlocks
	}
	return bs, nil
}

type parser struct{ count int }

// more counts a block or an item and says whether there may be another.
func (p *parser) more() bool {
	p.count++
	return p.count <= MaxBlocks
}

func (p *parser) blocks(lines []string, depth int) []Block {
	var out []Block
	containers := depth < MaxDepth
	for i := 0; i < len(lines); {
		s := trimLeft(lines[i])
		if s == "" {
			i++
			continue
		}
		if !p.more() {
			return nil
		}
		var b Block
		if f, ok := fenceOpen(s); ok {
			b, i = fenced(lines, i, f)
		} else if isRule(s) {
			b, i = Block{Type: Rule}, i+1
		} else if level, text, ok := heading(s); ok {
			b, i = Block{Type: Heading, Level: level, Text: canonLine(parseInline(text))}, i+1
		} else if containers && s[0] == '>' {
			b, i = p.quote(lines, i, depth)
		} else if m, ok := itemMarker(s); ok && containers {
			b, i = p.list(lines, i, depth, m)
		} else {
			b, i = paragraph(lines, i, containers)
			if len(b.Text) == 0 {
				continue // delimiters around nothing
			}
		}
		out = append(out, b)
	}
	return out
}

func fenced(lines []string, i int, f fence) (Block, int) {
	indent := columns(lines[i])
	var code []string
	for i++; i < len(lines); i++ {
		if f.closedBy(trimLeft(lines[i])) {
			i++
			break
		}
		code = append(code, dedent(lines[i], indent))
	}
	return Block{Type: Code, Lang: f.lang, Code: strings.Join(code, "\n")}, i
}

func paragraph(lines []string, i int, containers bool) (Block, int) {
	text := []string{trim(lines[i])}
	for i++; i < len(lines); i++ {
		s := trim(lines[i])
		if s == "" || interrupts(s, containers) {
			break
		}
		text = append(text, s)
	}
	return Block{Type: Paragraph, Text: canonText(parseInline(strings.Join(text, "\n")))}, i
}

// quote takes the lines that start with >. A line without one ends the quote,
// even in the middle of a paragraph: what is quoted shall be plain to see.
func (p *parser) quote(lines []string, i, depth int) (Block, int) {
	var inner []string
	for ; i < len(lines); i++ {
		s := trimLeft(lines[i])
		if s == "" || s[0] != '>' {
			break
		}
		inner = append(inner, strings.TrimPrefix(s[1:], " "))
	}
	return Block{Type: Quote, Blocks: p.blocks(inner, depth+1)}, i
}

// list takes the items that share first's marker. To an item belongs what is
// indented two columns or more past its marker; assistants often indent less
// than a number's width under "1. ".
func (p *parser) list(lines []string, i, depth int, first marker) (Block, int) {
	b := Block{Type: Bullets}
	if first.ordered() {
		b.Type = Ordered
		if first.number > 1 {
			b.Start = min(first.number, maxStart)
		}
	}
	base := columns(lines[i])
	for i < len(lines) {
		s := trimLeft(lines[i])
		m, ok := itemMarker(s)
		at := columns(lines[i])
		if !ok || isRule(s) || m.char != first.char || at >= base+2 || !p.more() {
			break
		}
		end := i + 1 // past the last line that belongs to the item
		next := end
		strip := 0
		for ; next < len(lines); next++ {
			if trimLeft(lines[next]) == "" {
				continue
			}
			in := columns(lines[next])
			if in < at+2 {
				break
			}
			if strip == 0 {
				strip = min(in, at+m.width)
			}
			end = next + 1
		}
		inner := append(make([]string, 0, end-i), m.rest)
		for _, l := range lines[i+1 : end] {
			inner = append(inner, dedent(l, strip))
		}
		b.Items = append(b.Items, p.blocks(inner, depth+1))
		i = next
	}
	return b, i
}
