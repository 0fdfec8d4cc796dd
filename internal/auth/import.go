package auth

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"bridge/keystore"
)

// ErrKept: there is a credential already, and it is not replaced by an older
// one of another program.
var ErrKept = errors.New("a credential is stored already")

// An Import is a sign-in that another program made for the same server: its
// registration and its tokens. Options.Client stands before the registration,
// if it is set.
type Import struct {
	Issuer        string // of the authorization server; empty: not known
	ClientID      string
	ClientSecret  keystore.Secret
	SecretExpires time.Time // zero: never
	Method        string    // at the token endpoint; empty: not known
	Redirect      string

	Access  keystore.Secret
	Refresh keystore.Secret // may be empty
	Scope   string
	Issued  time.Time
	Expires time.Time // of Access; zero: not known
}

// An Imported is a sign-in of another program that has passed the checks of one
// of our own, and is not stored yet.
type Imported struct {
	s       *Session
	r       *record
	guessed bool
	before  []byte // what was stored: no credential, but maybe a registration
}

// Import holds a sign-in of another program to the rules that a sign-in here
// has to obey: it asks the server where its authorization server is, by the
// same discovery, and refuses tokens of another issuer, endpoints that are not
// https and a resource that is not the server. It stores and sends nothing.
// challenge are the values of the WWW-Authenticate header of the server's 401,
// if there was one.
func (s *Session) Import(ctx context.Context, in Import, challenge []string) (*Imported, error) {
	if s.o.ClientCredentials || s.o.UseIDToken {
		return nil, failure(ErrSignInNeeded, "") // what is kept is not what is sent
	}
	c := bearer(ParseChallenges(challenge))
	known := s.o.Issuer
	if known == "" {
		known = in.Issuer
	}
	d, err := s.net().discover(ctx, c, known)
	if err != nil {
		return nil, err
	}
	// Other programs write an issuer as a URL, with a slash at the end.
	if in.Issuer != "" && strings.TrimSuffix(in.Issuer, "/") != strings.TrimSuffix(d.server.Issuer, "/") {
		return nil, failure(ErrUnsafe, "the sign-in was made at %s and is not sent to %s", quoteURL(in.Issuer), quoteURL(d.server.Issuer))
	}
	r := s.draft(d, want{challenge: c}, nil)
	if s.o.Resource == "" && !d.described {
		// Without metadata of the resource, others name none; a grant that was
		// made without one is renewed without one (RFC 8707 §2.2).
		r.resource = ""
	}
	if scope := union(in.Scope); scope != "" {
		r.scope = scope
	}
	if s.o.DeviceCode {
		r.grant = grantDevice
	}
	if r.client, err = s.importClient(&in, d); err != nil {
		return nil, err
	}
	r.tokens = tokens{access: in.Access, refresh: in.Refresh, scope: union(in.Scope), issued: in.Issued, expires: in.Expires}
	if r.tokens.issued.After(s.now()) {
		// Of a clock that was wrong, or a file that was tampered with.
		r.tokens.issued, r.tokens.expires = s.now(), s.now()
	}
	if r.header() == "" || !r.renewable() && r.tokens.expired(s.now()) {
		return nil, failure(ErrSignInNeeded, "")
	}
	return &Imported{s: s, r: r, guessed: d.guessed}, nil
}

// importClient is the registration that the tokens belong to.
func (s *Session) importClient(in *Import, d *discovery) (registration, error) {
	switch {
	case s.o.Client.ID != "":
		return s.o.Client.registration(), nil
	case in.ClientID == "" && s.o.Client.MetadataURL != "" && d.server.ClientIDDocs:
		return registration{kind: "document", id: s.o.Client.MetadataURL, method: "none"}, nil
	case in.ClientID == "":
		if in.Refresh.IsZero() {
			return registration{}, nil // good until the access token ends
		}
		return registration{}, failure(ErrNoClient, "%s", quoteURL(d.server.Issuer))
	}
	r := registration{kind: "dynamic", id: in.ClientID, secret: in.ClientSecret, expires: in.SecretExpires, method: in.Method, redirect: in.Redirect}
	switch {
	case r.method == "none", r.method == "client_secret_basic", r.method == "client_secret_post":
	case r.method != "":
		return registration{}, failure(ErrNoClient, "the authorization server wants %q at its token endpoint", plain(r.method))
	case r.secret.IsZero():
		r.method = "none"
	case slices.Contains(d.server.TokenAuth, "client_secret_basic"):
		r.method = "client_secret_basic"
	default:
		r.method = "client_secret_post"
	}
	if !r.expires.IsZero() && !s.now().Before(r.expires) {
		return registration{}, failure(ErrNoClient, "%s", quoteURL(d.server.Issuer))
	}
	return r, nil
}

// Token is the access token, for a trial at the server; empty if it has ended
// for all that is known.
func (i *Imported) Token() keystore.Secret {
	if i.r.tokens.expired(i.s.now()) {
		return keystore.Secret{}
	}
	return i.r.tokens.access
}

// Guessed reports that nothing says that the server has sign-ins at all: it has
// no metadata, and the endpoints are those of 2025-03-26.
func (i *Imported) Guessed() bool { return i.guessed }

// Renewable reports whether Renew can do anything.
func (i *Imported) Renewable() bool { return i.r.renewable() }

// Keep stores the sign-in as it is. It is ErrKept if a credential is stored
// already.
func (i *Imported) Keep(ctx context.Context) error {
	s := i.s
	lock, err := s.lockRecord(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	there, err := s.load(ctx)
	if err != nil {
		return err
	}
	if there.header() != "" || there.renewable() {
		return ErrKept
	}
	store, key, err := s.where(ctx)
	if err != nil {
		return err
	}
	if i.before, err = store.Get(ctx, key); errors.Is(err, keystore.ErrNotFound) {
		i.before = nil
	} else if err != nil && !replaceable(err) {
		return err
	}
	if err := s.saveFor(ctx, i.r); err != nil {
		return err
	}
	s.hold(i.r)
	return nil
}

// Renew stores the sign-in, and replaces its tokens by new ones of the
// authorization server: from there on those that the other program has are
// most likely worth nothing. If it fails, nothing is stored.
func (i *Imported) Renew(ctx context.Context) error {
	if err := i.Keep(ctx); err != nil {
		return err
	}
	err := i.s.renew(ctx, i.r.header())
	if err == nil {
		return nil
	}
	if errors.Is(err, errGrantGone) {
		err = failure(ErrSignInNeeded, "")
	}
	return errors.Join(err, i.Drop(context.WithoutCancel(ctx)))
}

// Drop takes back what Keep stored. Tokens that were renewed since stay: there
// is no other copy of them.
func (i *Imported) Drop(ctx context.Context) error {
	s := i.s
	lock, err := s.lockRecord(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	now, err := s.load(ctx)
	if err != nil {
		return err
	}
	if h := now.header(); h != "" && h != i.r.header() {
		return nil
	}
	s.hold(nil)
	store, key, err := s.where(ctx)
	if err != nil {
		return err
	}
	if i.before != nil {
		return store.Set(ctx, key, i.before)
	}
	if err := store.Delete(ctx, key); !errors.Is(err, keystore.ErrNotFound) {
		return err
	}
	return nil
}
