package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"bridge/bridge"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// An authorizer gives the relay the credential of one server. It implements
// bridge.Authorizer.
//
//	Authorization ── held? ──▶ at once
//	      │ no
//	      ▼
//	   look (one at a time, all who ask wait for it) ──▶ hold it, or *SignInError
//
//	Challenge (401) ── another one held by now? ──▶ try that
//	      │ no
//	      ▼
//	   look again ── changed? ──▶ try it
//	      │ no
//	      ▼
//	   *SignInError, and the next 401 looks again: `bridge login` may have run
//
// A look is never part of a caller's own wait: a keychain that is slow or
// waits for a person costs the caller its context and nothing more.
type authorizer struct {
	find   func(context.Context) (credential, error)
	server servers.Server
	ctx    context.Context // ends with the relay; looks end with it
	looks  sync.WaitGroup

	mu      sync.Mutex
	held    credential
	holds   bool
	pending *look
	failed  error // of the last look
}

// A look is one search for the credential; what it found may be read when done
// is closed.
type look struct {
	done  chan struct{}
	found credential
	err   error
}

// lookLimit bounds a look. It leaves a token_command its own limit.
const lookLimit = commandLimit + 5*time.Second

// newAuthorizer makes the authorizer of a server whose token is static. The
// caller cancels ctx and then calls wait.
func newAuthorizer(ctx context.Context, f *finder) *authorizer {
	return &authorizer{find: f.find, server: f.server, ctx: ctx}
}

// start begins to look, so that the credential is there when the first message
// is. It does not wait.
func (a *authorizer) start() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.holds && a.pending == nil {
		a.lookLocked()
	}
}

// cause returns why the last look failed, or nil.
func (a *authorizer) cause() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

// wait returns when no look is under way any more.
func (a *authorizer) wait() { a.looks.Wait() }

// Authorization implements bridge.Authorizer.
func (a *authorizer) Authorization(ctx context.Context) (string, error) {
	a.mu.Lock()
	if a.holds {
		defer a.mu.Unlock()
		return a.held.header(), nil
	}
	l := a.pending
	if l == nil {
		l = a.lookLocked()
	}
	a.mu.Unlock()
	c, err := a.await(ctx, l)
	if err != nil {
		return "", err
	}
	if c.token.IsZero() && a.server.Auth != servers.AuthAuto {
		return "", a.missing()
	}
	return c.header(), nil
}

// Challenge implements bridge.Authorizer.
func (a *authorizer) Challenge(ctx context.Context, c bridge.Challenge) error {
	if c.Status != 401 {
		return &bridge.SignInError{Refused: true, Message: say.T("%s does not allow this with the token it was given.", a.title())}
	}
	a.mu.Lock()
	if a.holds && a.held.header() != c.Used {
		a.mu.Unlock()
		return nil // somebody else was refused before and found another
	}
	l := a.pending
	if l == nil {
		l = a.lookLocked()
	}
	a.mu.Unlock()
	found, err := a.await(ctx, l)
	switch {
	case err != nil:
		return err
	case found.token.IsZero():
		return a.missing()
	case found.header() != c.Used:
		return nil
	}
	return a.refused(found)
}

// lookLocked starts a look. a.mu is held.
func (a *authorizer) lookLocked() *look {
	l := &look{done: make(chan struct{})}
	a.pending = l
	a.looks.Go(func() {
		ctx, cancel := context.WithTimeout(a.ctx, lookLimit)
		defer cancel()
		l.found, l.err = a.find(ctx)
		a.mu.Lock()
		a.pending, a.failed = nil, l.err
		// No token is no reason to hold on to: it may come.
		if l.err == nil && !l.found.token.IsZero() {
			a.held, a.holds = l.found, true
		}
		a.mu.Unlock()
		close(l.done)
	})
	return l
}

func (a *authorizer) await(ctx context.Context, l *look) (credential, error) {
	select {
	case <-l.done:
		return l.found, a.signInError(l.err)
	case <-ctx.Done():
		return credential{}, ctx.Err()
	}
}

// signInError words the failure of a look for the host's user.
func (a *authorizer) signInError(err error) error {
	var p *problem
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	case !errors.As(err, &p):
		return &bridge.SignInError{Waiting: true, Message: say.T("The token for %s could not be read.", a.title())}
	}
	text := say.T("The token for %s could not be read: %s.", a.title(), p.text)
	if p.tip != "" {
		text += " " + say.T("What helps: %s.", p.tip)
	}
	return &bridge.SignInError{Waiting: true, Message: text}
}

func (a *authorizer) missing() error {
	if a.server.Name == "" {
		return &bridge.SignInError{Message: say.T("This server wants a token, and none is set in BRIDGE_TOKEN.")}
	}
	return &bridge.SignInError{Waiting: true, Message: say.T("%s needs you to sign in: run `bridge login %s` in a terminal.", a.title(), a.server.Name)}
}

func (a *authorizer) refused(c credential) error {
	e := &bridge.SignInError{Refused: true, Waiting: c.from == fromKeystore}
	if c.from == fromKeystore {
		e.Message = say.T("%s refused the stored token; it may have been revoked. Run `bridge login %s` in a terminal.", a.title(), a.server.Name)
	} else {
		e.Message = say.T("%s refused the token from %s; it may have been revoked.", a.title(), c.shown())
	}
	return e
}

// given is the credential that is held, if it does not come from the keystore.
// a may be nil.
func (a *authorizer) given() (c credential, ok bool) {
	if a == nil {
		return c, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.held, a.held.from != fromNowhere && a.held.from != fromKeystore
}

// title is the server's name for sentences.
func (a *authorizer) title() string { return serverTitle(a.server) }

func serverTitle(s servers.Server) string {
	if p := s.Kind(); p != nil && (s.Name == p.Name || s.Name == "") {
		return p.Title
	}
	if s.Name != "" {
		return s.Name
	}
	return s.Origin()
}

// fixedAuthorizer sends one token and keeps it to itself: what login checks
// before it keeps it.
type fixedAuthorizer struct{ token keystore.Secret }

// Authorization implements bridge.Authorizer.
func (f fixedAuthorizer) Authorization(context.Context) (string, error) {
	return credential{token: f.token}.header(), nil
}

// Challenge implements bridge.Authorizer.
func (f fixedAuthorizer) Challenge(context.Context, bridge.Challenge) error {
	if f.token.IsZero() {
		return &bridge.SignInError{Message: say.T("This server wants to be signed in to.")}
	}
	return &bridge.SignInError{Refused: true, Message: say.T("The server did not take this token.")}
}
