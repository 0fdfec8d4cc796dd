package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/cards"
	"bridge/internal/say"
	"bridge/tui"
)

type reviewOptions struct {
	name      string
	deck      string
	tags      []string
	limit     int
	plain     bool
	noMouse   bool
	workspace string
}

func newReview(a *app) *cli.Command {
	var o reviewOptions
	return &cli.Command{
		Name:      "review",
		Usage:     say.T("Review the flashcards that are due"),
		ArgsUsage: say.T("[NAME]"),
		UsageText: "bridge review\n" +
			"bridge review nibomo --tag kanji --limit 20\n" +
			"bridge review --plain",
		Description: say.T("Shows one card at a time, in the server's order. Space shows the answer and means Good, 1 to 4 grade, ? lists the keys. Each grade is on disk before it is sent, so none is lost and none counts twice. Without a screen to draw on, or with --plain, it goes line by line."),
		Flags: append(reviewFlags(&o),
			&cli.IntFlag{Name: "limit", Usage: say.T("stop after `N` cards"), Destination: &o.limit},
			&cli.BoolFlag{Name: "plain", Usage: say.T("line by line, for screen readers and pipes"), Destination: &o.plain},
			&cli.BoolFlag{Name: "no-mouse", Usage: say.T("leave the mouse to the terminal"), Destination: &o.noMouse},
		),
		ShellComplete: a.completeServer,
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 1); err != nil {
				return err
			}
			o.name = c.Args().First()
			return runReview(ctx, a, o)
		},
	}
}

// reviewFlags narrow which cards are meant; several commands take them.
func reviewFlags(o *reviewOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "deck", Usage: say.T("only cards of the deck `NAME`"), Destination: &o.deck},
		&cli.StringSliceFlag{Name: "tag", Usage: say.T("only cards with the tag `NAME`; given again, cards with any of them"), Destination: &o.tags},
		&cli.StringFlag{Name: "workspace", Usage: say.T("the workspace `NAME`; remembered"), Destination: &o.workspace},
	}
}

func runReview(ctx context.Context, a *app, o reviewOptions) error {
	if err := checkReview(o); err != nil {
		return err
	}
	c, home, err := a.connectCards(ctx, "review", o.name)
	if err != nil {
		return err
	}
	defer c.close()
	return a.review(ctx, c, home, o)
}

func checkReview(o reviewOptions) error {
	switch {
	case o.deck != "" && len(o.tags) > 0:
		return usage(say.T("--deck and --tag exclude each other")).hint(say.T("a deck is a choice of tags already"))
	case o.limit < 0:
		return usage(say.T("invalid value %s for --%s", strconv.Quote(strconv.Itoa(o.limit)), "limit"))
	}
	return nil
}

// review holds a session on a connection, with its outbox in home.
func (a *app) review(ctx context.Context, c *connection, home cardsHome, o reviewOptions) error {
	caller := toolCaller{c}
	box, err := cards.OpenOutbox(home.outbox())
	if errors.Is(err, cards.ErrBusy) {
		return fail(exitConflict, say.T("another review of %s is running", serverTitle(c.server))).
			hint(say.T("leave it with q first; each grade belongs to one of them")).because(err)
	}
	if err != nil {
		return fail(exitFailure, say.T("cannot keep grades safe on disk: %s", err.Error())).because(err)
	}
	defer box.Close()
	workspace, err := a.cardsWorkspace(ctx, caller, home, c, o.workspace)
	if err != nil {
		return err
	}
	filter, err := chooseFilter(ctx, caller, workspace, c, o)
	if err != nil {
		return err
	}
	s := cards.New(cards.Options{Caller: caller, Outbox: box, Workspace: workspace, Filter: filter, Limit: o.limit, Hold: cards.DefaultHold})
	work, stop := context.WithCancel(ctx)
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		s.Run(work)
	}()
	explain := func(err error) string { return oneLine(c.cardsProblem(err).Error()) }
	plain := o.plain || a.mustBePlain()
	if plain {
		err = tui.Plain(ctx, s, tui.PlainOptions{In: a.in, Out: a.out, Width: a.plainWidth(), Prompt: isTerminal(a.in) && a.outIsTerminal(), Explain: explain})
	} else {
		err = tui.Run(ctx, s, tui.Options{In: a.in, Out: a.outFile, Env: os.Environ(), Color: a.colored(a.outFile), Mouse: !o.noMouse,
			Workspace: home.workspaceName(), Explain: explain, Edit: editCommand, OpenURL: openURL(ctx)})
	}
	stop()
	<-worked
	unsent := a.finishReview(ctx, s)
	home.forgetDue()
	end := s.View()
	a.reviewSummary(end)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return a.reviewEnd(c, err, unsent, end)
}

// reviewEnd says why the review ended early, or why grades are still here.
func (a *app) reviewEnd(c *connection, err error, unsent int, end cards.Snapshot) error {
	if err == nil && unsent > 0 {
		err = errors.Join(end.Problem, end.Stuck)
	}
	if err == nil && unsent > 0 {
		err = fail(exitUnreachable, say.T("%s did not take the last grades in time", serverTitle(c.server)))
	}
	if err == nil {
		return nil
	}
	p := c.cardsProblem(err)
	var known *problem
	if unsent > 0 && errors.As(p, &known) && known.tip == "" {
		return known.hint(say.T("grades kept on this machine: %d; the next review sends them", unsent))
	}
	return p
}

// finishLimit bounds how long leaving waits for the server. What it does not
// take by then stays on disk.
const finishLimit = 10 * time.Second

func (a *app) finishReview(ctx context.Context, s *cards.Session) int {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	done := a.working(say.T("Sending"))
	defer done()
	return s.Finish(ctx)
}

func (a *app) reviewSummary(v cards.Snapshot) {
	a.printf("\n")
	for _, line := range tui.Summary(v, time.Now()) {
		for _, part := range wrap(line, a.width()) {
			a.printf("%s\n", part)
		}
	}
}

// mustBePlain says that there is no screen to draw on, or nobody to look at it.
func (a *app) mustBePlain() bool {
	return os.Getenv("ACCESSIBLE") != "" && os.Getenv("ACCESSIBLE") != "0" || os.Getenv("TERM") == "dumb" ||
		!isTerminal(a.in) || !a.outIsTerminal()
}

// plainWidth breaks lines for a terminal only; a pipe gets them whole.
func (a *app) plainWidth() int {
	if a.outIsTerminal() {
		return a.width()
	}
	return 0
}

// chooseFilter turns names of flags into what the tools take.
func chooseFilter(ctx context.Context, caller cards.Caller, workspace string, c *connection, o reviewOptions) (cards.Filter, error) {
	if len(o.tags) > 0 {
		tags, err := cards.ListTags(ctx, caller, workspace)
		if err != nil {
			return cards.Filter{}, c.cardsProblem(err)
		}
		for _, want := range o.tags {
			if err := knownName(want, tagNames(tags), say.T("there is no tag %q", want)); err != nil {
				return cards.Filter{}, err
			}
		}
		return cards.Filter{Tags: o.tags, Label: strings.Join(o.tags, ", ")}, nil
	}
	if o.deck == "" {
		return cards.Filter{}, nil
	}
	decks, err := cards.ListDecks(ctx, caller, workspace)
	if err != nil {
		return cards.Filter{}, c.cardsProblem(err)
	}
	names := make([]string, len(decks))
	for i, d := range decks {
		if strings.EqualFold(d.Name, o.deck) || d.ID == o.deck {
			return cards.Filter{DeckID: d.ID, Label: d.Name}, nil
		}
		names[i] = d.Name
	}
	return cards.Filter{}, knownName(o.deck, names, say.T("there is no deck %q", o.deck))
}

func tagNames(tags []cards.Tag) []string {
	names := make([]string, len(tags))
	for i, t := range tags {
		names[i] = t.Name
	}
	return names
}

// knownName is nil for a name that there is, in any letter case, and otherwise
// an error that says what there is.
func knownName(name string, names []string, text string) error {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return nil
		}
	}
	p := usage(text)
	if near := nearest(name, names); near != "" {
		return p.hint(say.T("did you mean %q?", printable(near)))
	}
	const most = 12
	more := ""
	if len(names) > most {
		names, more = names[:most], ", …"
	}
	if len(names) == 0 {
		return p
	}
	return p.hint(say.T("there are: %s", printable(strings.Join(names, ", "))+more))
}
