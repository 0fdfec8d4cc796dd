package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/clients"
	"bridge/internal/say"
)

// pathsOf are the files of plans, for a sentence.
func pathsOf(plans []*clients.Plan) string {
	var out []string
	for _, p := range plans {
		out = append(out, printable(p.Path))
	}
	return strings.Join(out, ", ")
}

type repairOptions struct {
	dryRun bool
	force  bool
}

func newClientsRepair(a *app) *cli.Command {
	var o repairOptions
	return &cli.Command{
		Name:        "repair",
		Usage:       say.T("Put entries right that point to another bridge, or that a client has lost"),
		UsageText:   "bridge clients repair\nbridge clients repair --dry-run",
		Description: say.T("Entries of bridge get the path it has now. Entries that bridge wrote and that are gone are put back: Claude Desktop is known to drop some when it writes its file."),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: say.T("show what would change and change nothing"), Destination: &o.dryRun},
			asksNothing(),
			&cli.BoolFlag{Name: "force", Usage: say.T("do it though the client runs"), Destination: &o.force},
		},
		Action: func(_ context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 0); err != nil {
				return err
			}
			return runClientsRepair(a, o)
		},
	}
}

func runClientsRepair(a *app, o repairOptions) error {
	command, err := stablePath()
	if err != nil {
		return fail(exitFailure, say.T("the path of this program cannot be found out: %s", plainError(err))).because(err)
	}
	a.warnBinary(command)
	marks, err := clients.ReadMarks()
	if err != nil {
		return clientProblem(err)
	}
	entries, problems := clients.Find(clients.ThisSystem())
	for _, p := range problems {
		a.note(clientProblem(p.Err).Error())
	}
	var plans []*clients.Plan
	plan := func(c *clients.Client, path string) (*clients.Plan, error) {
		if p := planFor(plans, path); p != nil {
			return p, nil
		}
		p, err := c.Plan(path)
		if err == nil {
			plans = append(plans, p)
		}
		return p, err
	}
	for _, e := range entries {
		server := e.Serves()
		if server == "" || e.Command == command {
			continue
		}
		p, err := plan(e.Client, e.Path)
		if err == nil {
			err = p.InstallAt(e.Root, e.Name, clients.Launch{Command: command, Server: server, Env: e.Variables()}, false)
		}
		if err != nil {
			return clientProblem(err)
		}
	}
	for _, l := range marks.Lost(entries, problems) {
		p, err := plan(l.Client, l.Path)
		if err == nil {
			err = p.InstallAt(l.Root, l.Name, clients.Launch{Command: command, Server: l.Server, Env: l.Env}, false)
		}
		if err != nil {
			return clientProblem(err)
		}
	}
	plans = slices.DeleteFunc(plans, func(p *clients.Plan) bool { return !p.Changed() })
	a.showPlans(plans)
	var backups map[string]string
	if !o.dryRun && len(plans) > 0 {
		var touched []*clients.Client
		for _, p := range plans {
			touched = append(touched, p.Client)
		}
		if err := notRunning(touched, o.force); err != nil {
			return err
		}
		if backups, err = applyPlans(plans); err != nil {
			return err
		}
	}
	switch {
	case a.asJSON:
		return a.json(map[string]any{"dry_run": o.dryRun, "files": reportPlans(plans, backups)})
	case len(plans) == 0:
		a.printf("%s\n", say.T("Nothing to repair."))
	case o.dryRun:
		a.printf("%s\n", say.T("Nothing was changed (--dry-run)."))
	default:
		a.printf("%s\n", say.T("Repaired: %s", pathsOf(plans)))
		a.sayBackups(backups)
	}
	return nil
}
