package main

// The one path to a server. What a person asks for on the command line goes
// through the same relay as what a desktop client asks for: the same sign-in,
// gate, retries and errors, and one set of tests for all of them.
//
//	command ── session.Session ──pipe──▶ bridge.Relay ──HTTP──▶ server
//	                           ◀──pipe──
//
// A command says
//
//	c, err := a.connect(ctx, name)     entry, credential, handshake
//	defer c.close()
//	raw, err := c.request(ctx, …)      any method of MCP
//
// and problem turns the errors of relay and server into exit statuses and hints.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"bridge/bridge"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/internal/session"
)

// A connection is an MCP session with one server. Its methods are those of the
// session; close ends it and waits for the relay.
type connection struct {
	*session.Session
	server servers.Server

	watch  *authWatch
	cancel context.CancelFunc
	done   chan struct{} // the relay has ended
	tidy   func()
}

// connect finds the server that arg names, its credential, and shakes hands.
// The error is ready to be returned by a command.
func (a *app) connect(ctx context.Context, arg string) (*connection, error) {
	file, err := a.loadServers()
	if err != nil {
		return nil, err
	}
	s, err := a.lookup(file, arg)
	if err != nil {
		return nil, err
	}
	actx, cancel := context.WithCancel(ctx)
	base, err := a.dialConfig(s)
	if err != nil {
		cancel()
		return nil, err
	}
	auth, err := a.provider(actx, a.finder(file, s), &base, signInOptions{mode: signInNever})
	if err != nil {
		cancel()
		return nil, err
	}
	tidy := cancel
	var given bridge.Authorizer
	if auth != nil {
		given = auth
		auth.start()
		tidy = func() { cancel(); auth.wait() }
	}
	c, err := a.dial(ctx, s, given)
	if err != nil {
		tidy()
		return nil, err
	}
	c.tidy = tidy
	return c, nil
}

// dial shakes hands with s, using auth (nil for none). The error is ready to
// be returned by a command.
func (a *app) dial(ctx context.Context, s servers.Server, auth bridge.Authorizer) (*connection, error) {
	cfg, err := a.dialConfig(s)
	if err != nil {
		return nil, err
	}
	a.noteOpenKey(s.ClientCertKey)
	if cfg.InsecureTLS {
		a.noteInsecure(cfg.URL)
	}
	rememberEra(&cfg)
	cfg.Say = say.T
	c := &connection{server: s, watch: &authWatch{inner: auth}, done: make(chan struct{}), tidy: func() {}}
	if auth != nil {
		cfg.Authorizer = c.watch
	}
	// The relay outlives an interruption of the command by a moment, in which
	// it carries the cancellation to the server and closes the session.
	rctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.cancel = cancel
	// Somebody waits for the error: no interim answers, no trying for ever.
	cfg.FailFast, cfg.Timeouts.Initialize = true, -1
	relay, err := bridge.New(cfg)
	if err != nil {
		cancel()
		return nil, fail(exitUsage, err.Error()).because(err)
	}
	fromHost, toRelay := io.Pipe()
	fromRelay, toHost := io.Pipe()
	go func() {
		defer close(c.done)
		err := relay.Run(rctx, fromHost, toHost)
		if err == nil {
			err = io.EOF
		}
		toHost.CloseWithError(err)
		fromHost.CloseWithError(err)
	}()
	c.Session, err = session.Open(ctx, fromRelay, toRelay, a.sessionOptions(serverTitle(s)))
	if err != nil {
		err = c.problem(err)
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		c.close()
		return nil, err
	}
	return c, nil
}

// dialConfig is the relay's configuration for what a person asks for.
func (a *app) dialConfig(s servers.Server) (bridge.Config, error) {
	cfg, err := entryConfig(s, false)
	if err != nil {
		return cfg, err
	}
	if cfg.RootCAs, err = extraCAs(caFiles(s), logger(a, false, false)); err != nil {
		return cfg, err
	}
	cfg.ClientCertificate, err = clientCertificate(s.ClientCert, s.ClientCertKey)
	return cfg, err
}

// close ends the session and waits until the relay has said goodbye to the
// server, which is bounded by the relay.
func (c *connection) close() {
	if c.Session != nil {
		c.Session.Close() // the relay's end of the pipe tells the rest
	} else {
		c.cancel()
	}
	<-c.done
	c.cancel()
	c.tidy()
}

// problem words an error of the session for people.
func (c *connection) problem(err error) error {
	title := serverTitle(c.server)
	if e := c.watch.failure(); e != nil {
		return c.signIn(title, e)
	}
	var rpc *session.Error
	if !errors.As(err, &rpc) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return fail(exitFailure, say.T("the conversation with %s broke off", title)).because(err)
	}
	var data struct {
		Source string `json:"source"`
		Kind   string `json:"kind"`
		Status int    `json:"httpStatus"`
	}
	if json.Unmarshal(rpc.Data, &data) != nil || data.Source != "bridge" {
		return fail(exitFailure, say.T("%s answered with an error: %s", title, oneLine(c.watch.hide(rpc.Message)))).because(err)
	}
	text := oneLine(strings.TrimPrefix(rpc.Message, "bridge: "))
	switch data.Kind {
	case "unreachable":
		return fail(exitUnreachable, text).hint(seeDoctor(c.server)).because(err)
	case "unauthorized":
		return c.signIn(title, &bridge.SignInError{Refused: true})
	case "not_allowed":
		return fail(exitPolicy, strings.TrimSuffix(text, ".")).hint(say.T("`bridge servers show %s` shows what is allowed", c.server.Name)).because(err)
	}
	return fail(exitFailure, text).because(err)
}

// signIn says that a credential is missing or was refused. An authorizer that
// knows more says it itself.
func (c *connection) signIn(title string, e *bridge.SignInError) error {
	if known, ok := c.watch.inner.(provider); ok {
		if err := known.cause(); err != nil {
			return err
		}
	}
	p := fail(exitSignIn, say.T("%s needs you to sign in", title))
	inner, _ := c.watch.inner.(*authorizer)
	given, isGiven := inner.given()
	switch {
	case e.Refused && isGiven:
		p = fail(exitSignIn, say.T("%s refused the token from %s", title, given.shown()))
	case e.Refused:
		p = fail(exitSignIn, say.T("%s refused the token", title))
	}
	if name := c.server.Name; name != "" && e.Refused && isGiven { // it would stand before what login keeps
		p = p.hint(say.T("put a good one there; or take it away, and what `bridge login` keeps is used"))
	} else if name != "" {
		p = p.hint(say.T("run `bridge login %s`", name))
	} else if url := c.server.URL; servers.SecretInURL(url) == "" {
		p = p.hint(say.T("run `bridge login %s --name NAME`, or give a token in BRIDGE_TOKEN", shellWord(url)))
		if e.Refused {
			p = p.hint(say.T("it may be mistyped, expired or revoked; `bridge login %s --name NAME` keeps a new one", shellWord(url)))
		}
	}
	return p.because(&refusal{challenge: c.watch.authenticate(), err: e})
}

// seeDoctor is the hint for a server that cannot be reached, or "" where the
// command to type would hold a secret.
func seeDoctor(s servers.Server) string {
	if s.Name == "" && servers.SecretInURL(s.URL) != "" {
		return ""
	}
	return say.T("`bridge doctor %s` finds out why", toType(s))
}

// toType is what to type for the server in a command: its name, or its address
// as a shell takes it. An address with a secret in it is not repeated.
func toType(s servers.Server) string {
	switch {
	case s.Name != "":
		return s.Name
	case servers.SecretInURL(s.URL) != "":
		return "URL"
	}
	return shellWord(s.URL)
}

// A refusal is a 401 without a credential that would do, with what the server
// said about where to get one.
type refusal struct {
	challenge []string // the WWW-Authenticate values
	err       error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// challengeOf returns what the server said in the 401 that err comes from.
func challengeOf(err error) []string {
	var r *refusal
	if errors.As(err, &r) {
		return r.challenge
	}
	return nil
}

// oneLine makes a server's text fit to stand in one line of an error.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 300
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// An authWatch remembers why no credential could be had, which the relay puts
// into an answer for a host. Here somebody waits for an error instead.
type authWatch struct {
	inner bridge.Authorizer

	mu        sync.Mutex
	failed    *bridge.SignInError
	challenge *bridge.Challenge
	sent      []string // the credentials, without their scheme
	took      time.Duration
}

// Authorization implements bridge.Authorizer.
func (w *authWatch) Authorization(ctx context.Context) (string, error) {
	began := time.Now()
	value, err := w.inner.Authorization(ctx)
	took := time.Since(began)
	secret := value
	if _, rest, ok := strings.Cut(value, " "); ok {
		secret = strings.TrimSpace(rest)
	}
	w.mu.Lock()
	w.took += took
	if secret != "" && !slices.Contains(w.sent, secret) {
		w.sent = append(w.sent, secret)
	}
	w.mu.Unlock()
	return value, w.note(err)
}

// hide takes the credentials out of a server's text: some repeat in an error
// what they were sent. The relay does so itself where the words are its own;
// a server's error passes it as it is.
func (w *authWatch) hide(text string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, secret := range w.sent {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

// Challenge implements bridge.Authorizer.
func (w *authWatch) Challenge(ctx context.Context, ch bridge.Challenge) error {
	w.mu.Lock()
	w.challenge = &ch
	w.mu.Unlock()
	return w.note(w.inner.Challenge(ctx, ch))
}

func (w *authWatch) note(err error) error {
	var e *bridge.SignInError
	if !errors.As(err, &e) {
		return err
	}
	w.mu.Lock()
	w.failed = e
	w.mu.Unlock()
	return err
}

func (w *authWatch) failure() *bridge.SignInError {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// waited is how long requests have waited for their credential: a keychain, or
// the key of a sealed file, says nothing about the server.
func (w *authWatch) waited() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.took
}

// authenticate is what the server asked for in its last refusal.
func (w *authWatch) authenticate() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.challenge == nil {
		return nil
	}
	return w.challenge.Authenticate
}
