package main

import (
	"os"
	"slices"
	"strings"

	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// showMoves says in words what the diff shows in lines.
func (a *app) showMoves(moves []*move, stays []stay, where string) {
	for _, m := range moves {
		a.printf("%s\n", say.T("%s: %s becomes `bridge serve %s`", m.entry.Client.Title, printable(m.entry.Name), m.server.Name))
		a.printf("  %s\n", printable(m.server.Endpoint()))
		if !m.token.IsZero() {
			a.printf("  %s\n", say.T("the token …%s goes to %s", m.token.Last4(), where))
		}
		switch {
		case m.carried():
			a.printf("  %s\n", say.T("the sign-in that mcp-remote keeps goes to %s, if the server still takes it; mcp-remote cannot use it any more then", where))
		case m.carry != nil:
			a.printf("  %s\n", say.T("the sign-in that mcp-remote keeps is left behind: %s", printable(m.carry.why)))
		}
		if len(m.notes) > 0 {
			a.printf("  %s\n", say.T("not kept: %s", strings.Join(m.notes, ", ")))
		}
	}
	for _, s := range stays {
		a.printf("%s\n", say.T("%s: %s stays as it is: %s", s.entry.Client.Title, printable(s.entry.Name), printable(s.why)))
	}
	if len(moves) > 0 {
		a.printf("\n")
	}
	if slices.ContainsFunc(stays, func(s stay) bool { return !s.wished }) {
		a.note(say.T("what stays can be moved by hand: `bridge login URL --name NAME`, then `bridge clients install CLIENT NAME --as ENTRY --force`"))
	}
}

func (a *app) migrateDone(o migrateOptions, moves []*move, stays []stay, plans []*clients.Plan, backups map[string]string, where string) error {
	if a.asJSON {
		reports := []moveReport{}
		for _, m := range moves {
			auth := string(m.server.Auth)
			if auth == "" {
				auth = "auto"
			}
			r := moveReport{Client: m.entry.Client.ID, Path: m.entry.Path, Entry: m.entry.Name, Server: m.server.Name, URL: m.server.URL,
				Workspace: m.server.Workspace, Auth: auth, NotKept: m.notes, Carried: m.carried(), SignIn: m.needsSignIn()}
			if !m.token.IsZero() {
				r.Last4 = m.token.Last4()
			}
			if m.carry != nil {
				r.WhyNot = m.carry.why
			}
			reports = append(reports, r)
		}
		left := []stayReport{}
		for _, s := range stays {
			left = append(left, stayReport{s.entry.Client.ID, s.entry.Path, s.entry.Name, s.why})
		}
		return a.json(map[string]any{"dry_run": o.dryRun, "moved": reports, "left": left, "files": reportPlans(plans, backups, secretsOf(moves)...)})
	}
	switch {
	case len(moves) == 0:
		a.printf("%s\n", say.T("There is nothing to move over."))
		return nil
	case o.dryRun:
		a.printf("%s\n", say.T("Nothing was changed (--dry-run). To do it: %s", commandLine(append([]string{"bridge", "clients", "migrate"}, o.words()...))))
		return nil
	}
	a.printf("%s\n", say.T("Moved over: %d. Quit the clients and start them again.", len(moves)))
	a.sayCarries(moves, where)
	shown := map[string]bool{}
	for _, m := range moves {
		if m.needsSignIn() && !shown[m.server.Name] {
			shown[m.server.Name] = true
			a.printf("%s\n", say.T("Sign in: bridge login %s", m.server.Name))
		}
	}
	a.sayBackups(backups)
	if len(secretsOf(moves)) > 0 && len(backups) > 0 {
		a.note(say.T("the files as they were still hold the tokens; delete them when everything works: rm %s", quoteAll(sortedValues(backups))))
	}
	return nil
}

// needsSignIn reports whether the server wants a sign-in that the entry did not
// bring along.
func (m *move) needsSignIn() bool {
	if m.server.Auth == servers.AuthNone || m.carry != nil {
		return m.server.Auth != servers.AuthNone && !m.carried()
	}
	return m.token.IsZero() && !m.known && !m.stored
}

func quoteAll(paths []string) string {
	for i, p := range paths {
		paths[i] = commandLine([]string{p})
	}
	return strings.Join(paths, " ")
}

// sayCarries tells what became of the sign-ins of mcp-remote.
func (a *app) sayCarries(moves []*move, where string) {
	var files []string
	for _, m := range carries(moves) {
		switch c := m.carry; {
		case c.done:
			a.printf("%s\n", say.T("You stay signed in to %s: the sign-in that mcp-remote kept is in %s now.", m.server.Name, where))
			for _, kept := range c.kept {
				files = append(files, kept.Path)
				client := strings.TrimSuffix(kept.Path, "_tokens.json") + "_client_info.json"
				if _, err := os.Lstat(client); err == nil {
					files = append(files, client)
				}
			}
			if c.renewed {
				a.note(say.T("the sign-in to %s had to be renewed, so that mcp-remote's own copy of it is worth nothing any more", m.server.Name))
			} else {
				a.note(say.T("mcp-remote's own copy of the sign-in to %s is worth nothing any more as soon as bridge renews it", m.server.Name))
			}
		default:
			a.note(say.T("the sign-in to %s that mcp-remote keeps was not carried over: %s", m.server.Name, printable(c.why)))
		}
	}
	if len(files) > 0 {
		a.note(say.T("the files of mcp-remote were left as they are and hold tokens in clear text; delete them when everything works: rm %s", quoteAll(files)))
	}
}
