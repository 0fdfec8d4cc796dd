package authz

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	browserCookie = "sandbox_browser"
	requestTTL    = 15 * time.Minute // how long a sign-in page stays good
)

// authorize checks the request and shows the sign-in page. A client or
// redirect URI that is not known gets plain text, because nothing may be sent
// to an address nobody vouched for; every other fault goes to the client.
func (s *Service) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	c, err := s.client(r.Context(), q.Get("client_id"))
	if err != nil {
		http.Error(w, "Unknown client_id", http.StatusBadRequest)
		return
	}
	redirect := q.Get("redirect_uri")
	if !slices.Contains(c.redirects, redirect) {
		http.Error(w, "redirect_uri is not registered for this client", http.StatusBadRequest)
		return
	}
	fail := func(code, description string) {
		w.Header().Set("Cache-Control", "no-store")
		p := url.Values{"error": {code}, "error_description": {description}}
		if q.Has("state") {
			p.Set("state", q.Get("state"))
		}
		http.Redirect(w, r, addQuery(redirect, p), http.StatusFound)
	}
	scope := q.Get("scope")
	if scope == "" {
		scope = scopeAll
	}
	challenge := q.Get("code_challenge")
	switch {
	case q.Get("response_type") == "":
		fail("invalid_request", "response_type is required")
	case q.Get("response_type") != "code":
		fail("unsupported_response_type", "response_type must be code")
	case len(challenge) < 43 || len(challenge) > 128:
		fail("invalid_request", "code_challenge must be 43 to 128 characters")
	case q.Get("code_challenge_method") != "S256":
		fail("invalid_request", "code_challenge_method must be S256")
	case q.Get("resource") != s.opt.Resource || len(q["resource"]) != 1:
		fail("invalid_request", "resource must be "+s.opt.Resource)
	case slices.ContainsFunc(strings.Fields(scope), func(f string) bool { return f != scopeAll }):
		fail("invalid_scope", "scope must be "+scopeAll)
	default:
		s.begin(w, r, c, redirect, scope, challenge)
	}
}

// begin remembers the request under a name only this browser knows.
func (s *Service) begin(w http.ResponseWriter, r *http.Request, c client, redirect, scope, challenge string) {
	q := r.URL.Query()
	id, browser := random(alnum, 40), random(alnum, 40)
	_, err := s.db.ExecContext(r.Context(), `INSERT INTO as_requests (hash, browser_hash, client_id, redirect_uri, state, has_state, scope, challenge, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, hash(id), hash(browser), c.id, redirect, q.Get("state"), q.Has("state"), scope, challenge, s.now()+requestTTL.Milliseconds())
	if err != nil {
		http.Error(w, "the request could not be stored", http.StatusInternalServerError)
		return
	}
	// The cookie is named after the request, so that two tabs do not disturb
	// each other.
	http.SetCookie(w, &http.Cookie{Name: browserCookie + "_" + id[:8], Value: browser, Path: "/authorize", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(requestTTL.Seconds())})
	s.page(w, http.StatusOK, view{Request: id, Client: c.name, Redirect: redirect, Sample: s.opt.Sample})
}

// pending is a sign-in that has begun.
type pending struct {
	clientID, redirect, state, scope, challenge, handle string
	hasState                                            bool
}

func (s *Service) pending(ctx context.Context, id, browser string) (pending, error) {
	var p pending
	err := s.db.QueryRowContext(ctx, `SELECT client_id, redirect_uri, state, has_state, scope, challenge, handle FROM as_requests
		WHERE hash = ? AND browser_hash = ? AND expires_at > ?`, hash(id), hash(browser), s.now()).
		Scan(&p.clientID, &p.redirect, &p.state, &p.hasState, &p.scope, &p.challenge, &p.handle)
	return p, err
}

// signIn takes the forms of the page: an e-mail, a code, or the sample button.
func (s *Service) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form could not be read", http.StatusBadRequest)
		return
	}
	id, ctx := r.PostFormValue("request"), r.Context()
	browser := ""
	if len(id) >= 8 {
		if c, err := r.Cookie(browserCookie + "_" + id[:8]); err == nil {
			browser = c.Value
		}
	}
	p, err := s.pending(ctx, id, browser)
	if errors.Is(err, sql.ErrNoRows) {
		http.Error(w, "this sign-in has expired; start again from the program that opened it", http.StatusBadRequest)
		return
	}
	if err != nil {
		http.Error(w, "the sign-in could not be read", http.StatusInternalServerError)
		return
	}
	c, err := s.client(ctx, p.clientID)
	if err != nil {
		http.Error(w, "Unknown client_id", http.StatusBadRequest)
		return
	}
	v := view{Request: id, Client: c.name, Redirect: p.redirect, Sample: s.opt.Sample}
	switch r.PostFormValue("step") {
	case "email":
		handle, f := s.requestCode(ctx, r.PostFormValue("email"), clientIP(r))
		if f != nil {
			v.Fault = f.message
			s.page(w, f.status, v)
			return
		}
		if _, err := s.db.ExecContext(ctx, `UPDATE as_requests SET handle = ? WHERE hash = ?`, handle, hash(id)); err != nil {
			http.Error(w, "the sign-in could not be stored", http.StatusInternalServerError)
			return
		}
		v.CodeSent = true
		s.page(w, http.StatusOK, v)
	case "code":
		userID, f := s.redeem(ctx, p.handle, r.PostFormValue("code"))
		if f != nil {
			v.Fault, v.CodeSent = f.message, f.code == "OTP_CODE_INVALID"
			s.page(w, f.status, v)
			return
		}
		s.grant(w, r, id, p, userID)
	case "sample":
		if s.opt.Sample == "" {
			http.Error(w, "there is no sample account", http.StatusBadRequest)
			return
		}
		userID, err := s.AddUser(ctx, s.opt.Sample)
		if err != nil {
			http.Error(w, "the sample account could not be read", http.StatusInternalServerError)
			return
		}
		s.grant(w, r, id, p, userID)
	case "deny":
		_, _ = s.db.ExecContext(ctx, `DELETE FROM as_requests WHERE hash = ?`, hash(id)) // it expires anyway
		params := url.Values{"error": {"access_denied"}, "error_description": {"The user said no"}}
		if p.hasState {
			params.Set("state", p.state)
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, addQuery(p.redirect, params), http.StatusFound)
	default:
		http.Error(w, "unknown step", http.StatusBadRequest)
	}
}

// grant ends the sign-in with a code for the client.
func (s *Service) grant(w http.ResponseWriter, r *http.Request, id string, p pending, userID string) {
	code := random(alnum, 43)
	if err := s.storeCode(r.Context(), id, code, p, userID); err != nil {
		http.Error(w, "the sign-in could not be finished", http.StatusInternalServerError)
		return
	}
	params := url.Values{"code": {code}, "iss": {s.opt.Issuer}}
	if p.hasState {
		params.Set("state", p.state)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, addQuery(p.redirect, params), http.StatusFound)
}

func (s *Service) storeCode(ctx context.Context, id, code string, p pending, userID string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	res, err := tx.ExecContext(ctx, `DELETE FROM as_requests WHERE hash = ?`, hash(id))
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, errors.New("the request was already answered"))
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO as_codes (hash, client_id, redirect_uri, user_id, challenge, scope, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		hash(code), p.clientID, p.redirect, userID, p.challenge, p.scope, s.now()+codeTTL.Milliseconds()); err != nil {
		return err
	}
	return tx.Commit()
}

// addQuery appends parameters and leaves the client's own query as it is.
func addQuery(raw string, params url.Values) string {
	sep := "?"
	if strings.Contains(raw, "?") {
		sep = "&"
	}
	return raw + sep + params.Encode()
}
