package main

import (
	"errors"
	"slices"

	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// findCarries looks for sign-ins that mcp-remote has kept of the servers that
// sign in by OAuth and have no credential here. stored says whether there is
// one; it is asked only if something was found, since a keychain may ask a
// person.
func findCarries(moves []*move, sys clients.System, getenv func(string) (string, bool), stored func(servers.Server) (bool, error)) {
	found := map[string]*carry{}
	problems := map[string][]error{}
	var order []*move
	for _, m := range moves {
		if m.args == nil || !m.token.IsZero() || !m.signsIn() {
			continue
		}
		kept, errs := m.findKept(sys, getenv)
		if len(kept) == 0 && len(errs) == 0 {
			continue
		}
		name := m.server.Name
		if found[name] == nil {
			found[name] = &carry{signIn: m.signIn}
			order = append(order, m)
		}
		found[name].kept = append(found[name].kept, kept...)
		problems[name] = append(problems[name], errs...)
	}
	has := map[string]bool{}
	for _, m := range order {
		name := m.server.Name
		c := found[name]
		slices.SortStableFunc(c.kept, func(a, b clients.SignIn) int { return b.Written.Compare(a.Written) })
		c.kept = slices.CompactFunc(c.kept, func(a, b clients.SignIn) bool { return a.Path == b.Path })
		if len(c.kept) == 0 {
			c.why = keptProblem(problems[name][0]).Error()
		}
		there, err := stored(m.server)
		switch {
		case err != nil:
			c.why = err.Error()
		case there:
			has[name] = true
			delete(found, name)
		}
	}
	for _, m := range moves {
		m.carry, m.stored = found[m.server.Name], has[m.server.Name]
	}
}

// signsIn reports whether a stored sign-in would be used for the server.
func (m *move) signsIn() bool {
	return (m.server.Auth == servers.AuthAuto || m.server.Auth == servers.AuthOAuth) && len(m.server.TokenCommand) == 0
}

// findKept looks in all folders, by the arguments as they stand and as they are
// when the client has filled in its variables.
func (m *move) findKept(sys clients.System, getenv func(string) (string, bool)) (kept []clients.SignIn, problems []error) {
	x := &expansion{entry: m.entry, getenv: getenv}
	env := map[string]string{}
	for name, v := range m.entry.Env {
		env[name] = x.text(v)
	}
	for _, folder := range sys.RemoteAuthFolders(env) {
		more, errs := clients.FindSignIns(folder, m.args...)
		kept, problems = append(kept, more...), append(problems, errs...)
	}
	return kept, problems
}

// keptProblem words what is wrong with a file of mcp-remote's.
func keptProblem(err error) error {
	var e *clients.FileError
	switch {
	case !errors.As(err, &e):
		return err
	case errors.Is(e, clients.ErrSyntax):
		return fail(exitFailure, say.T("%s is not what mcp-remote writes", e.Path)).because(err)
	case errors.Is(e, clients.ErrLink):
		return fail(exitFailure, say.T("%s is a link", e.Path)).because(err)
	case errors.Is(e, clients.ErrExposed):
		return fail(exitFailure, say.T("%s may be written by every user of this machine", e.Path)).because(err)
	}
	return clientProblem(err)
}
