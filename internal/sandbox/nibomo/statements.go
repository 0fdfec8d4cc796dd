package nibomo

import (
	"context"
	"database/sql"
	"sync"
)

// statements keeps the service's own statements prepared: to read the text of one
// takes SQLite longer than to run it. Text that a caller had a part in is not
// kept, so that there are never more than the program has.
type statements struct {
	db     *sql.DB
	mu     sync.Mutex
	ready  map[string]*sql.Stmt
	wanted map[string]bool
}

// find gives a statement, or nil for one that prepare is yet to make.
func (p *statements) find(query string) *sql.Stmt {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := p.ready[query]
	if st == nil {
		p.wanted[query] = true
	}
	return st
}

// prepare makes what was wanted. The caller holds no connection: there may be
// only one.
func (p *statements) prepare(ctx context.Context) {
	for query := range p.take() {
		st, err := p.db.PrepareContext(ctx, query)
		if err != nil {
			continue // whoever runs it next is told
		}
		if !p.keep(query, st) {
			st.Close()
		}
	}
}

// keep says whether nobody was faster.
func (p *statements) keep(query string, st *sql.Stmt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ready[query] != nil {
		return false
	}
	p.ready[query] = st
	return true
}

func (p *statements) take() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.wanted) == 0 {
		return nil
	}
	wanted := p.wanted
	p.wanted = map[string]bool{}
	return wanted
}

// querier reads with the service's own statements.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// loose is a querier outside of any transaction.
type loose struct{ *statements }

func (q loose) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if st := q.find(query); st != nil {
		return st.QueryContext(ctx, args...)
	}
	return q.db.QueryContext(ctx, query, args...)
}

func (q loose) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if st := q.find(query); st != nil {
		return st.QueryRowContext(ctx, args...)
	}
	return q.db.QueryRowContext(ctx, query, args...)
}

// within is a querier in a transaction, which raw is without the statements.
type within struct {
	*statements
	raw *sql.Tx
}

func (q within) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if st := q.find(query); st != nil {
		return q.raw.StmtContext(ctx, st).QueryContext(ctx, args...)
	}
	return q.raw.QueryContext(ctx, query, args...)
}

func (q within) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if st := q.find(query); st != nil {
		return q.raw.StmtContext(ctx, st).QueryRowContext(ctx, args...)
	}
	return q.raw.QueryRowContext(ctx, query, args...)
}

func (q within) exec(ctx context.Context, query string, args ...any) error {
	if st := q.find(query); st != nil {
		_, err := q.raw.StmtContext(ctx, st).ExecContext(ctx, args...)
		return err
	}
	_, err := q.raw.ExecContext(ctx, query, args...)
	return err
}
