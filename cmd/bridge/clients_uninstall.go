package main

import (
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v3"

	"bridge/internal/clients"
	"bridge/internal/say"
)

type uninstallOptions struct {
	client string
	key    string
	dryRun bool
	force  bool
}

func newClientsUninstall(a *app) *cli.Command {
	var o uninstallOptions
	return &cli.Command{
		Name:        "uninstall",
		Usage:       say.T("Take a server out of a client's configuration"),
		ArgsUsage:   say.T("CLIENT NAME"),
		UsageText:   "bridge clients uninstall claude-desktop pacecraft\nbridge clients uninstall cursor pacecraft --dry-run",
		Description: say.T("Only entries that bridge wrote are taken out, and only if nobody has changed them since. The sign-in stays; `bridge logout` ends it."),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: say.T("show what would change and change nothing"), Destination: &o.dryRun},
			asksNothing(),
			&cli.BoolFlag{Name: "force", Usage: say.T("remove it though it is not ours or was changed, or though the client runs"), Destination: &o.force},
		},
		ShellComplete: a.completeClient,
		Action: func(_ context.Context, c *cli.Command) error {
			if err := clientAndServer(c, 2, false); err != nil {
				return err
			}
			o.client, o.key = c.Args().Get(0), c.Args().Get(1)
			return runClientsUninstall(a, o)
		},
	}
}

func runClientsUninstall(a *app, o uninstallOptions) error {
	c, err := clientNamed(o.client)
	if err != nil {
		return err
	}
	marks, err := clients.ReadMarks()
	if err != nil {
		return clientProblem(err)
	}
	entries, problems := clients.Find(clients.ThisSystem(), c)
	var plans []*clients.Plan
	for _, e := range entries {
		if e.Name != o.key {
			continue
		}
		p := planFor(plans, e.Path)
		if p == nil {
			if p, err = c.Plan(e.Path); err != nil {
				return clientProblem(err)
			}
			plans = append(plans, p)
		}
		err := p.Remove(marks, e.Root, e.Name, o.force)
		if errors.Is(err, clients.ErrTaken) {
			return fail(exitConflict, say.T("%s: the entry %q is not one that bridge made", e.Path, e.Name)).
				hint(say.T("--force removes it all the same")).because(err)
		}
		if err != nil {
			return clientProblem(err)
		}
	}
	if len(plans) == 0 {
		if len(problems) > 0 {
			return clientProblem(problems[0].Err)
		}
		if !o.dryRun {
			// One that is gone already shall not come back by repair.
			if _, err := marks.Forget(c, o.key); err != nil {
				return clientProblem(err)
			}
		}
		return fail(exitFailure, say.T("%s has no entry %q", c.Title, o.key)).
			hint(say.T("`bridge clients list` shows what there is"))
	}
	a.showPlans(plans)
	var backups map[string]string
	if !o.dryRun {
		if err := notRunning([]*clients.Client{c}, o.force); err != nil {
			return err
		}
		if backups, err = applyPlans(plans); err != nil {
			return err
		}
	}
	if a.asJSON {
		return a.json(map[string]any{"dry_run": o.dryRun, "files": reportPlans(plans, backups)})
	}
	if o.dryRun {
		a.printf("%s\n", say.T("Nothing was changed (--dry-run)."))
		return nil
	}
	a.printf("%s\n", say.T("%s no longer starts %s.", c.Title, o.key))
	a.sayBackups(backups)
	return nil
}

func planFor(plans []*clients.Plan, path string) *clients.Plan {
	if i := slices.IndexFunc(plans, func(p *clients.Plan) bool { return p.Path == path }); i >= 0 {
		return plans[i]
	}
	return nil
}
