package authz

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
)

// errInvalidGrant covers every code and refresh token that is not good; the
// answer does not say which way it failed.
var errInvalidGrant = errors.New("invalid grant")

// tokens is a successful answer of the token endpoint.
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

func (s *Service) token(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	form, ferr := url.ParseQuery(string(body))
	if !ok || err != nil || media != "application/x-www-form-urlencoded" || ferr != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The body must be form-encoded.")
		return
	}
	for k, v := range form {
		if len(v) > 1 {
			oauthError(w, http.StatusBadRequest, "invalid_request", k+" is given twice")
			return
		}
	}
	need := func(names ...string) bool {
		for _, n := range names {
			if form.Get(n) == "" {
				oauthError(w, http.StatusBadRequest, "invalid_request", n+" is required")
				return false
			}
		}
		return true
	}
	var t tokens
	switch form.Get("grant_type") {
	case "":
		need("grant_type")
		return
	case "authorization_code":
		if !need("code", "code_verifier", "redirect_uri", "client_id") {
			return
		}
		t, err = s.exchange(r.Context(), form)
	case "refresh_token":
		if !need("refresh_token", "client_id") {
			return
		}
		t, err = s.refresh(r.Context(), form.Get("refresh_token"), form.Get("client_id"))
	default:
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
		return
	}
	switch {
	case errors.Is(err, errInvalidGrant):
		oauthError(w, http.StatusBadRequest, "invalid_grant", "The code or refresh token is not valid.")
	case err != nil:
		oauthError(w, http.StatusInternalServerError, "server_error", "The token could not be issued.")
	default:
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Pragma", "no-cache")
		writeJSON(w, http.StatusOK, t)
	}
}

// exchange redeems an authorization code. A wrong verifier does not use it up.
func (s *Service) exchange(ctx context.Context, form url.Values) (tokens, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return tokens{}, fmt.Errorf("redeem a code: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	var userID, challenge, scope string
	err = tx.QueryRowContext(ctx, `SELECT user_id, challenge, scope FROM as_codes
		WHERE hash = ? AND client_id = ? AND redirect_uri = ? AND used_at IS NULL AND expires_at > ?`,
		hash(form.Get("code")), form.Get("client_id"), form.Get("redirect_uri"), s.now()).Scan(&userID, &challenge, &scope)
	if errors.Is(err, sql.ErrNoRows) {
		return tokens{}, errInvalidGrant
	}
	if err != nil {
		return tokens{}, fmt.Errorf("redeem a code: %w", err)
	}
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	if subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) != 1 {
		return tokens{}, errInvalidGrant
	}
	if err := useOnce(ctx, tx, `UPDATE as_codes SET used_at = ? WHERE hash = ? AND used_at IS NULL`, s.now(), hash(form.Get("code"))); err != nil {
		return tokens{}, err
	}
	connection, err := connect(ctx, tx, userID, form.Get("client_id"), s.now())
	if err != nil {
		return tokens{}, err
	}
	t, err := s.issue(ctx, tx, connection, form.Get("client_id"), scope)
	if err != nil {
		return tokens{}, err
	}
	return t, tx.Commit()
}

// refresh rotates both tokens. The one shown is good once; showing it again
// fails and harms nothing else.
func (s *Service) refresh(ctx context.Context, refresh, clientID string) (tokens, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return tokens{}, fmt.Errorf("refresh a token: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	var connection, scope string
	err = tx.QueryRowContext(ctx, `SELECT t.connection_id, t.scope FROM as_tokens t JOIN as_connections c USING (connection_id) JOIN as_users u USING (user_id)
		WHERE t.hash = ? AND t.kind = 'refresh' AND t.client_id = ? AND t.used_at IS NULL AND c.revoked_at IS NULL AND u.deleted_at IS NULL`,
		hash(refresh), clientID).Scan(&connection, &scope)
	if errors.Is(err, sql.ErrNoRows) {
		return tokens{}, errInvalidGrant
	}
	if err != nil {
		return tokens{}, fmt.Errorf("refresh a token: %w", err)
	}
	if err := useOnce(ctx, tx, `UPDATE as_tokens SET used_at = ? WHERE hash = ? AND used_at IS NULL`, s.now(), hash(refresh)); err != nil {
		return tokens{}, err
	}
	t, err := s.issue(ctx, tx, connection, clientID, scope)
	if err != nil {
		return tokens{}, err
	}
	return t, tx.Commit()
}

// useOnce runs an update that must touch exactly one row.
func useOnce(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("use up a grant: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errInvalidGrant
	}
	return nil
}

// connect finds or makes the one connection of a user and a client, and takes
// back its revocation: consenting again is consent.
func connect(ctx context.Context, tx *sql.Tx, userID, clientID string, now int64) (string, error) {
	var id string
	err := tx.QueryRowContext(ctx, `INSERT INTO as_connections (connection_id, user_id, client_id, label, created_at)
		SELECT ?, ?, client_id, name, ? FROM as_clients WHERE client_id = ?
		ON CONFLICT (user_id, client_id) DO UPDATE SET revoked_at = NULL RETURNING connection_id`,
		newUUID(), userID, now, clientID).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("connect a client: %w", err)
	}
	return id, nil
}

func (s *Service) issue(ctx context.Context, tx *sql.Tx, connection, clientID, scope string) (tokens, error) {
	t := tokens{
		AccessToken: "fco_" + random(alnum, 40), RefreshToken: "fcr_" + random(alnum, 40),
		TokenType: "Bearer", ExpiresIn: int64(s.opt.AccessTTL.Seconds()), Scope: scope,
	}
	const add = `INSERT INTO as_tokens (hash, kind, connection_id, client_id, scope, resource, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, add, hash(t.AccessToken), "access", connection, clientID, scope, s.opt.Resource, s.now()+s.opt.AccessTTL.Milliseconds()); err != nil {
		return tokens{}, fmt.Errorf("store a token: %w", err)
	}
	if _, err := tx.ExecContext(ctx, add, hash(t.RefreshToken), "refresh", connection, clientID, scope, s.opt.Resource, nil); err != nil {
		return tokens{}, fmt.Errorf("store a token: %w", err)
	}
	return t, nil
}
