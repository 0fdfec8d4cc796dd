package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
	"bridge/internal/servers"
)

func newServers(a *app) *cli.Command {
	return &cli.Command{
		Name:        "servers",
		Usage:       say.T("Show and change the servers that bridge knows by name"),
		ArgsUsage:   "[list | add | set | remove | show]",
		UsageText:   "bridge servers\nbridge servers add team https://mcp.example.com/mcp --deny \"delete_*\"\nbridge servers set team --read-only\nbridge servers show team",
		Description: say.T("The entries are in config.toml and hold no secrets. pacecraft and nibomo are known without an entry."),
		Commands: []*cli.Command{
			newServersList(a), newServersAdd(a), newServersSet(a), newServersRemove(a), newServersShow(a),
		},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return a.unknownCommand(c, c.Args().First())
			}
			return runServersList(a)
		},
	}
}

// entryFlags are the keys of an entry as flags of add and set.
func entryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "workspace", Usage: say.T("use the workspace of this `NAME` or id")},
		&cli.StringFlag{Name: "auth", Usage: say.T("sign in by `HOW`: token, oauth or none")},
		&cli.StringSliceFlag{Name: "header", Usage: say.T("send this header: `\"NAME: VALUE\"`; never a secret (repeatable)")},
		&cli.StringSliceFlag{Name: "allow", Usage: say.T("let only tools that match `GLOB` through (repeatable)")},
		&cli.StringSliceFlag{Name: "deny", Usage: say.T("hold back tools that match `GLOB` (repeatable)")},
		&cli.BoolFlag{Name: "read-only", Usage: say.T("let only tools through that the server marks as reading")},
		&cli.StringFlag{Name: "token-command", Usage: say.T("get the token from the output of `COMMAND`, run without a shell")},
		&cli.StringFlag{Name: "transport", Usage: say.T("`HOW` auto, http-first, sse-first, http-only or sse-only")},
		&cli.StringFlag{Name: "protocol", Usage: say.T("`ERA` the server speaks: auto, legacy or modern (2026-07-28)")},
		&cli.BoolFlag{Name: "allow-http", Usage: say.T("allow plain http to another machine")},
		&cli.StringSliceFlag{Name: "timeout", Usage: say.T("`PHASE=TIME` limit connect, tls, response, probe, initialize or retry, as in connect=5s (repeatable)")},
		&cli.StringFlag{Name: "ca-cert", Usage: say.T("`FILE` trust these certificates in addition to the system's")},
		&cli.StringFlag{Name: "client-cert", Usage: say.T("`FILE` show this certificate (PEM) to a server that asks for one")},
		&cli.StringFlag{Name: "client-cert-key", Usage: say.T("`FILE` with the private key of that certificate (PEM)")},
		&cli.BoolFlag{Name: "insecure", Usage: say.T("do not check the certificate of this server: whoever is between can read the token")},
		&cli.StringFlag{Name: "preset", Usage: say.T("treat it like `NAME`: pacecraft or nibomo")},
	}
}

func newServersList(a *app) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: say.T("List the servers"), UsageText: "bridge servers list\nbridge servers list --json",
		Action: func(_ context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 0); err != nil {
				return err
			}
			return runServersList(a)
		},
	}
}

func newServersShow(a *app) *cli.Command {
	return &cli.Command{
		Name: "show", Usage: say.T("Show one server"), ArgsUsage: say.T("NAME"), UsageText: "bridge servers show pacecraft",
		Action: func(_ context.Context, c *cli.Command) error {
			if err := argCount(c, 1, 1); err != nil {
				return err
			}
			return runServersShow(a, c.Args().First())
		},
	}
}

func newServersAdd(a *app) *cli.Command {
	return &cli.Command{
		Name: "add", Usage: say.T("Add a server"), ArgsUsage: say.T("NAME [URL]"),
		UsageText: "bridge servers add team https://mcp.example.com/mcp\nbridge servers add pacecraft --workspace \"Tim Inti\"",
		Flags:     entryFlags(),
		Action: func(_ context.Context, c *cli.Command) error {
			if err := entryArgs(c, 1, 2); err != nil {
				return err
			}
			return runServersAdd(a, c)
		},
	}
}

func newServersSet(a *app) *cli.Command {
	return &cli.Command{
		Name: "set", Usage: say.T("Change a server"), ArgsUsage: say.T("NAME"),
		UsageText: "bridge servers set team --workspace beta\nbridge servers set team --deny \"delete_*\" --deny \"update_*\"\nbridge servers set team --unset deny",
		Flags: append(entryFlags(),
			&cli.StringFlag{Name: "url", Usage: say.T("the server's new address: `URL`")},
			&cli.StringSliceFlag{Name: "unset", Usage: say.T("take the setting `KEY` away, as config.toml calls it (repeatable)")},
		),
		Action: func(_ context.Context, c *cli.Command) error {
			if err := entryArgs(c, 1, 1); err != nil {
				return err
			}
			return runServersSet(a, c)
		},
	}
}

func newServersRemove(a *app) *cli.Command {
	return &cli.Command{
		Name: "remove", Usage: say.T("Remove a server and forget its token"), ArgsUsage: say.T("NAME"), UsageText: "bridge servers remove team",
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 1, 1); err != nil {
				return err
			}
			return runServersRemove(ctx, a, c.Args().First())
		},
	}
}

// entryArgs is argCount for commands that people paste tokens into.
func entryArgs(c *cli.Command, least, most int) error {
	for _, arg := range c.Args().Slice() {
		if secretWord(arg) != "" {
			return tokenInArguments()
		}
	}
	return argCount(c, least, most)
}

// An entryReport is one server of `bridge servers --json`.
type entryReport struct {
	Name         string            `json:"name"`
	Preset       string            `json:"preset,omitempty"`
	URL          string            `json:"url"`
	Endpoint     string            `json:"endpoint"` // with the workspace in it
	Workspace    string            `json:"workspace,omitempty"`
	Auth         string            `json:"auth"`
	Headers      map[string]string `json:"headers,omitempty"`
	Allow        []string          `json:"allow,omitempty"`
	Deny         []string          `json:"deny,omitempty"`
	ReadOnly     bool              `json:"read_only"`
	TokenCommand []string          `json:"token_command,omitempty"`
	Transport    string            `json:"transport"`
	Protocol     string            `json:"protocol"`
	AllowHTTP    bool              `json:"allow_http"`
	Insecure     bool              `json:"insecure,omitempty"`
	Entry        bool              `json:"entry"` // in config.toml; else a preset
}

func reportEntry(f *servers.File, s servers.Server) entryReport {
	_, entry := f.Entry(s.Name)
	r := entryReport{
		Name: s.Name, URL: s.URL, Endpoint: s.Endpoint(), Workspace: s.Workspace, Auth: string(s.Auth), Headers: s.Headers,
		Allow: s.Allow, Deny: s.Deny, ReadOnly: s.ReadOnly, TokenCommand: s.TokenCommand, Transport: s.Transport,
		Protocol: s.Protocol, AllowHTTP: s.AllowHTTP, Insecure: s.Insecure, Entry: entry,
	}
	if p := s.Kind(); p != nil {
		r.Preset = p.Name
	}
	if r.Auth == "" {
		r.Auth = "auto"
	}
	if r.Transport == "" {
		r.Transport = servers.TransportHTTP
	}
	if r.Protocol == "" {
		r.Protocol = "auto"
	}
	return r
}

func runServersList(a *app) error {
	f, err := a.loadServers()
	if err != nil {
		return err
	}
	list := []entryReport{}
	for _, s := range f.Servers() {
		list = append(list, reportEntry(f, s))
	}
	if a.asJSON {
		return a.json(map[string]any{"servers": list})
	}
	if len(list) == 0 {
		a.printf("%s\n", say.T("No servers yet. Try: bridge login pacecraft"))
		return nil
	}
	wide := 0
	for _, r := range list {
		wide = max(wide, len(r.Name))
	}
	for _, r := range list {
		a.printf("%-*s  %s\n", wide, r.Name, r.Endpoint)
	}
	return nil
}

func runServersShow(a *app, name string) error {
	f, err := a.loadServers()
	if err != nil {
		return err
	}
	s, err := a.lookup(f, name)
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.json(reportEntry(f, s))
	}
	a.printf("[servers.%s]\n", s.Name)
	for _, key := range servers.Keys() {
		if v := s.Value(key); v != "" {
			a.printf("%s = %s\n", key, printable(v))
		}
	}
	if _, ok := f.Entry(s.Name); !ok {
		a.note(say.T("this is a preset; `bridge servers add %s` makes an entry of it", s.Name))
	}
	return nil
}

func runServersAdd(a *app, c *cli.Command) error {
	f, err := a.loadServers()
	if err != nil {
		return err
	}
	name, address := c.Args().Get(0), c.Args().Get(1)
	if servers.IsURL(name) && address == "" {
		return usage(say.T("the server needs a name")).hint("`bridge servers add NAME URL`")
	}
	s := servers.Server{Name: name, URL: address}
	if p := servers.LookupPreset(name); p != nil && address == "" {
		s = p.Server()
	}
	if _, taken := f.Entry(name); taken {
		return usage(say.T("there is a server %q already", name)).
			hint(say.T("change it: `bridge servers set %s --url URL`", name))
	}
	if s.URL == "" && c.String("preset") == "" {
		return usage(say.T("the address of %q is missing", name)).hint("`bridge servers add " + shellWord(name) + " URL`")
	}
	if err := applyFlags(c, &s); err != nil {
		return err
	}
	if p := s.Kind(); p != nil && s.Auth == servers.AuthAuto {
		s.Auth = p.Auth
	}
	if err := checkAddress(s); err != nil {
		return err
	}
	if err := a.change(f, func(f *servers.File) error { return f.Set(s) }); err != nil {
		return err
	}
	return a.entryDone(s, say.T("Added %s. Sign in: bridge login %s", s.Name, s.Name))
}

func runServersSet(a *app, c *cli.Command) error {
	f, err := a.loadServers()
	if err != nil {
		return err
	}
	name := c.Args().First()
	var s servers.Server
	err = a.change(f, func(f *servers.File) error {
		var err error
		if s, err = a.lookup(f, name); err != nil {
			return err
		}
		if s.Name == "" {
			return usage(say.T("the server needs a name")).hint("`bridge servers add NAME URL`")
		}
		if err := applyFlags(c, &s); err != nil {
			return err
		}
		if err := checkAddress(s); err != nil {
			return err
		}
		return f.Set(s)
	})
	if err != nil {
		return err
	}
	return a.entryDone(s, say.T("Changed %s.", s.Name))
}

func runServersRemove(ctx context.Context, a *app, name string) error {
	f, err := a.loadServers()
	if err != nil {
		return err
	}
	s, ok := f.Entry(name)
	if !ok {
		if _, err := a.lookup(f, name); err != nil {
			return err
		}
		return usage(say.T("%q has no entry to remove", name)).hint(say.T("`bridge logout %s` forgets its token", name))
	}
	if err := a.change(f, func(f *servers.File) error { _, err := f.Remove(name); return err }); err != nil {
		return err
	}
	forgotten := a.forget(ctx, f, s)
	if a.asJSON {
		return a.json(map[string]any{"server": name, "removed": true, "forgotten": forgotten})
	}
	a.printf("%s\n", say.T("Removed %s.", name))
	return nil
}

func (a *app) entryDone(s servers.Server, text string) error {
	if !a.asJSON {
		a.printf("%s\n", text)
		return nil
	}
	f, err := a.loadServers()
	if err != nil {
		return err
	}
	return a.json(reportEntry(f, s))
}

func checkAddress(s servers.Server) error {
	if s.URL == "" || servers.SecretInURL(s.URL) != "" {
		return nil // Set says it better
	}
	if !strings.Contains(s.URL, "://") {
		whole := "https://mcp.example.com/mcp"
		if looksLikeHost(s.URL) {
			whole = fullAddress(withoutSecrets(s.URL))
		}
		return usage(say.T("%q is not a server address", withoutSecrets(s.URL))).
			hint(say.T("a server is given by its whole address: %s", whole))
	}
	return checkURL(s.URL, s.AllowHTTP)
}

// applyClientCert takes the two files of a client's certificate: one may be
// given alone to replace the one of the entry.
func applyClientCert(c *cli.Command, s *servers.Server) error {
	for _, file := range [...]struct {
		flag string
		path *string
	}{{"client-cert", &s.ClientCert}, {"client-cert-key", &s.ClientCertKey}} {
		if !c.IsSet(file.flag) {
			continue
		}
		path, err := filepath.Abs(c.String(file.flag))
		if err != nil {
			return err
		}
		*file.path = path
	}
	_, err := clientCertificate(s.ClientCert, s.ClientCertKey)
	return err
}

// applyFlags puts the flags that were given into the entry.
func applyFlags(c *cli.Command, s *servers.Server) error {
	if preset := c.String("preset"); preset != "" {
		p := servers.LookupPreset(preset)
		if p == nil {
			return usage(say.T("there is no preset %q", preset)).hint(say.T("there are %s", strings.Join(servers.PresetNames(), ", ")))
		}
		s.Preset = preset
		if s.URL == "" {
			s.URL = p.URL
		}
		if s.Auth == "" {
			s.Auth = p.Auth
		}
	}
	if c.IsSet("url") {
		s.URL = c.String("url")
	}
	if c.IsSet("workspace") {
		s.Workspace = c.String("workspace")
	}
	if c.IsSet("auth") {
		s.Auth = servers.Auth(c.String("auth"))
	}
	if c.IsSet("transport") {
		if s.Transport = c.String("transport"); s.Transport == "auto" {
			s.Transport = ""
		}
	}
	if c.IsSet("protocol") {
		if s.Protocol = c.String("protocol"); s.Protocol == "auto" {
			s.Protocol = ""
		}
	}
	if c.IsSet("ca-cert") {
		path, err := filepath.Abs(c.String("ca-cert"))
		if err != nil {
			return err
		}
		if _, err := extraCAs([]string{path}, slog.New(slog.DiscardHandler)); err != nil {
			return err
		}
		s.CACert = path
	}
	if c.IsSet("client-cert") || c.IsSet("client-cert-key") {
		if err := applyClientCert(c, s); err != nil {
			return err
		}
	}
	if c.IsSet("allow") {
		s.Allow = c.StringSlice("allow")
	}
	if c.IsSet("deny") {
		s.Deny = c.StringSlice("deny")
	}
	if c.IsSet("read-only") {
		s.ReadOnly = c.Bool("read-only")
	}
	if c.IsSet("insecure") {
		s.Insecure = c.Bool("insecure")
	}
	if c.IsSet("allow-http") {
		s.AllowHTTP = c.Bool("allow-http")
	}
	if c.IsSet("token-command") {
		argv, err := servers.SplitCommand(c.String("token-command"))
		if err != nil {
			return usage(say.T("the token command cannot be run: %s", inWords(err.Error())))
		}
		s.TokenCommand = argv
	}
	if c.IsSet("header") {
		s.Headers = map[string]string{}
		for _, text := range c.StringSlice("header") {
			h, err := parseHeader(text)
			if err != nil {
				return err
			}
			s.Headers[h.name] = h.value
		}
	}
	if c.IsSet("timeout") {
		for _, text := range c.StringSlice("timeout") {
			phase, limit, _ := strings.Cut(text, "=")
			if limit == "0" {
				limit = "none" // as bridge serve has it
			}
			d, err := servers.ParseTimeout(limit)
			if err != nil || !s.Timeouts.Set(phase, d) {
				return usage(say.T("%q is no value for --timeout", text)).
					hint(say.T("name a phase and a time, as in connect=5s or response=none; phases are connect, tls, response, probe, initialize and retry"))
			}
		}
	}
	for _, key := range c.StringSlice("unset") {
		if !s.Unset(key) {
			return usage(say.T("%q is no setting that can be taken away", key)).hint(strings.Join(servers.Keys(), ", "))
		}
	}
	return nil
}
