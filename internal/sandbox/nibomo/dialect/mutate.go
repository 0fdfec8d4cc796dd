package dialect

import "strings"

func parseInsert(p span) (Statement, error) {
	bad := errorf("INSERT must list columns explicitly, e.g. INSERT INTO cards (front_text, back_text, tags) VALUES ('Q?', 'A', ('tag')). An array is a parenthesized list; () is an empty one.")
	name, ok := p.name(2)
	if !ok || !p.is(1, "INTO") || !p.is(3, "(") {
		return nil, bad
	}
	body, tail, err := p.sub(3, p.len()).clauses("INSERT", "VALUES", "RETURNING")
	if err != nil {
		return nil, err
	}
	if !tail[0].set || !body.wrapped() || body.len() < 3 {
		return nil, bad
	}
	r := Find(name)
	if r == nil || !r.Writable {
		return nil, errorf("INSERT is not supported for %s", name)
	}
	st := &Insert{text: text(p.text()), Resource: r}
	var names []string
	for _, part := range body.sub(1, body.len()-1).split(",") {
		c, err := writable(r, part)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if n == c.Name {
				return nil, errorf("Column is listed twice: %s", n)
			}
		}
		names = append(names, c.Name)
		st.Columns = append(st.Columns, c)
	}
	rows := tail[0].body.split(",")
	if len(rows) == 0 {
		return nil, errorf("INSERT must include at least one VALUES row")
	}
	for _, row := range rows {
		if !row.wrapped() {
			return nil, errorf("Invalid VALUES row: each row must be wrapped in parentheses, e.g. ('Q?', 'A', ('tag')). Got: %s", row.text())
		}
		values := row.sub(1, row.len()-1).split(",")
		if len(values) != len(st.Columns) {
			return nil, errorf("VALUES row does not match the %d declared column(s) (%s); got %d value(s) in: %s",
				len(st.Columns), strings.Join(names, ", "), len(values), row.text())
		}
		out := make([]any, len(values))
		for i, v := range values {
			if out[i], err = assigned(st.Columns[i], v); err != nil {
				return nil, err
			}
		}
		st.Rows = append(st.Rows, out)
	}
	st.Returning, err = returning(r, tail[1])
	return st, err
}

func parseUpdate(p span) (Statement, error) {
	bad := errorf("Unsupported UPDATE statement")
	name, ok := p.name(1)
	if !ok {
		return nil, bad
	}
	r := Find(name)
	if r == nil || !r.Writable {
		return nil, errorf("UPDATE is not supported for %s", name)
	}
	head, tail, err := p.sub(2, p.len()).clauses("UPDATE", "SET", "WHERE", "RETURNING")
	if err != nil {
		return nil, err
	}
	if !head.empty() || !tail[0].set || !tail[1].set {
		return nil, bad
	}
	st := &Update{text: text(p.text()), Resource: r}
	for _, part := range tail[0].body.split(",") {
		if part.len() < 3 || part.tok(0).kind != word || !part.is(1, "=") {
			return nil, errorf("Unsupported assignment: %s", part.text())
		}
		c, err := writable(r, part.sub(0, 1))
		if err != nil {
			return nil, err
		}
		v, err := assigned(c, part.sub(2, part.len()))
		if err != nil {
			return nil, err
		}
		st.Set = append(st.Set, Assign{c, v})
	}
	if len(st.Set) == 0 {
		return nil, bad
	}
	if st.Where, err = parseWhere(scope{r: r}, tail[1].body); err != nil {
		return nil, err
	}
	st.Returning, err = returning(r, tail[2])
	return st, err
}

func parseDelete(p span) (Statement, error) {
	bad := errorf("Unsupported DELETE statement")
	name, ok := p.name(2)
	if !ok || !p.is(1, "FROM") {
		return nil, bad
	}
	r := Find(name)
	if r == nil || !r.Writable {
		return nil, errorf("DELETE is not supported for %s", name)
	}
	head, tail, err := p.sub(3, p.len()).clauses("DELETE", "WHERE", "RETURNING")
	if err != nil {
		return nil, err
	}
	if !head.empty() || !tail[0].set {
		return nil, bad
	}
	st := &Delete{text: text(p.text()), Resource: r}
	if st.Where, err = parseWhere(scope{r: r}, tail[0].body); err != nil {
		return nil, err
	}
	st.Returning, err = returning(r, tail[1])
	return st, err
}

// writable finds the column that p names, which a caller must be able to set.
func writable(r *Resource, p span) (*Column, error) {
	name := strings.ToLower(p.text())
	c := r.Column(name)
	if c == nil {
		return nil, errorf("Unknown column for %s: %s", r.Name, name)
	}
	if !c.Writable {
		return nil, errorf("Column is read-only: %s", name)
	}
	return c, nil
}

func assigned(c *Column, p span) (any, error) {
	if err := noSubquery(p); err != nil {
		return nil, err
	}
	if c.Type == Strings {
		return list(p, c.Name)
	}
	return literal(p)
}

func returning(r *Resource, c clause) (*Returning, error) {
	if !c.set {
		return nil, nil
	}
	if c.body.len() == 1 && c.body.is(0, "*") {
		return &Returning{}, nil
	}
	out := &Returning{}
	for _, part := range c.body.split(",") {
		name, ok := part.name(0)
		if !ok || part.len() != 1 {
			return nil, errorf("Unsupported RETURNING item: %s. RETURNING must be followed by * or a comma-separated column list", part.text())
		}
		col := r.Column(name)
		if col == nil {
			return nil, errorf("Unknown column for %s: %s", r.Name, name)
		}
		out.Columns = append(out.Columns, col)
	}
	if len(out.Columns) == 0 {
		return nil, errorf("RETURNING must be followed by * or a comma-separated column list")
	}
	return out, nil
}
