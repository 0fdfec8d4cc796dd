package authz

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxAttempts is how many wrong codes end a challenge.
const maxAttempts = 5

// fault is a refusal of the agent path.
type fault struct {
	status  int
	code    string
	message string
}

func internalFault() *fault {
	return &fault{http.StatusInternalServerError, "INTERNAL_ERROR", "Something went wrong. Try again later."}
}

// limit is so many within a span.
type limit struct {
	n    int
	span time.Duration
}

func clientIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// cleanEmail accepts what looks deliverable; the mail itself is the test.
func cleanEmail(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || len(s) > 254 || !strings.Contains(strings.Trim(domain, "."), ".") || strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`<>(),;:"\`, r)
	}) || strings.Contains(domain, "@") || strings.Contains(domain, "..") {
		return "", false
	}
	return s, true
}

// requestCode sends a code to an address and returns the handle that, with
// the code, signs in. It makes the account when there is none.
func (s *Service) requestCode(ctx context.Context, address, ip string) (handle string, f *fault) {
	email, ok := cleanEmail(address)
	if !ok {
		return "", &fault{http.StatusBadRequest, "INVALID_EMAIL", "Give a valid e-mail address."}
	}
	demo := slices.Contains(s.opt.Demo, email)
	handle = random(alnum, 20)
	code := random(digits, 8)
	if demo {
		code = "00000000"
	}
	var mail bool
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		if f = s.checkAccount(ctx, tx, email); f != nil {
			return nil
		}
		if !demo {
			over, err := s.overIP(ctx, tx, email, ip)
			if err != nil {
				return err
			}
			if over {
				f = &fault{http.StatusTooManyRequests, "RATE_LIMITED", "Too many codes were asked for. Try again later."}
				return nil
			}
		}
		over := false
		if !demo {
			var err error
			if over, err = s.overEmail(ctx, tx, email); err != nil {
				return err
			}
		}
		var challenge int64
		if over {
			// No new mail: a code that is still alive gets a fresh handle.
			err := tx.QueryRowContext(ctx, `SELECT challenge_id FROM as_challenges WHERE email = ? AND expires_at > ? AND used_by IS NULL AND attempts < ?
				ORDER BY expires_at DESC, challenge_id DESC LIMIT 1`, email, s.now(), maxAttempts).Scan(&challenge)
			if errors.Is(err, sql.ErrNoRows) {
				f = &fault{http.StatusTooManyRequests, "RATE_LIMITED", "Too many codes were asked for. Try again later."}
				return nil
			}
			if err != nil {
				return err
			}
		} else {
			mail = !demo
			res, err := tx.ExecContext(ctx, `INSERT INTO as_challenges (email, code_hash, expires_at) VALUES (?, ?, ?)`, email, hash(code), s.now()+otpTTL.Milliseconds())
			if err != nil {
				return err
			}
			if challenge, err = res.LastInsertId(); err != nil {
				return err
			}
		}
		if !demo {
			if _, err := tx.ExecContext(ctx, `INSERT INTO as_sends (email, ip, mailed, at) VALUES (?, ?, ?, ?)`, email, ip, mail, s.now()); err != nil {
				return err
			}
		}
		if _, err := addUser(ctx, tx, email, s.now()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO as_handles (hash, challenge_id) VALUES (?, ?)`, hash(handle), challenge)
		return err
	})
	if err != nil {
		return "", internalFault()
	}
	if f != nil {
		return "", f
	}
	if mail {
		s.opt.Send(email, code)
	}
	return handle, nil
}

func (s *Service) checkAccount(ctx context.Context, tx *sql.Tx, email string) *fault {
	var deleted sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT deleted_at FROM as_users WHERE email = ?`, email).Scan(&deleted)
	switch {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return internalFault()
	case deleted.Valid:
		return &fault{http.StatusGone, "ACCOUNT_DELETED", "This account was deleted."}
	}
	return nil
}

// overEmail reports whether an address has had all the mail it may have.
func (s *Service) overEmail(ctx context.Context, tx *sql.Tx, email string) (bool, error) {
	for _, l := range []limit{{3, time.Minute}, {5, 15 * time.Minute}, {10, 24 * time.Hour}} {
		n, err := s.count(ctx, tx, `SELECT count(*) FROM as_sends WHERE email = ? AND mailed = 1 AND at > ?`, email, s.now()-l.span.Milliseconds())
		if err != nil || n >= l.n {
			return true, err
		}
	}
	return false, nil
}

// overIP reports whether a place has asked for too much: in number, or in
// different addresses.
func (s *Service) overIP(ctx context.Context, tx *sql.Tx, email, ip string) (bool, error) {
	for _, l := range []limit{{10, 15 * time.Minute}, {30, time.Hour}, {100, 24 * time.Hour}} {
		n, err := s.count(ctx, tx, `SELECT count(*) FROM as_sends WHERE ip = ? AND at > ?`, ip, s.now()-l.span.Milliseconds())
		if err != nil || n >= l.n {
			return true, err
		}
	}
	for _, l := range []limit{{5, time.Hour}, {20, 24 * time.Hour}} {
		n, err := s.count(ctx, tx, `SELECT count(DISTINCT email) FROM as_sends WHERE ip = ? AND at > ? AND email <> ?`, ip, s.now()-l.span.Milliseconds(), email)
		if err != nil || n >= l.n {
			return true, err
		}
	}
	return false, nil
}

func (s *Service) count(ctx context.Context, tx *sql.Tx, query string, args ...any) (n int, err error) {
	err = tx.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, err
}

// redeem checks a code. A wrong one is counted; the right one is good once.
func (s *Service) redeem(ctx context.Context, handle, code string) (userID string, f *fault) {
	expired := &fault{http.StatusBadRequest, "OTP_SESSION_EXPIRED", "This code has expired. Ask for a new one."}
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		var challenge int64
		var email, codeHash string
		var expires int64
		var attempts int
		var usedBy sql.NullString
		err := tx.QueryRowContext(ctx, `SELECT c.challenge_id, c.email, c.code_hash, c.expires_at, c.attempts, c.used_by
			FROM as_handles h JOIN as_challenges c USING (challenge_id) WHERE h.hash = ?`, hash(handle)).
			Scan(&challenge, &email, &codeHash, &expires, &attempts, &usedBy)
		if errors.Is(err, sql.ErrNoRows) {
			f = expired
			return nil
		}
		if err != nil {
			return err
		}
		tooMany := &fault{http.StatusTooManyRequests, "OTP_TOO_MANY_ATTEMPTS", "Too many wrong codes. Ask for a new one."}
		switch {
		case expires <= s.now(), usedBy.String == hash(handle):
			f = expired
			return nil
		case usedBy.Valid:
			f = &fault{http.StatusBadRequest, "OTP_CHALLENGE_CONSUMED", "This code was already used. Ask for a new one."}
			return nil
		case attempts >= maxAttempts:
			f = tooMany
			return nil
		}
		code = strings.TrimSpace(code)
		wellFormed := len(code) == 8 && strings.Trim(code, digits) == ""
		if !wellFormed || hash(code) != codeHash {
			f = &fault{http.StatusBadRequest, "OTP_CODE_INVALID", "This is not the code. Check it and try again."}
			if !wellFormed {
				return nil // a slip of the keyboard is not a guess
			}
			if attempts+1 >= maxAttempts {
				f = tooMany
			}
			_, err := tx.ExecContext(ctx, `UPDATE as_challenges SET attempts = attempts + 1 WHERE challenge_id = ?`, challenge)
			return err
		}
		if f = s.checkAccount(ctx, tx, email); f != nil {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `UPDATE as_challenges SET used_by = ? WHERE challenge_id = ?`, hash(handle), challenge); err != nil {
			return err
		}
		userID, err = addUser(ctx, tx, email, s.now())
		return err
	})
	if err != nil {
		return "", internalFault()
	}
	return userID, f
}

func (s *Service) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
