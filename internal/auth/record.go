package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bridge/keystore"
)

// A Store is where records rest. *keystore.Store is one; its sentinel errors
// are expected.
type Store interface {
	Get(ctx context.Context, name string) ([]byte, error)
	Set(ctx context.Context, name string, value []byte) error
	Delete(ctx context.Context, name string) error
}

// recordVersion is what this version writes. A record of a later one is left
// alone.
const recordVersion = 1

// A record is what is kept of one server, as one value. Registration and
// tokens belong to the issuer in it and to no other.
type record struct {
	static keystore.Secret // set: the value is a static token and nothing else

	url      string // the MCP endpoint it was made for
	issuer   string
	resource string // the resource parameter; empty: none is sent
	tokenURL string
	revoke   string // revocation endpoint, or ""
	grant    string // authorization_code, client_credentials, device_code
	client   registration
	scope    string // the scopes asked for
	set      string // the scopes that the user set
	tokens   tokens

	// draft is the registration of a sign-in that is under way, a record
	// without tokens. What was there before stays good until it is done.
	draft *record
}

// A registration is how an authorization server knows this client.
type registration struct {
	kind     string // given, document, dynamic
	id       string
	secret   keystore.Secret
	expires  time.Time // of the secret; zero: never
	method   string    // none, client_secret_basic, client_secret_post, private_key_jwt
	redirect string    // the redirect URI it was registered with, with its port
	key      keystore.Secret
}

// tokens are the answer of a token endpoint.
type tokens struct {
	access  keystore.Secret
	refresh keystore.Secret
	scope   string
	issued  time.Time
	expires time.Time // zero: not known

	identity bool // access is an identity token: Options.UseIDToken
}

// wire is the stored form of a record. Only encode and decodeRecord use it: it
// prints its secrets.
type wire struct {
	Version  int        `json:"bridge_oauth"`
	URL      string     `json:"url"`
	Issuer   string     `json:"issuer"`
	Resource string     `json:"resource,omitempty"`
	Token    string     `json:"token_endpoint"`
	Revoke   string     `json:"revocation_endpoint,omitempty"`
	Grant    string     `json:"grant,omitempty"`
	Client   wireClient `json:"client"`
	Scope    string     `json:"scope,omitempty"`
	Set      string     `json:"scope_set,omitempty"`
	Tokens   wireTokens `json:"tokens"`
	Static   string     `json:"static,omitempty"` // beside a draft only
	Draft    *wire      `json:"draft,omitempty"`
}

type wireClient struct {
	Kind     string `json:"kind,omitempty"`
	ID       string `json:"id,omitempty"`
	Secret   string `json:"secret,omitempty"`
	Expires  int64  `json:"secret_expires_at,omitempty"`
	Method   string `json:"auth_method,omitempty"`
	Redirect string `json:"redirect_uri,omitempty"`
	Key      string `json:"private_key,omitempty"`
}

type wireTokens struct {
	Access  string `json:"access_token,omitempty"`
	Refresh string `json:"refresh_token,omitempty"`
	Scope   string `json:"scope,omitempty"`
	Issued  int64  `json:"issued_at,omitempty"`
	Expires int64  `json:"expires_at,omitempty"`

	Identity bool `json:"identity,omitempty"`
}

// IsRecord reports whether a stored value is a record of this package rather
// than a static token.
func IsRecord(value []byte) bool {
	value = bytes.TrimSpace(value)
	return len(value) > 0 && value[0] == '{'
}

func (r *record) encode() ([]byte, error) {
	if !r.static.IsZero() && r.draft == nil {
		return []byte(r.static.Reveal()), nil
	}
	return json.Marshal(r.wire())
}

func (r *record) wire() *wire {
	w := &wire{
		Version: recordVersion, URL: r.url, Issuer: r.issuer, Resource: r.resource, Token: r.tokenURL, Revoke: r.revoke,
		Grant: r.grant, Scope: r.scope, Set: r.set, Static: r.static.Reveal(),
		Client: wireClient{r.client.kind, r.client.id, r.client.secret.Reveal(), unix(r.client.expires), r.client.method,
			r.client.redirect, r.client.key.Reveal()},
		Tokens: wireTokens{r.tokens.access.Reveal(), r.tokens.refresh.Reveal(), r.tokens.scope, unix(r.tokens.issued), unix(r.tokens.expires), r.tokens.identity},
	}
	if r.draft != nil {
		w.Draft = r.draft.wire()
	}
	return w
}

var errNewer = errors.New("it was written by a newer version of bridge")

func decodeRecord(value []byte) (*record, error) {
	if !IsRecord(value) {
		return &record{static: keystore.NewSecret(string(bytes.TrimSpace(value)))}, nil
	}
	var w wire
	if err := json.Unmarshal(value, &w); err != nil || w.Version < 1 {
		return nil, fmt.Errorf("read a record: %w", keystore.ErrDamaged) // the cause would quote it
	}
	if w.Version > recordVersion {
		return nil, fmt.Errorf("read a record: %w: %w", keystore.ErrDamaged, errNewer)
	}
	return w.record(), nil
}

func (w *wire) record() *record {
	r := &record{
		static: secret(w.Static), url: w.URL, issuer: w.Issuer, resource: w.Resource, tokenURL: w.Token, revoke: w.Revoke,
		grant: w.Grant, scope: w.Scope, set: w.Set,
		client: registration{kind: w.Client.Kind, id: w.Client.ID, secret: secret(w.Client.Secret), expires: at(w.Client.Expires),
			method: w.Client.Method, redirect: w.Client.Redirect, key: secret(w.Client.Key)},
		tokens: tokens{access: secret(w.Tokens.Access), refresh: secret(w.Tokens.Refresh), scope: w.Tokens.Scope,
			issued: at(w.Tokens.Issued), expires: at(w.Tokens.Expires), identity: w.Tokens.Identity},
	}
	if w.Draft != nil {
		r.draft = w.Draft.record()
	}
	return r
}

func secret(s string) keystore.Secret {
	if s == "" {
		return keystore.Secret{}
	}
	return keystore.NewSecret(s)
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func at(sec int64) time.Time {
	if sec == 0 {
		return time.Time{}
	}
	return time.Unix(sec, 0)
}

// header is the Authorization header that the record stands for, or "".
func (r *record) header() string {
	switch {
	case r == nil:
		return ""
	case !r.static.IsZero():
		return "Bearer " + r.static.Reveal()
	case r.tokens.access.IsZero():
		return ""
	}
	return "Bearer " + r.tokens.access.Reveal()
}

// renewable reports whether a new access token can be had without a person.
func (r *record) renewable() bool {
	return r != nil && r.static.IsZero() && (!r.tokens.refresh.IsZero() || r.grant == grantClient)
}

// margin is how long before the end of a token it is renewed: a minute, or a
// fifth of a short life.
func (t *tokens) margin() time.Duration {
	const most = time.Minute
	if t.issued.IsZero() || t.expires.IsZero() {
		return most
	}
	return min(most, t.expires.Sub(t.issued)/5)
}

// due reports whether it is time to renew. Wall clocks are compared: a machine
// that slept has aged its tokens.
func (t *tokens) due(now time.Time) bool {
	return !t.expires.IsZero() && !now.Round(0).Before(t.expires.Add(-t.margin()))
}

func (t *tokens) expired(now time.Time) bool {
	return !t.expires.IsZero() && !now.Round(0).Before(t.expires)
}

// load returns what is stored, or nil if nothing is. A record that was made
// for another URL is as good as none.
func (s *Session) load(ctx context.Context) (*record, error) {
	store, key, err := s.where(ctx)
	if err != nil {
		return nil, err
	}
	value, err := store.Get(ctx, key)
	if errors.Is(err, keystore.ErrNotFound) {
		return nil, nil
	}
	var r *record
	if err == nil {
		r, err = decodeRecord(value)
	}
	switch {
	case err == nil:
	case replaceable(err):
		s.log.Warn("what is stored cannot be read and counts as nothing", "why", err)
		return nil, nil
	default:
		return nil, err
	}
	if r.static.IsZero() && r.url != "" && r.url != canonical(s.server) {
		return nil, nil
	}
	return r, nil
}

// replaceable reports whether what is stored is damaged and a new record can
// take its place. A sealed file is damaged as a whole, and takes nothing.
func replaceable(err error) bool {
	var e *keystore.Error
	return errors.Is(err, keystore.ErrDamaged) && !errors.Is(err, errNewer) && !(errors.As(err, &e) && e.Kind == keystore.File)
}

func (s *Session) save(ctx context.Context, r *record) error {
	value, err := r.encode()
	if err != nil {
		return err
	}
	store, key, err := s.where(ctx)
	if err != nil {
		return err
	}
	return store.Set(ctx, key, value)
}
