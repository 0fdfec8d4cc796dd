package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Row is one row of a resource, held in memory. It is immutable.
type Row struct {
	V    []any    // as Output.Decode gives them, in the order of the columns
	fold []string // lower case of String and Strings columns
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
func (t *Table) IDs(where Expr, env Env) []string {
	test := t.test(where, env)
	var ids []string
	for _, row := range t.rows {
		if test(row, "") {
			if ids = append(ids, row.V[t.id].(string)); len(ids) > MaxRows {
				break
			}
		}
	}
	return ids
}

// hit is a row, or one of its tags.
type hit struct {
	row *Row
	tag string
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
	return strings.ToLower(h.tag)
}

// Select runs st and gives its rows, in the columns of Output, and the number
// of rows that there are without LIMIT and OFFSET.
func (t *Table) Select(st *Select, env Env) (rows [][]any, total int) {
	test := t.test(st.Where, env)
	hits := make([]hit, 0, 256)
	tags := t.r.Column("tags")
	for _, row := range t.rows {
		if st.Unnest == nil {
			if test(row, "") {
				hits = append(hits, hit{row: row})
			}
			continue
		}
		for _, tag := range row.V[tags.index].([]string) {
			if test(row, tag) {
				hits = append(hits, hit{row, tag})
			}
		}
	}
	if st.Grouped() {
		return groupSelect(st, hits)
	}
	var less func(a, b int) int
	if len(st.OrderBy) > 0 {
		keys := make([]*Column, len(st.OrderBy))
		for i, o := range st.OrderBy {
			_, keys[i], _ = st.target(o.Name) // Check has seen to the error
		}
		less = func(a, b int) int {
			for i, c := range keys {
				if d := compareHits(c, hits[a], hits[b]); d != 0 {
					return flip(d, st.OrderBy[i].Desc)
				}
			}
			return 0
		}
	}
	items := st.items()
	for _, i := range page(len(hits), st.limit(), st.Offset, st.Random, less) {
		out := make([]any, len(items))
		for k, item := range items {
			out[k] = hits[i].value(item.Column)
		}
		rows = append(rows, out)
	}
	return rows, len(hits)
}

func flip(d int, desc bool) int {
	if desc {
		return -d
	}
	return d
}

func compareHits(c *Column, a, b hit) int {
	return compareValues(a.value(c), b.value(c), func() (string, string) { return a.fold(c), b.fold(c) }, c.Type)
}

// compareValues orders two values of one column; nil comes first. folds gives
// lower case where the type has it.
func compareValues(a, b any, folds func() (string, string), t Type) int {
	if a == nil || b == nil {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return -1
		}
		return 1
	}
	switch t {
	case String:
		x, y := folds()
		if d := cmp.Compare(x, y); d != 0 {
			return d
		}
		return cmp.Compare(a.(string), b.(string))
	case Strings:
		x, y := folds()
		return cmp.Compare(x, y)
	}
	switch x := a.(type) {
	case string:
		return cmp.Compare(x, b.(string))
	case int64:
		return cmp.Compare(x, b.(int64))
	case float64:
		return cmp.Compare(x, b.(float64))
	case bool:
		return cmp.Compare(asText(x), asText(b))
	}
	return 0
}

// test makes a function of a condition. tag is the unnested one.
func (t *Table) test(e Expr, env Env) func(row *Row, tag string) bool {
	switch e := e.(type) {
	case *Bool:
		tests := make([]func(*Row, string) bool, len(e.Args))
		for i, a := range e.Args {
			tests[i] = t.test(a, env)
		}
		return func(row *Row, tag string) bool {
			for _, f := range tests {
				if f(row, tag) == e.Or {
					return e.Or
				}
			}
			return !e.Or
		}
	case *Match:
		needle := query(e)
		return func(row *Row, _ string) bool { return strings.Contains(row.hay, needle) }
	case *Compare:
		return compareTest(e, env)
	case *Like:
		return likeTest(e)
	case *In:
		return inTest(e)
	case *Null:
		return func(row *Row, tag string) bool { return (hit{row, tag}.value(e.Column) != nil) == e.Not }
	case *SameTags:
		want := slices.Sorted(slices.Values(e.Values))
		return func(row *Row, _ string) bool {
			have := row.V[e.Column.index].([]string)
			return len(have) == len(want) && slices.Equal(slices.Sorted(slices.Values(have)), want)
		}
	case *Overlap:
		return func(row *Row, _ string) bool {
			for _, tag := range row.V[e.Column.index].([]string) {
				if slices.Contains(e.Values, tag) {
					return true
				}
			}
			return false
		}
	}
	return func(*Row, string) bool { return true } // no WHERE
}

func compareTest(e *Compare, env Env) func(*Row, string) bool {
	v, c := e.Value, e.Column
	if _, ok := v.(Now); ok {
		v = env.Now
	}
	never := func(*Row, string) bool { return false }
	if e.Op == "=" {
		switch {
		case v == nil:
			return func(row *Row, tag string) bool { return hit{row, tag}.value(c) == nil }
		case !sameType(c.Type, v):
			return never
		}
		if s, ok := v.(string); ok {
			return func(row *Row, tag string) bool { x, ok := hit{row, tag}.value(c).(string); return ok && x == s }
		}
		return func(row *Row, tag string) bool {
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
	return func(row *Row, tag string) bool {
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

func likeTest(e *Like) func(*Row, string) bool {
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
	return func(row *Row, tag string) bool {
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

func inTest(e *In) func(*Row, string) bool {
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
	return func(row *Row, tag string) bool {
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

// aggregate is one value of one group on the way.
type aggregate struct {
	n    int64
	i    int64
	f    float64
	best any
	fold string
}

type group struct {
	first hit
	at    int // of its aggregates
}

func groupSelect(st *Select, hits []hit) (rows [][]any, total int) {
	items := st.Items
	var groups []group
	var aggs []aggregate
	add := func(h hit) int {
		groups = append(groups, group{h, len(aggs)})
		aggs = append(aggs, make([]aggregate, len(items))...)
		return len(groups) - 1
	}
	index := map[string]int{}
	if len(st.GroupBy) == 0 {
		add(hit{})
	}
	var key []byte
	for _, h := range hits {
		g := 0
		if len(st.GroupBy) > 0 {
			key = key[:0]
			for _, c := range st.GroupBy {
				key = appendKey(key, h.value(c))
			}
			var ok bool
			if g, ok = index[string(key)]; !ok {
				g = add(h)
				index[string(key)] = g
			}
		}
		for i, item := range items {
			if item.Func != "" {
				aggs[groups[g].at+i].take(item, h)
			}
		}
	}
	var less func(a, b int) int
	if len(st.OrderBy) > 0 {
		less = func(a, b int) int {
			for _, o := range st.OrderBy {
				if d := compareGroups(st, groups, aggs, o.Name, a, b); d != 0 {
					return flip(d, o.Desc)
				}
			}
			return 0
		}
	}
	for _, g := range page(len(groups), st.limit(), st.Offset, st.Random, less) {
		out := make([]any, len(items))
		for i, item := range items {
			if item.Func == "" {
				out[i] = groups[g].first.value(item.Column)
			} else {
				out[i] = aggs[groups[g].at+i].result(item)
			}
		}
		rows = append(rows, out)
	}
	return rows, len(groups)
}

func appendKey(key []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		key = append(key, 'n')
	case []string:
		key = append(key, encode(x)...)
	case []int64:
		key = append(key, encode(x)...)
	case json.RawMessage:
		key = append(key, bytes.TrimSpace(x)...)
	default:
		key = append(append(key, 's'), asText(v)...)
	}
	return append(key, 0)
}

func (a *aggregate) take(item Item, h hit) {
	if item.Func == "count" {
		a.n++
		return
	}
	v := h.value(item.Column)
	switch item.Func {
	case "sum", "avg":
		switch x := v.(type) {
		case int64:
			a.n++
			a.i += x
		case float64:
			a.n++
			a.f += x
		}
		return
	}
	switch v.(type) {
	case string, int64, float64, bool:
	default:
		return
	}
	fold := ""
	if item.Column.Type == String {
		fold = h.fold(item.Column)
	}
	if a.best != nil {
		d := compareValues(v, a.best, func() (string, string) { return fold, a.fold }, item.Column.Type)
		if item.Func == "min" && d >= 0 || item.Func == "max" && d <= 0 {
			return
		}
	}
	a.best, a.fold = v, fold
}

func (a *aggregate) result(item Item) any {
	switch item.Func {
	case "count":
		return a.n
	case "sum":
		if item.Column.Type == Number {
			return a.f
		}
		return a.i
	case "avg":
		if a.n == 0 {
			return nil
		}
		return (float64(a.i) + a.f) / float64(a.n)
	}
	return a.best
}

func compareGroups(st *Select, groups []group, aggs []aggregate, name string, a, b int) int {
	item, c, _ := st.target(name)
	if item == nil || item.Func == "" {
		if item != nil {
			c = item.Column
		}
		return compareHits(c, groups[a].first, groups[b].first)
	}
	i := slices.IndexFunc(st.Items, func(x Item) bool { return x.Name == name })
	x, y := &aggs[groups[a].at+i], &aggs[groups[b].at+i]
	if item.Func != "min" && item.Func != "max" {
		p, q := x.result(*item), y.result(*item)
		if p == nil || q == nil {
			return compareValues(p, q, nil, Number)
		}
		return compareNumbers(p, q)
	}
	return compareValues(x.best, y.best, func() (string, string) { return x.fold, y.fold }, item.Column.Type)
}

// page gives the positions at [offset, offset+limit) of n things in the order of
// less, or of chance. It sorts no more than it must: a page out of 100,000 rows
// does not need the other rows in order.
func page(n, limit, offset int, random bool, less func(a, b int) int) []int {
	from := min(offset, n)
	to := min(from+limit, n)
	if from == to {
		return nil
	}
	if less == nil && !random {
		out := make([]int, 0, to-from)
		for i := from; i < to; i++ {
			out = append(out, i)
		}
		return out
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if random {
		shuffle(all, to)
		return all[from:to]
	}
	order := func(i, j int) bool {
		d := less(all[i], all[j])
		return d < 0 || d == 0 && all[i] < all[j]
	}
	narrow(all, order, from, to)
	part := all[from:to]
	sort.Slice(part, func(i, j int) bool { return order(from+i, from+j) })
	return part
}

// Value is the row's value of a column of its resource.
func (row *Row) Value(c *Column) any { return row.V[c.index] }
