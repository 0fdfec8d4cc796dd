package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bridge/internal/say"
	"bridge/internal/termsafe"
)

// Lists of a server come in pages, and may be long. They are followed to the
// end and shown page by page.

// maxPages bounds a list that never ends.
const maxPages = 10_000

// each goes through a list of the server: method is "tools/list" and the
// field of its result is "tools". page is given the items as the server sent
// them.
func (c *connection) each(ctx context.Context, method, field string, page func(items []json.RawMessage) error) error {
	cursor := ""
	var seen []string
	for range maxPages {
		var params any
		if cursor != "" {
			params = map[string]string{"cursor": cursor}
		}
		raw, err := c.request(ctx, method, params)
		if err != nil {
			return err
		}
		var result map[string]json.RawMessage
		var items []json.RawMessage
		if json.Unmarshal(raw, &result) != nil || json.Unmarshal(result[field], &items) != nil {
			return fail(exitFailure, say.T("%s answered %s with something else than a list", serverTitle(c.server), method))
		}
		next := ""
		_ = json.Unmarshal(result["nextCursor"], &next) // or it is the last
		if err := page(items); err != nil {
			return err
		}
		if next == "" {
			return nil
		}
		if slices.Contains(seen, next) {
			break
		}
		seen, cursor = append(seen, next), next
	}
	return fail(exitFailure, say.T("the list of %s does not end", serverTitle(c.server)))
}

// rawJSON writes JSON of a server to stdout: its own bytes in one line for a
// program, indented and safe for a person.
func (s *streams) rawJSON(raw json.RawMessage) {
	s.endProgress()
	if !s.outIsTerminal() {
		fmt.Fprintf(s.out, "%s\n", bytes.ReplaceAll(raw, []byte("\n"), nil))
		return
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	fmt.Fprintln(s.out, escapeJSON(b.String()))
}

// escapeJSON writes the letters that a terminal must not get as JSON's own
// escapes, which changes nothing of the meaning.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !termsafe.Unsafe(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// A jsonList writes {"field":[…]} to stdout while the items come in.
type jsonList struct {
	s     *streams
	field string
	n     int
	began bool
}

func (l *jsonList) page(items []json.RawMessage) error {
	if !l.began {
		l.begin()
	}
	for _, item := range items {
		sep, indent := "", ""
		if l.n > 0 {
			sep = ","
		}
		if l.s.outIsTerminal() {
			sep, indent = sep+"\n    ", "    "
		}
		l.n++
		var b bytes.Buffer
		if indent == "" || json.Indent(&b, item, indent, "  ") != nil {
			b.Reset()
			b.Write(bytes.ReplaceAll(item, []byte("\n"), nil))
		}
		text := b.String()
		if l.s.outIsTerminal() {
			text = escapeJSON(text)
		}
		l.s.printf("%s%s", sep, text)
	}
	return nil
}

func (l *jsonList) begin() {
	l.began = true
	if l.s.outIsTerminal() {
		l.s.printf("{\n  %q: [", l.field)
		return
	}
	l.s.printf("{%q:[", l.field)
}

// and goes on with another list of the same object.
func (l *jsonList) and(field string) {
	if !l.began {
		l.begin()
	}
	l.field, l.n = field, 0
	if l.s.outIsTerminal() {
		l.s.printf("\n  ],\n  %q: [", field)
		return
	}
	l.s.printf("],%q:[", field)
}

func (l *jsonList) end() {
	if !l.began {
		l.begin()
	}
	if l.s.outIsTerminal() {
		l.s.printf("\n  ]\n}\n")
		return
	}
	l.s.printf("]}\n")
}

// A row is a line of a list: a name, a mark, and what it is.
type row struct {
	name, mark string
	how        sgr // of the mark; empty for none
	text       string
}

// rows shows a page of a list in columns that fit the width; where there is
// none to spare, the text stands below the name. Nothing is cut when stdout is
// no terminal.
func (s *streams) rows(list []row) {
	width := s.width()
	if !s.outIsTerminal() && width == 80 {
		width = 1 << 16
	}
	name, mark := 0, 0
	for i := range list {
		r := &list[i]
		r.name, r.mark, r.text = termsafe.Line(r.name), termsafe.Line(r.mark), termsafe.Line(r.text)
		name, mark = max(name, termsafe.Width(list[i].name)), max(mark, termsafe.Width(list[i].mark))
	}
	for _, r := range list {
		label := r.mark
		if r.how != "" && label != "" {
			label = s.paint(r.how, label)
		}
		left := name + mark + 2
		if mark > 0 {
			left += 2
		}
		if width < 60 || left > width/2+10 {
			line := s.paint(bold, r.name)
			if label != "" {
				line += "  " + label
			}
			s.printf("%s\n", line)
			if r.text != "" {
				s.printf("  %s\n", termsafe.Cut(r.text, width-2))
			}
			continue
		}
		line := s.paint(bold, r.name) + strings.Repeat(" ", name-termsafe.Width(r.name))
		if mark > 0 {
			line += "  " + label + strings.Repeat(" ", mark-termsafe.Width(r.mark))
		}
		if r.text != "" {
			line += "  " + termsafe.Cut(r.text, width-left)
		}
		s.printf("%s\n", strings.TrimRight(line, " "))
	}
}

// firstLine is the first line or sentence of a description.
func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i+1]
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ".")
}
