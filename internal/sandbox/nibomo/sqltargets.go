package nibomo

import (
	"context"
	"fmt"

	"bridge/internal/sandbox/nibomo/dialect"
	"bridge/internal/sandbox/rpc"
)

// targets finds the rows of an UPDATE or DELETE.
func (t *tx) targets(ctx context.Context, r *dialect.Resource, where dialect.Expr, verb string) ([]int64, error) {
	env := dialect.Env{Workspace: t.ws, Now: t.now, Done: ctx.Done()}
	var ns []int64
	var ids []string
	// Only what is in memory by now: to load it here would take in rows that may
	// yet be undone.
	version, held, err := t.s.version(ctx, t.conn, t.ws, r)
	if err != nil {
		return nil, err
	}
	if held {
		held = t.s.ifHeld(t.ws, r, version, func(table *dialect.Table) { ids = table.IDs(where, env, t.overlay(r)) })
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if held {
		if ns, err = t.numbers(ctx, r, ids); err != nil {
			return nil, err
		}
	}
	if !held {
		q := dialect.Targets(r, where, env)
		rows, err := collect(ctx, t.conn.raw, 1, q.SQL, q.Args...)
		if err != nil {
			return nil, fmt.Errorf("find rows: %w", err)
		}
		for _, row := range rows {
			n, _ := row[0].(int64)
			ns = append(ns, n)
		}
	}
	if len(ns) > dialect.MaxRows {
		return nil, sqlFault(codeSQL, fmt.Sprintf("%s may affect at most %d records per statement", verb, dialect.MaxRows))
	}
	return ns, nil
}

// overlay is what this transaction did to r, which memory does not know yet.
func (t *tx) overlay(r *dialect.Resource) map[string]*dialect.Row {
	rows := map[string]*dialect.Row{}
	for _, c := range t.changes {
		if c.resource != r.Name {
			continue
		}
		id, _ := c.row.Value(r.ID()).(string)
		if rows[id] = c.row; c.gone {
			rows[id] = nil
		}
	}
	return rows
}

// numbers turns identifiers into row numbers.
func (t *tx) numbers(ctx context.Context, r *dialect.Resource, ids []string) ([]int64, error) {
	query := "SELECT n FROM nb_card WHERE ws = ? AND card_id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL"
	if r.Name == "decks" {
		query = "SELECT n FROM nb_deck WHERE ws = ? AND deck_id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL"
	}
	rows, err := collect(ctx, t.conn, 1, query, t.ws, string(rpc.Marshal(append([]string{}, ids...))))
	if err != nil {
		return nil, fmt.Errorf("find rows: %w", err)
	}
	var ns []int64
	for _, row := range rows {
		n, _ := row[0].(int64)
		ns = append(ns, n)
	}
	return ns, nil
}
