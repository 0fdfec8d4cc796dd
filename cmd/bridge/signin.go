package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"bridge/bridge"
	"bridge/internal/auth"
	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// A provider is a bridge.Authorizer of this program: one of static tokens, or
// one that signs in.
type provider interface {
	bridge.Authorizer
	start()       // begins to look, without waiting
	wait()        // returns when nothing is under way; its context has ended
	cause() error // why there is no credential, for a person; nil if that is all
}

// provider makes the provider of a server. A token from the environment, a
// file or a command turns signing in off: the user has said what to send. f is
// nil for a bare address, whose credential is looked for when it is asked for.
// cfg is the relay's configuration, which gets the interim tool.
func (a *app) provider(ctx context.Context, f *finder, cfg *bridge.Config, flags signInOptions) (provider, error) {
	o, err := flags.options()
	if err != nil {
		return nil, err
	}
	s := servers.Server{URL: cfg.URL}
	if f != nil {
		s = f.server
		switch from, _ := f.origin(); {
		case s.Auth == servers.AuthNone:
			return nil, nil
		case from != fromKeystore, s.Auth == servers.AuthToken:
			return newAuthorizer(ctx, f), nil
		case s.Name == "":
			f = nil
		}
	}
	o.Lazy = f == nil
	x := &signIn{server: s, mode: o.Mode}
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if o.Mode == auth.Auto {
		told := ""
		o.Tell = func(l auth.Link) { // one sign-in at a time, so one caller
			// Whether a window appeared is never known for certain.
			if l.URL != told {
				told = l.URL
				log.Warn(say.T("to sign in to %s, open this page", x.title()), "url", l.URL)
			}
		}
	}
	x.session, err = a.session(ctx, s, f, o, cfg)
	if err != nil {
		return nil, err
	}
	if o.Mode != auth.Never {
		cfg.SignIn = x.offer
	}
	return x, nil
}

// session makes the session of a server. f is nil for a bare address.
func (a *app) session(ctx context.Context, s servers.Server, f *finder, o auth.Options, cfg *bridge.Config) (*auth.Session, error) {
	home, err := fsx.Home()
	if err != nil {
		return nil, fail(exitFailure, err.Error()).because(err)
	}
	o.URL, o.Dir = cfg.URL, filepath.Join(home, "state", "auth")
	o.AllowHTTP, o.RootCAs, o.Proxy, o.UserAgent = cfg.AllowHTTP, cfg.RootCAs, cfg.Proxy, cfg.UserAgent
	o.Log, o.Page = cfg.Log, signInPage
	if o.UserAgent == "" {
		o.UserAgent = userAgent()
	}
	if o.Where != nil {
		return newSession(ctx, o)
	}
	o.Where = func(context.Context) (auth.Store, string, error) {
		if f != nil {
			store, err := f.open()
			return store, s.CredentialName(), err
		}
		return bareRecord(s)
	}
	return newSession(ctx, o)
}

func newSession(ctx context.Context, o auth.Options) (*auth.Session, error) {
	session, err := auth.New(ctx, o)
	if err != nil {
		return nil, usage(err.Error()).because(err)
	}
	return session, nil
}

// bareRecord is where the sign-in of a bare address is kept: under the entry
// with that address, if there is one, else under the address itself.
func bareRecord(s servers.Server) (auth.Store, string, error) {
	file, err := servers.Load()
	if err != nil {
		return nil, "", configProblem(err)
	}
	if known, err := file.Lookup(s.URL); err == nil {
		s = known
	}
	store, err := openStore(file.Keystore(), false)
	if err != nil {
		return nil, "", err
	}
	if s.Name != "" {
		return store, s.CredentialName(), nil
	}
	sum := sha256.Sum256([]byte(s.URL))
	return store, "url-" + hex.EncodeToString(sum[:6]) + "@" + s.Origin(), nil
}

// A signIn is the provider of a server that may want a person to sign in. The
// work is auth.Session's; here it is put into words.
type signIn struct {
	session *auth.Session
	server  servers.Server
	mode    auth.Mode

	mu   sync.Mutex
	last error
}

func (x *signIn) start() { x.session.Start() }
func (x *signIn) wait()  { x.session.Close() }

func (x *signIn) title() string { return serverTitle(x.server) }

// Authorization implements bridge.Authorizer.
func (x *signIn) Authorization(ctx context.Context) (string, error) {
	header, err := x.session.Authorization(ctx)
	return header, x.words(err)
}

// Challenge implements bridge.Authorizer.
func (x *signIn) Challenge(ctx context.Context, c bridge.Challenge) error {
	return x.words(x.session.Refused(ctx, c.Status, c.Authenticate, c.Used))
}

// cause implements provider.
func (x *signIn) cause() error {
	x.mu.Lock()
	err := x.last
	x.mu.Unlock()
	var known *auth.Error
	if err == nil || errors.Is(err, auth.ErrRefused) || errors.Is(err, auth.ErrSignInNeeded) && errors.As(err, &known) && known.Scope == "" {
		return nil
	}
	return signInProblem(err, x.server)
}

// words makes the error for the host's user. A context's error stays what it
// is.
func (x *signIn) words(err error) error {
	x.mu.Lock()
	x.last = err
	x.mu.Unlock()
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &bridge.SignInError{Waiting: true}
	var known *auth.Error
	errors.As(err, &known)
	switch {
	case errors.Is(err, auth.ErrSignInNeeded) && known.Link != "":
		e.Message = say.T("%s needs you to sign in: open %s in a browser.", x.title(), known.Link)
	case errors.Is(err, auth.ErrSignInNeeded) && known.Scope != "":
		e.Waiting = x.mode != auth.Never
		e.Message = sentence(signInProblem(err, x.server))
	case errors.Is(err, auth.ErrSignInNeeded):
		e.Waiting = x.mode != auth.Never
		e.Message = say.T("%s needs you to sign in: run `bridge login %s` in a terminal.", x.title(), toType(x.server))
	case errors.Is(err, auth.ErrRefused) && x.session.Static():
		e.Refused = true
		e.Message = say.T("%s refused the stored token; it may have been revoked. Run `bridge login %s` in a terminal.", x.title(), toType(x.server))
	case errors.Is(err, auth.ErrRefused):
		e.Refused, e.Waiting = true, false
		e.Message = say.T("%s does not allow this with the sign-in it was given.", x.title())
		if known.Detail != "" {
			e.Message = say.T("%s wants a permission that the sign-in does not have: %s.", x.title(), known.Detail)
		}
	case errors.Is(err, auth.ErrNoOAuth) && x.server.Name == "":
		e.Message = say.T("This server wants a token: set BRIDGE_TOKEN, or run `bridge login %s` in a terminal.", toType(x.server))
		e.Waiting = false
	default:
		e.Waiting = !errors.Is(err, auth.ErrUnsafe) && !errors.Is(err, auth.ErrNoClient)
		e.Message = sentence(signInProblem(err, x.server))
	}
	return e
}

// sentence puts an error and its hint into sentences.
func sentence(err error) string {
	text := err.Error() + "."
	var p *problem
	if errors.As(err, &p) && p.tip != "" {
		text += " " + say.T("What helps: %s.", p.tip)
	}
	return text
}

// signInProblem words an error of package auth for a terminal.
func signInProblem(err error, s servers.Server) error {
	var p *problem
	var e *auth.Error
	var k *keystore.Error
	name, title := toType(s), serverTitle(s)
	switch {
	case err == nil, errors.As(err, &p), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &k):
		return storeProblem(err, s.Name)
	case !errors.As(err, &e):
		return fail(exitSignIn, say.T("signing in to %s failed: %s", title, oneLine(err.Error()))).because(err)
	}
	detail := oneLine(e.Detail)
	switch {
	case errors.Is(err, auth.ErrSignInNeeded) && e.Scope != "":
		p = fail(exitSignIn, say.T("%s wants a permission that the sign-in does not have", title)).
			hint(say.T("run `bridge login %s --scope %s`", name, shellWord(e.Scope)))
	case errors.Is(err, auth.ErrSignInNeeded):
		p = fail(exitSignIn, say.T("%s needs you to sign in", title)).hint(say.T("run `bridge login %s`", name))
	case errors.Is(err, auth.ErrRefused):
		p = fail(exitSignIn, say.T("%s refused the sign-in", title)).hint(say.T("run `bridge login %s`", name))
	case errors.Is(err, auth.ErrDenied):
		p = fail(exitSignIn, say.T("the sign-in to %s was denied: %s", title, detail)).hint(say.T("run `bridge login %s` to try again", name))
	case errors.Is(err, auth.ErrTimeout):
		p = fail(exitSignIn, say.T("the sign-in to %s was not finished in time", title)).hint(say.T("run `bridge login %s` to try again", name))
	case errors.Is(err, auth.ErrUnreachable):
		p = fail(exitUnreachable, say.T("the sign-in server of %s does not answer as it should: %s", title, detail))
		if why := unreached(err); why != "" {
			p = fail(exitUnreachable, say.T("the sign-in server of %s cannot be reached: %s", title, why))
		}
		p = p.hint(say.T("try again in a while; what is stored is kept"))
	case errors.Is(err, auth.ErrNoOAuth):
		p = fail(exitSignIn, say.T("%s offers no sign-in in the browser", title)).hint(say.T("if it takes a token: `bridge login %s --with-token`", name))
	case errors.Is(err, auth.ErrNoClient):
		p = fail(exitSignIn, say.T("the sign-in server of %s takes registered clients only: %s", title, detail)).
			hint(say.T("register a client there with the redirect URI http://127.0.0.1:8765/callback, then: `bridge login %s --client-id ID --callback-port 8765`", name))
	case errors.Is(err, auth.ErrPortTaken):
		p = fail(exitConflict, say.T("the port %s is in use by another program", detail)).hint(say.T("end that program (`%s` names it), or choose another with --callback-port", whoListens(detail)))
	case errors.Is(err, auth.ErrUnsafe):
		p = fail(exitSignIn, say.T("the sign-in that %s offers was not followed: %s", title, detail)).hint(say.T("tell whoever runs the server"))
	default:
		p = fail(exitSignIn, say.T("signing in to %s failed: %s", title, oneLine(e.Error()))) // a detail may be missing
	}
	return p.because(err)
}

// whoListens is the command that names the program which has a port. What is
// no port, as from a file that was tampered with, is not told to be typed.
func whoListens(port string) string {
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		port = strconv.FormatUint(n, 10)
	} else {
		port = "PORT"
	}
	switch runtime.GOOS {
	case "windows":
		return "netstat -abno -p TCP"
	case "linux":
		return "ss -ltnp sport = :" + port
	}
	return "lsof -nP -sTCP:LISTEN -iTCP:" + port
}

// unreached words the commonest two reasons for which there is no connection,
// or is "".
func unreached(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return say.T("there is no host named %s", oneLine(dns.Name))
	case errors.Is(err, syscall.ECONNREFUSED) && errors.As(err, &op) && op.Addr != nil:
		return say.T("%s refuses the connection", op.Addr.String())
	}
	return ""
}

// offer is the interim tool bridge_sign_in: the link, for the host to show.
func (x *signIn) offer(ctx context.Context) (string, error) {
	link, err := x.session.SignIn(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", err
	case err != nil:
		return sentence(signInProblem(err, x.server)), nil
	case link.URL == "":
		return say.T("You are signed in to %s.", x.title()), nil
	case link.Code != "":
		return say.T("To sign in to %s, open %s in a browser and enter the code %s. The tools of %s appear by themselves afterwards.", x.title(), link.URL, link.Code, x.title()), nil
	}
	return say.T("To sign in to %s, open this page in a browser: %s . The tools of %s appear by themselves afterwards.", x.title(), link.URL, x.title()), nil
}

// signInPage is what the browser shows at the end.
func signInPage(err error) auth.Page {
	p := auth.Page{Lang: string(say.Language()), Title: say.T("Not signed in"), Text: say.T("The sign-in did not work. Your program says why. You can close this window.")}
	switch {
	case err == nil:
		p.Title, p.Text = say.T("You are signed in"), say.T("You can close this window and go back to your program.")
	case errors.Is(err, auth.ErrNotPending):
		p.Title, p.Text = say.T("Nothing to do here"), say.T("This address belongs to no sign-in that is waiting.")
	case errors.Is(err, auth.ErrDenied):
		p.Text = say.T("The sign-in was denied. You can close this window.")
	}
	return p
}
