package dialect

import "strings"

func parseSelect(p span) (Statement, error) {
	bad := errorf("Unsupported SELECT statement")
	body := p.sub(1, p.len())
	for i := range body.len() {
		for _, w := range [...]string{"UNION", "INTERSECT", "EXCEPT", "HAVING"} {
			if body.is(i, w) {
				return nil, unsupported("%s is not supported", w)
			}
		}
	}
	if body.is(0, "DISTINCT") {
		return nil, unsupported("DISTINCT is not supported")
	}
	list, from, err := body.clauses("SELECT", "FROM")
	if err != nil || !from[0].set {
		return nil, bad
	}
	src, tail, err := from[0].body.clauses("SELECT", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "OFFSET")
	if err != nil {
		return nil, err
	}
	if src.is(0, "(") {
		return nil, unsupported("Sub-queries are not supported")
	}
	sc, err := parseSource(src)
	if err != nil {
		return nil, err
	}
	st := &Select{text: text(p.text()), Resource: sc.r, Unnest: sc.unnest, Limit: -1}
	items := list.split(",")
	if len(items) == 0 {
		return nil, bad
	}
	for _, part := range items {
		if part.len() == 1 && part.is(0, "*") {
			st.All = true
			continue
		}
		item, err := parseItem(sc, part)
		if err != nil {
			return nil, err
		}
		st.Items = append(st.Items, item)
	}
	st.mixed = st.All && len(items) > 1
	where, group, order, limit, offset := tail[0], tail[1], tail[2], tail[3], tail[4]
	if group.set {
		if st.GroupBy, err = parseGroupBy(sc, group.body); err != nil {
			return nil, err
		}
	}
	if st.Limit, err = count(limit, "LIMIT", -1); err != nil {
		return nil, err
	}
	if st.Offset, err = count(offset, "OFFSET", 0); err != nil {
		return nil, err
	}
	if st.All && len(st.GroupBy) > 0 {
		return nil, errorf("GROUP BY is not supported with SELECT *")
	}
	if st.Grouped() {
		for _, item := range st.Items {
			if item.Func == "" && !st.groupedBy(item.Column) {
				return nil, errorf("Grouped SELECT must list %s in GROUP BY", item.Column.Name)
			}
		}
	}
	if where.set {
		if st.Where, err = parseWhere(sc, where.body); err != nil {
			return nil, err
		}
	}
	if order.set {
		if st.OrderBy, st.Random, err = parseOrderBy(order.body); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// Grouped says whether rows of the result are groups.
func (st *Select) Grouped() bool {
	if len(st.GroupBy) > 0 {
		return true
	}
	for _, item := range st.Items {
		if item.Func != "" {
			return true
		}
	}
	return false
}

func (st *Select) groupedBy(c *Column) bool {
	for _, g := range st.GroupBy {
		if g.Name == c.Name {
			return true
		}
	}
	return false
}

// parseSource reads r [UNNEST tags AS x].
func parseSource(p span) (scope, error) {
	name, ok := p.name(0)
	if !ok || p.len() != 1 && p.len() != 5 {
		return scope{}, errorf("Unsupported SELECT statement")
	}
	if p.len() == 1 {
		r, err := resource(name)
		return scope{r: r}, err
	}
	col, ok1 := p.name(2)
	alias, ok2 := p.name(4)
	if !ok1 || !ok2 || !p.is(1, "UNNEST") || !p.is(3, "AS") {
		return scope{}, errorf("Unsupported SELECT statement")
	}
	r, err := resource(name)
	if err != nil {
		return scope{}, err
	}
	if name != "cards" || col != "tags" {
		return scope{}, errorf("UNNEST is only supported for cards.tags")
	}
	return scope{r, unnested(alias, len(r.Columns))}, nil
}

func parseItem(sc scope, p span) (Item, error) {
	whole := p.text()
	alias := ""
	if n := p.len(); n >= 3 && p.is(n-2, "AS") {
		name, ok := p.name(n - 1)
		if !ok {
			return Item{}, errorf("Unsupported SELECT item: %s", whole)
		}
		alias, p = name, p.sub(0, n-2)
	}
	if err := noSubquery(p); err != nil {
		return Item{}, err
	}
	if name, ok := p.name(0); ok && p.len() == 1 {
		c, err := sc.column(name)
		if err != nil {
			return Item{}, err
		}
		return Item{Column: c, Name: or(alias, name)}, nil
	}
	fn, ok := p.name(0)
	if !ok || p.len() != 4 || !p.is(1, "(") || !p.is(3, ")") {
		return Item{}, errorf("Unsupported SELECT item: %s", whole)
	}
	if fn == "count" && p.is(2, "*") {
		return Item{Func: fn, Name: or(alias, fn)}, nil
	}
	name, ok := p.name(2)
	switch fn {
	case "sum", "avg", "min", "max":
	default:
		ok = false
	}
	if !ok {
		return Item{}, errorf("Unsupported SELECT item: %s", whole)
	}
	c, err := sc.column(name)
	if err != nil {
		return Item{}, err
	}
	return Item{Func: fn, Column: c, Name: or(alias, fn+"_"+name)}, nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func parseGroupBy(sc scope, p span) ([]*Column, error) {
	var out []*Column
	for _, part := range p.split(",") {
		name, ok := part.name(0)
		if !ok || part.len() != 1 {
			return nil, errorf("Unknown column for %s: %s", sc.r.Name, strings.ToLower(part.text()))
		}
		c, err := sc.column(name)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, errorf("Unsupported SELECT statement")
	}
	return out, nil
}

func parseOrderBy(p span) (out []Order, random bool, err error) {
	parts := p.split(",")
	for _, part := range parts {
		if part.len() >= 3 && part.is(0, "RANDOM") && part.is(1, "(") && part.is(2, ")") {
			switch {
			case part.len() == 4 && (part.is(3, "ASC") || part.is(3, "DESC")):
				return nil, false, errorf("RANDOM() does not support ASC or DESC")
			case part.len() == 3 && len(parts) == 1:
				return nil, true, nil
			case part.len() == 3:
				return nil, false, errorf("RANDOM() must be the only ORDER BY item")
			}
		}
	}
	for _, part := range parts {
		name, ok := part.name(0)
		if !ok || part.len() > 2 || part.len() == 2 && !part.is(1, "ASC") && !part.is(1, "DESC") {
			return nil, false, errorf("Unsupported ORDER BY item: %s", part.text())
		}
		out = append(out, Order{name, part.is(1, "DESC")})
	}
	if len(out) == 0 {
		return nil, false, errorf("Unsupported ORDER BY item: ")
	}
	return out, false, nil
}

// count reads the number of LIMIT and OFFSET. Numbers past any collection are cut.
func count(c clause, keyword string, absent int) (int, error) {
	if !c.set {
		return absent, nil
	}
	if c.body.len() == 1 && c.body.tok(0).kind == number && !strings.Contains(c.body.str(0), ".") {
		n := 0
		for _, d := range []byte(c.body.str(0)) {
			n = min(n*10+int(d-'0'), 1<<30)
		}
		return n, nil
	}
	return 0, errorf("%s must be a non-negative integer", keyword)
}
