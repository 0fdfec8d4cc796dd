// Package blocks holds documents as PaceCraft's editor does, as a list of typed
// blocks, and carries the part of them that has a Markdown form to Markdown and
// back. It exists because the round trip read → change → write is what an
// assistant does with a document, and a document must survive it.
//
// It refuses to be CommonMark. Its grammar is the documented subset: headings
// of three levels, paragraphs, bullet and ordered lists, blockquotes, fenced
// code, rules, and in a line bold, italic, both, strike, code and links. What
// else somebody writes stays the text it is. Tables, callouts, checklists and
// toggles are blocks without a Markdown form: [Render] leaves them out, and
// [Parse] never makes one.
//
// Two laws hold and are tested: Parse(Render(b)) equals [Canonical](b) without
// its hidden blocks, and Render(Parse(x)) is the same after any number of rounds.
package blocks

import "errors"

// Bounds on what Parse takes. All work is linear in the input times MaxDepth.
const (
	MaxBytes  = 1 << 20 // of Markdown
	MaxBlocks = 20_000  // in one document, nested ones counted
	MaxDepth  = 12      // of lists and blockquotes in each other; deeper markers are text
	maxHref   = 2048    // bytes; a longer target is text
)

// Parse fails with one of these and with nothing else.
var (
	ErrTooLarge      = errors.New("markdown is larger than 1 MiB")
	ErrTooManyBlocks = errors.New("markdown holds more than 20,000 blocks")
)

// Kind is the type of a block.
type Kind string

// The kinds with a Markdown form.
const (
	Heading   Kind = "heading"   // Level, Text
	Paragraph Kind = "paragraph" // Text
	Bullets   Kind = "bullets"   // Items
	Ordered   Kind = "ordered"   // Items, Start
	Quote     Kind = "quote"     // Blocks
	Code      Kind = "code"      // Code, Lang
	Rule      Kind = "rule"
)

// The kinds that only the editor can make and show.
const (
	Table     Kind = "table"     // Rows, the first one the header
	Callout   Kind = "callout"   // Icon, Text
	Checklist Kind = "checklist" // Checks
	Toggle    Kind = "toggle"    // Text is what shows when it is closed, Blocks what it hides
)

// Hidden reports whether blocks of this kind have no Markdown form. An unknown
// kind has none either.
func (k Kind) Hidden() bool {
	switch k {
	case Heading, Paragraph, Bullets, Ordered, Quote, Code, Rule:
		return false
	}
	return true
}

// Block is one block of a document. Which fields count depends on Type, as
// said at the kinds; the others are zero.
type Block struct {
	Type   Kind       `json:"type"`
	Level  int        `json:"level,omitempty"` // 1 to 3
	Text   []Span     `json:"text,omitempty"`
	Start  int        `json:"start,omitempty"` // number of the first item; 0 means 1
	Items  [][]Block  `json:"items,omitempty"`
	Blocks []Block    `json:"blocks,omitempty"`
	Lang   string     `json:"lang,omitempty"`
	Code   string     `json:"code,omitempty"`
	Icon   string     `json:"icon,omitempty"`
	Rows   [][]string `json:"rows,omitempty"`
	Checks []Check    `json:"checks,omitempty"`
}

// Check is one line of a checklist.
type Check struct {
	Done bool   `json:"done"`
	Text []Span `json:"text"`
}

// Span is a run of text that looks the same from end to end. A line break
// inside a paragraph is "\n" in Text. A Code span keeps its other marks.
type Span struct {
	Text   string `json:"text"`
	Bold   bool   `json:"bold,omitempty"`
	Italic bool   `json:"italic,omitempty"`
	Strike bool   `json:"strike,omitempty"`
	Code   bool   `json:"code,omitempty"`
	Href   string `json:"href,omitempty"` // http, https, mailto or relative; empty is no link
}

// Plain returns one span of s without marks, the Text of a simple block.
func Plain(s string) []Span { return []Span{{Text: s}} }

// Count returns the number of blocks in bs, nested ones counted.
func Count(bs []Block) int {
	n := len(bs)
	for _, b := range bs {
		n += Count(b.Blocks)
		for _, it := range b.Items {
			n += Count(it)
		}
	}
	return n
}
