package dialect

import "strings"

// Targets finds the rows of an UPDATE or DELETE, one more than may be affected.
// Its one column is the row number, n.
func Targets(r *Resource, where Expr, env Env) Query {
	c := compiler{env: env}
	c.put("SELECT ", r.from[strings.LastIndexByte(r.from, ' ')+1:], ".n")
	c.from(r, nil, where)
	c.put(" ORDER BY ", r.order, " LIMIT ", c.bind(MaxRows+1))
	return c.query()
}

// All selects every column of every visible row of a workspace, in no order. Such
// a workspace is most of the database, so no index is asked where its rows are.
func (r *Resource) All(ws int64) Query { return r.columns(" NOT INDEXED WHERE "+r.where, ws) }

// Numbered selects every column of the rows whose numbers are in ns, in order.
// It does not look at the workspace.
func (r *Resource) Numbered(ns []int64) Query {
	alias := r.from[strings.LastIndexByte(r.from, ' ')+1:]
	return r.columns(" WHERE "+alias+".n IN (SELECT value FROM json_each(?)) ORDER BY "+r.order, encode(ns))
}

func (r *Resource) columns(rest string, arg any) Query {
	c := compiler{}
	c.put("SELECT ")
	for i := range r.Columns {
		c.comma(i)
		c.put(r.Columns[i].expr)
	}
	c.put(" FROM ", r.from, rest)
	c.args = append(c.args, arg)
	return c.query()
}
