// Package markdown lays out the text of a flashcard for a terminal: the subset
// of Markdown that cards use, simple LaTeX as Unicode, wide and combining
// characters, right-to-left paragraphs.
//
// It exists because the renderers there are cost every process of the binary
// more at start than the relay needs to run, and because a card is written by
// somebody else: nothing in it may move the cursor, change a colour, or hide.
// Raw HTML and escape sequences are shown as the text they are, no line is
// wider than asked, and the time taken grows with the length of the text.
//
// It refuses to fetch anything: an image is its description.
//
//	Parse ──▶ []block ──▶ layout ──▶ []Line ──▶ Line.String(painter)
package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"bridge/internal/termsafe"
)

// A Look is how a piece of text differs from text around it.
type Look uint16

// The looks, which combine.
const (
	Bold Look = 1 << iota
	Italic
	Strike
	Code
	Heading
	Quote
	Link
	Math
	Faint // marks that are no part of the text
)

// A Painter puts a look on text, and an address behind it if url is not empty.
// The text has no control characters; neither has url.
type Painter func(look Look, url, text string) string

// A Line is one line of a screen.
type Line struct {
	spans []span
	width int
	// RTL says that it belongs to a right-to-left paragraph.
	RTL bool
}

type span struct {
	text string
	look Look
	url  string
}

// Width in columns.
func (l Line) Width() int { return l.width }

// Text is the line without any look.
func (l Line) Text() string {
	var b strings.Builder
	for _, s := range l.spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// Marks that keep a right-to-left paragraph from changing its surroundings
// (Unicode Annex 9, first strong isolate).
const (
	isolate = "\u2068"
	pop     = "\u2069"
)

// String gives the line as paint makes it; nil paints nothing. A right-to-left
// line stays in logical order, in an isolate: turning it is the terminal's.
func (l Line) String(paint Painter) string {
	var b strings.Builder
	if l.RTL {
		b.WriteString(isolate)
	}
	for _, s := range l.spans {
		if paint == nil {
			b.WriteString(s.text)
		} else {
			b.WriteString(paint(s.look, s.url, s.text))
		}
	}
	if l.RTL {
		b.WriteString(pop)
	}
	return b.String()
}

// An Image is a picture that a card names.
type Image struct{ Alt, URL string }

// Options of Render. The zero value is for a screen.
type Options struct {
	// Spoken is for reading aloud and for pipes: no boxes, no bars; addresses
	// are written out.
	Spoken bool
}

// MaxSource bounds the text that is laid out; the rest is cut off, and said so.
const MaxSource = 64 << 10

// Render lays text out in lines of at most width columns, which is at least 1.
func Render(text string, width int, o Options) []Line {
	width = max(1, width)
	text = Clean(text)
	if len(text) > MaxSource {
		text = strings.ToValidUTF8(text[:MaxSource], "") + "\n\n[…]"
	}
	l := layout{width: width, o: o}
	l.blocks(parse(strings.Split(text, "\n"), 0), nil)
	return l.lines
}

// Images lists the pictures of a text that can be opened: https only.
func Images(text string) (images []Image) {
	for _, b := range parse(strings.Split(Clean(text), "\n"), 0) {
		b.walk(func(line string) {
			for _, s := range inline(line) {
				if s.image && safeURL(s.url) {
					images = append(images, Image{s.text, s.url})
				}
			}
		})
	}
	return images
}

// Clean makes text of unknown origin fit for a terminal, as package termsafe
// does. Isolates are dropped: a paragraph that needs them gets ours.
func Clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, text)
	return strings.ReplaceAll(termsafe.Text(text), "\t", "    ")
}

// Width of text in columns.
func Width(text string) int { return ansi.StringWidth(text) }

// safeURL says whether an address may be put behind text or opened.
func safeURL(url string) bool {
	if len(url) > 2000 || !strings.HasPrefix(url, "https://") || len(url) == len("https://") {
		return false
	}
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '\\' {
			return false
		}
	}
	return true
}
