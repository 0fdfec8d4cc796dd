package dialect

import (
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
	// Done, when it is closed, lets Table.Select and Table.IDs give up: what they
	// return then means nothing. nil is never closed.
	Done <-chan struct{}
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
		keys := col.sortKeys()
		if keys[0] != col.expr {
			c.put("min(h", i, ")", direction(o.Desc), ", ")
		}
		if keys[len(keys)-1] == col.expr {
			c.put("g", i, direction(o.Desc), ", ")
		}
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
