package nibomo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bridge/internal/sandbox/nibomo/dialect"
	"bridge/internal/sandbox/rpc"
)

// writeResult is one statement of sql_execute.
type writeResult struct {
	Kind     string            `json:"statementType"`
	Resource string            `json:"resource"`
	Rows     []json.RawMessage `json:"rows"`
	Affected int               `json:"affectedCount"`
}

type singleWrite struct {
	writeResult
	NoRows    bool   `json:"rowsOmitted"`
	NoSQL     bool   `json:"sqlOmitted"`
	SQL       string `json:"sql"`
	Normal    string `json:"normalizedSql"`
	Workspace string `json:"workspaceId"`
}

func (s *Service) sqlExecute(ctx context.Context, conn Connection, a arguments) (json.RawMessage, string, error) {
	ws, id, err := s.resolve(ctx, conn, a.workspaceID)
	if err != nil {
		return nil, "", err
	}
	list, parts, err := parseBatch(a.sql)
	if err != nil {
		return nil, "", err
	}
	for _, st := range list {
		if st.Reads() {
			return nil, "", sqlFault(codeSQL, "sql_execute is write-only and accepts only INSERT, UPDATE, and DELETE statements. Use sql_query for SHOW TABLES, DESCRIBE, SHOW COLUMNS, and SELECT.")
		}
	}
	var results []writeResult
	total := 0
	err = s.exclusive(ctx, func(t *tx) error {
		if err := t.in(ctx, ws); err != nil {
			return err
		}
		for i, st := range list {
			res, err := t.write(ctx, st)
			if err != nil {
				if len(list) > 1 {
					err = inBatch(err, i+1, parts[i].Text())
				}
				return err
			}
			results = append(results, res)
			total += res.Affected
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	if len(list) == 1 {
		data, say := s.fitWrite(singleWrite{results[0], false, false, a.sql, list[0].Normalized(), id})
		return data, say, nil
	}
	data, say := s.fitBatch(batchResult{Kind: "batch", SQL: a.sql, Normal: normalized(list),
		Count: len(list), Affected: &total, Workspace: id}, results)
	return data, say, nil
}

const (
	sayWritten = "The change is saved. data.affectedCount is the number of rows. Without RETURNING, INSERT and UPDATE give identifiers only and DELETE gives no rows."
	sayBatch   = "All statements are saved, in one transaction. data.statements holds one result a statement."
	sayNoRows  = " The rows were left out because the result was too large; the change itself is saved, so do not repeat it. Read the rows back with sql_query if they are needed."
	sayNoSQL   = " The SQL was left out for the same reason."
)

// fitWrite drops rows, then the echo of the SQL, until the budget holds: what is
// committed cannot be refused for the size of its answer.
func (s *Service) fitWrite(res singleWrite) (json.RawMessage, string) {
	data, say := rpc.Marshal(res), sayWritten
	if tooLarge(s.envelope(data, say)) != nil && len(res.Rows) > 0 {
		res.Rows, res.NoRows = []json.RawMessage{}, true
		say += sayNoRows
		data = rpc.Marshal(res)
	}
	if tooLarge(s.envelope(data, say)) != nil {
		res.SQL, res.Normal, res.NoSQL = "", "", true
		say += sayNoSQL
		data = rpc.Marshal(res)
	}
	return data, say
}

func (s *Service) fitBatch(res batchResult, results []writeResult) (json.RawMessage, string) {
	fill := func() json.RawMessage {
		res.Statements = nil
		for _, r := range results {
			if res.NoRows {
				r.Rows = []json.RawMessage{}
			}
			res.Statements = append(res.Statements, r)
		}
		return rpc.Marshal(res)
	}
	rows := 0
	for _, r := range results {
		rows += len(r.Rows)
	}
	data, say := fill(), sayBatch
	if tooLarge(s.envelope(data, say)) != nil && rows > 0 {
		res.NoRows = true
		say += sayNoRows
		data = fill()
	}
	if tooLarge(s.envelope(data, say)) != nil {
		res.SQL, res.Normal, res.NoSQL = "", "", true
		say += sayNoSQL
		data = fill()
	}
	return data, say
}

// write runs one statement that changes rows.
func (t *tx) write(ctx context.Context, st dialect.Statement) (writeResult, error) {
	if err := dialect.Check(st); err != nil {
		return writeResult{}, err
	}
	var r *dialect.Resource
	var rows []*dialect.Row
	var ret *dialect.Returning
	var err error
	switch st := st.(type) {
	case *dialect.Insert:
		r, ret = st.Resource, st.Returning
		rows, err = t.insert(ctx, st)
	case *dialect.Update:
		r, ret = st.Resource, st.Returning
		rows, err = t.update(ctx, st)
	case *dialect.Delete:
		r, ret = st.Resource, st.Returning
		rows, err = t.remove(ctx, st)
	default:
		err = errors.New("not a write")
	}
	if err != nil {
		return writeResult{}, err
	}
	res := writeResult{Kind: st.Kind(), Resource: r.Name, Rows: []json.RawMessage{}, Affected: len(rows)}
	columns := []*dialect.Column{r.ID()}
	switch {
	case ret == nil && st.Kind() == "delete":
		return res, nil
	case ret != nil && ret.Columns == nil:
		columns = nil
		for i := range r.Columns {
			columns = append(columns, &r.Columns[i])
		}
	case ret != nil:
		columns = ret.Columns
	}
	for _, row := range rows {
		var names []string
		var values []any
		for _, c := range columns {
			names = append(names, c.Name)
			values = append(values, row.Value(c))
		}
		res.Rows = append(res.Rows, object(names, values))
	}
	return res, nil
}

// values are the columns that a caller may set.
type values struct {
	front, back, kind, name *string
	tags                    []string // nil when not set
}

// gather reads the assigned values and refuses wrong types.
func gather(columns []*dialect.Column, given []any) (values, error) {
	var v values
	for i, c := range columns {
		if list, ok := given[i].([]string); ok {
			v.tags = distinct(list)
			continue
		}
		s, ok := given[i].(string)
		if !ok {
			return v, sqlFault(codeSQL, c.Name+" must be a string")
		}
		switch c.Name {
		case "front_text":
			if s = strings.TrimSpace(s); s == "" {
				return v, faultf(codeFailed, "frontText must not be empty")
			}
			v.front = &s
		case "back_text":
			s = strings.TrimSpace(s)
			v.back = &s
		case "card_type":
			if s = strings.TrimSpace(s); s == "" {
				s = "basic"
			}
			v.kind = &s
		case "name":
			if s = strings.TrimSpace(s); s == "" {
				return v, faultf(codeFailed, "name must not be empty")
			}
			v.name = &s
		}
	}
	return v, nil
}

func distinct(tags []string) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, tag := range tags {
		if !seen[tag] {
			seen[tag] = true
			out = append(out, tag)
		}
	}
	return out
}

func (t *tx) insert(ctx context.Context, st *dialect.Insert) ([]*dialect.Row, error) {
	var ns []int64
	for _, given := range st.Rows {
		v, err := gather(st.Columns, given)
		if err != nil {
			return nil, err
		}
		var n int64
		if st.Resource.Name == "cards" {
			n, err = t.insertCard(ctx, v)
		} else {
			n, err = t.insertDeck(ctx, v)
		}
		if err != nil {
			return nil, err
		}
		ns = append(ns, n)
	}
	return t.record(ctx, st.Resource, ns, len(ns), false)
}

func (t *tx) insertCard(ctx context.Context, v values) (int64, error) {
	if v.front == nil {
		return 0, sqlFault(codeSQL, "front_text is required for INSERT INTO cards")
	}
	if v.back == nil {
		return 0, sqlFault(codeSQL, "back_text is required for INSERT INTO cards")
	}
	kind := "basic"
	if v.kind != nil {
		kind = *v.kind
	}
	return t.newCard(ctx, card{ID: t.s.opts.NewID(), Front: *v.front, Back: *v.back, Kind: kind, Tags: distinct(v.tags), Created: t.now})
}

func (t *tx) insertDeck(ctx context.Context, v values) (int64, error) {
	if v.name == nil {
		return 0, sqlFault(codeSQL, "name is required for INSERT INTO decks")
	}
	return t.newDeck(ctx, t.s.opts.NewID(), *v.name, distinct(v.tags), t.now)
}

// targets finds the rows of an UPDATE or DELETE.
func (t *tx) targets(ctx context.Context, r *dialect.Resource, where dialect.Expr, verb string) ([]int64, error) {
	env := dialect.Env{Workspace: t.ws, Now: t.now}
	var ns []int64
	var ids []string
	held, err := t.s.withTable(ctx, t.conn, t.ws, r, func(table *dialect.Table) { ids = table.IDs(where, env, t.overlay(r)) })
	if err != nil {
		return nil, err
	}
	if held {
		if ns, err = t.numbers(ctx, r, ids); err != nil {
			return nil, err
		}
	}
	if !held {
		q := dialect.Targets(r, where, env)
		rows, err := collect(ctx, t.conn, 1, q.SQL, q.Args...)
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

func (t *tx) update(ctx context.Context, st *dialect.Update) ([]*dialect.Row, error) {
	ns, err := t.targets(ctx, st.Resource, st.Where, "UPDATE")
	if err != nil || len(ns) == 0 {
		return nil, err
	}
	var columns []*dialect.Column
	var given []any
	for _, a := range st.Set {
		columns, given = append(columns, a.Column), append(given, a.Value)
	}
	v, err := gather(columns, given)
	if err != nil {
		return nil, err
	}
	for _, n := range ns {
		if st.Resource.Name == "cards" {
			err = t.changeCard(ctx, n, v)
		} else {
			err = t.changeDeck(ctx, n, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return t.record(ctx, st.Resource, ns, 0, false)
}

func (t *tx) remove(ctx context.Context, st *dialect.Delete) ([]*dialect.Row, error) {
	ns, err := t.targets(ctx, st.Resource, st.Where, "DELETE")
	if err != nil || len(ns) == 0 {
		return nil, err
	}
	// RETURNING gives the rows as they were.
	rows, err := t.record(ctx, st.Resource, ns, -len(ns), true)
	if err != nil {
		return nil, err
	}
	for _, n := range ns {
		if st.Resource.Name == "cards" {
			if err = t.exec(ctx, "DELETE FROM nb_card_tag WHERE n = ?", n); err == nil {
				err = t.exec(ctx, "UPDATE nb_card SET deleted_at = ?, updated_at = ? WHERE n = ?", t.now, t.now, n)
			}
		} else {
			err = t.exec(ctx, "UPDATE nb_deck SET deleted_at = ?, updated_at = ? WHERE n = ?", t.now, t.now, n)
		}
		if err != nil {
			return nil, fmt.Errorf("delete: %w", err)
		}
	}
	return rows, nil
}

// record reads rows that were changed or are about to go, notes them for the
// shelf, and corrects the workspace's count by delta.
func (t *tx) record(ctx context.Context, r *dialect.Resource, ns []int64, delta int, gone bool) ([]*dialect.Row, error) {
	rows, err := readRows(ctx, t.conn, r, r.Numbered(ns))
	if err != nil {
		return nil, fmt.Errorf("read rows back: %w", err)
	}
	for _, row := range rows {
		t.changes = append(t.changes, change{r.Name, row, gone})
	}
	if delta != 0 {
		column := counted(r.Name)
		err = t.exec(ctx, "UPDATE nb_workspace SET "+column+" = "+column+" + ? WHERE ws = ?", delta, t.ws)
		if err != nil {
			return nil, fmt.Errorf("count rows: %w", err)
		}
	}
	return rows, nil
}
