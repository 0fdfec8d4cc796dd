package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/bridge"
	"bridge/internal/auth"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

const (
	// maxToken is the longest token that is taken, in bytes.
	maxToken = 16 << 10
	// checkLimit bounds the check against the server.
	checkLimit = 60 * time.Second
)

type loginOptions struct {
	arg       string // a name or a URL
	name      string // --name
	workspace string
	withToken bool
	email     string // sign in by a code that is sent there
	noBrowser bool
	signIn    signInOptions
}

func newLogin(a *app) *cli.Command {
	var o loginOptions
	command := &cli.Command{
		Name:      "login",
		Usage:     say.T("Sign in to a server and keep the token in the keychain"),
		ArgsUsage: say.T("NAME | URL"),
		UsageText: "bridge login pacecraft\n" +
			"bridge login pacecraft --workspace \"Tim Inti\"\n" +
			"bridge login https://mcp.example.com/mcp --name example\n" +
			"bridge login nibomo --email you@example.com\n" +
			"pass show pacecraft | bridge login pacecraft --with-token",
		Description: say.T("The token is tried at the server before it is kept, and a wrong one is not kept. Then a desktop client needs nothing but `bridge serve NAME`."),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "with-token", Usage: say.T("read the token from stdin"), Destination: &o.withToken},
			&cli.StringFlag{Name: "workspace", Usage: say.T("use the workspace of this `NAME` or id"), Destination: &o.workspace},
			&cli.StringFlag{Name: "name", Usage: say.T("call the server `NAME` from now on (for a URL)"), Destination: &o.name},
			&cli.StringFlag{Name: "email", Usage: say.T("sign in by a code sent to `ADDRESS`, where the server offers that"), Destination: &o.email},
			&cli.BoolFlag{Name: "no-browser", Usage: say.T("open no browser; paste the address that it ended at"), Destination: &o.noBrowser},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			o.signIn.fromCommand(c)
			for _, arg := range c.Args().Slice() {
				if secretWord(arg) != "" {
					return tokenInArguments()
				}
			}
			switch c.NArg() {
			case 0:
				return usage(say.T("%q needs %s", c.FullName(), c.ArgsUsage)).hint("`bridge login pacecraft`")
			case 1:
			default:
				// What is one too many may be a token, so it is not repeated.
				return usage(say.T("%q takes one argument", c.FullName())).
					hint(say.T("the token is asked for; put quotes around a name with blanks in it"))
			}
			o.arg = c.Args().First()
			return runLogin(ctx, a, o)
		},
	}
	command.Flags = append(command.Flags, signInFlags()...)
	return command
}

// A loginReport is what `bridge login --json` prints.
type loginReport struct {
	Server    string `json:"server"`
	URL       string `json:"url"`
	Workspace string `json:"workspace,omitempty"`
	Auth      string `json:"auth"`
	Keystore  string `json:"keystore,omitempty"`
	Last4     string `json:"last4,omitempty"`
	Tools     int    `json:"tools"`
	Revision  string `json:"revision"`
	Command   string `json:"command"` // what a client starts
	Args      any    `json:"args"`
}

func runLogin(ctx context.Context, a *app, o loginOptions) error {
	file, err := a.loadServers()
	if err != nil {
		return err
	}
	s, err := a.lookup(file, o.arg)
	if err != nil {
		return err
	}
	switch {
	case s.Name == "", o.name != "" && s.Name != o.name && servers.IsURL(o.arg):
		// A second name for an address is a second account.
		if s, err = named(file, servers.Server{URL: o.arg}, o.name); err != nil {
			return err
		}
	case o.name != "" && o.name != s.Name:
		return usage(say.T("--name is for a URL")).
			hint(say.T("this one is called %s", s.Name))
	}
	if o.workspace != "" {
		s.Workspace = o.workspace
	}
	if err := s.Validate(); err != nil {
		return configProblem(err)
	}
	// Opening costs nothing and tells a wrong BRIDGE_KEYSTORE at once; storeWorks
	// tells the rest before a token has been typed for nothing.
	secrets, err := openStore(file.Keystore(), a.interactive())
	if err != nil {
		return err
	}
	var token keystore.Secret
	var checked *check
	switch {
	case o.email != "":
		if err := storeWorks(ctx, secrets, s); err != nil {
			return err
		}
		token, checked, err = a.emailLogin(ctx, o, file, &s, secrets)
	case s.Auth == servers.AuthNone && !o.signIn.forOAuth():
		if checked, err = a.tryServer(ctx, &s, token); err != nil {
			return err
		}
	case s.Auth == servers.AuthOAuth, s.Auth != servers.AuthAuto && o.signIn.forOAuth(): // the flags say more than the entry
		if !o.withToken {
			if err := storeWorks(ctx, secrets, s); err != nil {
				return err
			}
			return a.browserLogin(ctx, o, file, s, secrets, nil)
		}
		token, checked, err = a.tokenLogin(ctx, o, &s, secrets)
	case s.Auth == servers.AuthToken:
		token, checked, err = a.tokenLogin(ctx, o, &s, secrets)
	default: // find out what it wants
		if !o.withToken {
			checked, err = a.tryServer(ctx, &s, token)
			if err == nil {
				s.Auth = servers.AuthNone
				break
			}
			if exitOf(err) != exitSignIn {
				return err
			}
			if err := storeWorks(ctx, secrets, s); err != nil {
				return err
			}
			err = a.browserLogin(ctx, o, file, s, secrets, challengeOf(err))
			if !errors.Is(err, auth.ErrNoOAuth) || o.signIn.forOAuth() {
				return err
			}
		}
		s.Auth = servers.AuthToken
		token, checked, err = a.tokenLogin(ctx, o, &s, secrets)
	}
	if err != nil {
		return err
	}
	if err := a.keep(ctx, file, s, secrets, token); err != nil {
		return err
	}
	if from, detail := a.finder(file, s).origin(); from != fromKeystore && !token.IsZero() {
		a.note(say.T("%s still gets a token from %s", s.Name, detail))
	}
	return a.loginDone(s, secrets, token, checked)
}

// named gives a URL a name that no other entry has.
func named(f *servers.File, s servers.Server, name string) (servers.Server, error) {
	if name != "" {
		there, taken := f.Entry(name)
		if taken && (there.URL == s.URL || there.Endpoint() == s.URL) {
			return there, nil
		}
		if taken {
			return s, usage(say.T("there is a server %q already, with another address", name)).
				hint(say.T("choose another --name, or change it: `bridge servers set %s --url URL`", name))
		}
		s.Name = name
		return s, nil
	}
	base := servers.SuggestName(s.URL)
	s.Name = base
	for n := 2; ; n++ {
		if _, taken := f.Entry(s.Name); !taken {
			break
		}
		suffix := fmt.Sprintf("-%d", n)
		s.Name = strings.Trim(base[:min(len(base), 32-len(suffix))], "-") + suffix
	}
	if p := servers.LookupPreset(s.Name); p != nil && p.URL != s.URL {
		// The workspace of a preset's address is an entry's own key.
		if rest, ok := strings.CutPrefix(s.URL, p.URL+"?workspace="); ok && !strings.Contains(rest, "&") {
			if w, err := url.QueryUnescape(rest); err == nil {
				s = servers.Server{Name: s.Name, URL: p.URL, Auth: p.Auth, Workspace: w}
			}
		}
	}
	if p := s.Kind(); p != nil {
		s.Auth = p.Auth
	}
	return s, nil
}

// tokenLogin asks for a static token and tries it at the server.
func (a *app) tokenLogin(ctx context.Context, o loginOptions, s *servers.Server, secrets store) (keystore.Secret, *check, error) {
	if err := storeWorks(ctx, secrets, *s); err != nil {
		return keystore.Secret{}, nil, err
	}
	token, err := a.readToken(ctx, o, *s)
	if err != nil {
		return keystore.Secret{}, nil, err
	}
	if err := wrongService(*s, token); err != nil {
		return keystore.Secret{}, nil, err
	}
	if s.Kind() == nil {
		s.Preset = presetOfToken(token) // a local copy of a service we know
	}
	c, err := a.tryServer(ctx, s, token)
	if exitOf(err) == exitSignIn {
		p := fail(exitSignIn, say.T("%s did not take this token, so it was not kept", serverTitle(*s))).because(err)
		if k := s.Kind(); k != nil {
			if !strings.HasPrefix(token.Reveal(), k.TokenPrefix) {
				return token, nil, p.hint(say.T("its tokens begin with %s; make one in %s", k.TokenPrefix, tokenPage(k)))
			}
			return token, nil, p.hint(say.T("it may be mistyped or revoked; make a new one in %s", tokenPage(k)))
		}
		return token, nil, p.hint(say.T("it may be mistyped, expired or revoked; run this again with a new one"))
	}
	return token, c, err
}

// readToken takes the token from stdin or from a hidden prompt.
func (a *app) readToken(ctx context.Context, o loginOptions, s servers.Server) (keystore.Secret, error) {
	var raw, from string
	var err error
	if o.withToken {
		raw, err = a.piped()
		from = "stdin"
	} else {
		question := say.T("Token for %s (not shown):", serverTitle(s))
		if k := s.Kind(); k != nil {
			question = say.T("Token for %s, from %s (not shown):", serverTitle(s), tokenPage(k))
		}
		raw, err = a.askHidden(ctx, question)
		from = say.T("the answer")
		if errors.Is(err, errNoTerminal) {
			return keystore.Secret{}, usage(say.T("there is no terminal to ask for the token on")).
				hint(say.T("pipe it in: `bridge login %s --with-token < FILE`", s.Name))
		}
	}
	if err != nil {
		return keystore.Secret{}, err
	}
	if len(strings.TrimSpace(raw)) > maxToken {
		return keystore.Secret{}, usage(say.T("this is too large to be a token"))
	}
	token, err := cleanToken(raw, from)
	if err != nil {
		p := usage(err.Error()).because(err)
		var was *problem
		if errors.As(err, &was) {
			p = p.hint(was.tip)
		}
		return keystore.Secret{}, p
	}
	return keystore.NewSecret(token), nil
}

// tokenPage says where a token of the service is made and revoked.
func tokenPage(p *servers.Preset) string {
	if p.Name == "nibomo" {
		return say.T("the settings of the Nibomo app")
	}
	return p.TokenPage // as its menus call it
}

// presetOfToken returns the preset whose tokens begin as this one does, or "".
func presetOfToken(token keystore.Secret) string {
	for _, name := range servers.PresetNames() {
		if strings.HasPrefix(token.Reveal(), servers.LookupPreset(name).TokenPrefix) {
			return name
		}
	}
	return ""
}

// wrongService keeps a token from being shown to the wrong service.
func wrongService(s servers.Server, token keystore.Secret) error {
	mine, its := s.Kind(), servers.LookupPreset(presetOfToken(token))
	if mine == nil || its == nil || mine.Name == its.Name {
		return nil
	}
	return usage(say.T("this is a token of %s, and it was not sent to %s", its.Title, serverTitle(s))).
		hint("`bridge login " + its.Name + "`")
}

// A check is what the server said to the token.
type check struct {
	tools    int
	revision string
}

// tryServer shakes hands with the token, lists the tools and, where an account
// can have several workspaces, finds out whether one has to be named. It may
// set s.Workspace.
func (a *app) tryServer(ctx context.Context, s *servers.Server, token keystore.Secret) (*check, error) {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	done := a.working(say.T("asking %s", serverTitle(*s)))
	defer done()
	c, err := a.dialOpen(ctx, *s, fixedAuthorizer{token})
	if err != nil {
		return nil, err
	}
	tools, err := c.tools(ctx)
	if err != nil {
		c.close()
		return nil, err
	}
	result := &check{revision: c.Hello().ProtocolVersion, tools: len(tools)}
	hasSpaces := slices.ContainsFunc(tools, func(t listedTool) bool { return t.Name == "list_spaces" })
	k := s.Kind()
	if !hasSpaces || k == nil || !k.Workspaces {
		c.close()
		return result, nil
	}
	complaint, err := a.spaces(ctx, c)
	c.close()
	if err != nil || complaint == "" {
		return result, err
	}
	done()
	return result, a.chooseWorkspace(ctx, s, token, complaint)
}

// dialOpen is dial without the entry's policy, which may hold back what login
// has to ask.
func (a *app) dialOpen(ctx context.Context, s servers.Server, auth bridge.Authorizer) (*connection, error) {
	s.Allow, s.Deny, s.ReadOnly = nil, nil, false
	c, err := a.dial(ctx, s, auth)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fail(exitUnreachable, say.T("%s did not answer in time", serverTitle(s))).because(err)
	}
	var p *problem
	if errors.As(err, &p) && p.exit == exitUnreachable {
		return nil, p.hint(seeDoctor(servers.Server{URL: s.URL})) // its name is not kept yet
	}
	return c, err
}

// spaces calls list_spaces, and returns what the server has against it.
func (a *app) spaces(ctx context.Context, c *connection) (complaint string, err error) {
	res, err := c.callTool(ctx, "list_spaces", struct{}{})
	if err != nil {
		return "", c.problem(err)
	}
	var b strings.Builder
	for _, block := range res.Content {
		if block.Type == "text" && b.Len() < 16<<10 {
			b.WriteString(block.Text)
			b.WriteByte('\n')
		}
	}
	text := strings.TrimSpace(c.watch.hide(b.String()))
	if res.IsError {
		if text == "" {
			text = say.T("no reason given")
		}
		return text, nil
	}
	return "", nil
}

// chooseWorkspace is for a server that answers no tool until a workspace is
// named: it lists those of the account.
func (a *app) chooseWorkspace(ctx context.Context, s *servers.Server, token keystore.Secret, complaint string) error {
	names := workspaceNames(complaint)
	// Nothing is kept yet, so the name may not exist: the same command is what
	// works, with --name, --with-token and whatever else it had.
	again := say.T("run it again with --workspace NAME")
	if len(names) > 0 {
		again = say.T("run it again with one of them, as in --workspace %s", shellWord(printable(names[0])))
	}
	if s.Workspace != "" {
		return workspaceRefused(s.Workspace, names, complaint).hint(again)
	}
	if len(names) == 0 {
		return usage(say.T("%s wants a workspace to be named: %s", serverTitle(*s), oneLine(complaint))).hint(again)
	}
	if !a.interactive() {
		return usage(say.T("this account has several workspaces: %s", strings.Join(names, ", "))).hint(again)
	}
	question := say.T("This account has several workspaces:") + "\n"
	for i, name := range names {
		question += fmt.Sprintf("  %d  %s\n", i+1, printable(name))
	}
	question += say.T("Which one? Number or name:")
	for {
		answer, askErr := a.ask(ctx, question)
		if askErr != nil {
			return askErr
		}
		if s.Workspace = pick(names, answer); s.Workspace == "" {
			return usage(say.T("no workspace was chosen, so nothing was kept")).hint(again)
		}
		n, err := strconv.Atoi(s.Workspace)
		if err != nil || slices.Contains(names, s.Workspace) {
			break
		}
		a.note(say.T("there is no number %d in the list", n))
		question = say.T("Which one? Number or name:")
	}
	if err := s.Validate(); err != nil {
		return configProblem(err)
	}
	c, err := a.dialOpen(ctx, *s, fixedAuthorizer{token})
	if err != nil {
		return err
	}
	defer c.close()
	complaint, err = a.spaces(ctx, c)
	if err == nil && complaint != "" {
		err = workspaceRefused(s.Workspace, names, complaint).hint(again)
	}
	return err
}

// workspaceRefused names those that there are, if the server's complaint says
// them, and else what it says.
func workspaceRefused(workspace string, names []string, complaint string) *problem {
	if len(names) > 0 {
		return usage(say.T("there is no workspace %q, so nothing was kept; this account has %s", workspace, strings.Join(names, ", ")))
	}
	return usage(say.T("the workspace %q was not accepted, so nothing was kept: %s", workspace, oneLine(complaint)))
}

// pick reads the answer to a numbered list. A name that is a number wins over
// a place in the list only if it is written out as it is.
func pick(names []string, answer string) string {
	answer = strings.TrimSpace(answer)
	for _, name := range names {
		if strings.EqualFold(name, answer) {
			return name
		}
	}
	var n int
	if _, err := fmt.Sscanf(answer, "%d", &n); err == nil && n >= 1 && n <= len(names) && fmt.Sprint(n) == answer {
		return names[n-1]
	}
	return answer
}

// workspaceNames finds the names in a server's list: lines that begin with a
// bullet or a number, without quotes and without an id in parentheses. Where
// the line shows the parameter to use, that is the name.
func workspaceNames(text string) []string {
	var names []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		rest := ""
		for _, bullet := range []string{"- ", "* ", "• "} {
			if r, ok := strings.CutPrefix(line, bullet); ok {
				rest = r
			}
		}
		if rest == "" {
			number, r, ok := strings.Cut(line, ". ")
			if ok && number != "" && strings.Trim(number, "0123456789") == "" {
				rest = r
			}
		}
		rest = strings.TrimSpace(rest)
		if rest == "" {
			continue
		}
		if _, query, ok := strings.Cut(rest, "?workspace="); ok {
			query, _, _ = strings.Cut(query, " ")
			if name, err := url.QueryUnescape(strings.TrimRight(query, ".,;)`\"")); err == nil && name != "" {
				rest = `"` + name + `"`
			}
		}
		if quote := rest[0]; quote == '"' || quote == '`' || quote == '\'' {
			if end := strings.IndexByte(rest[1:], quote); end > 0 {
				rest = rest[1 : end+1]
			}
		} else if i := strings.LastIndex(rest, " ("); i > 0 && strings.HasSuffix(rest, ")") {
			rest = rest[:i]
		}
		if len(names) < 100 && len(rest) <= 256 {
			names = append(names, rest)
		}
	}
	return names
}

// keep stores the token and writes the entry: both or neither.
func (a *app) keep(ctx context.Context, file *servers.File, s servers.Server, secrets store, token keystore.Secret) error {
	name := s.CredentialName()
	var before []byte
	if !token.IsZero() {
		var err error
		before, err = secrets.Get(ctx, name)
		if err != nil && !errors.Is(err, keystore.ErrNotFound) && !errors.Is(err, keystore.ErrDamaged) {
			return storeProblem(err, s.Name)
		}
		if err := secrets.Set(ctx, name, []byte(token.Reveal())); err != nil {
			return storeProblem(err, s.Name)
		}
	}
	err := a.change(file, func(f *servers.File) error {
		now := s
		if there, ok := f.Entry(s.Name); ok {
			// What was edited while the person was typing stays.
			there.URL, there.Workspace, there.Auth = s.URL, s.Workspace, s.Auth
			now = there
		}
		return f.Set(now)
	})
	if err == nil || token.IsZero() {
		return err
	}
	if before != nil {
		_ = secrets.Set(ctx, name, before)
	} else {
		_ = secrets.Delete(ctx, name)
	}
	return err
}

// loginDone says what is kept and what to type next.
func (a *app) loginDone(s servers.Server, secrets store, token keystore.Secret, c *check) error {
	command, err := stablePath()
	if err != nil {
		command = "bridge"
	}
	if a.asJSON {
		r := loginReport{Server: s.Name, URL: s.URL, Workspace: s.Workspace, Auth: string(s.Auth), Tools: c.tools,
			Revision: c.revision, Command: command, Args: []string{"serve", s.Name}}
		if !token.IsZero() {
			r.Keystore, r.Last4 = secrets.Kind().String(), token.Last4()
		}
		return a.json(r)
	}
	title := serverTitle(s)
	if token.IsZero() {
		a.printf("%s\n", say.T("%s answers without a sign-in (%d tools).", title, c.tools))
	} else {
		a.printf("%s\n", say.T("Signed in to %s (%d tools). The token is kept in %s.", title, c.tools, keystoreName(secrets.Kind().String())))
	}
	if s.Workspace != "" {
		a.printf("%s\n", say.T("Workspace: %s", printable(s.Workspace)))
	}
	a.printf("\n%s\n", say.T("Put it into your AI client: bridge clients install claude-desktop %s", s.Name))
	a.printf("%s\n", say.T("Other clients: `bridge clients list` names those that are here; any other starts %s", shellQuote(command)+" serve "+s.Name))
	return nil
}
