package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"strings"
	"time"
)

// random is n bytes, base64url.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return base64.RawURLEncoding.EncodeToString(b)
}

// newPending makes the authorization request (A-18…A-21) and everything that
// is needed to finish it.
func (s *Session) newPending(d *discovery, r *record) (*pending, error) {
	u, err := s.net().checkURL(d.server.Authorization)
	if err != nil {
		return nil, err
	}
	p := &pending{
		State: random(32), Verifier: random(32), Redirect: r.client.redirect, Client: r.client.id,
		Issuer: d.server.Issuer, MustIss: d.server.SendsIssuer, Scope: r.scope, Created: s.now(),
	}
	sum := sha256.Sum256([]byte(p.Verifier))
	q := u.Query()
	for _, kv := range s.o.AuthorizeParams {
		q.Set(kv[0], kv[1])
	}
	q.Set("response_type", "code")
	q.Set("client_id", p.Client)
	q.Set("redirect_uri", p.Redirect)
	q.Set("state", p.State)
	q.Set("code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]))
	q.Set("code_challenge_method", "S256")
	if r.resource != "" {
		q.Set("resource", r.resource)
	}
	if r.scope != "" {
		q.Set("scope", r.scope)
		if strings.Contains(" "+r.scope+" ", " offline_access ") && q.Get("prompt") == "" {
			// OpenID Connect Core §11: offline access needs consent.
			q.Set("prompt", "consent")
		}
	}
	u.RawQuery, u.Fragment = q.Encode(), ""
	p.Link = u.String()
	return p, nil
}

// check judges what came back, before anything of it is redeemed or shown. A
// response without the right state is ErrNotPending: it is somebody else's.
func (p *pending) check(params url.Values) (code string, err error) {
	state := params.Get("state")
	if len(params["state"]) != 1 || subtle.ConstantTimeCompare([]byte(state), []byte(p.State)) != 1 {
		return "", failure(ErrNotPending, "")
	}
	iss := params["iss"]
	switch { // RFC 9207 §2.4
	case len(iss) > 1, len(iss) == 1 && iss[0] != p.Issuer:
		return "", failure(ErrUnsafe, "the answer to the sign-in came from another issuer")
	case len(iss) == 0 && p.MustIss && params.Get("error") != "" && params.Get("code") == "":
		// Some servers keep that promise for codes only. Nothing can be redeemed,
		// and whose words these are is not known, so they are not shown.
		return "", failure(ErrDenied, "the sign-in page came back without a sign-in")
	case len(iss) == 0 && p.MustIss:
		return "", failure(ErrUnsafe, "the answer to the sign-in names no issuer, which this server promised")
	}
	if e := params.Get("error"); e != "" {
		pe := &protocolError{code: plain(e), text: plain(params.Get("error_description"))}
		return "", failure(ErrDenied, "%v", pe)
	}
	if code = params.Get("code"); code == "" || len(params["code"]) != 1 || len(code) > 8<<10 {
		return "", failure(ErrDenied, "the answer to the sign-in holds no code")
	}
	return code, nil
}

// finish redeems an answer for the sign-in that is pending in the state folder,
// whoever began it, and stores the tokens.
func (s *Session) finish(ctx context.Context, params url.Values) error {
	lock, err := s.lockRecord(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	p := s.readPending()
	if !p.live(s.now()) {
		return failure(ErrNotPending, "")
	}
	code, err := p.check(params)
	if err != nil {
		return err
	}
	r, err := s.load(ctx)
	if err != nil {
		return err
	}
	if r == nil || r.draft == nil || r.draft.client.id != p.Client || r.draft.issuer != p.Issuer {
		return failure(ErrNotPending, "")
	}
	// From here on the code may be used up, and nobody else should wait for it.
	p.Redeemed = true
	if err := s.writePending(p); err != nil {
		return err
	}
	next := r.draft
	for try := 0; ; try++ {
		next.tokens, err = s.exchange(ctx, next, code, p.verifier(), p.Redirect)
		if err == nil || !transient(err) || try == 2 || !pause(ctx, time.Second<<try/2) {
			break
		}
	}
	if err != nil {
		return s.exchangeFailed(err)
	}
	if err := s.keep(ctx, next); err != nil {
		return err
	}
	s.removePending()
	return nil
}

func (s *Session) exchangeFailed(err error) error {
	switch {
	case definite(err, "invalid_client", "unauthorized_client"):
		return &Error{Kind: errClientGone, Detail: err.Error(), Err: err}
	case transient(err):
		return failure(ErrUnreachable, "%v", err)
	case definite(err, "invalid_grant", "invalid_request", "invalid_target", "invalid_scope", "access_denied", "unsupported_grant_type"):
		return failure(ErrDenied, "%v", err)
	}
	return err
}

// parseRedirect reads an address that a person pasted: the whole redirect URL,
// or its query. The link that was to be opened is none, though it has the state.
func parseRedirect(text string) (url.Values, error) {
	text = strings.TrimSpace(text)
	if i := strings.IndexByte(text, '?'); i >= 0 {
		text = text[i+1:]
	}
	text, _, _ = strings.Cut(text, "#")
	q, err := url.ParseQuery(text)
	if err != nil || !q.Has("state") || !q.Has("code") && !q.Has("error") {
		return nil, failure(ErrNotPending, "")
	}
	return q, nil
}
