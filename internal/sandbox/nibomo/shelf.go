package nibomo

import (
	"context"
	"fmt"

	"bridge/internal/sandbox/nibomo/dialect"
)

// shelf is one workspace's larger resources as they were at version, in memory.
// SQLite remains the truth: the version in the database is read before every
// use, and a commit of ours moves both.
type shelf struct {
	version int64
	tables  map[string]*dialect.Table
}

// counted names the column of nb_workspace that counts a resource.
func counted(resource string) string {
	switch resource {
	case "cards":
		return "cards"
	case "decks":
		return "decks"
	case "review_events":
		return "reviews"
	}
	return ""
}

// withTable calls f with the resource from memory if it is large enough to be
// held there, and says whether it did.
//
// q is the database, or the transaction that the caller is in.
func (s *Service) withTable(ctx context.Context, q querier, ws int64, r *dialect.Resource, f func(*dialect.Table)) (bool, error) {
	column := counted(r.Name)
	if column == "" || s.opts.MemoryFrom < 0 {
		return false, nil
	}
	s.mu.RLock()
	table, large, err := s.current(ctx, q, ws, r, column)
	if err == nil && table != nil {
		f(table)
	}
	s.mu.RUnlock()
	if err != nil || table != nil || !large {
		return table != nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if table, _, err = s.current(ctx, q, ws, r, column); err != nil {
		return false, err
	}
	if table == nil {
		if table, err = s.load(ctx, q, ws, r); err != nil {
			return false, err
		}
	}
	f(table)
	return true, nil
}

// current gives the table if it is there and not out of date.
func (s *Service) current(ctx context.Context, q querier, ws int64, r *dialect.Resource, column string) (table *dialect.Table, large bool, err error) {
	var rows, version int64
	err = q.QueryRowContext(ctx, "SELECT "+column+", version FROM nb_workspace WHERE ws = ?", ws).Scan(&rows, &version)
	if err != nil {
		return nil, false, fmt.Errorf("read workspace: %w", err)
	}
	if rows < int64(s.opts.MemoryFrom) {
		return nil, false, nil
	}
	if sh := s.shelf[ws]; sh != nil && sh.version == version {
		return sh.tables[r.Name], true, nil
	}
	return nil, true, nil
}

// load reads a resource into memory. The caller holds s.mu.
func (s *Service) load(ctx context.Context, q querier, ws int64, r *dialect.Resource) (*dialect.Table, error) {
	if q == querier(s.db) {
		// One read transaction: the version and the rows belong together.
		t, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", r.Name, err)
		}
		defer func() { _ = t.Rollback() }()
		q = t
	}
	var version int64
	if err := q.QueryRowContext(ctx, "SELECT version FROM nb_workspace WHERE ws = ?", ws).Scan(&version); err != nil {
		return nil, fmt.Errorf("load %s: %w", r.Name, err)
	}
	rows, err := readRows(ctx, q, r, r.All(ws))
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", r.Name, err)
	}
	sh := s.shelf[ws]
	if sh == nil || sh.version != version {
		sh = &shelf{version: version, tables: map[string]*dialect.Table{}}
		s.shelf[ws] = sh
	}
	table := dialect.NewTable(r, rows)
	sh.tables[r.Name] = table
	return table, nil
}

// readRows runs a query that selects all columns of r in their order.
func readRows(ctx context.Context, q querier, r *dialect.Resource, query dialect.Query) ([]*dialect.Row, error) {
	raw, err := collect(ctx, q, len(r.Columns), query.SQL, query.Args...)
	if err != nil {
		return nil, err
	}
	out := make([]*dialect.Row, len(raw))
	for i, v := range raw {
		for k := range v {
			v[k] = dialect.Output{Type: r.Columns[k].Type}.Decode(v[k])
		}
		out[i] = dialect.NewRow(r, v)
	}
	return out, nil
}

// apply brings the shelf up to a commit. The caller holds s.mu.
func (s *Service) apply(t *tx) {
	sh := s.shelf[t.ws]
	if sh == nil || len(t.changes) == 0 {
		return
	}
	if sh.version != t.version {
		delete(s.shelf, t.ws) // somebody else wrote in between
		return
	}
	sh.version++
	for _, c := range t.changes {
		table := sh.tables[c.resource]
		switch {
		case table == nil:
		case c.gone:
			table.Delete(c.row)
		default:
			table.Put(c.row)
		}
	}
}
