package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/clients"
	"bridge/internal/say"
)

func newClientsList(a *app) *cli.Command {
	return &cli.Command{
		Name:        "list",
		Usage:       say.T("List the AI clients on this machine and what they start"),
		UsageText:   "bridge clients list\nbridge clients list --json",
		Description: say.T("Shown are entries that start bridge or mcp-remote, or that connect with a token of their own."),
		Action: func(_ context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 0); err != nil {
				return err
			}
			return runClientsList(a)
		},
	}
}

// A clientReport is one configuration file of `bridge clients --json`.
type clientReport struct {
	ID        string         `json:"id"`
	Title     string         `json:"title"`
	Path      string         `json:"path"`
	Installed bool           `json:"installed"`
	Exists    bool           `json:"exists"`
	Entries   []clientServer `json:"entries"`
	Others    int            `json:"others"` // entries that are no concern of ours
	Error     string         `json:"error,omitempty"`
}

type clientServer struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // bridge, mcp-remote, elsewhere, direct
	Server   string `json:"server,omitempty"`
	Command  string `json:"command,omitempty"`
	Gone     bool   `json:"command_missing,omitempty"`
	Disabled bool   `json:"disabled"`
	Made     bool   `json:"made_by_bridge"`
}

func clientReports(s clients.System) ([]clientReport, error) {
	marks, err := clients.ReadMarks()
	if err != nil {
		return nil, clientProblem(err)
	}
	out := []clientReport{}
	for _, c := range clients.All() {
		entries, problems := clients.Find(s, c)
		for _, l := range c.Locations(s) {
			r := clientReport{ID: c.ID, Title: c.Title, Path: l.Path, Installed: l.Installed, Exists: l.Exists, Entries: []clientServer{}}
			for _, p := range problems {
				if p.Path == l.Path {
					r.Error = clientProblem(p.Err).Error()
				}
			}
			for _, e := range entries {
				if e.Path != l.Path {
					continue
				}
				cs := clientServer{Name: e.Name, Server: e.Serves(), Disabled: e.Disabled, Made: marks.Made(e)}
				switch start, _ := e.Remote(); {
				case cs.Server != "":
					cs.Kind, cs.Command = "bridge", e.Command
					_, err := os.Stat(e.Command)
					cs.Gone = filepath.IsAbs(e.Command) && errors.Is(err, fs.ErrNotExist)
				case start == clients.StartsRemote:
					cs.Kind = "mcp-remote"
				case start == clients.StartsElsewhere:
					cs.Kind = "elsewhere"
				case start == clients.Connects:
					cs.Kind = "direct"
				default:
					r.Others++
					continue
				}
				r.Entries = append(r.Entries, cs)
			}
			out = append(out, r)
		}
	}
	return out, nil
}

func runClientsList(a *app) error {
	reports, err := clientReports(clients.ThisSystem())
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.json(map[string]any{"clients": reports})
	}
	found, movable, served, first := 0, 0, 0, ""
	for _, r := range reports {
		if !r.Installed {
			continue
		}
		if found++; found == 1 {
			first = r.ID
		}
		a.printf("%-15s %s\n", r.ID, printable(r.Path))
		for _, e := range r.Entries {
			var what string
			switch e.Kind {
			case "bridge":
				what = "bridge serve " + e.Server
				served++
				if e.Gone {
					what += " " + say.T("(there is no %s any more: `bridge clients repair`)", printable(e.Command))
				}
			case "direct":
				what = say.T("connects with a token in this file")
				movable++
			case "elsewhere":
				what = say.T("mcp-remote, in a container or a script")
			default:
				what = "mcp-remote"
				movable++
			}
			if e.Disabled {
				what += " " + say.T("(turned off)")
			}
			a.printf("  %s: %s\n", printable(e.Name), what)
		}
		if r.Error != "" {
			a.printf("  ! %s\n", printable(strings.TrimPrefix(r.Error, r.Path+": ")))
		}
	}
	if found == 0 {
		a.printf("%s\n", say.T("No AI client that bridge knows is on this machine."))
		return nil
	}
	switch {
	case movable > 0:
		a.note(say.T("what can be moved over is shown by `bridge clients migrate --dry-run`"))
	case served == 0:
		a.note(say.T("put a server into one of them: `bridge clients install %s pacecraft`", first))
	}
	return nil
}
