package dialect

import (
	"encoding/json"
	"strings"
)

// This file writes conditions for SQLite.

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
