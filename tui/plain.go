package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
	"bridge/internal/say"
	"bridge/tui/markdown"
)

// PlainOptions of Plain.
type PlainOptions struct {
	In  io.Reader
	Out io.Writer
	// Width of a line; 0 means lines are not broken.
	Width int
	// Prompt says that a person sees what is asked; in a pipe prompts are lines
	// of their own.
	Prompt bool
	// Explain words an error for people.
	Explain func(error) string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Plain reviews line by line: nothing is redrawn, nothing is coloured, each
// line can be read aloud. It ends at the end of the cards or of In, or with
// ctx. Somebody else runs s.Run. A server that cannot be reached when there is
// no card left to show is its error.
func Plain(ctx context.Context, s *cards.Session, o PlainOptions) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Width == 0 {
		o.Width = 1 << 16
	}
	p := &plain{s: s, o: o, lines: make(chan string), quit: make(chan struct{})}
	defer close(p.quit)
	// A read cannot be called back; it ends with the process or with In.
	go p.read()
	return p.run(ctx)
}

type plain struct {
	s     *cards.Session
	o     PlainOptions
	lines chan string
	quit  chan struct{}
	late  bool // what is known of the last card did not come in time
}

// errLeft is how the loop ends when the person leaves.
var errLeft = errors.New("left")

func (p *plain) read() {
	defer close(p.lines)
	in := bufio.NewScanner(p.o.In)
	in.Buffer(nil, 1<<16)
	for in.Scan() {
		select {
		case p.lines <- in.Text():
		case <-p.quit:
			return
		}
	}
}

func (p *plain) say(text string) { fmt.Fprintln(p.o.Out, text) }

// ask shows a prompt and waits for a line.
func (p *plain) ask(ctx context.Context, prompt string) (string, error) {
	if p.o.Prompt {
		fmt.Fprint(p.o.Out, prompt+" ")
	} else {
		p.say(prompt)
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line, ok := <-p.lines:
		if !ok {
			return "", errLeft
		}
		return strings.ToLower(strings.TrimSpace(line)), nil
	}
}

func (p *plain) run(ctx context.Context) error {
	err := p.loop(ctx)
	if errors.Is(err, errLeft) {
		return nil
	}
	return err
}

func (p *plain) loop(ctx context.Context) error {
	for {
		v := p.s.View()
		if text := noticeText(v.Notice); text != "" {
			p.say(say.T("Note: %s.", text))
		}
		var err error
		switch v.Phase {
		case cards.Loading:
			_, err = p.wait(ctx, v)
		case cards.Question:
			if v.Previews == nil && v.Problem == nil && !p.late {
				p.late, err = p.wait(ctx, v)
				break
			}
			p.late = v.Previews == nil
			err = p.question(ctx, v)
		case cards.Answer:
			err = p.grade(ctx, v)
		case cards.Finished:
			if v.HeldFor == 0 {
				return nil
			}
			err = p.last(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// patience is how long a question waits for what is known of its card. What is
// said cannot be filled in later, as a screen can.
const patience = 2 * time.Second

// wait waits until something changes, and says whether nothing did for too
// long. While no card can be had, no line is read.
func (p *plain) wait(ctx context.Context, v cards.Snapshot) (late bool, err error) {
	if v.Problem != nil {
		return false, v.Problem
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-p.s.Changed():
		return false, nil
	case <-timer.C:
		return true, nil
	}
}

func (p *plain) text(markup string) {
	for _, l := range markdown.Render(markup, p.o.Width, markdown.Options{Spoken: true}) {
		p.say(l.String(nil))
	}
}

func (p *plain) question(ctx context.Context, v cards.Snapshot) error {
	head := say.T("Question %d", v.Done()+1)
	if v.Card.Known {
		head += " (" + kindName(v.Card.Kind()) + ")"
	}
	if n := v.Counts; n.Total() > 0 {
		head += ". " + say.T("To review: %d new, %d learning, %d due", n.New, n.Learning, n.Due)
	}
	p.say("")
	p.say(head + ".")
	if v.Problem != nil {
		p.say(say.T("No connection: %s kept here.", gradeCount(v.Unsent)))
	}
	p.say("")
	p.text(v.Card.Front)
	p.say("")
	for {
		line, err := p.ask(ctx, say.T("Enter for the answer, ? for help:"))
		if err != nil {
			return err
		}
		switch line {
		case "":
			return p.reveal(ctx)
		case "1", "2", "3", "4":
			p.say(say.T("First the answer: press Enter."))
		default:
			if again, err := p.command(ctx, line); err != nil || again {
				return err
			}
		}
	}
}

func (p *plain) reveal(ctx context.Context) error {
	p.s.Reveal()
	for v := p.s.View(); v.Revealing; v = p.s.View() {
		if v.Problem != nil {
			return v.Problem
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.s.Changed():
		}
	}
	return nil
}

func (p *plain) grade(ctx context.Context, v cards.Snapshot) error {
	p.say("")
	p.say(say.T("Answer."))
	p.say("")
	p.text(v.Card.Back)
	p.say("")
	var choices []string
	for _, r := range fsrs.Ratings() {
		text := fmt.Sprintf("%d %s", r+1, ratingName(r))
		if v.Previews != nil {
			text += " (" + previewLong(v.Previews[r]) + ")"
		}
		choices = append(choices, text)
	}
	p.say(strings.Join(choices, ", ") + ".")
	for {
		line, err := p.ask(ctx, say.T("1 to 4, Enter for Good:"))
		if err != nil {
			return err
		}
		rating := fsrs.Good
		switch line {
		case "", "3":
		case "1":
			rating = fsrs.Again
		case "2":
			rating = fsrs.Hard
		case "4":
			rating = fsrs.Easy
		default:
			if again, err := p.command(ctx, line); err != nil || again {
				return err
			}
			continue
		}
		if err := p.s.Grade(rating); err != nil {
			return err
		}
		p.say(say.T("%s. u takes it back.", ratingName(rating)))
		return nil
	}
}

// last gives the last grade the same chance to be taken back as the others.
func (p *plain) last(ctx context.Context) error {
	line, err := p.ask(ctx, say.T("That was the last card. Enter to finish, u to take the grade back:"))
	switch {
	case err != nil:
		return err
	case line == "u":
		return p.undo()
	case line == "q", line == "":
		p.s.Settle()
	}
	return nil
}

func (p *plain) undo() error {
	switch err := p.s.Undo(); {
	case err == nil:
		p.say(say.T("Taken back."))
		return nil
	case errors.Is(err, cards.ErrSent):
		p.say(say.T("The server has that grade already, and has no way to take it back."))
		return nil
	case errors.Is(err, cards.ErrNoCard):
		p.say(say.T("There is no grade to take back."))
		return nil
	default:
		return err
	}
}

// command does what a letter asks for; again says that another card, or side,
// may be shown now.
func (p *plain) command(_ context.Context, line string) (again bool, err error) {
	switch line {
	case "q", "quit", "keluar":
		return false, errLeft
	case "u":
		before := p.s.View()
		err := p.undo()
		return err == nil && p.s.View().Done() != before.Done(), err
	case "i":
		for _, l := range infoLines(p.s.View(), p.o.Now()) {
			p.say(l)
		}
	case "t":
		p.say(tagLine(p.s.View().Card))
	case "?", "h", "help":
		p.say(say.T("Enter: show the answer, then Good. 1 Again, 2 Hard, 3 Good, 4 Easy."))
		p.say(say.T("u: take the last grade back, until the next is given or a few seconds have passed. i: about this card. t: tags. q: leave."))
	default:
		p.say(say.T("%q is not known here; ? for help.", markdown.Clean(line)))
	}
	return false, nil
}

func tagLine(c cards.Card) string {
	if len(c.Tags) == 0 {
		return say.T("No tags.")
	}
	return say.T("Tags: %s.", markdown.Clean(strings.Join(c.Tags, ", ")))
}

// infoLines is what is known about the card that is shown.
func infoLines(v cards.Snapshot, now time.Time) []string {
	c := v.Card
	if !c.Known {
		return []string{say.T("Nothing more is known about this card yet.")}
	}
	lines := []string{say.T("Kind: %s.", kindName(c.Kind()))}
	if c.State.Phase != fsrs.New {
		lines = append(lines,
			say.T("Reviews: %d. Forgotten: %d. Last: %s ago.", c.State.Reps, c.State.Lapses, longInterval(now.Sub(c.State.LastReview))),
			say.T("Stability %s days, difficulty %s of 10.", number(c.State.Stability), number(c.State.Difficulty)))
		if c.State.Phase == fsrs.Review {
			lines = append(lines, say.T("Likely remembered: %.0f %%.", 100*fsrs.Retrievability(c.State, now)))
		}
	}
	if !c.Created.IsZero() {
		lines = append(lines, say.T("Made on %s.", c.Created.Local().Format(time.DateOnly)))
	}
	return append(lines, tagLine(c))
}
