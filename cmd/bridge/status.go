package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
	"bridge/internal/servers"
)

type statusOptions struct {
	arg     string
	verbose bool
}

func newStatus(a *app) *cli.Command {
	var o statusOptions
	return &cli.Command{
		Name:        "status",
		Usage:       say.T("Show which servers you are signed in to"),
		ArgsUsage:   say.T("[NAME]"),
		UsageText:   "bridge status\nbridge status pacecraft\nbridge status --json",
		Description: say.T("Says where each token comes from and its last four characters. Nothing is sent to a server. With a name, the status is 4 when there is no token."),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: say.T("show where each setting comes from"), Destination: &o.verbose},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.NArg() > 1 {
				return usage(say.T("%q takes one argument", c.FullName())).hint(say.T("see `%s --help`", c.FullName()))
			}
			o.arg = c.Args().First()
			return runStatus(ctx, a, o)
		},
	}
}

// A serverStatus is one server of `bridge status --json`.
type serverStatus struct {
	Name      string `json:"name"`
	URL       string `json:"url"`
	Workspace string `json:"workspace,omitempty"`
	Auth      string `json:"auth"` // token, oauth, none, or auto
	SignedIn  bool   `json:"signed_in"`
	Source    string `json:"source"`           // environment, file, command, keystore, none
	Detail    string `json:"detail,omitempty"` // the variable, file, program or kind of keystore
	Last4     string `json:"last4,omitempty"`
	Problem   string `json:"problem,omitempty"`

	// Of a sign-in by OAuth.
	Issuer    string `json:"issuer,omitempty"`
	Scope     string `json:"scope,omitempty"`
	ExpiresAt string `json:"expires_at,omitempty"` // of the access token
	Renewable bool   `json:"renewable,omitempty"`  // without a person

	Settings []setting `json:"settings,omitempty"` // with --verbose

	err     error
	from    string
	expires time.Time
}

// A setting is where one value comes from.
type setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // preset, config, environment, default
}

func runStatus(ctx context.Context, a *app, o statusOptions) error {
	file, err := a.loadServers()
	if err != nil {
		return err
	}
	var list []servers.Server
	if o.arg != "" {
		s, err := a.lookup(file, o.arg)
		if err != nil {
			return err
		}
		list = []servers.Server{s}
	} else {
		list = file.Servers()
	}
	// One store for all: a keychain that is locked says so once.
	secrets, err := openStore(file.Keystore(), a.interactive())
	if err != nil {
		return err
	}
	reports := []serverStatus{}
	for _, s := range list {
		f := a.finder(file, s)
		f.open = func() (store, error) { return secrets, nil }
		r := statusOf(ctx, f)
		if o.verbose {
			r.Settings = settingsOf(file, s)
		}
		reports = append(reports, r)
		if errors.Is(r.err, context.Canceled) {
			return r.err
		}
	}
	if a.asJSON {
		if err := a.json(map[string]any{"servers": reports}); err != nil {
			return err
		}
	} else {
		a.statusText(file, reports)
		if o.arg == "" {
			a.statusHints(reports)
		}
	}
	if o.arg != "" && !reports[0].SignedIn && reports[0].Auth != string(servers.AuthNone) {
		r := reports[0]
		if r.err != nil {
			return r.err
		}
		p := fail(exitSignIn, say.T("you are not signed in to %s", serverTitle(list[0])))
		if r.Name == "" {
			return p.hint(say.T("`bridge login URL` signs in and gives the server a name"))
		}
		return p.hint(say.T("run `bridge login %s`", r.Name))
	}
	return nil
}

// statusOf finds the credential without sending anything anywhere. A
// token_command is not run: it may ask for a fingerprint.
func statusOf(ctx context.Context, f *finder) serverStatus {
	s := f.server
	r := serverStatus{Name: s.Name, URL: s.URL, Workspace: s.Workspace, Auth: string(s.Auth), Source: fromNowhere.name()}
	if s.Auth == servers.AuthAuto {
		r.Auth = "auto"
	}
	if s.Auth == servers.AuthNone {
		return r
	}
	from, detail := f.origin()
	if from == fromCommand {
		c := credential{from: from, detail: detail}
		r.SignedIn, r.Source, r.Detail, r.from = true, from.name(), detail, c.shown()
		return r
	}
	c, err := f.find(ctx)
	if err != nil {
		r.Problem, r.err = err.Error(), err
		if from != fromKeystore {
			r.Source, r.Detail = from.name(), detail
		}
		return r
	}
	if i := c.signIn; i.SignedIn {
		r.SignedIn, r.Source, r.Detail, r.Last4, r.from = true, c.from.name(), c.detail, i.Last4, c.shown()
		r.Issuer, r.Scope, r.Renewable = i.Issuer, i.Scope, i.Renewable
		if !i.Expires.IsZero() {
			r.expires, r.ExpiresAt = i.Expires, i.Expires.UTC().Format(time.RFC3339)
		}
		if !i.Renewable && !i.Expires.IsZero() && !time.Now().Before(i.Expires) {
			r.SignedIn = false // over, and nothing to renew it with
		}
	}
	if !c.token.IsZero() {
		r.SignedIn, r.Source, r.Detail, r.Last4, r.from = true, c.from.name(), c.detail, c.token.Last4(), c.shown()
	}
	return r
}

func (a *app) statusText(file *servers.File, reports []serverStatus) {
	if len(reports) == 0 {
		a.printf("%s\n", say.T("No servers yet. Try: bridge login pacecraft"))
	}
	for i, r := range reports {
		if i > 0 {
			a.printf("\n")
		}
		name := r.Name
		if name == "" {
			name = r.URL
		}
		a.printf("%s\n", a.paint(bold, name))
		endpoint := servers.Server{URL: r.URL, Workspace: r.Workspace}.Endpoint()
		a.printf("  %s  %s\n", say.T("address:   "), endpoint)
		if r.Workspace != "" {
			a.printf("  %s  %s\n", say.T("workspace: "), printable(r.Workspace))
		}
		a.printf("  %s  %s\n", say.T("signed in: "), a.signedIn(r))
		if r.Issuer != "" {
			a.printf("  %s  %s\n", say.T("issuer:    "), printable(r.Issuer))
			if r.Scope != "" {
				a.printf("  %s  %s\n", say.T("scopes:    "), printable(r.Scope))
			}
			a.printf("  %s  %s\n", say.T("until:     "), lifeOf(r))
		}
		for _, s := range r.Settings {
			a.printf("    %s = %s  (%s)\n", s.Key, printable(s.Value), s.From)
		}
	}
	if len(reports) > 0 && len(reports[0].Settings) > 0 {
		where := file.Path
		if !file.Exists() {
			where = say.T("%s (not there)", where)
		}
		a.printf("\n%s %s\n", say.T("entries are kept in"), where)
	}
}

// statusHints says, once each, what helps against what is unknown.
func (a *app) statusHints(reports []serverStatus) {
	var told []string
	for _, r := range reports {
		var p *problem
		if errors.As(r.err, &p) && p.tip != "" && !slices.Contains(told, p.tip) {
			told = append(told, p.tip)
			a.remark(bold, say.T("hint"), typable(p.tip))
		}
	}
}

// lifeOf says until when a sign-in lasts.
func lifeOf(r serverStatus) string {
	until := r.expires.Local().Format("2006-01-02 15:04") // by the person's clock
	switch {
	case r.Renewable && r.ExpiresAt != "":
		return say.T("%s, then renewed by itself", until)
	case r.Renewable:
		return say.T("renewed by itself")
	case r.ExpiresAt != "":
		return say.T("%s, then sign in again", until)
	}
	return say.T("the server does not say")
}

func (a *app) signedIn(r serverStatus) string {
	switch {
	case r.Auth == string(servers.AuthNone):
		return say.T("not needed")
	case r.err != nil:
		return a.paint(red, say.T("unknown: %s", printable(r.Problem)))
	case !r.SignedIn && r.Auth == "auto":
		return say.T("no token")
	case !r.SignedIn:
		return a.paint(yellow, say.T("no; run bridge login %s", r.Name))
	case r.Last4 != "":
		return a.paint(green, say.T("yes, token …%s from %s", printable(r.Last4), printable(r.from)))
	}
	return a.paint(green, say.T("yes, token from %s", printable(r.from)))
}

// settingsOf lists what is set for a server and by whom.
func settingsOf(file *servers.File, s servers.Server) []setting {
	preset := servers.Server{}
	if p := s.Kind(); p != nil {
		preset = p.Server()
	}
	_, entry := file.Entry(s.Name)
	var out []setting
	for _, key := range servers.Keys() {
		value := s.Value(key)
		switch {
		case value == "":
			continue
		case !entry, value == preset.Value(key) && !file.Mentions(s.Name, key):
			out = append(out, setting{key, value, "preset"})
		default:
			out = append(out, setting{key, value, "config"})
		}
	}
	return out
}
