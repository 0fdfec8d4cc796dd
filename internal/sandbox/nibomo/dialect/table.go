package dialect

import (
	"cmp"
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Row is one row of a resource, held in memory. It is immutable.
type Row struct {
	V    []any    // as Output.Decode gives them, in the order of the columns
	fold []string // lower case of String and Strings columns
	tags []any    // the strings of the Strings column, boxed once
	hay  string   // what MATCH searches: all values, NUL between them
}

// NewRow makes a row of r. The caller gives up v.
func NewRow(r *Resource, v []any) *Row {
	row := &Row{V: v, fold: make([]string, len(v))}
	var hay strings.Builder
	for i := range r.Columns {
		var s string
		switch x := v[i].(type) {
		case nil:
		case []string:
			s = strings.ToLower(strings.Join(x, " "))
			row.fold[i] = s
			for _, tag := range x {
				row.tags = append(row.tags, tag)
			}
		case []int64:
			for k, n := range x {
				if k > 0 {
					s += " "
				}
				s += strconv.FormatInt(n, 10)
			}
		case json.RawMessage:
			s = strings.ToLower(string(x))
		default:
			s = strings.ToLower(asText(x))
			if r.Columns[i].Type == String {
				row.fold[i] = s
			}
		}
		hay.WriteString(s)
		hay.WriteByte(0)
	}
	row.hay = hay.String()
	return row
}

// Table holds all visible rows of one resource of one workspace in the order
// that a SELECT without ORDER BY gives. Select may be called concurrently with
// itself, not with Put or Delete.
type Table struct {
	r    *Resource
	rows []*Row
	id   int
	made int // the column that is compared first, descending
	desc bool
}

// NewTable makes a table; rows may be in any order and are owned by it.
func NewTable(r *Resource, rows []*Row) *Table {
	t := &Table{r: r, rows: rows, id: r.ID().index, desc: r.Name != "cards"}
	made := "created_at"
	if r.Name == "review_events" {
		made = "reviewed_at_server"
	}
	t.made = r.Column(made).index
	slices.SortFunc(t.rows, t.compare)
	return t
}

func (t *Table) compare(a, b *Row) int {
	if c := cmp.Compare(b.V[t.made].(string), a.V[t.made].(string)); c != 0 {
		return c
	}
	c := cmp.Compare(a.V[t.id].(string), b.V[t.id].(string))
	if t.desc {
		return -c
	}
	return c
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Put adds a row, or replaces the one with the same id and creation time.
func (t *Table) Put(row *Row) {
	i, found := slices.BinarySearchFunc(t.rows, row, t.compare)
	if found {
		t.rows[i] = row
		return
	}
	t.rows = slices.Insert(t.rows, i, row)
}

// Delete removes the row with the same id and creation time.
func (t *Table) Delete(row *Row) {
	if i, found := slices.BinarySearchFunc(t.rows, row, t.compare); found {
		t.rows = slices.Delete(t.rows, i, i+1)
	}
}

// IDs lists the rows that an UPDATE or DELETE affects, one more than it may.
// overlay has rows as they are by now, by identifier: nil for one that is gone.
func (t *Table) IDs(where Expr, env Env, overlay map[string]*Row) []string {
	test := t.test(where, env)
	var ids []string
	for id, row := range overlay {
		if row != nil && test(row, nil) {
			ids = append(ids, id)
		}
	}
	for _, row := range t.rows {
		if len(ids) > MaxRows {
			break
		}
		if test(row, nil) {
			id := row.V[t.id].(string)
			if _, changed := overlay[id]; !changed {
				ids = append(ids, id)
			}
		}
	}
	return ids[:min(len(ids), MaxRows+1)]
}

// hit is a row, or one of its tags.
type hit struct {
	row *Row
	tag any // a string
}

func (h hit) value(c *Column) any {
	if c.index < len(h.row.V) {
		return h.row.V[c.index]
	}
	return h.tag
}

func (h hit) fold(c *Column) string {
	if c.index < len(h.row.V) {
		return h.row.fold[c.index]
	}
	tag, _ := h.tag.(string)
	return strings.ToLower(tag)
}

// hits are the rows of FROM that WHERE left, with their tags if there is UNNEST.
type hits struct {
	rows []*Row
	tags []any // nil without UNNEST
}

func (h hits) at(i int) hit {
	if h.tags == nil {
		return hit{row: h.rows[i]}
	}
	return hit{h.rows[i], h.tags[i]}
}

func (t *Table) find(st *Select, env Env) hits {
	switch {
	case st.Unnest != nil:
		test := t.test(st.Where, env)
		h := hits{make([]*Row, 0, len(t.rows)), make([]any, 0, len(t.rows))}
		for _, row := range t.rows {
			for _, tag := range row.tags {
				if test(row, tag) {
					h.rows, h.tags = append(h.rows, row), append(h.tags, tag)
				}
			}
		}
		return h
	case st.Where == nil:
		return hits{rows: t.rows}
	}
	return hits{rows: t.filter(t.test(st.Where, env))}
}

// filter looks at all rows, on all processors if there are many.
func (t *Table) filter(test func(*Row, any) bool) []*Row {
	parts := 1
	if len(t.rows) > 10_000 {
		parts = min(runtime.GOMAXPROCS(0), 8)
	}
	found := make([][]*Row, parts)
	size := (len(t.rows) + parts - 1) / parts
	var wg sync.WaitGroup
	for i := range parts {
		part := t.rows[min(i*size, len(t.rows)):min((i+1)*size, len(t.rows))]
		scan := func() {
			for _, row := range part {
				if test(row, nil) {
					found[i] = append(found[i], row)
				}
			}
		}
		if i == parts-1 {
			scan()
		} else {
			wg.Go(scan)
		}
	}
	wg.Wait()
	return slices.Concat(found...)
}

// Select runs st and gives its rows, in the columns of Output, and the number
// of rows that there are without LIMIT and OFFSET.
func (t *Table) Select(st *Select, env Env) (rows [][]any, total int) {
	found := t.find(st, env)
	if st.Grouped() {
		return groupSelect(st, found)
	}
	n := len(found.rows)
	var order *ordering
	if len(st.OrderBy) > 0 {
		keys := make([]*Column, len(st.OrderBy))
		for i, o := range st.OrderBy {
			_, keys[i], _ = st.target(o.Name) // Check has seen to the error
		}
		order = newOrdering(n, st.OrderBy, func(p, i int) key { return found.at(p).sortKey(keys[i]) },
			func(a, b int) int {
				for i, c := range keys {
					if d := compareHits(c, found.at(a), found.at(b)); d != 0 {
						return flip(d, st.OrderBy[i].Desc)
					}
				}
				return 0
			})
	}
	items := st.items()
	for _, i := range page(n, st.limit(), st.Offset, st.Random, order) {
		out := make([]any, len(items))
		for k, item := range items {
			out[k] = found.at(i).value(item.Column)
		}
		rows = append(rows, out)
	}
	return rows, n
}

// sortKey is what a column is ordered by first.
func (h hit) sortKey(c *Column) key {
	fold := ""
	if c.Type == String || c.Type == Strings {
		fold = h.fold(c)
	}
	return keyOf(h.value(c), fold, c.Type)
}

func flip(d int, desc bool) int {
	if desc {
		return -d
	}
	return d
}

func compareHits(c *Column, a, b hit) int {
	var x, y string
	if c.Type == String || c.Type == Strings {
		x, y = a.fold(c), b.fold(c)
	}
	return compareValues(a.value(c), b.value(c), x, y, c.Type)
}

// compareValues orders two values of one column; nil comes first. x and y are
// their lower case where the type has it.
func compareValues(a, b any, x, y string, t Type) int {
	if a == nil || b == nil {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return -1
		}
		return 1
	}
	if t == String || t == Strings {
		if d := cmp.Compare(x, y); d != 0 || t == Strings {
			return d
		}
	}
	if s, ok := a.(string); ok {
		return cmp.Compare(s, b.(string))
	}
	return compareNumbers(a, b)
}

// test makes a function of a condition. tag is the unnested one.
func (t *Table) test(e Expr, env Env) func(row *Row, tag any) bool {
	switch e := e.(type) {
	case *Bool:
		tests := make([]func(*Row, any) bool, len(e.Args))
		for i, a := range e.Args {
			tests[i] = t.test(a, env)
		}
		return func(row *Row, tag any) bool {
			for _, f := range tests {
				if f(row, tag) == e.Or {
					return e.Or
				}
			}
			return !e.Or
		}
	case *Match:
		needle := query(e)
		return func(row *Row, _ any) bool { return strings.Contains(row.hay, needle) }
	case *Compare:
		return compareTest(e, env)
	case *Like:
		return likeTest(e)
	case *In:
		return inTest(e)
	case *Null:
		return func(row *Row, tag any) bool { return (hit{row, tag}.value(e.Column) != nil) == e.Not }
	case *SameTags:
		return func(row *Row, _ any) bool {
			have, _ := row.V[e.Column.index].([]string) // all different
			if len(have) != len(e.Values) {
				return false
			}
			for _, tag := range have {
				if !slices.Contains(e.Values, tag) {
					return false
				}
			}
			return true
		}
	case *Overlap:
		return func(row *Row, _ any) bool {
			have, _ := row.V[e.Column.index].([]string)
			for _, tag := range have {
				if slices.Contains(e.Values, tag) {
					return true
				}
			}
			return false
		}
	}
	return func(*Row, any) bool { return true } // no WHERE
}

func compareTest(e *Compare, env Env) func(*Row, any) bool {
	v, c := e.Value, e.Column
	if _, ok := v.(Now); ok {
		v = env.Now
	}
	never := func(*Row, any) bool { return false }
	if e.Op == "=" {
		switch {
		case v == nil:
			return func(row *Row, tag any) bool { return hit{row, tag}.value(c) == nil }
		case !sameType(c.Type, v):
			return never
		}
		if s, ok := v.(string); ok {
			return func(row *Row, tag any) bool { x, ok := hit{row, tag}.value(c).(string); return ok && x == s }
		}
		return func(row *Row, tag any) bool {
			x := hit{row, tag}.value(c)
			return x != nil && compareNumbers(x, v) == 0
		}
	}
	if v == nil || c.Type == Strings || c.Type == Integers {
		return never
	}
	holds := func(d int) bool {
		switch e.Op {
		case "<":
			return d < 0
		case "<=":
			return d <= 0
		case ">":
			return d > 0
		}
		return d >= 0
	}
	s := asText(v)
	low := strings.ToLower(s)
	return func(row *Row, tag any) bool {
		h := hit{row, tag}
		x := h.value(c)
		switch {
		case x == nil:
			return false
		case c.Type == String:
			d := cmp.Compare(h.fold(c), low)
			if d == 0 {
				d = cmp.Compare(x.(string), s)
			}
			return holds(d)
		case !c.Type.text() && sameType(c.Type, v):
			return holds(compareNumbers(x, v))
		}
		return holds(cmp.Compare(asText(x), s))
	}
}

// compareNumbers orders numbers of either kind, and booleans.
func compareNumbers(a, b any) int {
	x, xi := a.(int64)
	y, yi := b.(int64)
	if xi && yi {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(asFloat(a), asFloat(b))
}

func asFloat(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
	}
	return 0
}

func likeTest(e *Like) func(*Row, any) bool {
	pattern := e.Pattern
	if e.Fold {
		pattern = strings.ToLower(pattern)
	}
	match := func(s string) bool { return LikeMatch(pattern, s) }
	// The commonest pattern, %word%, without a loop over characters.
	if n := len(pattern); n > 2 && pattern[0] == '%' && pattern[n-1] == '%' {
		if part := pattern[1 : n-1]; !strings.ContainsAny(part, "%_") && terminators(part) == 0 {
			match = func(s string) bool { return strings.Contains(s, part) && terminators(s) == 0 }
		}
	}
	if e.Fold && e.Column.Type == String { // never null
		return func(row *Row, tag any) bool { return match(hit{row, tag}.fold(e.Column)) != e.Not }
	}
	return func(row *Row, tag any) bool {
		h := hit{row, tag}
		s, ok := h.value(e.Column).(string)
		if !ok {
			return false
		}
		if e.Fold {
			s = h.lower(e.Column, s)
		}
		return match(s) != e.Not
	}
}

func (h hit) lower(c *Column, s string) string {
	if c.Type == String {
		return h.fold(c)
	}
	return strings.ToLower(s)
}

func inTest(e *In) func(*Row, any) bool {
	texts := map[string]bool{}
	numbers := map[float64]bool{}
	null := false
	for _, v := range e.Values {
		switch {
		case v == nil:
			null = true
		case !sameType(e.Column.Type, v):
		default:
			if s, ok := v.(string); ok {
				if e.Fold {
					s = strings.ToLower(s)
				}
				texts[s] = true
			} else {
				numbers[asFloat(v)] = true
			}
		}
	}
	return func(row *Row, tag any) bool {
		h := hit{row, tag}
		switch x := h.value(e.Column).(type) {
		case nil:
			return null && !e.Not
		case string:
			if e.Fold {
				x = h.lower(e.Column, x)
			}
			return texts[x] != e.Not
		case int64, float64, bool:
			return numbers[asFloat(x)] != e.Not
		}
		return false
	}
}

// Value is the row's value of a column of its resource.
func (row *Row) Value(c *Column) any { return row.V[c.index] }
