package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"bridge/internal/fsrs"
	"bridge/tui/markdown"
)

// A theme is the terminal's own sixteen colours, picked for its background.
// Whatever a colour says, a word or a digit says too.
type theme struct {
	title, faint, accent, warn, strong style
	bar, rest                          style
	grade                              [4]style
	code, heading, math, link          style
}

// A style is how a piece of a line looks. The zero value is as it comes.
type style ansi.Style

// Render dresses text, which is of one line.
func (s style) Render(text string) string {
	if text == "" {
		return ""
	}
	return ansi.Style(s).Styled(text)
}

func (s style) bold() style   { return style(s.copy().Bold()) }
func (s style) italic() style { return style(s.copy().Italic(true)) }

// copy keeps what is added to one style out of another made of the same.
func (s style) copy() ansi.Style { return ansi.Style(slices.Clip(s)) }

func newTheme(dark bool) theme {
	var plain ansi.Style
	colour := func(s ansi.Style, light, onDark uint8) style {
		if dark {
			light = onDark
		}
		return style(s.ForegroundColor(ansi.BasicColor(light)))
	}
	faint, bold := style(plain.Faint()), style(plain.Bold())
	t := theme{
		title:   bold,
		faint:   faint,
		strong:  bold,
		accent:  colour(plain, 4, 14),
		warn:    colour(plain.Bold(), 1, 11),
		bar:     colour(plain, 4, 14),
		rest:    faint,
		code:    colour(plain, 5, 13),
		heading: bold,
		math:    colour(plain, 4, 14),
	}
	t.grade[fsrs.Again] = colour(plain.Bold(), 1, 9)
	t.grade[fsrs.Hard] = colour(plain.Bold(), 5, 11)
	t.grade[fsrs.Good] = colour(plain.Bold(), 2, 10)
	t.grade[fsrs.Easy] = colour(plain.Bold(), 4, 14)
	return t
}

// paint puts a card's looks on the screen.
func (t theme) paint(look markdown.Look, url, text string) string {
	var how style
	switch {
	case look&markdown.Heading != 0:
		how = t.heading
	case look&markdown.Code != 0:
		how = t.code
	case look&markdown.Math != 0:
		how = t.math
	case look&markdown.Link != 0:
		how = t.link
	case look&markdown.Faint != 0:
		how = t.faint
	}
	if look&markdown.Bold != 0 {
		how = how.bold()
	}
	if look&markdown.Italic != 0 {
		how = how.italic()
	}
	if look&(markdown.Heading|markdown.Link) != 0 {
		text = underlined(text)
	}
	if look&markdown.Strike != 0 {
		text = "\x1b[9m" + text + "\x1b[29m"
	}
	out := how.Render(text)
	if url != "" {
		out = ansi.SetHyperlink(url) + out + ansi.ResetHyperlink()
	}
	return out
}

// underlined is for text that is dressed afterwards: it does not end the dress.
func underlined(text string) string { return "\x1b[4m" + text + "\x1b[24m" }

func width(text string) int { return ansi.StringWidth(text) }

// fit cuts text to at most n columns.
func fit(text string, n int) string {
	if width(text) <= n {
		return text
	}
	return ansi.Truncate(text, max(0, n), "…")
}

// pad fills text up with blanks to n columns.
func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-width(text)))
}

// ends puts two texts at both ends of a line; the left one gives way.
func ends(left, right string, n int) string {
	left = fit(left, n-width(right)-1)
	return fit(pad(left, n-width(right))+right, n)
}
