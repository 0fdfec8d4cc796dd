package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/cards"
	"bridge/internal/say"
	"bridge/tui"
)

type addOptions struct {
	reviewOptions
	front, back string
	force       bool
	dryRun      bool
}

func newAdd(a *app) *cli.Command {
	var o addOptions
	return &cli.Command{
		Name:      "add",
		Usage:     say.T("Add a flashcard"),
		ArgsUsage: say.T("[NAME]"),
		UsageText: "bridge add --front 'Capital of Japan?' --back Tokyo --tag geography\n" +
			"bridge add --front 'What does this do?' --back - --tag go < answer.md",
		Description: say.T("The front asks and does not hold the answer; the back begins with the answer; every card has a tag. A card that asks the same is looked for first. On a terminal, what is missing is asked for."),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "front", Usage: say.T("the question, in Markdown: `TEXT`"), Destination: &o.front},
			&cli.StringFlag{Name: "back", Usage: say.T("the answer, in Markdown: `TEXT`, or - for stdin"), Destination: &o.back},
			&cli.StringSliceFlag{Name: "tag", Usage: say.T("a tag, `NAME`; may be given again"), Destination: &o.tags},
			&cli.StringFlag{Name: "workspace", Usage: say.T("the workspace `NAME`; remembered"), Destination: &o.workspace},
			&cli.BoolFlag{Name: "force", Usage: say.T("add it although something speaks against it"), Destination: &o.force},
			&cli.BoolFlag{Name: "dry-run", Usage: say.T("show the statement and do not run it"), Destination: &o.dryRun},
		},
		ShellComplete: a.completeServer,
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 1); err != nil {
				return err
			}
			o.name = c.Args().First()
			return runAdd(ctx, a, o)
		},
	}
}

func runAdd(ctx context.Context, a *app, o addOptions) error {
	d, err := a.draft(ctx, o)
	if err != nil {
		return err
	}
	if err := checkDraft(d, o.force); err != nil {
		return err
	}
	if o.dryRun {
		a.printf("%s\n", printable(d.InsertSQL()))
		return nil
	}
	c, home, err := a.connectCards(ctx, "add", o.name)
	if err != nil {
		return err
	}
	defer c.close()
	caller := toolCaller{c}
	workspace, err := a.cardsWorkspace(ctx, caller, home, c, o.workspace)
	if err != nil {
		return err
	}
	if !o.force {
		same, err := cards.Similar(ctx, caller, workspace, d.Front)
		if err != nil {
			return c.cardsProblem(err)
		}
		if len(same) > 0 {
			return fail(exitConflict, say.T("a card asks that already: %s", oneLine(printable(same[0].Front)))).
				hint(say.T("its answer is %q; add yours anyway with --force", oneLine(printable(same[0].Back))))
		}
	}
	id, err := cards.Add(ctx, caller, workspace, d)
	if err != nil {
		return c.cardsProblem(err)
	}
	home.forgetDue()
	if a.asJSON {
		return a.json(struct {
			CardID    string `json:"card_id"`
			Workspace string `json:"workspace_id"`
		}{id, workspace})
	}
	a.printf("%s\n", say.T("Added. It comes up with the new cards."))
	return nil
}

// draft is what the flags say, and what a person answers where they say
// nothing.
func (a *app) draft(ctx context.Context, o addOptions) (cards.Draft, error) {
	d := cards.Draft{Front: o.front, Back: o.back}
	var err error
	if o.back == "-" {
		if d.Back, err = a.piped(); err != nil {
			return d, err
		}
	}
	ask := func(into *string, question, flag string) {
		if err != nil || strings.TrimSpace(*into) != "" {
			return
		}
		if *into, err = a.ask(ctx, question); errors.Is(err, errNoTerminal) {
			err = usage(say.T("--%s is missing", flag)).hint(say.T("see `%s --help`", "bridge add"))
		}
	}
	ask(&d.Front, say.T("Question:"), "front")
	ask(&d.Back, say.T("Answer:"), "back")
	tags := strings.Join(o.tags, ",")
	ask(&tags, say.T("Tags, with commas between:"), "tag")
	for tag := range strings.SplitSeq(tags, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			d.Tags = append(d.Tags, tag)
		}
	}
	d.Front, d.Back = strings.TrimSpace(d.Front), strings.TrimSpace(d.Back)
	return d, err
}

// checkDraft holds a card against what the service's guide asks of one.
func checkDraft(d cards.Draft, force bool) error {
	for _, flaw := range d.Check() {
		text := tui.FlawText(flaw)
		switch {
		case flaw == cards.NoFront, flaw == cards.NoBack, flaw == cards.NoTag:
			return usage(text)
		case !force:
			return usage(text).hint(say.T("ask for it without saying it, or add it anyway with --force"))
		}
	}
	return nil
}
