package auth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bridge/keystore"
)

// The grants this package knows.
const (
	grantCode   = "authorization_code"
	grantClient = "client_credentials"
	grantDevice = "urn:ietf:params:oauth:grant-type:device_code"
)

// tokenResponse is RFC 6749 §5.1 with what servers make of it.
type tokenResponse struct {
	Access  string          `json:"access_token"`
	Type    string          `json:"token_type"`
	Expires json.RawMessage `json:"expires_in"` // a number; a string for some; absent for others
	Refresh string          `json:"refresh_token"`
	Scope   *string         `json:"scope"`
	ID      string          `json:"id_token"`
}

// maxTokenLife bounds expires_in, in seconds: ten years.
const maxTokenLife = 10 * 365 * 24 * 3600

func (t *tokenResponse) tokens(now time.Time, asked string) (tokens, error) {
	if t.Access == "" || strings.ContainsAny(t.Access, " \r\n\t") {
		return tokens{}, failure(ErrUnreachable, "the token endpoint gave no access token")
	}
	// Absent is taken for Bearer: there is nothing else it could be.
	if t.Type != "" && !strings.EqualFold(t.Type, "Bearer") {
		return tokens{}, failure(ErrUnreachable, "the token endpoint gave a token of type %q", plain(t.Type))
	}
	out := tokens{access: secret(t.Access), refresh: secret(t.Refresh), scope: asked, issued: now}
	if t.Scope != nil {
		out.scope = union(*t.Scope)
	}
	text := strings.Trim(string(t.Expires), `" `)
	if life, err := strconv.ParseFloat(text, 64); err == nil && life > 0 {
		out.expires = now.Add(time.Duration(min(life, maxTokenLife)) * time.Second)
	}
	return out, nil
}

// post sends a form to an endpoint of the authorization server, the client
// being authenticated as it was registered (A-17, RFC 6749 §2.3.1).
func (g *guard) post(ctx context.Context, endpoint, issuer string, c *registration, form url.Values, now time.Time) (*answer, error) {
	header := http.Header{}
	switch c.method {
	case "client_secret_basic":
		basic := url.QueryEscape(c.id) + ":" + url.QueryEscape(c.secret.Reveal())
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(basic)))
	case "client_secret_post":
		form.Set("client_id", c.id)
		form.Set("client_secret", c.secret.Reveal())
	case "private_key_jwt":
		assertion, err := signAssertion(c, issuer, now)
		if err != nil {
			return nil, err
		}
		form.Set("client_id", c.id)
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", assertion.Reveal())
	default:
		form.Set("client_id", c.id)
	}
	a, err := g.do(ctx, http.MethodPost, endpoint, "application/x-www-form-urlencoded", []byte(form.Encode()), header)
	if err != nil {
		return nil, err
	}
	a.sent = []string{c.secret.Reveal()}
	for _, name := range [...]string{"refresh_token", "code", "code_verifier", "device_code", "token", "client_assertion"} {
		a.sent = append(a.sent, form.Get(name))
	}
	return a, nil
}

// askToken posts a grant to the token endpoint of r.
func (s *Session) askToken(ctx context.Context, r *record, form url.Values) (tokens, error) {
	if r.resource != "" {
		form.Set("resource", r.resource)
	}
	ctx, stop := s.grace(ctx)
	defer stop()
	a, err := s.net().post(ctx, r.tokenURL, r.issuer, &r.client, form, s.now())
	if err != nil {
		return tokens{}, err
	}
	var t tokenResponse
	if err := a.oauth(&t); err != nil {
		return tokens{}, err
	}
	identity := s.o.UseIDToken && t.ID != ""
	if identity {
		t.Access, t.Type = t.ID, ""
	}
	out, err := t.tokens(s.now(), r.scope)
	out.identity = identity
	return out, err
}

// graceTime is how long a token request outlives the session: what the server
// is about to give is the only copy, and the old one is worth nothing then.
const graceTime = 700 * time.Millisecond

func (s *Session) grace(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() != nil {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if pause(longer, graceTime) {
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}

// exchange redeems a code.
func (s *Session) exchange(ctx context.Context, r *record, code string, verifier keystore.Secret, redirect string) (tokens, error) {
	return s.askToken(ctx, r, url.Values{
		"grant_type": {grantCode}, "code": {code}, "code_verifier": {verifier.Reveal()}, "redirect_uri": {redirect},
	})
}

// newTokens gets tokens without a person: by the refresh token, or by the
// client's own credentials. The old refresh token stays if none is given back.
func (s *Session) newTokens(ctx context.Context, r *record) (tokens, error) {
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {r.tokens.refresh.Reveal()}}
	if r.grant == grantClient {
		form = url.Values{"grant_type": {grantClient}}
		if r.scope != "" {
			form.Set("scope", r.scope)
		}
	}
	asked := r.tokens.scope
	t, err := s.askToken(ctx, r, form)
	if err != nil {
		return tokens{}, err
	}
	if s.o.UseIDToken && r.tokens.identity && !t.identity {
		// A refresh need not bring one (OpenID Connect Core §12.2), and an access
		// token in its place would be refused at each request.
		return tokens{}, errNoIdentity
	}
	if t.refresh.IsZero() {
		t.refresh = r.tokens.refresh
	}
	if t.scope == r.scope && asked != "" {
		t.scope = asked // not said: as before (RFC 6749 §6)
	}
	return t, nil
}
