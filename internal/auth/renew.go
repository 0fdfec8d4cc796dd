package auth

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"bridge/keystore"
)

var (
	// errGrantGone: there is nothing to renew with, or the authorization
	// server has said for certain that it is over.
	errGrantGone = errors.New("the grant is gone")
	errStatic    = errors.New("the token is static")
	// errNoIdentity: a refresh brought no identity token, where one is what the
	// server takes. Only a new sign-in brings the next.
	errNoIdentity = errors.New("the authorization server gave no new identity token")
	// errClientGone: the authorization server does not know this client any
	// more.
	errClientGone = errors.New("the client is not registered any more")
)

const (
	// renewLimit bounds a renewal with all its tries, and the wait for another
	// process's.
	renewLimit = 45 * time.Second
	renewTries = 6
	// renewPause is how long after a failed renewal a token that is still good
	// is used without trying again.
	renewPause = 10 * time.Second
)

// renew replaces the credential whose header is used, in this order: by what
// another goroutine or process has stored, by refreshing. However many ask, one
// renewal runs. It is not part of any caller's wait: a caller that
// leaves does not stop it, for then the new tokens would be lost.
func (s *Session) renew(ctx context.Context, used string) error {
	s.mu.Lock()
	if h := s.held.header(); h != "" && h != used {
		s.mu.Unlock()
		return nil
	}
	f := s.renewing
	if f == nil || f.used != used {
		if err := context.Cause(s.ctx); err != nil {
			s.mu.Unlock()
			return err
		}
		f = &flight{done: make(chan struct{}), used: used}
		s.renewing = f
		s.work.Go(func() {
			ctx, cancel := context.WithTimeout(s.ctx, renewLimit)
			defer cancel()
			f.err = s.renewNow(ctx, used)
			s.mu.Lock()
			if s.renewing == f {
				s.renewing = nil
			}
			if f.err != nil && !errors.Is(f.err, errGrantGone) {
				s.notYet = s.now().Add(renewPause)
			}
			s.mu.Unlock()
			close(f.done)
		})
	}
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Session) renewNow(ctx context.Context, used string) error {
	lock, err := s.lockRecord(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	r, err := s.load(ctx)
	switch {
	case err != nil:
		return err
	case r == nil || r.header() == "" && !r.renewable():
		s.hold(nil)
		return errGrantGone
	case r.header() != used && r.header() != "" && !r.tokens.expired(s.now()):
		s.hold(r)
		return nil
	case !r.static.IsZero():
		return errStatic
	case !r.renewable():
		return errGrantGone
	}
	t, err := s.askAgain(ctx, r)
	switch {
	case err == nil:
	case definite(err, "invalid_grant"), errors.Is(err, errNoIdentity):
		s.log.Info("the authorization server ended the sign-in", "why", err)
		s.forgetTokens(ctx, r)
		return errGrantGone
	case definite(err, "invalid_client", "unauthorized_client") && r.client.kind != "given":
		s.log.Info("the authorization server has forgotten this client", "why", err)
		r.client = registration{}
		s.forgetTokens(ctx, r)
		return errGrantGone
	case transient(err):
		return failure(ErrUnreachable, "%v", err)
	default:
		return grantFailure(err)
	}
	r.tokens = t
	// Stored before it is used: from here on the old pair is worth nothing.
	if err := s.saveFor(ctx, r); err != nil {
		// To lose the new pair would be worse than to keep it here alone.
		s.log.Warn("the renewed sign-in could not be stored; the next start may ask for it again", "why", err)
	}
	s.hold(r)
	return nil
}

// saveFor saves although the session may be ending: what was received must not
// be lost.
func (s *Session) saveFor(ctx context.Context, r *record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := s.save(ctx, r)
	if errors.Is(err, keystore.ErrTimeout) {
		err = s.save(ctx, r)
	}
	return err
}

// askAgain asks for new tokens until the server answers in the protocol's
// terms. A 5xx, a page, or no answer says nothing about the grant. When time
// runs out in the middle of a try, the error is that of the one before.
func (s *Session) askAgain(ctx context.Context, r *record) (tokens, error) {
	wait := 250 * time.Millisecond
	var before error
	for try := 1; ; try++ {
		t, err := s.newTokens(ctx, r)
		if err != nil && before != nil && ctx.Err() != nil {
			return t, before
		}
		if err == nil || !transient(err) || try == renewTries {
			return t, err
		}
		before = err
		s.log.Debug("no new token yet", "why", err)
		d := wait/2 + rand.N(wait/2)
		var st *statusError
		if errors.As(err, &st) && st.retry > d {
			d = min(st.retry, 10*time.Second)
		}
		if wait *= 2; !s.pause(ctx, d) {
			return t, err
		}
	}
}

// forgetTokens drops the tokens that failed, which r holds, and keeps the
// registration: the same client gets the same grant. The record lock is held,
// and what is stored is what failed.
func (s *Session) forgetTokens(ctx context.Context, r *record) {
	r.tokens = tokens{}
	if err := s.saveFor(ctx, r); err != nil {
		s.log.Debug("refused tokens could not be deleted", "why", err)
	}
	s.hold(nil)
}

// keep stores the outcome of a sign-in as the record, and holds it. The record
// lock is held.
func (s *Session) keep(ctx context.Context, r *record) error {
	r.draft = nil
	if err := s.saveFor(ctx, r); err != nil {
		return err
	}
	s.hold(r)
	return nil
}
