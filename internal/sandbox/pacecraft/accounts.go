package pacecraft

import (
	"context"
	crand "crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrUnauthorized is why Authenticate lets nobody in. Its text is the same for
// a missing, a mistyped and a revoked token, and is fit to be the message of a
// 401: there is no OAuth here that a client could start.
var ErrUnauthorized = errors.New("Personal Access Token tidak ada, salah ketik, atau sudah dicabut. Buat token baru di Settings → Personal Access Tokens, lalu kirim sebagai Authorization: Bearer pc_…") //nolint:staticcheck // shown to people as it is

// ErrNoToken is RevokeToken's answer for an id it does not know.
var ErrNoToken = errors.New("no such token")

// tokenPrefix starts every personal access token.
const tokenPrefix = "pc_"

// Account is somebody who can sign in.
type Account struct{ ID, Name, Email string }

// Token is what is known of a personal access token after it was shown.
type Token struct {
	ID, AccountID, Label string
	Hint                 string    // the last four characters
	CreatedAt            time.Time // UTC
	RevokedAt            time.Time // zero while it is good
}

// CreateAccount adds an account that is in no workspace. The e-mail address
// must be new.
func (s *Service) CreateAccount(ctx context.Context, name, email string) (Account, error) {
	var a Account
	err := s.write(ctx, func(t *tx) (err error) {
		a, err = t.account(ctx, name, email)
		return err
	})
	return a, err
}

func (t *tx) account(ctx context.Context, name, email string) (Account, error) {
	a := Account{ID: t.newID("usr"), Name: name, Email: email}
	return a, t.exec(ctx, "INSERT INTO pc_accounts VALUES (?, ?, ?, ?)", a.ID, name, email, t.now.UnixMilli())
}

// CreateToken makes a token for everything its account can reach; it cannot be
// narrowed. The secret is returned this once and only its SHA-256 is stored:
// with 130 random bits there is nothing a slower hash would protect.
func (s *Service) CreateToken(ctx context.Context, accountID, label string) (tok Token, secret string, err error) {
	secret = tokenPrefix + crand.Text()
	hash := sha256.Sum256([]byte(secret))
	err = s.write(ctx, func(t *tx) error {
		tok = Token{ID: t.newID("pat"), AccountID: accountID, Label: label, Hint: secret[len(secret)-4:], CreatedAt: t.now.UTC()}
		var n int
		if err := t.conn.QueryRowContext(ctx, "SELECT count(*) FROM pc_accounts WHERE id = ?", accountID).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("create token: no account %q", accountID)
		}
		return t.exec(ctx, "INSERT INTO pc_tokens VALUES (?, ?, ?, ?, ?, ?, NULL)",
			tok.ID, accountID, label, hash[:], tok.Hint, tok.CreatedAt.UnixMilli())
	})
	if err != nil {
		return Token{}, "", err
	}
	return tok, secret, nil
}

// RevokeToken ends a token. The next call with it fails. Revoking twice is no
// error; an unknown id is ErrNoToken.
func (s *Service) RevokeToken(ctx context.Context, id string) error {
	return s.write(ctx, func(t *tx) error {
		r, err := t.conn.ExecContext(ctx, "UPDATE pc_tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", t.now.UnixMilli(), id)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrNoToken)
		}
		return nil
	})
}

// Tokens lists an account's tokens, the oldest first, revoked ones too.
func (s *Service) Tokens(ctx context.Context, accountID string) ([]Token, error) {
	return query(ctx, s.db, func(r *sql.Rows) (Token, error) {
		t := Token{AccountID: accountID}
		var created int64
		var revoked sql.NullInt64
		err := r.Scan(&t.ID, &t.Label, &t.Hint, &created, &revoked)
		t.CreatedAt = fromMilli(created)
		if revoked.Valid {
			t.RevokedAt = fromMilli(revoked.Int64)
		}
		return t, err
	}, "SELECT id, label, hint, created_at, revoked_at FROM pc_tokens WHERE account_id = ? ORDER BY created_at, id", accountID)
}

// Authenticate names the account that a bearer token stands for. It asks the
// database each time, so that a revoked token is refused at once. Errors are
// ErrUnauthorized or the database's.
func (s *Service) Authenticate(ctx context.Context, token string) (Account, error) {
	if !strings.HasPrefix(token, tokenPrefix) {
		return Account{}, ErrUnauthorized
	}
	hash := sha256.Sum256([]byte(token))
	var a Account
	err := s.db.QueryRowContext(ctx, `SELECT a.id, a.name, a.email FROM pc_tokens t JOIN pc_accounts a ON a.id = t.account_id
		WHERE t.hash = ? AND t.revoked_at IS NULL`, hash[:]).Scan(&a.ID, &a.Name, &a.Email)
	if errors.Is(err, sql.ErrNoRows) {
		return Account{}, ErrUnauthorized
	}
	if err != nil {
		return Account{}, fmt.Errorf("look up the token: %w", err)
	}
	return a, nil
}

// query collects what scan makes of each row, and closes the rows before it
// returns, so that a pool of one connection is enough.
func query[T any](ctx context.Context, db *sql.DB, scan func(*sql.Rows) (T, error), q string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	out := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out = append(out, v)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

func fromMilli(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
