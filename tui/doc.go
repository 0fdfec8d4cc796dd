// Package tui is the review: questions and answers on a terminal, by key or,
// where there is no screen to draw on, line by line.
//
// It exists to be glanced at and left: forty cards in five minutes, by thumb
// and number keys, on any terminal from 40 by 12 upward. It knows cards and
// nothing of servers, so it runs against whatever answers the tools.
//
// It refuses to show a card's text raw, to say anything by colour alone, and to
// wait for the network on a key.
//
// The rules of this code, which are those of github.com/charmbracelet/crush:
//
//   - One model. What is drawn is a method on it with a width and a height that
//     returns lines; only the model knows keys.
//   - Update changes state and never waits: what takes time is a tea.Cmd.
//   - View reads state and never changes it.
//   - Nothing is styled at package level; a theme is made when the terminal's
//     background is known, and made again when it changes.
//   - Widths are measured in columns of grapheme clusters, never in bytes or
//     runes.
package tui
