package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/clients"
	"bridge/internal/fsx"
	"bridge/internal/say"
)

func newClients(a *app) *cli.Command {
	return &cli.Command{
		Name:      "clients",
		Usage:     say.T("Put servers into the configuration of AI clients"),
		ArgsUsage: "[list | install | uninstall | print | repair | migrate]",
		UsageText: "bridge clients\n" +
			"bridge clients install claude-desktop pacecraft\n" +
			"bridge clients migrate --dry-run\n" +
			"bridge clients print cursor nibomo",
		Description: say.T("An entry holds the path of bridge and the name of a server, never a token, and so it stays right when the sign-in changes. Every change is shown; the file as it was is kept beside it."),
		Commands: []*cli.Command{
			newClientsList(a), newClientsInstall(a), newClientsUninstall(a), newClientsPrint(a), newClientsRepair(a), newClientsMigrate(a),
		},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return a.unknownCommand(c, c.Args().First())
			}
			return runClientsList(a)
		},
	}
}

// asksNothing is --yes of a command that changes clients' files and asks
// nothing. It is taken all the same, because migrate beside it does ask, and
// nobody should have to know which of them needs it.
func asksNothing() cli.Flag {
	return &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: say.T("do not ask; this command never does")}
}

// clientRuns says whether a client runs that would write over an edit. Tests
// answer it themselves: what runs on the machine is not theirs to decide.
var clientRuns = (*clients.Client).Running

// clientNamed finds a client by what was typed.
func clientNamed(word string) (*clients.Client, error) {
	id := strings.ToLower(strings.NewReplacer(" ", "-", "_", "-").Replace(word))
	if id == "claude" {
		return nil, usage(say.T("there are two clients of that name")).hint(say.T("say which: %s", "claude-desktop, claude-code"))
	}
	if c := clients.Lookup(id); c != nil {
		return c, nil
	}
	var ids []string
	for _, c := range clients.All() {
		ids = append(ids, c.ID)
	}
	p := usage(say.T("there is no client %q", word))
	if near := nearest(id, ids); near != "" {
		return nil, p.hint(say.T("did you mean `%s`?", near))
	}
	return nil, p.hint(say.T("there are %s; for others: `bridge clients print NAME`", strings.Join(ids, ", ")))
}

// notRunning refuses to edit a file that a running client would write over.
func notRunning(list []*clients.Client, force bool) error {
	for _, c := range list {
		if !force && clientRuns(c) {
			return fail(exitConflict, say.T("%s is running, and would undo the change when it writes its file", c.Title)).
				hint(say.T("quit it fully (from the menu bar or the tray, not by closing the window) and try again, or add --force"))
		}
	}
	return nil
}

// clientProblem words an error of package clients for people.
func clientProblem(err error) error {
	var e *clients.FileError
	var done *problem
	switch {
	case err == nil || errors.As(err, &done):
		return err
	case !errors.As(err, &e):
		return fail(exitFailure, err.Error()).because(err)
	}
	where := e.Path
	if e.Line > 0 {
		where = say.T("%s, line %d", e.Path, e.Line)
	}
	p := fail(exitFailure, where+": "+plainError(e.Err))
	switch {
	case errors.Is(e, clients.ErrSyntax):
		p = fail(exitFailure, say.T("%s: this is not what a configuration file looks like, so it was not touched", where)).
			hint(say.T("mend the line, or move the file away so that the client makes a new one"))
	case errors.Is(e, clients.ErrDuplicate):
		p = fail(exitFailure, say.T("%s: a key stands twice, so the file was not touched", where)).
			hint(say.T("remove the one that is not meant"))
	case errors.Is(e, clients.ErrShape):
		p = fail(exitFailure, say.T("%s: %q is no table of servers, so the file was not touched", where, e.Key)).
			hint(say.T("mend the line, or move the file away so that the client makes a new one"))
	case errors.Is(e, clients.ErrByHand):
		p = fail(exitFailure, say.T("%s: the entry %q is written in a form that bridge does not edit", where, e.Key)).
			hint(say.T("change it by hand; `bridge clients print` shows what belongs there"))
	case errors.Is(e, clients.ErrTaken):
		p = fail(exitConflict, say.T("%s: the entry %q is not one that bridge made", where, e.Key)).
			hint(say.T("`bridge clients migrate` takes over entries of mcp-remote; --force does it anyway"))
	case errors.Is(e, clients.ErrAltered):
		p = fail(exitConflict, say.T("%s: the entry %q was changed since bridge wrote it", where, e.Key)).
			hint(say.T("--force removes it all the same"))
	case errors.Is(e, clients.ErrNoEntry):
		p = fail(exitFailure, say.T("%s: there is no entry %q", where, e.Key)).
			hint(say.T("`bridge clients list` shows what there is"))
	case errors.Is(e, clients.ErrForeign):
		p = fail(exitFailure, say.T("%s belongs to another user, so it was not touched", where))
	case errors.Is(e, clients.ErrUnsure):
		p = fail(exitConflict, say.T("%s does not hold what was just written; another program writes it too", where)).
			hint(say.T("quit the client and try again"))
	case errors.Is(e, fsx.ErrChanged):
		p = fail(exitConflict, say.T("%s was changed by another program, and nothing was written", where)).
			hint(say.T("run the command again"))
	case errors.Is(e, fsx.ErrReadOnly):
		p = fail(exitFailure, say.T("%s is marked read-only, so it was not touched", where)).
			hint(say.T("if the change is wanted, make the file writable"))
	case errors.Is(e, fsx.ErrTooLarge):
		p = fail(exitFailure, say.T("%s is too large to be a configuration file", where))
	case errors.Is(e, fsx.ErrNotRegular):
		p = fail(exitFailure, say.T("%s is not a file", where))
	case errors.Is(e, fs.ErrPermission):
		p = fail(exitFailure, say.T("%s may not be read or written by this user", where))
	}
	return p.because(err)
}

// An editReport is one file of a command that changes configuration, in
// --json.
type editReport struct {
	Client  string `json:"client"`
	Path    string `json:"path,omitempty"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff,omitempty"`
	Backup  string `json:"backup,omitempty"`
	Command any    `json:"command,omitempty"` // of the client itself, if that makes the change
}

// showPlans prints what would be done, and what there is to say about it.
func (a *app) showPlans(plans []*clients.Plan, secrets ...string) {
	for _, p := range plans {
		if slices.Contains(p.Remarks, clients.RemarkComments) {
			a.note(say.T("%s has comments or trailing commas, which %s does not understand; they are left as they are", p.Path, p.Client.Title))
		}
		if !a.asJSON {
			a.printf("%s", a.colorDiff(p.Diff(secrets...)))
		}
	}
}

// colorDiff sets the lines of a diff off; the signs before them say the same.
func (a *app) colorDiff(text string) string {
	if !a.colored(a.outFile) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body := strings.TrimSuffix(line, "\n")
		var how sgr
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			how = bold
		case strings.HasPrefix(line, "+"):
			how = green
		case strings.HasPrefix(line, "-"):
			how = red
		case strings.HasPrefix(line, "@@"):
			how = cyan
		default:
			continue
		}
		lines[i] = a.paint(how, body) + line[len(body):]
	}
	return strings.Join(lines, "")
}

// applyPlans writes them and returns the backups by file.
func applyPlans(plans []*clients.Plan) (map[string]string, error) {
	done, err := clients.Apply(plans, time.Now())
	if err != nil {
		return nil, clientProblem(err)
	}
	backups := map[string]string{}
	for _, b := range done.Backups {
		for _, p := range plans {
			if strings.HasPrefix(b, p.Path+".bak-") {
				backups[p.Path] = b
			}
		}
	}
	return backups, nil
}

func reportPlans(plans []*clients.Plan, backups map[string]string, secrets ...string) []editReport {
	out := []editReport{}
	for _, p := range plans {
		out = append(out, editReport{
			Client: p.Client.ID, Path: p.Path, Changed: p.Changed(), Diff: p.Diff(secrets...), Backup: backups[p.Path],
		})
	}
	return out
}

// warnBinary tells of a path that will not last.
func (a *app) warnBinary(path string) {
	if why := shortLived(path); why != "" {
		a.note(say.T("clients will start %s, and %s; install bridge first, then run this again", path, why))
	}
}
