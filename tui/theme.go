package tui

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"bridge/internal/fsrs"
	"bridge/tui/markdown"
)

// A theme is the terminal's own sixteen colours, picked for its background.
// Whatever a colour says, a word or a digit says too.
type theme struct {
	title, faint, accent, warn, strong lipgloss.Style
	bar, rest                          lipgloss.Style
	grade                              [4]lipgloss.Style
	code, heading, math, link          lipgloss.Style
}

func newTheme(dark bool) theme {
	pick := func(light, onDark uint8) color.Color {
		if dark {
			return ansi.BasicColor(onDark)
		}
		return ansi.BasicColor(light)
	}
	plain := lipgloss.NewStyle()
	t := theme{
		title:   plain.Bold(true),
		faint:   plain.Faint(true),
		strong:  plain.Bold(true),
		accent:  plain.Foreground(pick(4, 14)),
		warn:    plain.Bold(true).Foreground(pick(1, 11)),
		bar:     plain.Foreground(pick(4, 14)),
		rest:    plain.Faint(true),
		code:    plain.Foreground(pick(5, 13)),
		heading: plain.Bold(true),
		math:    plain.Foreground(pick(4, 14)),
		link:    plain,
	}
	t.grade[fsrs.Again] = plain.Bold(true).Foreground(pick(1, 9))
	t.grade[fsrs.Hard] = plain.Bold(true).Foreground(pick(5, 11))
	t.grade[fsrs.Good] = plain.Bold(true).Foreground(pick(2, 10))
	t.grade[fsrs.Easy] = plain.Bold(true).Foreground(pick(4, 14))
	return t
}

// paint puts a card's looks on the screen.
func (t theme) paint(look markdown.Look, url, text string) string {
	style := lipgloss.NewStyle()
	switch {
	case look&markdown.Heading != 0:
		style = t.heading
	case look&markdown.Code != 0:
		style = t.code
	case look&markdown.Math != 0:
		style = t.math
	case look&markdown.Link != 0:
		style = t.link
	case look&markdown.Faint != 0:
		style = t.faint
	}
	if look&markdown.Bold != 0 {
		style = style.Bold(true)
	}
	if look&markdown.Italic != 0 {
		style = style.Italic(true)
	}
	if look&(markdown.Heading|markdown.Link) != 0 {
		text = underlined(text)
	}
	if look&markdown.Strike != 0 {
		text = "\x1b[9m" + text + "\x1b[29m"
	}
	out := style.Inline(true).Render(text)
	if url != "" {
		out = ansi.SetHyperlink(url) + out + ansi.ResetHyperlink()
	}
	return out
}

// underlined is for text of any kind. The underline of lipgloss goes rune by
// rune, and so between a letter and its accent.
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
