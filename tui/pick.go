package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"bridge/internal/cards"
	"bridge/internal/say"
	"bridge/tui/markdown"
)

// A picker chooses what to review: everything, a deck or a tag.
type picker struct {
	loading bool
	typing  string
	all     []choice
	at      int
}

type choice struct {
	text   string
	filter cards.Filter
}

type pickMsg struct {
	decks []cards.Deck
	tags  []cards.Tag
	err   error
}

func (m *model) loadPicks() tea.Cmd {
	return func() tea.Msg {
		var p pickMsg
		if p.decks, p.err = m.s.Decks(m.ctx); p.err == nil {
			p.tags, p.err = m.s.Tags(m.ctx)
		}
		return p
	}
}

func (p *picker) fill(msg pickMsg) {
	p.loading = false
	p.all = []choice{{text: say.T("All cards")}}
	for _, d := range msg.decks {
		p.all = append(p.all, choice{markdown.Clean(d.Name) + "  · " + say.T("deck"), cards.Filter{DeckID: d.ID, Label: d.Name}})
	}
	for _, t := range msg.tags {
		p.all = append(p.all, choice{"# " + markdown.Clean(t.Name) + "  (" + strconv.Itoa(t.Cards) + ")", cards.Filter{Tags: []string{t.Name}, Label: t.Name}})
	}
}

// matching are the choices that hold what is typed.
func (p *picker) matching() (out []choice) {
	for _, c := range p.all {
		if strings.Contains(strings.ToLower(c.text), strings.ToLower(p.typing)) {
			out = append(out, c)
		}
	}
	return out
}

func (p *picker) typed(text string) {
	if len(p.typing) < 200 {
		p.typing += strings.ReplaceAll(text, "\n", " ")
	}
	p.at = 0
}

func (m *model) pickKey(k tea.Key) tea.Cmd {
	p := &m.pick
	found := p.matching()
	switch {
	case k.Code == tea.KeyEscape, k.Mod.Contains(tea.ModCtrl) && k.Code == 'c':
		m.open(modeCard)
	case k.Code == tea.KeyEnter, k.Code == tea.KeyKpEnter:
		if p.at < len(found) {
			m.s.SetFilter(found[p.at].filter)
			m.open(modeCard)
		}
	case k.Code == tea.KeyDown:
		p.at = min(p.at+1, max(0, len(found)-1))
	case k.Code == tea.KeyUp:
		p.at = max(p.at-1, 0)
	case k.Code == tea.KeyBackspace:
		if r := []rune(p.typing); len(r) > 0 {
			p.typing = string(r[:len(r)-1])
		}
		p.at = 0
	case k.Text != "":
		p.typed(markdown.Clean(k.Text))
	}
	return nil
}

func (m *model) pickLines() []string {
	p := &m.pick
	title := say.T("Review what? Type to search.")
	if p.loading {
		return m.panel(title, []string{say.T("Fetching…")})
	}
	lines := []string{"› " + p.typing + "▏"}
	found := p.matching()
	if len(found) == 0 {
		lines = append(lines, say.T("Nothing has that in its name."))
	}
	// The list moves under the mark, so that the mark is always seen.
	show := max(1, m.bodyHeight()-5)
	from := max(0, min(p.at-show/2, len(found)-show))
	for i := from; i < len(found) && i < from+show; i++ {
		mark := "  "
		if i == p.at {
			mark = "▸ "
		}
		lines = append(lines, mark+found[i].text)
	}
	return m.listing(title, lines)
}
