package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/internal/termsafe"
)

// doctor checks, in the order in which things depend on each other, what has
// to be right for a client to reach a server, and says of each what it found
// and the command that mends it:
//
//	doctor_machine.go  the binary, config.toml, the keystore
//	doctor_server.go   name, proxy, certificate, clock, answers, tools
//	doctor_signin.go   the credential, and whether it was taken
//	doctor_wire.go     what one exchange with the server says
//	doctor_clients.go  the AI clients' configs, what mcp-remote left behind
//	doctor_bundle.go   the report for others to read
//
// It looks at the server with internal/probe, not through the relay, which
// would hide what it can survive.

type doctorOptions struct {
	name   string
	fix    bool
	bundle string
}

func newDoctor(a *app) *cli.Command {
	var o doctorOptions
	return &cli.Command{
		Name:        "doctor",
		Usage:       say.T("Find out what is wrong, and how to mend it"),
		ArgsUsage:   say.T("[NAME | URL]"),
		UsageText:   "bridge doctor\nbridge doctor pacecraft\nbridge doctor --fix\nbridge doctor --bundle report.json",
		Description: say.T("Checks the program, its files and the keychain, then each server, or the one named, from its name to its tools, then the AI clients' configs. Each check has a line, and what is wrong the command that mends it.\nThe status is that of the first thing that failed: 3 a server cannot be reached, 4 sign-in, 1 anything else. Warnings change nothing."),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "fix", Usage: say.T("mend what can be mended safely: the permissions of bridge's own files, a sign-in that has run out"), Destination: &o.fix},
			&cli.StringFlag{Name: "bundle", Usage: say.T("write a report without secrets to `FILE`"), Destination: &o.bundle},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 1); err != nil {
				return err
			}
			o.name = c.Args().First()
			return runDoctor(ctx, a, o)
		},
		ShellComplete: a.completeServer,
	}
}

// A verdict is how a check ended. Its text is what --json says.
type verdict string

const (
	fine    verdict = "ok"
	warning verdict = "warning"
	broken  verdict = "failed"
)

// A diagnosis is one line of the doctor's.
type diagnosis struct {
	Check   string  `json:"check"` // a name that stays
	Server  string  `json:"server,omitempty"`
	Verdict verdict `json:"verdict"`
	Message string  `json:"message"`
	Hint    string  `json:"hint,omitempty"`

	label string
	exit  exit
}

// A doctor collects checks and shows each as it is done.
type doctor struct {
	app    *app
	fix    bool
	server string // the one at hand
	checks []diagnosis
	tokens []string // that were found, for the report to be without them
}

// add ends a check. hint may be empty; status is that of the process if the
// check is broken.
func (d *doctor) add(name, label string, v verdict, message, hint string, status exit) {
	c := diagnosis{name, d.server, v, withoutTokens(termsafe.Line(message)), withoutTokens(termsafe.Line(hint)), label, status}
	d.checks = append(d.checks, c)
	if !d.app.asJSON {
		d.app.showCheck(c)
	}
}

func (d *doctor) ok(name, label, message string) { d.add(name, label, fine, message, "", exitOK) }
func (d *doctor) warn(name, label, message, hint string) {
	d.add(name, label, warning, message, hint, exitOK)
}
func (d *doctor) bad(name, label, message, hint string, status exit) {
	d.add(name, label, broken, message, hint, status)
}

func runDoctor(ctx context.Context, a *app, o doctorOptions) error {
	if err := (&sink{app: a, path: o.bundle}).check(); err != nil {
		return err
	}
	d := &doctor{app: a, fix: o.fix}
	d.machine(ctx, o.name)
	list, file, err := d.servers(o.name)
	if err != nil {
		return err
	}
	for _, s := range list {
		if !a.asJSON {
			a.printf("\n%s\n", strings.TrimPrefix(a.paint(bold, s.Name)+"  "+termsafe.Line(s.Endpoint()), "  "))
		}
		d.server = firstOf(s.Name, s.URL)
		d.checkServer(ctx, file, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	d.server = ""
	if !a.asJSON {
		a.printf("\n%s\n", a.paint(bold, say.T("AI clients")))
	}
	d.clients(file)
	if o.bundle != "" {
		if err := d.writeBundle(o.bundle, file); err != nil {
			return err
		}
	}
	if a.asJSON {
		first := slices.IndexFunc(d.checks, func(c diagnosis) bool { return c.Verdict == broken })
		if err := a.json(map[string]any{"ok": first < 0, "checks": d.checks}); err != nil {
			return err
		}
	}
	return d.outcome()
}

// servers are those to look at: the one named, or all entries.
func (d *doctor) servers(name string) ([]servers.Server, *servers.File, error) {
	file, err := servers.Load()
	if err != nil {
		// The config check has said it. A URL needs no config.
		if name != "" && servers.IsURL(name) {
			file = &servers.File{}
		} else {
			return nil, nil, nil
		}
	}
	if name == "" {
		return file.Servers(), file, nil
	}
	s, err := d.app.lookup(file, name)
	if err != nil {
		return nil, file, err
	}
	return []servers.Server{s}, file, nil
}

// outcome is the status of the first check that is broken.
func (d *doctor) outcome() error {
	failed := 0
	var first *diagnosis
	for i := range d.checks {
		if d.checks[i].Verdict == broken {
			if failed == 0 {
				first = &d.checks[i]
			}
			failed++
		}
	}
	if first == nil {
		return nil
	}
	p := fail(first.exit, say.T("%d of %d checks failed", failed, len(d.checks))).because(errors.New(first.Check))
	if d.app.asJSON {
		return p.hint(first.Hint)
	}
	return p // the hint stands above
}

// showCheck prints a line: a sign, what was checked, what was found; below it
// the way to mend it.
func (a *app) showCheck(c diagnosis) {
	signs, how := [...]string{"✓", "!", "✗", "→"}, green
	if !unicodeTerminal(os.Getenv) {
		signs = [...]string{"+", "!", "x", "->"}
	}
	sign := signs[0]
	switch c.Verdict {
	case warning:
		sign, how = signs[1], yellow
	case broken:
		sign, how = signs[2], red
	}
	const wide = 14 // "Claude Desktop"
	indent := wide + 4
	lead := "  " + a.paint(how, sign) + " " + termsafe.Pad(c.label, wide)
	if a.width() < 60 {
		a.printf("%s\n", strings.TrimRight(lead, " "))
		indent, lead = 5, strings.Repeat(" ", 5)
	}
	for i, line := range wrap(c.Message, a.width()-indent-1) {
		if i == 0 {
			a.printf("%s %s\n", lead, line)
			continue
		}
		a.printf("%s%s\n", strings.Repeat(" ", indent+1), line)
	}
	if c.Hint != "" {
		arrow := signs[3]
		lines := wrap(c.Hint, a.width()-indent-4)
		if strings.Contains(c.Hint, "`") {
			lines = []string{c.Hint} // a command is copied whole
		}
		for i, line := range lines {
			if i > 0 {
				arrow = strings.Repeat(" ", termsafe.Width(signs[3]))
			}
			a.printf("%s%s %s\n", strings.Repeat(" ", indent+1), a.paint(cyan, arrow), line)
		}
	}
}
