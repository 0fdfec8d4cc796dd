// Package authz is the sandbox's authorization server for the flashcard
// service: OAuth 2.1 with dynamic registration, and the agent path that turns
// a code sent by e-mail into a long-lived key. It exists so that every sign-in
// a client can do, and every way it can fail, can be tried on this machine.
//
// It refuses what the service it is modelled on refuses: no revocation or
// introspection endpoint, no device flow, no client-id documents, redirect
// URIs matched as exact strings, one resource. Codes, keys and tokens are
// stored as SHA-256 hashes and shown once. It sends no mail: codes go to
// Options.Send.
package authz

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Life times of what the server hands out.
const (
	codeTTL   = 600 * time.Second // authorization code
	accessTTL = 3600 * time.Second
	otpTTL    = 180 * time.Second // code sent by e-mail
)

// ErrInvalidToken means that a token is malformed, unknown, expired or
// revoked. Which of these is not said, as on the wire.
var ErrInvalidToken = errors.New("invalid token")

// Options configure a Service. Issuer, Resource and API are absolute URLs
// without a trailing slash.
type Options struct {
	Issuer    string                   // the authorization server's origin
	Resource  string                   // the MCP endpoint that tokens are for
	API       string                   // where /v1/ is served
	AccessTTL time.Duration            // 0 means 3600 s
	Now       func() time.Time         // nil means time.Now
	Send      func(email, code string) // stands in for the mail; nil drops it
	Sample    string                   // e-mail behind the one-click button; empty shows none
	Demo      []string                 // addresses that get no mail: their code is 00000000, and no limit counts
}

// Service is the authorization server. It is safe for concurrent use.
type Service struct {
	db  *sql.DB
	opt Options

	noting sync.Mutex // held by the one who writes last_used_at
}

// Identity is whom a token stands for. It is comparable.
type Identity struct {
	UserID       string
	Email        string
	ConnectionID string // one per key, and one per user and OAuth client
}

const schema = `
CREATE TABLE IF NOT EXISTS as_users (user_id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, deleted_at INTEGER);
CREATE TABLE IF NOT EXISTS as_clients (client_id TEXT PRIMARY KEY, name TEXT NOT NULL, redirect_uris TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS as_connections (connection_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, client_id TEXT, label TEXT NOT NULL,
  created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER, UNIQUE (user_id, client_id));
CREATE TABLE IF NOT EXISTS as_tokens (hash TEXT PRIMARY KEY, kind TEXT NOT NULL, connection_id TEXT NOT NULL, client_id TEXT, scope TEXT NOT NULL,
  resource TEXT NOT NULL, expires_at INTEGER, used_at INTEGER);
CREATE TABLE IF NOT EXISTS as_requests (hash TEXT PRIMARY KEY, browser_hash TEXT NOT NULL, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL, state TEXT NOT NULL,
  has_state INTEGER NOT NULL, scope TEXT NOT NULL, challenge TEXT NOT NULL, handle TEXT NOT NULL DEFAULT '', expires_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS as_codes (hash TEXT PRIMARY KEY, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL, user_id TEXT NOT NULL, challenge TEXT NOT NULL,
  scope TEXT NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER);
CREATE TABLE IF NOT EXISTS as_challenges (challenge_id INTEGER PRIMARY KEY, email TEXT NOT NULL, code_hash TEXT NOT NULL, expires_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, used_by TEXT);
CREATE INDEX IF NOT EXISTS as_challenges_email ON as_challenges (email, expires_at);
CREATE TABLE IF NOT EXISTS as_handles (hash TEXT PRIMARY KEY, challenge_id INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS as_sends (email TEXT NOT NULL, ip TEXT NOT NULL, mailed INTEGER NOT NULL, at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS as_sends_email ON as_sends (email, at);
CREATE INDEX IF NOT EXISTS as_sends_ip ON as_sends (ip, at);
`

// New prepares the tables in db and returns the service. It does not close db.
func New(ctx context.Context, db *sql.DB, opt Options) (*Service, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.AccessTTL == 0 {
		opt.AccessTTL = accessTTL
	}
	if opt.Send == nil {
		opt.Send = func(string, string) {}
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, fmt.Errorf("prepare the authorization server's tables: %w", err)
	}
	return &Service{db: db, opt: opt}, nil
}

func (s *Service) now() int64 { return s.opt.Now().UnixMilli() }

const (
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // no I L O U
	alnum     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	digits    = "0123456789"
)

// random returns n characters of the alphabet, each equally likely.
func random(alphabet string, n int) string {
	out := make([]byte, 0, n)
	limit := 256 - 256%len(alphabet)
	var b [64]byte
	for len(out) < n {
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
		for _, c := range b {
			if int(c) < limit && len(out) < n {
				out = append(out, alphabet[int(c)%len(alphabet)])
			}
		}
	}
	return string(out)
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// normalizeKey brings an fca_ key into the form that is hashed: upper case,
// without spaces and hyphens. ok is false for anything that is no such key.
func normalizeKey(s string) (key string, ok bool) {
	key = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(s))
	rest, found := strings.CutPrefix(key, "FCA_")
	id, secret, _ := strings.Cut(rest, "_")
	if !found || len(id) != 8 || len(secret) != 26 || strings.Trim(id+secret, crockford) != "" {
		return "", false
	}
	return key, true
}

// Authenticate finds whom a bearer token stands for: an access token of this
// resource, or an agent key. It returns ErrInvalidToken for every other.
func (s *Service) Authenticate(ctx context.Context, token string) (Identity, error) {
	kind := "access"
	if key, ok := normalizeKey(token); ok {
		token, kind = key, "key"
	}
	var id Identity
	var lastUsed sql.NullInt64
	err := s.db.QueryRowContext(ctx, `SELECT c.connection_id, u.user_id, u.email, c.last_used_at
		FROM as_tokens t JOIN as_connections c USING (connection_id) JOIN as_users u USING (user_id)
		WHERE t.hash = ? AND t.kind = ? AND (t.expires_at IS NULL OR t.expires_at > ?) AND t.resource IN ('', ?)
		  AND c.revoked_at IS NULL AND u.deleted_at IS NULL`,
		hash(token), kind, s.now(), s.opt.Resource).Scan(&id.ConnectionID, &id.UserID, &id.Email, &lastUsed)
	if errors.Is(err, sql.ErrNoRows) {
		return Identity{}, ErrInvalidToken
	}
	if err != nil {
		return Identity{}, fmt.Errorf("look up a token: %w", err)
	}
	// Once a minute is exact enough, and keeps reads free of writes. One of many
	// requests that see it is time does it; the others need not wait for the write.
	if now := s.now(); now-lastUsed.Int64 > time.Minute.Milliseconds() && s.noting.TryLock() {
		defer s.noting.Unlock()
		if _, err := s.db.ExecContext(ctx, `UPDATE as_connections SET last_used_at = ? WHERE connection_id = ?`, now, id.ConnectionID); err != nil {
			return Identity{}, fmt.Errorf("note the use of a token: %w", err)
		}
	}
	return id, nil
}

// AddUser makes an account, or finds the one with that e-mail.
func (s *Service) AddUser(ctx context.Context, email string) (userID string, err error) {
	return addUser(ctx, s.db, email, s.now())
}

// execer is what a *sql.DB and a *sql.Tx have in common.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// addUser derives the id from the e-mail, so that sample data has fixed ids.
func addUser(ctx context.Context, db execer, email string, now int64) (string, error) {
	h := hash("user:" + email)
	id := h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
	_, err := db.ExecContext(ctx, `INSERT INTO as_users (user_id, email, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, id, email, now)
	if err != nil {
		return "", fmt.Errorf("add an account: %w", err)
	}
	return id, nil
}

// Connection is one key or one OAuth grant, as the agent path shows it.
type Connection struct {
	ConnectionID string  `json:"connectionId"`
	Label        string  `json:"label"`
	CreatedAt    string  `json:"createdAt"`
	LastUsedAt   *string `json:"lastUsedAt"`
	RevokedAt    *string `json:"revokedAt"`
}

// NewKey makes an agent key for an account. The key is returned this once.
func (s *Service) NewKey(ctx context.Context, userID, label string) (key string, c Connection, err error) {
	return newKey(ctx, s.db, userID, label, s.now())
}

func newKey(ctx context.Context, db execer, userID, label string, now int64) (string, Connection, error) {
	key := "fca_" + random(crockford, 8) + "_" + random(crockford, 26)
	stored, _ := normalizeKey(key)
	c := Connection{ConnectionID: newUUID(), Label: label, CreatedAt: stamp(now)}
	if _, err := db.ExecContext(ctx, `INSERT INTO as_connections (connection_id, user_id, label, created_at) VALUES (?, ?, ?, ?)`, c.ConnectionID, userID, label, now); err != nil {
		return "", Connection{}, fmt.Errorf("add a connection: %w", err)
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO as_tokens (hash, kind, connection_id, scope, resource) VALUES (?, 'key', ?, '', '')`, hash(stored), c.ConnectionID); err != nil {
		return "", Connection{}, fmt.Errorf("add a key: %w", err)
	}
	return key, c, nil
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// ExpireAccess makes every access token expire now; refresh tokens and keys
// stay good. It returns how many expired.
func (s *Service) ExpireAccess(ctx context.Context) (int64, error) {
	return s.exec(ctx, `UPDATE as_tokens SET expires_at = ? WHERE kind = 'access' AND expires_at > ?`, s.now(), s.now())
}

// RevokeAll revokes every connection, as a person does in the app's settings.
func (s *Service) RevokeAll(ctx context.Context) (int64, error) {
	return s.exec(ctx, `UPDATE as_connections SET revoked_at = ? WHERE revoked_at IS NULL`, s.now())
}

// Revoke revokes one connection. It returns 0 when there is none to revoke.
func (s *Service) Revoke(ctx context.Context, connectionID string) (int64, error) {
	return s.exec(ctx, `UPDATE as_connections SET revoked_at = ? WHERE connection_id = ? AND revoked_at IS NULL`, s.now(), connectionID)
}

// DeleteUser closes an account: its tokens fail, and signing in is answered
// ACCOUNT_DELETED.
func (s *Service) DeleteUser(ctx context.Context, email string) (int64, error) {
	return s.exec(ctx, `UPDATE as_users SET deleted_at = ? WHERE email = ? AND deleted_at IS NULL`, s.now(), email)
}

func (s *Service) exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := s.db.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("change tokens: %w", err)
	}
	return r.RowsAffected()
}
