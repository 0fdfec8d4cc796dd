// Package pacecraft is PaceCraft's remote MCP service on SQLite, as its public
// page describes it: reading everything in a workspace, writing documents and
// nothing else, personal access tokens instead of OAuth. It exists so that the
// relay and its users can try all of it on this machine, against a server that
// really stores what it is told.
//
// It refuses to know HTTP. The endpoint's rules (POST only, JSON answers, 401)
// are the front's; this package starts where a token and a workspace parameter
// have been read from the request. What people and assistants read in its
// answers is Indonesian, like the original's.
//
// The way of a call:
//
//	Authenticate ─▶ Account ─▶ Call ─ tool known? ─ workspace ─ refused tool? ─ arguments ─▶ run in that workspace
//
// Every statement a tool runs names the workspace, so that no id of another
// workspace, though of the same account, finds anything.
package pacecraft

import (
	"context"
	crand "crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"bridge/internal/sandbox/journal"
)

// Options of a Service. The zero value is ready for use.
type Options struct {
	// Now is the clock for deadlines and time stamps; nil means time.Now.
	Now func() time.Time
}

// Service is one PaceCraft. It is safe for concurrent use, also by several
// processes on one database file.
type Service struct {
	db  *sql.DB
	now func() time.Time
	// writing lets one writer of this process in at a time. SQLite would sort
	// them out too, but by polling.
	writing sync.Mutex
}

// Open makes the tables (all named pc_…) if they are missing and returns the
// service. It sets the database's journal to journal.Mode(), with which a killed process
// loses nothing that was answered. The caller keeps and closes db, which may
// hold other tables and may be limited to one connection.
func Open(ctx context.Context, db *sql.DB, opts Options) (*Service, error) {
	s := &Service{db: db, now: opts.Now}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("open the PaceCraft tables: %w", err)
	}
	return s, nil
}

// busyTimeout is how long SQLite waits for another process's write, in milliseconds.
const busyTimeout = "PRAGMA busy_timeout = 10000"

func (s *Service) prepare(ctx context.Context) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, busyTimeout+"; PRAGMA journal_mode = "+journal.Mode())
	if err := errors.Join(err, conn.Close()); err != nil {
		return err
	}
	return s.write(ctx, func(t *tx) error { return t.migrate(ctx) })
}

// tx is one write transaction. Its time stands still.
type tx struct {
	conn  *sql.Conn
	now   time.Time
	newID func(prefix string) string
}

// write runs f in a transaction that has the write lock from the start, so that
// it never fails halfway for want of it. An error of f, a panic or a canceled
// ctx leaves the database as it was.
func (s *Service) write(ctx context.Context, f func(*tx) error) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, busyTimeout); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			// The connection goes back to a pool; the transaction must end
			// even when ctx has.
			_, rerr := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			err = errors.Join(err, rerr)
		}
	}()
	if err := f(&tx{conn: conn, now: s.now(), newID: randomID}); err != nil {
		return err
	}
	if _, err := conn.ExecContext(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return err
	}
	committed = true
	return nil
}

func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.conn.ExecContext(ctx, query, args...)
	return err
}

// randomID returns an id that nobody can guess: prefix, _ and 16 letters or digits.
func randomID(prefix string) string {
	return prefix + "_" + strings.ToLower(crand.Text()[:16])
}
