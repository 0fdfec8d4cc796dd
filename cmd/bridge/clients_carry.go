package main

import (
	"context"
	"errors"
	"os"
	"slices"

	"bridge/internal/auth"
	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// A carry is an OAuth sign-in on its way from mcp-remote's folder to the
// keystore. It is tried before anything is changed, by its access token if that
// may still be good. Where it has to be renewed to be tried, that is the last
// thing before the clients' files are written, because mcp-remote's copy is
// worth nothing afterwards.
type carry struct {
	kept   []clients.SignIn // the one written last is first
	signIn signInOptions
	why    string // it is not carried over; empty: it is, or may be

	sessions []*auth.Session
	ready    *auth.Imported // tried, to be kept
	stale    []staleSignIn  // to be renewed, in this order
	done     bool
	renewed  bool
}

type staleSignIn struct {
	*auth.Imported
	session *auth.Session
}

// maxKept is how many sign-ins of one server are tried.
const maxKept = 4

// carried reports whether the sign-in that mcp-remote keeps is carried over, or
// would be as far as is known.
func (m *move) carried() bool { return m.carry != nil && m.carry.why == "" }

// prepare tries what can be tried without changing anything, here or at the
// server. refusal is what came of a request without a token; nil if the server
// took it. An error is an interruption; that a sign-in cannot be used is not
// one.
func (a *app) prepare(ctx context.Context, m *move, secrets store, refusal error) error {
	c := m.carry
	for _, kept := range c.kept[:min(len(c.kept), maxKept)] {
		why := a.prepareOne(ctx, m, kept, secrets, refusal)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c.ready != nil {
			break
		}
		if why != nil && c.why == "" {
			c.why = why.Error()
		}
	}
	if c.ready != nil || len(c.stale) > 0 {
		c.why = ""
		if m.server.Auth == servers.AuthAuto {
			m.server.Auth = servers.AuthOAuth
		}
	}
	return nil
}

func (a *app) prepareOne(ctx context.Context, m *move, kept clients.SignIn, secrets store, refusal error) error {
	c := m.carry
	opts, err := c.signIn.options()
	if err != nil {
		return err
	}
	opts.Mode = auth.Never
	cfg, err := a.dialConfig(m.server)
	if err != nil {
		return err
	}
	f := &finder{server: m.server, getenv: os.LookupEnv, open: func() (store, error) { return secrets, nil }}
	session, err := a.session(ctx, m.server, f, opts, &cfg)
	if err != nil {
		return err
	}
	c.sessions = append(c.sessions, session)
	in := auth.Import{
		Issuer: kept.Issuer, ClientID: kept.ClientID, SecretExpires: kept.SecretExpires, Method: kept.AuthMethod, Redirect: kept.Redirect,
		Access: keystore.NewSecret(kept.AccessToken), Scope: kept.Scope, Issued: kept.Written, Expires: kept.Expires,
	}
	setSecret(&in.ClientSecret, kept.ClientSecret)
	setSecret(&in.Refresh, kept.RefreshToken)
	imported, err := session.Import(ctx, in, challengeOf(refusal))
	if errors.Is(err, auth.ErrSignInNeeded) {
		return errors.New(say.T("it has ended"))
	}
	if err != nil {
		return signInProblem(err, m.server)
	}
	if refusal == nil && imported.Guessed() {
		return errors.New(say.T("the server wants none"))
	}
	if token := imported.Token(); !token.IsZero() {
		s := m.server
		_, err := a.tryServer(ctx, &s, token)
		switch {
		case err == nil:
			c.ready = imported
			return nil
		case exitOf(err) != exitSignIn:
			return err
		}
	}
	if !imported.Renewable() {
		return errors.New(say.T("it has ended"))
	}
	c.stale = append(c.stale, staleSignIn{imported, session})
	return nil
}

// carryOver stores the sign-ins. The function it returns takes back those that
// can be given back. That one could not be carried over is no error: a person
// signs in then.
func (a *app) carryOver(ctx context.Context, moves []*move) (undo func() error, err error) {
	var steps []func() error
	calm := context.WithoutCancel(ctx)
	undo = func() error {
		var errs []error
		for _, step := range steps {
			errs = append(errs, step())
		}
		return errors.Join(errs...)
	}
	seen := map[*carry]bool{}
	for _, m := range moves {
		c := m.carry
		if c == nil || seen[c] {
			continue
		}
		seen[c] = true
		if c.ready != nil {
			if err := c.ready.Keep(ctx); err != nil {
				c.why = carryProblem(err, m.server).Error()
			} else {
				c.done = true
				steps = append(steps, func() error { c.done = false; return c.ready.Drop(calm) })
			}
		}
		for _, stale := range c.stale {
			if c.done || ctx.Err() != nil {
				break
			}
			if why := a.renewOver(ctx, m, stale); why != nil {
				c.why = carryProblem(why, m.server).Error()
				continue
			}
			c.done, c.renewed, c.why = true, true, ""
		}
		if ctx.Err() != nil {
			return undo, context.Cause(ctx)
		}
	}
	return undo, nil
}

// renewOver renews a sign-in and asks the server whether it takes it. A server
// that does not answer just now says nothing against it.
func (a *app) renewOver(ctx context.Context, m *move, stale staleSignIn) error {
	done := a.working(say.T("asking %s", serverTitle(m.server)))
	err := stale.Renew(ctx)
	done()
	if err != nil {
		return err
	}
	s := m.server
	if _, err = a.tryServer(ctx, &s, stale.session.Token()); exitOf(err) != exitSignIn {
		return nil //nolint:nilerr // see above
	}
	if _, forgetting := stale.session.Forget(ctx); forgetting != nil {
		return storeProblem(forgetting, m.server.Name)
	}
	return err
}

func carryProblem(err error, s servers.Server) error {
	switch {
	case errors.Is(err, auth.ErrKept):
		return errors.New(say.T("somebody has signed in meanwhile"))
	case errors.Is(err, auth.ErrSignInNeeded):
		return errors.New(say.T("the sign-in server does not renew it"))
	}
	return signInProblem(err, s)
}

// closeCarries ends what findCarries and prepare began.
func closeCarries(moves []*move) {
	seen := map[*carry]bool{}
	for _, m := range moves {
		if m.carry == nil || seen[m.carry] {
			continue
		}
		seen[m.carry] = true
		for _, s := range m.carry.sessions {
			s.Close()
		}
	}
}

// carries lists each once, with the server it is of.
func carries(moves []*move) (out []*move) {
	for _, m := range moves {
		if m.carry != nil && !slices.ContainsFunc(out, func(o *move) bool { return o.carry == m.carry }) {
			out = append(out, m)
		}
	}
	return out
}
