package tui

import (
	"bridge/internal/cards"
	"bridge/internal/say"
	"bridge/tui/markdown"
)

func (m *model) helpLines() []string {
	keys := [][2]string{
		{say.T("space"), say.T("show the answer, then Good")},
		{"1 2 3 4", say.T("Again, Hard, Good, Easy")},
		{"u", say.T("take the last grade back, until the next is given or 5 seconds have passed")},
		{"j k ↑ ↓", say.T("scroll")},
		{"e", say.T("edit the card; the change is shown before it is made")},
		{"i", say.T("about this card")},
		{"t", say.T("its tags")},
		{"o", say.T("open its picture")},
		{"/", say.T("review a deck or a tag only")},
		{"q", say.T("leave; what is not sent yet is sent")},
	}
	room, _ := m.column()
	label := 0
	for _, k := range keys {
		label = max(label, width(k[0]))
	}
	var out []string
	for _, k := range keys {
		for i, part := range wrapText(k[1], max(8, room-label-2)) {
			head := ""
			if i == 0 {
				head = k[0]
			}
			out = append(out, pad(head, label)+"  "+part)
		}
	}
	return out
}

func tagLines(c cards.Card) []string {
	if !c.Known {
		return []string{say.T("Nothing more is known about this card yet.")}
	}
	if len(c.Tags) == 0 {
		return []string{say.T("No tags.")}
	}
	out := make([]string, len(c.Tags))
	for i, t := range c.Tags {
		out[i] = "# " + markdown.Clean(t)
	}
	return out
}
