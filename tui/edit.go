package tui

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"bridge/internal/cards"
	"bridge/internal/say"
	"bridge/tui/markdown"
)

// Editing: the card goes into a file, the person's editor runs, and the UPDATE
// that makes the change is shown before it runs. Nothing is sent without a y.

type editing struct {
	card  string
	old   cards.Draft
	draft cards.Draft
	sql   string
	flaws []cards.Flaw
}

type editedMsg struct {
	card string
	old  cards.Draft
	text string
	err  error
}

// The lines between the parts of the file.
const (
	editAnswer = "=== answer ==="
	editTags   = "=== tags, one a line ==="
)

func editText(d cards.Draft) string {
	return d.Front + "\n" + editAnswer + "\n" + d.Back + "\n" + editTags + "\n" + strings.Join(d.Tags, "\n") + "\n"
}

var errEditShape = errors.New("the lines between the parts are gone")

// readEdit reads what the editor left.
func readEdit(text string) (d cards.Draft, err error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	front, rest, ok1 := strings.Cut(text, "\n"+editAnswer+"\n")
	back, tags, ok2 := strings.Cut(rest, "\n"+editTags+"\n")
	if !ok1 || !ok2 {
		return d, errEditShape
	}
	d.Front, d.Back = strings.TrimRight(front, "\n "), strings.TrimRight(back, "\n ")
	for tag := range strings.SplitSeq(tags, "\n") {
		if tag = strings.TrimSpace(tag); tag != "" {
			d.Tags = append(d.Tags, tag)
		}
	}
	return d, nil
}

// maxEdit bounds what is read back from the editor, in bytes.
const maxEdit = 1 << 20

func editedText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxEdit+1))
	if err == nil && len(text) > maxEdit {
		err = errors.New(say.T("the card is too long"))
	}
	return string(text), err
}

func (m *model) startEdit() tea.Cmd {
	c := m.v.Card
	if !m.hasCard() || !c.HasBack || !c.Known {
		m.message = say.T("The card is not here yet.")
		return nil
	}
	dir, err := os.MkdirTemp("", "bridge-card-")
	if err != nil {
		m.message = err.Error()
		return nil
	}
	path := filepath.Join(dir, "card.md")
	old := c.Draft()
	fail := func(err error) tea.Cmd {
		_ = os.RemoveAll(dir) // a folder for temporary files: the system clears it
		m.message = m.explain(err)
		return nil
	}
	if err := os.WriteFile(path, []byte(editText(old)), 0o600); err != nil {
		return fail(err)
	}
	cmd, err := m.o.Edit(m.ctx, path)
	if err != nil {
		return fail(err)
	}
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.RemoveAll(dir)
		msg := editedMsg{card: c.ID, old: old, err: err}
		if err == nil {
			msg.text, msg.err = editedText(path)
		}
		return msg
	})
}

func (m *model) edited(msg editedMsg) {
	draft, err := readEdit(msg.text)
	switch {
	case msg.err != nil:
		m.message = say.T("The editor failed: %s", msg.err.Error())
		return
	case err != nil:
		m.message = say.T("Nothing was changed: the lines with === have to stay.")
		return
	}
	// An editor ends a file with a line feed whether or not there was one.
	trimmed := msg.old
	trimmed.Front, trimmed.Back = strings.TrimRight(trimmed.Front, "\n "), strings.TrimRight(trimmed.Back, "\n ")
	sql := draft.UpdateSQL(msg.card, trimmed)
	if sql == "" {
		m.message = say.T("Nothing was changed.")
		return
	}
	m.edit = editing{msg.card, msg.old, draft, sql, draft.Check()}
	m.open(modeEdit)
}

func flawText(f cards.Flaw) string {
	switch f {
	case cards.NoFront:
		return say.T("the front is empty")
	case cards.NoBack:
		return say.T("the back is empty")
	case cards.NoTag:
		return say.T("there is no tag, and every card needs one")
	}
	return say.T("the front holds the answer")
}

func (m *model) editLines() []string {
	room, margin := m.column()
	out := m.panel(say.T("This will be run. y: yes, n: no"), nil)
	for _, f := range m.edit.flaws {
		out = append(out, m.set(m.theme.warn.Render(fit("! "+flawText(f), room)), room, margin, false))
	}
	for _, l := range markdown.Render("```sql\n"+strings.ReplaceAll(m.edit.sql, "```", "'''")+"\n```", room, markdown.Options{}) {
		out = append(out, strings.Repeat(" ", margin)+l.String(m.theme.paint))
	}
	return out
}

func (m *model) editKey(k tea.Key) tea.Cmd {
	switch a := actionOf(k); {
	case a == actDown, a == actUp, a == actPageDown, a == actPageUp, a == actTop, a == actEnd:
		m.move(a)
		return nil
	case k.Text == "y" || k.Text == "Y":
	case k.Text == "n" || k.Text == "N" || k.Code == tea.KeyEscape || k.Mod.Contains(tea.ModCtrl):
		m.open(modeCard)
		m.message = say.T("Nothing was changed.")
		return nil
	default:
		return nil
	}
	m.open(modeCard)
	if len(m.edit.flaws) > 0 && m.edit.flaws[0] == cards.NoFront {
		m.message = say.T("Nothing was changed: %s.", flawText(cards.NoFront))
		return nil
	}
	e := m.edit
	return func() tea.Msg {
		if err := m.s.Update(m.ctx, e.card, e.sql, e.draft); err != nil {
			return doneMsg{say.T("Nothing was changed: %s", m.explain(err))}
		}
		return doneMsg{say.T("Changed.")}
	}
}
