package auth

import (
	"context"
	"errors"
	"net/url"
	"time"

	"bridge/keystore"
)

// An Info is what may be shown of a stored value.
type Info struct {
	Static    bool   // a static token; of the rest only Last4 is set
	URL       string // the MCP endpoint
	SignedIn  bool
	Issuer    string
	Scope     string
	Expires   time.Time // of the access token; zero: not known
	Renewable bool      // without a person
	Last4     string    // of the access token
	CanRevoke bool
}

// Inspect reads a stored value without using it.
func Inspect(value []byte) (Info, error) {
	r, err := decodeRecord(value)
	if err != nil {
		return Info{}, err
	}
	if !r.static.IsZero() {
		return Info{Static: true, SignedIn: true, Last4: r.static.Last4()}, nil
	}
	scope := r.tokens.scope
	return Info{
		URL: r.url, SignedIn: r.header() != "", Issuer: r.issuer, Scope: scope, Expires: r.tokens.expires,
		Renewable: r.renewable(), Last4: r.tokens.access.Last4(), CanRevoke: r.revoke != "",
	}, nil
}

// Token returns what is held, for a check at the server. It is empty if
// nothing is.
func (s *Session) Token() keystore.Secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.held == nil:
		return keystore.Secret{}
	case !s.held.static.IsZero():
		return s.held.static
	}
	return s.held.tokens.access
}

// Forget deletes the record and any pending sign-in, and revokes the tokens at
// the authorization server if it has an endpoint for that (RFC 7009). revoked
// is false if it has none, or did not answer; what is kept here is gone in any
// case. There being nothing to forget is a keystore.ErrNotFound.
func (s *Session) Forget(ctx context.Context) (revoked bool, err error) {
	lock, err := s.lockRecord(ctx)
	if err != nil {
		return false, err
	}
	defer lock.Unlock()
	r, err := s.load(ctx)
	if err != nil {
		return false, err
	}
	store, key, err := s.where(ctx)
	if err != nil {
		return false, err
	}
	s.removePending()
	// First here: a process that is waiting for the lock must not find it.
	if err := store.Delete(ctx, key); err != nil {
		return false, err
	}
	s.hold(nil)
	if r == nil || r.revoke == "" || r.client.id == "" {
		return false, nil
	}
	for _, t := range []struct {
		token keystore.Secret
		hint  string
	}{{r.tokens.refresh, "refresh_token"}, {r.tokens.access, "access_token"}} {
		if t.token.IsZero() {
			continue
		}
		form := url.Values{"token": {t.token.Reveal()}, "token_type_hint": {t.hint}}
		a, err := s.net().post(ctx, r.revoke, r.issuer, &r.client, form, s.now())
		if err != nil || a.status >= 300 {
			s.log.Info("the token could not be revoked", "why", errors.Join(err, statusOf(a)))
			return false, nil
		}
		revoked = true
	}
	return revoked, nil
}

func statusOf(a *answer) error {
	if a == nil {
		return nil
	}
	return a.statusError()
}
