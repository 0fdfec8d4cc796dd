package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
)

type installOptions struct {
	client  string
	servers []string
	key     string // --as
	dryRun  bool
	force   bool
}

func newClientsInstall(a *app) *cli.Command {
	var o installOptions
	return &cli.Command{
		Name:      "install",
		Usage:     say.T("Put a server into a client's configuration"),
		ArgsUsage: say.T("CLIENT SERVER…"),
		UsageText: "bridge clients install claude-desktop pacecraft\n" +
			"bridge clients install cursor pacecraft nibomo\n" +
			"bridge clients install vscode team --as team-tasks --dry-run",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "as", Usage: say.T("call the entry `NAME` instead of the server's name"), Destination: &o.key},
			&cli.BoolFlag{Name: "dry-run", Usage: say.T("show what would change and change nothing"), Destination: &o.dryRun},
			asksNothing(),
			&cli.BoolFlag{Name: "force", Usage: say.T("replace another entry of the name; do it though the client runs or is not found"), Destination: &o.force},
		},
		ShellComplete: a.completeClient,
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := clientAndServer(c, -1, false); err != nil {
				return err
			}
			o.client, o.servers = c.Args().First(), c.Args().Slice()[1:]
			if o.key != "" && len(o.servers) > 1 {
				return usage(say.T("--as is for one server"))
			}
			return runClientsInstall(ctx, a, o)
		},
	}
}

func runClientsInstall(ctx context.Context, a *app, o installOptions) error {
	c, err := clientNamed(o.client)
	if err != nil {
		return err
	}
	file, err := a.loadServers()
	if err != nil {
		return err
	}
	command, err := stablePath()
	if err != nil {
		return fail(exitFailure, say.T("the path of this program cannot be found out: %s", plainError(err))).because(err)
	}
	var list []servers.Server
	for _, name := range o.servers {
		s, err := a.lookup(file, name)
		if err != nil {
			return err
		}
		if s.Name == "" {
			return usage(say.T("the server needs a name")).hint("`bridge login " + toType(s) + " --name NAME`")
		}
		list = append(list, s)
	}
	env, err := a.launchEnv(file, list)
	if err != nil {
		return err
	}
	var launches []clients.Launch
	for _, s := range list {
		launches = append(launches, clients.Launch{Command: command, Server: s.Name, Env: env})
	}
	a.warnBinary(command)
	if argv := clientCLI(c, o, launches); argv != nil {
		defer a.remindSignIn(ctx, file, list)
		return a.installByCLI(ctx, c, o, argv, launches)
	}
	plans, err := installPlans(c, o, launches)
	if err != nil {
		return clientProblem(err)
	}
	a.showPlans(plans)
	if o.dryRun {
		return a.installDone(c, o, plans, nil)
	}
	if slices.ContainsFunc(plans, (*clients.Plan).Changed) {
		if err := notRunning([]*clients.Client{c}, o.force); err != nil {
			return err
		}
	}
	backups, err := applyPlans(plans)
	if err != nil {
		return err
	}
	defer a.remindSignIn(ctx, file, list)
	return a.installDone(c, o, plans, backups)
}

// installPlans makes a plan for each installation of the client.
func installPlans(c *clients.Client, o installOptions, launches []clients.Launch) ([]*clients.Plan, error) {
	var plans []*clients.Plan
	for _, l := range c.Locations(clients.ThisSystem()) {
		switch {
		case l.Aside:
			continue
		case !l.Installed && !o.force:
			return nil, fail(exitFailure, say.T("%s is not on this machine: there is no %s", c.Title, l.Path)).
				hint(say.T("`bridge clients print %s %s` shows what to paste; --force makes the file", c.ID, o.servers[0]))
		}
		p, err := c.Plan(l.Path)
		if err != nil {
			return nil, err
		}
		for _, launch := range launches {
			key := launch.Server
			if o.key != "" {
				key = o.key
			}
			if err := p.Install(key, launch, o.force); err != nil {
				return nil, err
			}
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func (a *app) installDone(c *clients.Client, o installOptions, plans []*clients.Plan, backups map[string]string) error {
	if a.asJSON {
		return a.json(map[string]any{"dry_run": o.dryRun, "files": reportPlans(plans, backups)})
	}
	changed := slices.ContainsFunc(plans, (*clients.Plan).Changed)
	switch {
	case !changed:
		a.printf("%s\n", say.T("%s has it already.", c.Title))
	case o.dryRun:
		a.printf("%s\n", say.T("Nothing was changed (--dry-run)."))
	default:
		a.printf("%s\n", say.T("%s starts %s from now on. Quit and start it again to see the tools.", c.Title, strings.Join(o.servers, ", ")))
		a.sayBackups(backups)
	}
	return nil
}

func (a *app) sayBackups(backups map[string]string) {
	for _, b := range sortedValues(backups) {
		a.printf("%s\n", say.T("The file as it was: %s", printable(b)))
	}
}

func sortedValues(m map[string]string) []string {
	var out []string
	for _, v := range m {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

// clientCLI returns the command lines by which the client's own program makes
// the entries, or nil if it has none or is not here. It is preferred: it knows
// when its file may be written.
func clientCLI(c *clients.Client, o installOptions, launches []clients.Launch) [][]string {
	if c.CLI == "" {
		return nil
	}
	program, err := exec.LookPath(c.CLI)
	if err != nil {
		return nil
	}
	var out [][]string
	for _, l := range launches {
		key := l.Server
		if o.key != "" {
			key = o.key
		}
		out = append(out, append([]string{program}, c.CLIArgs(key, l)...))
	}
	return out
}

// cliLimit is how long a client's program may take.
const cliLimit = 60 * time.Second

// installByCLI lets the client's program write, and reads what it wrote.
func (a *app) installByCLI(ctx context.Context, c *clients.Client, o installOptions, argv [][]string, launches []clients.Launch) error {
	// What is there decides whether there is anything to do.
	plans, err := installPlans(c, installOptions{servers: o.servers, key: o.key, force: true}, launches)
	if err != nil {
		return clientProblem(err)
	}
	reports := []editReport{}
	for i, words := range argv {
		key := words[len(words)-2]
		if c.CLI == "codex" {
			key = words[3]
		}
		there, ok, err := entryNow(c, plans, key)
		if err != nil {
			return clientProblem(err)
		}
		r := editReport{Client: c.ID, Path: plans[0].Path, Command: words}
		switch {
		case ok && there.Serves() == launches[i].Server && there.Command == launches[i].Command && slices.Equal(there.Variables(), launches[i].Env):
			r.Command = nil
			reports = append(reports, r)
			continue
		case ok && there.Serves() == "" && !o.force:
			return clientProblem(&clients.FileError{Path: there.Path, Key: key, Err: clients.ErrTaken})
		}
		r.Changed = true
		reports = append(reports, r)
		var lines [][]string
		if ok {
			remove := []string{words[0], "mcp", "remove", key}
			if c.CLI == "claude" {
				remove = []string{words[0], "mcp", "remove", "--scope", "user", key}
			}
			lines = append(lines, remove)
		}
		for _, line := range append(lines, words) {
			if !a.asJSON {
				a.printf("+ %s\n", printable(commandLine(line)))
			}
			if o.dryRun {
				continue
			}
			if err := runClientCLI(ctx, line); err != nil {
				return err
			}
		}
	}
	if !o.dryRun {
		if err := rememberCLI(c, o, launches); err != nil {
			return err
		}
	}
	if a.asJSON {
		return a.json(map[string]any{"dry_run": o.dryRun, "files": reports})
	}
	switch {
	case !slices.ContainsFunc(reports, func(r editReport) bool { return r.Changed }):
		a.printf("%s\n", say.T("%s has it already.", c.Title))
	case o.dryRun:
		a.printf("%s\n", say.T("Nothing was changed (--dry-run)."))
	default:
		a.printf("%s\n", say.T("%s starts %s from now on. Quit and start it again to see the tools.", c.Title, strings.Join(o.servers, ", ")))
	}
	return nil
}

// entryNow is the entry of that key as it is in the file.
func entryNow(c *clients.Client, plans []*clients.Plan, key string) (clients.Entry, bool, error) {
	p, err := c.Plan(plans[0].Path)
	if err != nil {
		return clients.Entry{}, false, err
	}
	return p.Entry(c.Root, key)
}

func runClientCLI(ctx context.Context, line []string) error {
	ctx, cancel := context.WithTimeout(ctx, cliLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = os.Environ()
	out := &boundedBuffer{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ctx.Err()
		}
		return fail(exitFailure, say.T("%s failed: %s", line[0], oneLine(string(out.b)))).
			hint(say.T("run it yourself: %s", commandLine(line))).because(err)
	}
	return nil
}

// rememberCLI reads what the client's program wrote, and marks it as ours. An
// entry that is not there, or is another, is a failure: nothing is claimed
// that was not read back.
func rememberCLI(c *clients.Client, o installOptions, launches []clients.Launch) error {
	var plans []*clients.Plan
	for _, l := range c.Locations(clients.ThisSystem()) {
		if l.Aside {
			continue
		}
		p, err := c.Plan(l.Path)
		if err != nil {
			return clientProblem(err)
		}
		for _, launch := range launches {
			key := launch.Server
			if o.key != "" {
				key = o.key
			}
			there, ok, err := p.Entry(c.Root, key)
			if err != nil {
				return clientProblem(err)
			}
			if !ok || there.Serves() != launch.Server || !slices.Equal(there.Variables(), launch.Env) {
				return clientProblem(&clients.FileError{Path: l.Path, Key: key, Err: clients.ErrUnsure})
			}
			if err := p.Adopt(c.Root, key, launch); err != nil {
				return clientProblem(err)
			}
		}
		plans = append(plans, p)
	}
	_, err := clients.Apply(plans, time.Now())
	return clientProblem(err)
}

// commandLine is a command as a person would type it.
func commandLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shellWord(w)
	}
	return strings.Join(out, " ")
}

// completeClient offers a client, then servers.
func (a *app) completeClient(ctx context.Context, c *cli.Command) {
	switch {
	case a.flagBegun():
		a.complete(ctx, c)
	case !c.Args().Present():
		for _, cl := range clients.All() {
			a.offer(cl.ID, cl.Title)
		}
	default:
		a.offerServers()
	}
}
