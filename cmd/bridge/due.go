package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/cards"
	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/tui"
)

type dueOptions struct {
	reviewOptions
	count bool
	fresh bool
}

func newDue(a *app) *cli.Command {
	var o dueOptions
	return &cli.Command{
		Name:        "due",
		Usage:       say.T("Say how many flashcards are due"),
		ArgsUsage:   say.T("[NAME]"),
		UsageText:   "bridge due\nbridge due --count",
		Description: say.T("What the server said is remembered for ten minutes, cards that come due in the meantime included, so that --count fits into a shell prompt."),
		Flags: append(reviewFlags(&o.reviewOptions),
			&cli.BoolFlag{Name: "count", Usage: say.T("print the number only"), Destination: &o.count},
			&cli.BoolFlag{Name: "fresh", Usage: say.T("ask the server, whatever is remembered"), Destination: &o.fresh},
		),
		ShellComplete: a.completeServer,
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 1); err != nil {
				return err
			}
			o.name = c.Args().First()
			return runDue(ctx, a, o)
		},
	}
}

// dueFor is how long a count is told again.
const dueFor = 10 * time.Minute

// A dueReport is what `bridge due --json` prints.
type dueReport struct {
	Server   string     `json:"server"`
	Total    int        `json:"total"`
	New      int        `json:"new"`
	Learning int        `json:"learning"`
	Due      int        `json:"due"`
	NextDue  *time.Time `json:"next_due,omitempty"`
	At       time.Time  `json:"counted_at"`
}

func runDue(ctx context.Context, a *app, o dueOptions) error {
	if err := checkReview(o.reviewOptions); err != nil {
		return err
	}
	name, err := a.cardsServer(ctx, "due", o.name)
	if err != nil {
		return err
	}
	home, err := cardsHomeOf(name)
	if err != nil {
		return err
	}
	now := time.Now()
	whole := o.deck == "" && len(o.tags) == 0 && o.workspace == ""
	d, known := home.rememberedDue(now)
	if !known || !whole || o.fresh {
		if d, err = a.askDue(ctx, name, o.reviewOptions); err != nil {
			return err
		}
		if whole {
			home.rememberDue(d)
		}
	}
	a.showDue(name, d, now, o.count)
	return nil
}

// askDue counts at the server.
func (a *app) askDue(ctx context.Context, name string, o reviewOptions) (cards.DueCount, error) {
	c, home, err := a.connectCards(ctx, "due", name)
	if err != nil {
		return cards.DueCount{}, err
	}
	defer c.close()
	caller := toolCaller{c}
	workspace, err := a.cardsWorkspace(ctx, caller, home, c, o.workspace)
	if err != nil {
		return cards.DueCount{}, err
	}
	filter, err := chooseFilter(ctx, caller, workspace, c, o)
	if err != nil {
		return cards.DueCount{}, err
	}
	d, err := cards.CountDue(ctx, caller, workspace, filter, time.Now())
	if err != nil {
		return d, c.cardsProblem(err)
	}
	return d, nil
}

func (a *app) showDue(name string, d cards.DueCount, now time.Time, count bool) {
	next := d.NextDue(now)
	switch total := d.Total(now); {
	case a.asJSON:
		r := dueReport{Server: name, Total: total, New: d.New, Learning: d.Learning, Due: total - d.New - d.Learning, At: d.At.UTC()}
		if !next.IsZero() {
			next = next.UTC()
			r.NextDue = &next
		}
		_ = a.json(r) // run sees what stdout did not take
	case count:
		a.printf("%d\n", total)
	case total > 0:
		a.printf("%s\n", say.T("To review: %d new, %d learning, %d due", d.New, d.Learning, total-d.New-d.Learning))
	case next.IsZero():
		a.printf("%s\n", say.T("Nothing is due."))
	default:
		a.printf("%s %s\n", say.T("Nothing is due."), say.T("Next due %s.", tui.FromNow(next, now)))
	}
}

func (h cardsHome) rememberedDue(now time.Time) (d cards.DueCount, ok bool) {
	data, err := fsx.ReadFile(h.counts(), 1<<20)
	if err != nil || json.Unmarshal(data, &d) != nil {
		return d, false
	}
	age := now.Sub(d.At)
	return d, age >= 0 && age < dueFor
}

// rememberDue keeps a count. What cannot be kept is asked for again.
func (h cardsHome) rememberDue(d cards.DueCount) {
	if data, err := json.Marshal(d); err == nil {
		_ = fsx.WriteFile(h.counts(), append(data, '\n'))
	}
}

// forgetDue is for when the number has changed.
func (h cardsHome) forgetDue() {
	if err := os.Remove(h.counts()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.rememberDue(cards.DueCount{}) // long ago, so it is asked for again
	}
}
