package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/auth"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

type logoutOptions struct {
	arg string
	all bool
}

func newLogout(a *app) *cli.Command {
	var o logoutOptions
	return &cli.Command{
		Name:        "logout",
		Usage:       say.T("Forget the token of a server"),
		ArgsUsage:   say.T("NAME | --all"),
		UsageText:   "bridge logout pacecraft\nbridge logout --all",
		Description: say.T("The token is deleted here. It stays valid at the server until it is revoked there; logout says where."),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: say.T("forget the tokens of all servers"), Destination: &o.all},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if o.all == c.Args().Present() || c.NArg() > 1 {
				return usage(say.T("%q needs %s", c.FullName(), c.ArgsUsage)).hint(say.T("see `%s --help`", c.FullName()))
			}
			o.arg = c.Args().First()
			return runLogout(ctx, a, o)
		},
	}
}

// A logoutReport is what `bridge logout --json` prints, one for each server.
type logoutReport struct {
	Server    string `json:"server"`
	Forgotten bool   `json:"forgotten"`
	Revoked   bool   `json:"revoked,omitempty"` // at the server
	RevokeAt  string `json:"revoke_at,omitempty"`
	StillFrom string `json:"still_from,omitempty"` // a source that logout cannot empty
}

func runLogout(ctx context.Context, a *app, o logoutOptions) error {
	file, err := a.loadServers()
	if err != nil {
		return err
	}
	secrets, err := openStore(file.Keystore(), a.interactive())
	if err != nil {
		return err
	}
	reports := []logoutReport{}
	if o.all {
		names, err := secrets.List(ctx)
		if err != nil {
			return storeProblem(err, "")
		}
		for _, name := range names {
			revoked, err := a.forgetNamed(ctx, secrets, name)
			if err != nil && !errors.Is(err, keystore.ErrNotFound) {
				return storeProblem(err, name)
			}
			server, _, _ := strings.Cut(name, "@")
			r := logoutReport{Server: server, Forgotten: true, Revoked: revoked}
			if s, err := file.Lookup(server); err == nil {
				r.describe(a.finder(file, s))
			}
			reports = append(reports, r)
		}
	} else {
		s, err := a.lookup(file, o.arg)
		if err != nil {
			return err
		}
		if s.Name == "" {
			return usage(say.T("nothing is kept for %s", s.Origin())).
				hint(say.T("`bridge status` shows what is"))
		}
		r := logoutReport{Server: s.Name}
		switch revoked, err := a.forgetNamed(ctx, secrets, s.CredentialName()); {
		case err == nil:
			r.Forgotten, r.Revoked = true, revoked
		case !errors.Is(err, keystore.ErrNotFound):
			return storeProblem(err, s.Name)
		}
		r.describe(a.finder(file, s))
		reports = append(reports, r)
	}
	if a.asJSON {
		return a.json(map[string]any{"servers": reports})
	}
	if len(reports) == 0 {
		a.printf("%s\n", say.T("No tokens are kept."))
	}
	for _, r := range reports {
		a.logoutLine(r)
	}
	return nil
}

func (r *logoutReport) describe(f *finder) {
	if p := f.server.Kind(); p != nil && !r.Revoked {
		r.RevokeAt = tokenPage(p)
	}
	if from, detail := f.origin(); from != fromKeystore {
		r.StillFrom = detail
	}
}

func (a *app) logoutLine(r logoutReport) {
	if !r.Forgotten {
		a.printf("%s\n", say.T("%s: no token was kept.", r.Server))
	} else {
		a.printf("%s\n", say.T("%s: the token is forgotten here.", r.Server))
		switch {
		case r.Revoked:
			a.printf("  %s\n", say.T("It was revoked at the server."))
		case r.RevokeAt != "":
			a.printf("  %s\n", say.T("It stays valid until you revoke it: %s", r.RevokeAt))
		default:
			a.printf("  %s\n", say.T("It stays valid until you revoke it at the server."))
		}
	}
	if r.StillFrom != "" {
		a.note(say.T("%s still gets a token from %s", r.Server, r.StillFrom))
	}
}

// forget deletes what is kept for an entry that is being removed. A keystore
// that does not answer is worth a note, not a failure: the entry goes anyway.
func (a *app) forget(ctx context.Context, file *servers.File, s servers.Server) (forgotten bool) {
	secrets, err := openStore(file.Keystore(), a.interactive())
	if err == nil {
		_, err = a.forgetNamed(ctx, secrets, s.CredentialName())
	}
	if err != nil && !errors.Is(err, keystore.ErrNotFound) {
		a.note(say.T("the token of %s could not be deleted: %s", s.Name, storeProblem(err, s.Name).Error()))
	}
	return err == nil
}

// revokeLimit bounds what logout waits for a server.
const revokeLimit = 15 * time.Second

// forgetNamed deletes what is kept under a name. A sign-in is also revoked at
// its authorization server, where that has an endpoint for it.
func (a *app) forgetNamed(ctx context.Context, secrets store, name string) (revoked bool, err error) {
	value, err := secrets.Get(ctx, name)
	if err != nil && !errors.Is(err, keystore.ErrDamaged) {
		return false, err
	}
	info, err := auth.Inspect(value)
	if err != nil || info.Static || info.URL == "" {
		return false, secrets.Delete(ctx, name)
	}
	cfg, err := a.dialConfig(servers.Server{URL: info.URL, AllowHTTP: true})
	if err != nil {
		return false, secrets.Delete(ctx, name)
	}
	ctx, cancel := context.WithTimeout(ctx, revokeLimit)
	defer cancel()
	session, err := a.session(ctx, servers.Server{URL: info.URL}, nil, auth.Options{
		Where: func(context.Context) (auth.Store, string, error) { return secrets, name, nil },
	}, &cfg)
	if err != nil {
		return false, secrets.Delete(ctx, name)
	}
	defer session.Close()
	return session.Forget(ctx)
}
