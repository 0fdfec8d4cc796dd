package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
	"bridge/internal/say"
	"bridge/tui/markdown"
)

// A mode is what the middle of the screen shows.
type mode int

const (
	modeCard mode = iota
	modeHelp
	modeInfo
	modeTags
	modePick
	modeEdit // the UPDATE, before it runs
)

type model struct {
	ctx context.Context
	s   *cards.Session
	o   Options

	w, h  int
	theme theme
	v     cards.Snapshot
	now   time.Time

	mode    mode
	scroll  int    // lines that are above the body
	side    string // which side of which card scroll is about
	message string // of the last key, until the next
	pick    picker
	edit    editing
}

func newModel(ctx context.Context, s *cards.Session, o Options) *model {
	m := &model{ctx: ctx, s: s, o: o, w: 80, h: 24, theme: newTheme(true)}
	m.refresh()
	return m
}

// What arrives from outside.
type (
	changedMsg struct{}
	tickMsg    struct{}
	doneMsg    struct{ text string } // something ended that was asked for
)

// Init implements tea.Model.
func (m *model) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, m.watch(), tick())
}

// watch waits for the session. It ends with the context.
func (m *model) watch() tea.Cmd {
	return func() tea.Msg {
		select {
		case <-m.s.Changed():
			return changedMsg{}
		case <-m.ctx.Done():
			return nil
		}
	}
}

func tick() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

func (m *model) refresh() {
	m.v, m.now = m.s.View(), m.o.Now()
	side := m.v.Card.ID
	if m.v.Phase == cards.Answer {
		side += " back"
	}
	if m.v.Phase == cards.Finished {
		side = "finished"
	}
	if side != m.side {
		m.side, m.scroll = side, 0
	}
	m.scroll = min(m.scroll, m.maxScroll())
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.theme = newTheme(msg.IsDark())
	case tea.KeyPressMsg:
		m.message = ""
		cmd = m.key(tea.Key(msg))
	case tea.PasteMsg:
		if m.mode == modePick {
			m.pick.typed(markdown.Clean(msg.Content))
		}
	case tea.MouseClickMsg:
		m.message = ""
		cmd = m.click(tea.Mouse(msg))
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelDown:
			m.scrollBy(3)
		case tea.MouseWheelUp:
			m.scrollBy(-3)
		}
	case changedMsg:
		cmd = m.watch()
	case tickMsg:
		cmd = tick()
	case doneMsg:
		m.message = msg.text
	case pickMsg:
		m.pick.fill(msg)
		m.message = m.explain(msg.err)
	case editedMsg:
		m.edited(msg)
	}
	m.refresh()
	return m, cmd
}

func (m *model) explain(err error) string {
	if err == nil {
		return ""
	}
	if m.o.Explain != nil {
		return m.o.Explain(err)
	}
	return err.Error()
}

func (m *model) key(k tea.Key) tea.Cmd {
	switch m.mode {
	case modePick:
		return m.pickKey(k)
	case modeEdit:
		return m.editKey(k)
	case modeHelp, modeInfo, modeTags:
		switch a := actionOf(k); a {
		case actDown, actUp, actPageDown, actPageUp, actTop, actEnd:
			m.move(a)
			return nil
		}
		m.mode, m.scroll = modeCard, 0
		if k.Mod.Contains(tea.ModCtrl) && k.Code == 'c' {
			return tea.Quit
		}
		return nil
	}
	return m.act(actionOf(k))
}

func (m *model) act(a action) tea.Cmd {
	switch a {
	case actLeave:
		return tea.Quit
	case actGo:
		return m.forward()
	case actAgain, actHard, actGood, actEasy:
		m.give(fsrs.Rating(a - actAgain))
	case actUndo:
		m.undo()
	case actHelp:
		m.open(modeHelp)
	case actInfo:
		m.openOnCard(modeInfo)
	case actTags:
		m.openOnCard(modeTags)
	case actPick:
		m.open(modePick)
		m.pick = picker{loading: true}
		return m.loadPicks()
	case actEdit:
		return m.startEdit()
	case actOpen:
		return m.openImage()
	default:
		m.move(a)
	}
	return nil
}

// forward is the big key: turn the card over, call it Good, look again.
func (m *model) forward() tea.Cmd {
	switch m.v.Phase {
	case cards.Question:
		m.s.Reveal()
	case cards.Answer:
		if m.scroll < m.maxScroll() { // nobody grades what they have not seen
			m.move(actPageDown)
			return nil
		}
		m.give(fsrs.Good)
	case cards.Finished:
		switch {
		case m.v.HeldFor > 0:
			m.s.Settle()
		case m.v.Done() > 0 && m.v.Limit > 0:
			return tea.Quit
		default:
			m.s.Again()
		}
	case cards.Loading:
		m.s.Hurry()
	}
	return nil
}

func (m *model) give(r fsrs.Rating) {
	if m.v.Phase == cards.Question {
		m.message = say.T("First the answer: press space.")
		return
	}
	if err := m.s.Grade(r); err != nil && !errors.Is(err, cards.ErrNoCard) {
		m.message = say.T("The grade was not kept: %s", m.explain(err))
	}
}

func (m *model) undo() {
	switch err := m.s.Undo(); {
	case err == nil:
		m.message = say.T("Taken back. Grade it again.")
	case errors.Is(err, cards.ErrSent):
		m.message = say.T("Too late: the server has that grade, and cannot take it back.")
	case errors.Is(err, cards.ErrNoCard):
		m.message = say.T("There is no grade to take back.")
	default:
		m.message = m.explain(err)
	}
}

func (m *model) open(which mode) { m.mode, m.scroll = which, 0 }

func (m *model) openOnCard(which mode) {
	if m.hasCard() {
		m.open(which)
	}
}

func (m *model) hasCard() bool { return m.v.Phase == cards.Question || m.v.Phase == cards.Answer }

// openImage shows the first picture of the side that is seen.
func (m *model) openImage() tea.Cmd {
	if !m.hasCard() {
		return nil
	}
	images := markdown.Images(m.v.Card.Front)
	if m.v.Phase == cards.Answer {
		images = append(markdown.Images(m.v.Card.Back), images...)
	}
	if len(images) == 0 {
		m.message = say.T("No picture with an https address here.")
		return nil
	}
	url, open := images[0].URL, m.o.OpenURL
	return func() tea.Msg {
		if err := open(url); err != nil {
			return doneMsg{m.explain(err)}
		}
		return doneMsg{say.T("Opened %s", url)}
	}
}

func (m *model) move(a action) {
	page := max(1, m.bodyHeight()-1)
	switch a {
	case actDown:
		m.scrollBy(1)
	case actUp:
		m.scrollBy(-1)
	case actPageDown:
		m.scrollBy(page)
	case actPageUp:
		m.scrollBy(-page)
	case actTop:
		m.scroll = 0
	case actEnd:
		m.scroll = m.maxScroll()
	}
}

func (m *model) scrollBy(n int) { m.scroll = max(0, min(m.scroll+n, m.maxScroll())) }

// click reveals a card, or gives the grade under the pointer.
func (m *model) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft {
		return nil
	}
	if m.mode != modeCard {
		return nil
	}
	if m.v.Phase == cards.Answer {
		if r, ok := m.gradeAt(at.X, at.Y); ok {
			m.give(r)
		}
		return nil
	}
	return m.forward()
}
