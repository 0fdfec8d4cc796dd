package nibomo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bridge/internal/sandbox/nibomo/dialect"
)

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
