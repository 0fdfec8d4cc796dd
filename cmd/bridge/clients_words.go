package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// clientAndServer checks that both a client and a server were named, in this
// order, and says which of them is missing and what there is. lone: a server
// alone will do.
func clientAndServer(c *cli.Command, most int, lone bool) error {
	if err := entryArgs(c, 0, -1); err != nil { // a token is not repeated below
		return err
	}
	words := c.Args().Slice()
	form := "bridge clients " + c.Name + " "
	switch {
	case len(words) == 0 && lone:
		return usage(say.T("name a server")).hint(say.T("as in `%s`; `bridge servers list` shows the names", form+"pacecraft"))
	case len(words) == 0:
		return usage(say.T("name a client and a server")).hint(say.T("as in `%s`; clients on this machine: %s", form+"claude-desktop pacecraft", clientsHere()))
	case len(words) == 1 && clients.Lookup(words[0]) != nil && c.Name == "uninstall":
		return usage(say.T("name a server after %q", words[0])).hint(say.T("as in `%s`; `bridge clients list` shows what there is", form+words[0]+" pacecraft"))
	case len(words) == 1 && clients.Lookup(words[0]) != nil:
		return usage(say.T("name a server after %q", words[0])).hint(say.T("as in `%s`; `bridge servers list` shows the names", form+words[0]+" pacecraft"))
	case len(words) == 1 && !lone:
		return usage(say.T("name a client before %q", words[0])).hint(say.T("as in `%s`; clients on this machine: %s", form+"claude-desktop "+words[0], clientsHere()))
	case len(words) > 1 && clients.Lookup(words[0]) == nil && clients.Lookup(words[1]) != nil && servers.ValidName(words[0]):
		swapped := append([]string{words[1], words[0]}, words[2:]...)
		return usage(say.T("the client comes first, then the server")).hint("`" + form + strings.Join(swapped, " ") + "`")
	}
	return argCount(c, 1, most)
}

// clientsHere lists the clients that were found on this machine, or those there
// are in the world if none was.
func clientsHere() string {
	var here, all []string
	for _, c := range clients.All() {
		all = append(all, c.ID)
		if slices.ContainsFunc(c.Locations(clients.ThisSystem()), func(l clients.Location) bool { return l.Installed }) {
			here = append(here, c.ID)
		}
	}
	if len(here) == 0 {
		return say.T("none, of %s", strings.Join(all, ", "))
	}
	return strings.Join(here, ", ")
}

// remindSignIn tells of servers that want a token and have none: a client would
// start them and show nothing but that. A keychain that does not answer says
// nothing about it.
func (a *app) remindSignIn(ctx context.Context, file *servers.File, list []servers.Server) {
	for _, s := range list {
		f := &finder{server: s, getenv: os.LookupEnv, open: func() (store, error) { return openStore(file.Keystore(), false) }}
		if from, _ := f.origin(); from != fromKeystore || s.Auth != servers.AuthToken {
			continue
		}
		if found, err := f.find(ctx); err == nil && found.token.IsZero() && !found.signIn.SignedIn {
			a.note(say.T("you are not signed in to %s yet: `bridge login %s`", serverTitle(s), s.Name))
		}
	}
}
