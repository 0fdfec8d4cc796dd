package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Query is SQLite text with its bound values.
type Query struct {
	SQL  string
	Args []any
}

// Env is what a statement does not say itself.
type Env struct {
	Workspace int64  // nb_workspace.ws
	Now       string // NOW(), in the form of stored timestamps
}

// compiler collects SQLite text. Everything written to it is a constant of this
// package; everything else goes through bind.
type compiler struct {
	b    strings.Builder
	args []any
	env  Env
}

func (c *compiler) put(parts ...string) {
	for _, s := range parts {
		c.b.WriteString(s)
	}
}

// bind adds a parameter and gives its placeholder.
func (c *compiler) bind(v any) string {
	c.args = append(c.args, v)
	return "?"
}

func (c *compiler) query() Query { return Query{c.b.String(), c.args} }

// from writes FROM and WHERE.
func (c *compiler) from(r *Resource, unnest *Column, where Expr) {
	c.put(" FROM ", r.from)
	if unnest != nil {
		c.put(" JOIN nb_card_tag t ON t.n = c.n")
	}
	c.put(" WHERE ", r.where)
	c.args = append(c.args, c.env.Workspace)
	if where != nil {
		c.put(" AND ")
		c.cond(r, where)
	}
}

// Compile gives two queries: the number of rows without LIMIT and OFFSET, and
// the rows, whose columns are those of Output. An aggregate without GROUP BY
// has one row, and its first query is empty.
func (st *Select) Compile(env Env) (total, rows Query) {
	c := compiler{env: env}
	if !st.Grouped() {
		c.put("SELECT count(*)")
		c.from(st.Resource, st.Unnest, st.Where)
	} else if len(st.GroupBy) > 0 {
		c.put("SELECT count(*) FROM (SELECT 1")
		c.from(st.Resource, st.Unnest, st.Where)
		c.put(" GROUP BY ")
		for i, g := range st.GroupBy {
			c.comma(i)
			c.put(g.expr)
		}
		c.put(")")
	}
	if c.b.Len() > 0 {
		total = c.query()
	}
	c = compiler{env: env}
	if st.Grouped() {
		st.grouped(&c)
	} else {
		st.plain(&c)
	}
	c.put(" LIMIT ", c.bind(st.limit()), " OFFSET ", c.bind(st.Offset))
	return total, c.query()
}

func (c *compiler) comma(i int) {
	if i > 0 {
		c.put(", ")
	}
}

// limit is LIMIT as it is applied.
func (st *Select) limit() int {
	if st.Limit < 0 {
		return MaxRows
	}
	return min(st.Limit, MaxRows)
}

// Page gives LIMIT and OFFSET as they are applied.
func (st *Select) Page() (limit, offset int) { return st.limit(), st.Offset }

// items is the list with * written out.
func (st *Select) items() []Item {
	if !st.All {
		return st.Items
	}
	var out []Item
	for i := range st.Resource.Columns {
		c := &st.Resource.Columns[i]
		out = append(out, Item{Column: c, Name: c.Name})
	}
	if st.Unnest != nil {
		out = append(out, Item{Column: st.Unnest, Name: st.Unnest.Name})
	}
	return out
}

func (st *Select) plain(c *compiler) {
	c.put("SELECT ")
	for i, item := range st.items() {
		c.comma(i)
		c.put(item.Column.expr)
	}
	c.from(st.Resource, st.Unnest, st.Where)
	c.put(" ORDER BY ")
	if st.Random {
		c.put("random()")
		return
	}
	for _, o := range st.OrderBy {
		if _, col, err := st.target(o.Name); err == nil {
			for _, key := range col.sortKeys() {
				c.put(key, direction(o.Desc), ", ")
			}
		}
	}
	c.put(st.order())
}

func direction(desc bool) string {
	if desc {
		return " DESC"
	}
	return ""
}

func (st *Select) order() string {
	if st.Unnest != nil {
		return st.Resource.order + ", t.pos"
	}
	return st.Resource.order
}

// sortKeys are the expressions that order a column: text goes by its lower case
// first, so that capitals do not come before everything.
func (c *Column) sortKeys() []string {
	switch c.Type {
	case String:
		return []string{c.foldExpr(), c.expr}
	case Strings:
		return []string{c.foldExpr()}
	}
	return []string{c.expr}
}

// grouped numbers the rows first, since groups come in the order of their first
// row, and then aggregates.
func (st *Select) grouped(c *compiler) {
	items := st.Items
	c.put("SELECT ")
	for i, item := range items {
		c.comma(i)
		c.put(item.aggregate(i, st.groupIndex(item.Column)), " AS o", strconv.Itoa(i))
	}
	c.put(" FROM (SELECT row_number() OVER (ORDER BY ", st.order(), ") AS p")
	for i, g := range st.GroupBy {
		c.put(fmt.Sprintf(", %s AS g%d", g.expr, i))
		if keys := g.sortKeys(); keys[0] != g.expr {
			c.put(fmt.Sprintf(", %s AS h%d", keys[0], i))
		}
	}
	for i, item := range items {
		if item.Func == "" || item.Func == "count" {
			continue
		}
		e := item.Column.expr
		if item.Column.Type == String && (item.Func == "min" || item.Func == "max") {
			// The least by sortKeys. The reader cuts the key off: see Decode.
			e = item.Column.foldExpr() + " || char(0) || " + e
		}
		c.put(fmt.Sprintf(", %s AS a%d", e, i))
	}
	c.from(st.Resource, st.Unnest, st.Where)
	c.put(")")
	for i := range st.GroupBy {
		if i == 0 {
			c.put(" GROUP BY ")
		}
		c.comma(i)
		c.put("g", strconv.Itoa(i))
	}
	c.put(" ORDER BY ")
	if st.Random {
		c.put("random()")
		return
	}
	for _, o := range st.OrderBy {
		item, col, err := st.target(o.Name)
		if err != nil {
			continue // Check has refused it
		}
		if item != nil && item.Func != "" {
			c.put("o", strconv.Itoa(slices.IndexFunc(items, func(x Item) bool { return x.Name == item.Name })))
			c.put(direction(o.Desc), ", ")
			continue
		}
		if item != nil {
			col = item.Column
		}
		i := strconv.Itoa(st.groupIndex(col))
		if keys := col.sortKeys(); keys[0] != col.expr {
			c.put("min(h", i, ")", direction(o.Desc), ", ")
		}
		c.put("g", i, direction(o.Desc), ", ")
	}
	c.put("min(p)")
}

func (st *Select) groupIndex(c *Column) int {
	if c == nil {
		return -1
	}
	return slices.IndexFunc(st.GroupBy, func(g *Column) bool { return g.Name == c.Name })
}

// aggregate is the expression of item i over the numbered rows.
func (item Item) aggregate(i, group int) string {
	switch item.Func {
	case "":
		return "g" + strconv.Itoa(group)
	case "count":
		return "count(*)"
	case "sum":
		return fmt.Sprintf("coalesce(sum(a%d), 0)", i)
	case "avg":
		return fmt.Sprintf("avg(a%d)", i)
	}
	switch item.Column.Type {
	case Strings, Integers, JSON:
		return "NULL" // lists have no least
	}
	return fmt.Sprintf("%s(a%d)", item.Func, i)
}

// Targets finds the rows of an UPDATE or DELETE, one more than may be affected.
// Its one column is the row number, n.
func Targets(r *Resource, where Expr, env Env) Query {
	c := compiler{env: env}
	c.put("SELECT ", r.from[strings.LastIndexByte(r.from, ' ')+1:], ".n")
	c.from(r, nil, where)
	c.put(" ORDER BY ", r.order, " LIMIT ", c.bind(MaxRows+1))
	return c.query()
}

// cond writes a condition, always in parentheses or a single term.
func (c *compiler) cond(r *Resource, e Expr) {
	switch e := e.(type) {
	case *Bool:
		word := " AND "
		if e.Or {
			word = " OR "
		}
		c.put("(")
		for i, a := range e.Args {
			if i > 0 {
				c.put(word)
			}
			c.cond(r, a)
		}
		c.put(")")
	case *Compare:
		c.compare(e)
	case *Like:
		c.like(e)
	case *In:
		c.in(e)
	case *Null:
		if e.Not {
			c.put("(", e.Column.expr, " IS NOT NULL)")
		} else {
			c.put("(", e.Column.expr, " IS NULL)")
		}
	case *SameTags:
		// A row's tags differ from each other, so equal numbers and no stranger
		// among them mean the same set.
		c.put("(json_array_length(", e.Column.expr, ") = ", c.bind(len(e.Values)),
			" AND NOT EXISTS (SELECT 1 FROM json_each(", e.Column.expr,
			") WHERE value NOT IN (SELECT value FROM json_each(", c.bind(encode(e.Values)), "))))")
	case *Overlap:
		c.put("EXISTS (SELECT 1 FROM json_each(", e.Column.expr, ") WHERE value IN (SELECT value FROM json_each(", c.bind(encode(e.Values)), ")))")
	case *Match:
		c.match(r, e)
	}
}

// compare follows the service: = compares type and value, the others compare
// numbers with numbers and anything else as text; null is equal to null only.
func (c *compiler) compare(e *Compare) {
	v, col := e.Value, e.Column
	if _, ok := v.(Now); ok {
		v = c.env.Now
	}
	if e.Op == "=" {
		switch {
		case v == nil:
			c.put("(", col.expr, " IS NULL)")
		case !sameType(col.Type, v):
			c.put("(0)")
		default:
			c.put("(ifnull(", col.expr, " = ", c.bind(v), ", 0))")
		}
		return
	}
	if v == nil || col.Type == Strings || col.Type == Integers {
		c.put("(0)")
		return
	}
	if !col.Type.text() && sameType(col.Type, v) {
		c.put("(ifnull(", col.expr, " ", e.Op, " ", c.bind(v), ", 0))")
		return
	}
	s := asText(v)
	if col.Type == String {
		c.put("(ifnull((", col.foldExpr(), ", ", col.expr, ") ", e.Op, " (", c.bind(strings.ToLower(s)), ", ", c.bind(s), "), 0))")
		return
	}
	c.put("(ifnull(", col.textExpr(), " ", e.Op, " ", c.bind(s), ", 0))")
}

// sameType says whether = can ever hold.
func sameType(t Type, v any) bool {
	switch v.(type) {
	case string:
		return t.text()
	case int64, float64:
		return t.numeric()
	case bool:
		return t == Boolean
	}
	return false
}

// asText is JavaScript's String(v).
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// textExpr is the column as asText would write it.
func (c *Column) textExpr() string {
	switch c.Type {
	case Integer:
		return "CAST(" + c.expr + " AS TEXT)"
	case Number:
		return "printf('%.15g', " + c.expr + ")"
	case Boolean:
		return "CASE " + c.expr + " WHEN 0 THEN 'false' ELSE 'true' END"
	case Integers:
		return "replace(trim(" + c.expr + ", '[]'), ',', ' ')"
	}
	return c.expr
}

// like uses GLOB, whose * crosses line terminators. The literal part of the
// pattern accounts for as many terminators as it has; if the value has no more
// than that, no wildcard took one.
func (c *compiler) like(e *Like) {
	expr, pattern := e.Column.expr, e.Pattern
	if e.Fold {
		expr, pattern = e.Column.foldExpr(), strings.ToLower(pattern)
	}
	if e.Not {
		c.put("(", e.Column.expr, " IS NOT NULL AND NOT ")
	} else {
		c.put("(ifnull(")
	}
	c.put("(", expr, " GLOB ", c.bind(glob(pattern)), " AND ")
	for i, nl := range [...]string{"char(10)", "char(13)", "char(8232)", "char(8233)"} {
		if i > 0 {
			c.put(" + ")
		}
		c.put("length(", expr, ") - length(replace(", expr, ", ", nl, ", ''))")
	}
	c.put(" = ", c.bind(terminators(pattern)), ")")
	if e.Not {
		c.put(")")
	} else {
		c.put(", 0))")
	}
}

func (c *compiler) in(e *In) {
	var same []any
	null := false
	for _, v := range e.Values {
		switch {
		case v == nil:
			null = true
		case sameType(e.Column.Type, v):
			if s, ok := v.(string); ok && e.Fold {
				v = strings.ToLower(s)
			}
			if b, ok := v.(bool); ok { // SQLite has no booleans
				v = 0
				if b {
					v = 1
				}
			}
			same = append(same, v)
		}
	}
	expr := e.Column.expr
	if e.Fold {
		expr = e.Column.foldExpr()
	}
	values := c.bind(encode(same))
	if e.Not {
		c.put("(", e.Column.expr, " IS NOT NULL AND ", expr, " NOT IN (SELECT value FROM json_each(", values, ")))")
		return
	}
	c.put("(ifnull(", expr, " IN (SELECT value FROM json_each(", values, ")), 0)")
	if null {
		c.put(" OR ", e.Column.expr, " IS NULL")
	}
	c.put(")")
}

func (c *compiler) match(r *Resource, e *Match) {
	needle := query(e)
	c.put("(")
	for i := range r.Columns {
		col := &r.Columns[i]
		expr := "lower(" + col.textExpr() + ")"
		if col.fold != "" {
			expr = col.fold
		}
		if i > 0 {
			c.put(" OR ")
		}
		c.put("ifnull(instr(", expr, ", ", c.bind(needle), "), 0) > 0")
	}
	c.put(")")
}

// query is what MATCH looks for.
func query(e *Match) string { return strings.ToLower(strings.TrimSpace(e.Query)) }

// encode writes a list for json_each.
func encode[T any](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	b, err := json.Marshal(list)
	if err != nil { // strings and finite numbers: it cannot
		return "[]"
	}
	return string(b)
}

// Output describes one column of a result.
type Output struct {
	Name string
	Type Type
	key  bool // text with its sort key before it
}

// Output lists the columns of the result, for Decode.
func (st *Select) Output() []Output {
	var out []Output
	for _, item := range st.items() {
		o := Output{Name: item.Name}
		switch item.Func {
		case "count":
			o.Type = Integer
		case "avg":
			o.Type = Number
		default:
			o.Type = item.Column.Type
			o.key = item.Func != "" && o.Type == String
		}
		out = append(out, o)
	}
	return out
}

// Decode turns a value that SQLite gave into one of the dialect: string, int64,
// float64, bool, []string, []int64, json.RawMessage or nil.
func (o Output) Decode(v any) any {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	switch x := v.(type) {
	case string:
		if o.key {
			_, x, _ = strings.Cut(x, "\x00")
		}
		switch o.Type {
		case Strings:
			return decodeList[string](x)
		case Integers:
			return decodeList[int64](x)
		case JSON:
			return json.RawMessage(x)
		}
		return x
	case int64:
		switch o.Type {
		case Boolean:
			return x != 0
		case Number:
			return float64(x)
		}
	}
	return v
}

func decodeList[T any](s string) []T {
	out := []T{}
	if s == "[]" {
		return out
	}
	if json.Unmarshal([]byte(s), &out) != nil {
		return []T{}
	}
	return out
}

// All selects every column of every visible row of a workspace, in no order.
func (r *Resource) All(ws int64) Query { return r.rows("", ws) }

// Numbered selects every column of the rows whose numbers are in ns, in order.
// It does not look at the workspace.
func (r *Resource) Numbered(ns []int64) Query {
	alias := r.from[strings.LastIndexByte(r.from, ' ')+1:]
	return r.rows(alias+".n IN (SELECT value FROM json_each(?))", encode(ns))
}

func (r *Resource) rows(where string, arg any) Query {
	c := compiler{}
	c.put("SELECT ")
	for i := range r.Columns {
		c.comma(i)
		c.put(r.Columns[i].expr)
	}
	order := ""
	if where == "" {
		where = r.where
	} else {
		order = " ORDER BY " + r.order
	}
	c.put(" FROM ", r.from, " WHERE ", where)
	c.put(order)
	c.args = append(c.args, arg)
	return c.query()
}
