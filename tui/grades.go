package tui

import (
	"strconv"
	"strings"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
	"bridge/internal/say"
)

// The grades stand in one line where it is wide enough, else two by two. Each
// cell is as wide as the others, so that a thumb, or a pointer, finds it.

// bar is the grades, or what else can be done at the bottom.
func (m *model) bar() []string {
	rows := m.barRows()
	if m.mode != modeCard || m.v.Phase != cards.Answer {
		if m.h < tall { // no line of keys below, and none to give away
			return []string{m.keys()}
		}
		out := make([]string, len(rows))
		if m.mode == modeCard && m.v.Phase == cards.Question {
			text := m.theme.strong.Render(say.T("space")) + " " + say.T("shows the answer")
			out[0] = strings.Repeat(" ", max(0, (m.w-width(text))/2)) + text
		}
		return out
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		cell := m.w / len(row)
		for _, r := range row {
			out[i] += pad(fit(m.gradeCell(r), cell), cell)
		}
	}
	return out
}

// barRows is which grades stand in which line.
func (m *model) barRows() [][]fsrs.Rating {
	all := fsrs.Ratings()
	for _, r := range all {
		if m.cellWidth(r) > m.w/4 {
			return [][]fsrs.Rating{all[:2], all[2:]}
		}
	}
	return [][]fsrs.Rating{all[:]}
}

// cellWidth is that of a grade with a long interval, so that the layout does
// not change from card to card.
func (m *model) cellWidth(r fsrs.Rating) int { return width(" 1 "+ratingName(r)) + len(" ≈1.5mo") }

func (m *model) gradeCell(r fsrs.Rating) string {
	text := " " + m.theme.grade[r].Render(strconv.Itoa(int(r)+1)+" "+ratingName(r))
	if p := m.v.Previews; p != nil {
		text += " " + m.theme.faint.Render(previewShort(p[r]))
	}
	return text
}

// gradeAt finds the grade at a place of the screen.
func (m *model) gradeAt(x, y int) (fsrs.Rating, bool) {
	rows := m.barRows()
	first := m.h - len(rows)
	if m.h >= tall {
		first--
	}
	if y < first || y >= first+len(rows) || x < 0 || x >= m.w {
		return 0, false
	}
	row := rows[y-first]
	return row[min(x/(m.w/len(row)), len(row)-1)], true
}
