package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
	"bridge/internal/say"
	"bridge/tui/markdown"
)

// The screen, from the top. What a small terminal does not have room for goes
// from the outside in; the grades stay whatever happens.
//
//	Bahasa · kanji                     12 new · 11 learning · 2 due    head
//	━━━━━━━━━━──────────────────────────────────  3 / 28      1:05    progress
//
//	                         the card                                  body
//
//	 ✓ Good: next in 8 days                                            status
//	 1 Again <1m    2 Hard 6m    3 Good 10m    4 Easy ≈8d              grades
//	 space answer · u undo · ? help                                    keys

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.screen(), "\n"))
	v.AltScreen = true
	if m.o.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.KeyboardEnhancements.ReportAlternateKeys = true
	v.KeyboardEnhancements.ReportAllKeysAsEscapeCodes = true
	v.KeyboardEnhancements.ReportAssociatedText = true
	v.WindowTitle = say.T("bridge review")
	return v
}

// screen is exactly h lines of at most w columns.
func (m *model) screen() []string {
	body := m.body()
	height := m.bodyHeight()
	if len(body) > height {
		from := min(m.scroll, len(body)-height)
		body = body[from : from+height]
	}
	lines := append([]string{m.head(), m.progress()}, body...)
	for len(lines) < 2+height {
		lines = append(lines, "")
	}
	lines = append(lines, m.status()...)
	lines = append(lines, m.bar()...)
	if m.h >= tall {
		lines = append(lines, m.keys())
	}
	if len(lines) > m.h {
		lines = lines[len(lines)-m.h:] // hopeless: keep the grades
	}
	for i, l := range lines {
		lines[i] = fit(l, m.w)
	}
	return lines
}

// gradesOnly reports whether the grades have taken the line of keys, so that
// how to get help stands elsewhere.
func (m *model) gradesOnly() bool {
	return m.h < tall && m.mode == modeCard && m.v.Phase == cards.Answer
}

// tall is the height from which there is room for a line of keys and for air.
const tall = 16

func (m *model) bodyHeight() int {
	said, _ := m.said()
	used := 2 + len(said) + len(m.bar())
	if m.h >= tall {
		used++
	}
	return max(1, m.h-used)
}

func (m *model) maxScroll() int { return max(0, len(m.body())-m.bodyHeight()) }

func (m *model) head() string {
	n := m.v.Counts
	part := func(k cards.Kind, n int) string {
		text := strconv.Itoa(n) + " " + kindName(k)
		if m.hasCard() && m.v.Card.Known && m.v.Card.Kind() == k {
			return m.theme.title.Render(underlined(text))
		}
		return text
	}
	sep := m.theme.faint.Render(" · ")
	right := part(cards.KindNew, n.New) + sep + part(cards.KindLearning, n.Learning) + sep + part(cards.KindDue, n.Due) + " "
	if !m.v.Counted {
		right = m.theme.faint.Render("…") + " "
	}
	left := " " + markdown.Clean(m.o.Workspace)
	if label := m.v.Filter.Label; label != "" {
		left += " · " + markdown.Clean(label)
	}
	if m.w-width(right) < 8 {
		left = ""
	}
	return ends(m.theme.faint.Render(left), right, m.w)
}

func (m *model) progress() string {
	done := m.v.Done()
	total := done + m.v.Counts.Total()
	if m.v.Limit > 0 {
		total = min(total, m.v.Limit)
	}
	right := " " + strconv.Itoa(done)
	if m.v.Counted {
		right += "/" + strconv.Itoa(total)
	}
	if m.w >= 40 {
		right += "  " + clock(m.v.Elapsed)
	}
	if m.gradesOnly() && m.w >= 40 {
		right += "  " + m.theme.strong.Render("?") + " " + m.theme.faint.Render(say.T("help"))
	}
	right += " "
	room := max(0, m.w-1-width(right))
	full := 0
	if total > 0 {
		full = room * done / total
	}
	return " " + m.theme.bar.Render(strings.Repeat("━", full)) + m.theme.rest.Render(strings.Repeat("─", room-full)) + right
}

// column is how wide text is set, and what stands before it.
func (m *model) column() (width, margin int) {
	const widest = 68
	width = min(widest, m.w-2)
	if m.w < 50 {
		width = m.w - 2
	}
	width = max(1, width)
	return width, max(0, (m.w-width)/2)
}

func (m *model) body() []string {
	switch m.mode {
	case modeHelp:
		return m.listing(say.T("Keys"), m.helpLines())
	case modeInfo:
		return m.panel(say.T("This card"), infoLines(m.v, m.now))
	case modeTags:
		return m.panel(say.T("Tags"), tagLines(m.v.Card))
	case modePick:
		return m.pickLines()
	case modeEdit:
		return m.editLines()
	}
	switch m.v.Phase {
	case cards.Question, cards.Answer:
		return m.card()
	case cards.Finished:
		return m.finished()
	}
	if m.v.Problem != nil {
		return m.panel(say.T("No card from the server"), []string{markdown.Clean(m.explain(m.v.Problem)), "", say.T("It is tried again by itself; space tries now.")})
	}
	text := say.T("Fetching the first card…")
	if m.v.Waiting > 0 {
		text = say.T("Sending %s from last time…", gradeCount(m.v.Waiting))
	} else if m.v.Done() > 0 {
		text = say.T("Fetching the next card…")
	}
	return m.middle([]string{m.theme.faint.Render(text)})
}

// middle sets lines a third down the body.
func (m *model) middle(lines []string) []string {
	above := max(0, (m.bodyHeight()-len(lines))/3)
	out := make([]string, above, above+len(lines))
	for _, l := range lines {
		out = append(out, strings.Repeat(" ", max(0, (m.w-width(l))/2))+l)
	}
	return out
}

// card shows the question, and under a line the answer.
func (m *model) card() []string {
	room, margin := m.column()
	// The question does not move when the answer comes below it.
	out := slices.Repeat([]string{""}, m.bodyHeight()/6)
	out = append(out, m.sideOf(m.v.Card.Front, room, margin)...)
	if m.v.Phase != cards.Answer {
		if m.v.Revealing {
			out = append(out, "", m.set(m.theme.faint.Render(say.T("Fetching the answer…")), room, margin, true))
		}
		return out
	}
	rule := m.theme.faint.Render(strings.Repeat("─", room))
	if m.h >= tall {
		return append(append(out, "", strings.Repeat(" ", margin)+rule, ""), m.sideOf(m.v.Card.Back, room, margin)...)
	}
	return append(append(out, strings.Repeat(" ", margin)+rule), m.sideOf(m.v.Card.Back, room, margin)...)
}

// sideOf lays out one side: a single line stands in the middle, more are set
// from the left, or from the right where the paragraph is written that way.
func (m *model) sideOf(text string, room, margin int) []string {
	lines := markdown.Render(text, room, markdown.Options{})
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		s := l.String(m.theme.paint)
		switch gap := room - l.Width(); {
		case len(lines) == 1:
			s = strings.Repeat(" ", gap/2) + s
		case l.RTL:
			s = strings.Repeat(" ", gap) + s
		}
		out = append(out, strings.Repeat(" ", margin)+s)
	}
	return out
}

// set puts one line into the column.
func (m *model) set(text string, room, margin int, middle bool) string {
	if middle {
		margin += max(0, (room-width(text))/2)
	}
	return strings.Repeat(" ", margin) + text
}

// panel is a titled text in the column.
func (m *model) panel(title string, lines []string) []string {
	room, margin := m.column()
	var out []string
	if m.h >= tall {
		out = append(out, "")
	}
	out = append(out, m.set(m.theme.title.Render(fit(title, room)), room, margin, false))
	if m.h >= tall {
		out = append(out, "")
	}
	for _, l := range lines {
		for _, part := range wrapText(l, room) {
			out = append(out, m.set(part, room, margin, false))
		}
	}
	return out
}

// listing is a panel whose lines are laid out already.
func (m *model) listing(title string, lines []string) []string {
	out := m.panel(title, nil)
	room, margin := m.column()
	for _, l := range lines {
		out = append(out, m.set(fit(l, room), room, margin, false))
	}
	return out
}

// finished is the end of the session.
func (m *model) finished() []string {
	lines := summary(m.v, m.now)
	title := say.T("Done for now.")
	if m.v.Done() == 0 {
		title = say.T("Nothing to review.")
		if len(lines) > 0 {
			lines = lines[1:]
		}
	}
	room, _ := m.column()
	out := []string{m.theme.title.Render(title)}
	if m.h >= tall {
		out = append(out, "")
	}
	for i, l := range lines {
		if i == 2 && m.v.Done() > 0 {
			out = append(out, m.gradeTally(room)...)
			continue
		}
		out = append(out, wrapText(l, room)...)
	}
	return m.middle(out)
}

// gradeTally draws how often each grade was given.
func (m *model) gradeTally(room int) (out []string) {
	most, label := 1, 0
	for _, r := range fsrs.Ratings() {
		most = max(most, m.v.Grades[r])
		label = max(label, width(ratingName(r)))
	}
	scale := max(1, min(24, room-label-6))
	if m.h >= tall {
		out = append(out, "")
	}
	for _, r := range fsrs.Ratings() {
		n := m.v.Grades[r]
		if n == 0 && m.h < tall {
			continue
		}
		length := (n*scale + most - 1) / most
		bar := m.theme.grade[r].Render(strings.Repeat("━", length)) + strings.Repeat(" ", scale-length)
		out = append(out, pad(ratingName(r), label)+" "+bar+" "+pad(strconv.Itoa(n), 3))
	}
	if m.h >= tall {
		out = append(out, "")
	}
	return out
}

// status is what stands above the grades. What has to be read is given as many
// lines as it needs.
func (m *model) status() []string {
	lines, style := m.said()
	for i, l := range lines {
		lines[i] = " " + style(l)
	}
	right := ""
	if most := m.maxScroll(); most > 0 {
		right = m.theme.faint.Render(scrollMark(m.scroll, most)) + " "
	} else if m.v.Unsent > 1 && m.v.Problem == nil {
		right = m.theme.faint.Render(say.T("%d unsent", m.v.Unsent)) + " "
	}
	last := len(lines) - 1
	lines[last] = ends(lines[last], right, m.w)
	return lines
}

// said is the text of the status in lines, at least one: what went wrong, what
// happened, or what became of the last grade.
func (m *model) said() (lines []string, style func(string) string) {
	text, style := "", m.theme.faint.Render
	switch {
	case m.message != "":
		text, style = markdown.Clean(m.message), m.theme.strong.Render
	case m.v.Problem != nil && m.v.Unsent > 0:
		text, style = say.T("No connection: %s kept here", gradeCount(m.v.Unsent)), m.theme.warn.Render
	case m.v.Problem != nil && m.hasCard():
		text, style = markdown.Clean(m.explain(m.v.Problem)), m.theme.warn.Render
	case m.v.Stuck != nil:
		text, style = say.T("The server does not take a grade: %s", markdown.Clean(m.explain(m.v.Stuck))), m.theme.warn.Render
	case m.v.Notice != cards.NoticeNone:
		text, style = upper(noticeText(m.v.Notice)), m.theme.strong.Render
	case m.v.HeldFor > 0 && m.v.Last != nil:
		// The rating in its own colour, what can be done about it beside it.
		rest := say.T("u takes it back (%d s)", int(m.v.HeldFor.Seconds()+0.999))
		return []string{m.theme.grade[m.v.Last.Rating].Render(ratingName(m.v.Last.Rating)) + "  " + m.theme.faint.Render(rest)},
			func(s string) string { return s }
	case m.v.Last != nil && m.v.Last.Told && m.v.Last.Interval > 0:
		text = "✓ " + say.T("%s: next in %s", ratingName(m.v.Last.Rating), longInterval(m.v.Last.Interval))
	case m.v.Last != nil && m.v.Last.Told:
		text = "✓ " + say.T("%s: recorded", ratingName(m.v.Last.Rating))
	}
	const most = 3
	lines = wrapText(text, max(1, m.w-2))
	return lines[:min(most, len(lines), max(1, m.h/4))], style
}

func scrollMark(at, most int) string {
	switch {
	case at == 0:
		return say.T("↓ more")
	case at >= most:
		return say.T("↑ top")
	}
	return "↑↓ " + strconv.Itoa(100*at/most) + " %"
}

func upper(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	return strings.ToUpper(string(r[0])) + string(r[1:])
}

// keys is the line that reminds of the keys that matter now. Where it is too
// long, those go first that one can do without.
func (m *model) keys() string {
	type hint struct {
		key, what string
		can       bool // be left out
	}
	var hints []hint
	add := func(key, what string) { hints = append(hints, hint{key, what, false}) }
	extra := func(key, what string) { hints = append(hints, hint{key, what, true}) }
	space := say.T("space")
	switch {
	case m.mode == modePick:
		add("↑↓", say.T("move"))
		add(say.T("enter"), say.T("choose"))
		add("esc", say.T("back"))
	case m.mode == modeEdit:
		add("y", say.T("run it"))
		add("n", say.T("drop it"))
	case m.mode != modeCard:
		add(space, say.T("back"))
	default:
		switch m.v.Phase {
		case cards.Question:
			add(space, say.T("answer"))
		case cards.Answer:
			add(space, ratingName(fsrs.Good))
		case cards.Finished:
			if m.v.HeldFor > 0 {
				add(space, say.T("finish"))
			} else {
				add(space, say.T("look again"))
			}
		case cards.Loading:
		}
		if m.v.HeldFor > 0 {
			add("u", say.T("undo"))
		}
		if m.hasCard() {
			extra("e", say.T("edit"))
			extra("i", say.T("info"))
		}
		extra("/", say.T("deck"))
		add("?", say.T("help"))
		add("q", say.T("leave"))
	}
	for between := "  "; ; {
		line := ""
		for _, h := range hints {
			line += between + m.theme.strong.Render(h.key) + " " + m.theme.faint.Render(h.what)
		}
		drop := slices.IndexFunc(hints, func(h hint) bool { return h.can })
		line = " " + strings.TrimLeft(line, " ")
		switch {
		case width(line) <= m.w, drop < 0 && between == " ":
			return line
		case drop < 0:
			between = " "
			continue
		}
		hints = slices.Delete(hints, drop, drop+1)
	}
}

// wrapText breaks a text of ours; it has no markup.
func wrapText(text string, room int) []string {
	if text == "" {
		return []string{""}
	}
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		word = fit(word, room)
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= room:
			line += " " + word
		default:
			out = append(out, line)
			line = word
		}
	}
	return append(out, line)
}
