package nibomo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"bridge/internal/sandbox/nibomo/dialect"
)

// errCommit says that the end of a transaction failed, so that nobody can tell
// whether it holds.
var errCommit = errors.New("commit failed")

// tx is the one write transaction.
type tx struct {
	conn within
	s    *Service
	now  string // all rows of one transaction carry one time

	ws      int64 // the workspace that changes; 0 for none
	version int64 // of ws, before
	changes []change
}

// change is one row that a commit puts into, or takes out of, the shelf.
type change struct {
	resource string
	row      *dialect.Row
	gone     bool
}

// exclusive runs f in a transaction that no other writer can interrupt. An
// error, or the end of ctx, undoes all of it.
func (s *Service) exclusive(ctx context.Context, f func(*tx) error) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Close()
	// A call that is given up must not end the transaction behind our back.
	always := context.WithoutCancel(ctx)
	raw, err := conn.BeginTx(always, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	done := false
	defer func() {
		if !done { // also after a panic
			_ = raw.Rollback()
		}
	}()
	t := &tx{conn: within{s.statements, raw}, s: s, now: stamp(s.now())}
	// Other programs, and the sandbox's other services, may write too.
	if err := t.exec(ctx, "PRAGMA busy_timeout = 10000"); err != nil {
		return fmt.Errorf("set the time to wait: %w", err)
	}
	// This deletes nothing, but it takes the right to write, before anything is read
	// that another could change.
	if err := t.exec(ctx, "DELETE FROM nb_meta WHERE key IS NULL"); err != nil {
		return fmt.Errorf("begin to write: %w", err)
	}
	if err := f(t); err != nil {
		return err
	}
	if len(t.changes) > 0 {
		const q = "UPDATE nb_workspace SET version = version + 1, last_activity_at = ? WHERE ws = ?"
		if err := t.exec(ctx, q, t.now, t.ws); err != nil {
			return fmt.Errorf("note the change: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	done = true
	if err := raw.Commit(); err != nil { // which then undoes
		s.forget(t.ws)
		return fmt.Errorf("%w: %w", errCommit, err)
	}
	s.apply(t)
	return nil
}

// in says which workspace the transaction changes.
func (t *tx) in(ctx context.Context, ws int64) error {
	t.ws = ws
	err := t.conn.QueryRowContext(ctx, "SELECT version FROM nb_workspace WHERE ws = ?", ws).Scan(&t.version)
	if err != nil {
		return fmt.Errorf("read workspace: %w", err)
	}
	return nil
}

func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	return t.conn.exec(ctx, query, args...)
}

// reading begins a transaction that sees one moment and holds up no writer. The
// caller rolls it back.
func (s *Service) reading(ctx context.Context) (within, error) {
	t, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return within{}, fmt.Errorf("begin: %w", err)
	}
	return within{s.statements, t}, nil
}

// collect reads all rows as SQLite gives them.
func collect(ctx context.Context, q querier, width int, query string, args ...any) ([][]any, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]any
	for rows.Next() {
		row := make([]any, width)
		into := make([]any, width)
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}
