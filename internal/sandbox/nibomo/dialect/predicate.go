package dialect

// parseWhere reads a condition: AND binds tighter than OR.
func parseWhere(sc scope, p span) (Expr, error) { return parseExpr(sc, p, 0) }

func parseExpr(sc scope, p span, depth int) (Expr, error) {
	if depth > maxDepth {
		return nil, errorf("WHERE clause nests parenthesized groups deeper than the supported limit of %d", maxDepth)
	}
	if p.empty() {
		return nil, errorf("WHERE clause contains an empty predicate group")
	}
	for _, or := range [...]bool{true, false} {
		keyword := "AND"
		if or {
			keyword = "OR"
		}
		parts := p.split(keyword)
		if len(parts) == 1 && parts[0].len() == p.len() {
			continue
		}
		if len(parts) == 0 {
			return nil, errorf("WHERE clause contains an empty predicate group")
		}
		if p.is(p.len()-1, keyword) {
			return nil, errorf("WHERE clause contains an empty predicate group")
		}
		b := &Bool{Or: or}
		for _, part := range parts {
			e, err := parseExpr(sc, part, depth)
			if err != nil {
				return nil, err
			}
			b.Args = append(b.Args, e)
		}
		return b, nil
	}
	if p.wrapped() {
		return parseExpr(sc, p.sub(1, p.len()-1), depth+1)
	}
	return parsePredicate(sc, p)
}

func parsePredicate(sc scope, p span) (Expr, error) {
	if err := noSubquery(p); err != nil {
		return nil, err
	}
	n := p.len()
	if n == 4 && p.is(0, "MATCH") && p.is(1, "(") && p.tok(2).kind == quoted && p.is(3, ")") {
		return &Match{unquote(p.str(2))}, nil
	}
	lower := n > 4 && p.is(0, "LOWER") && p.is(1, "(") && p.is(3, ")")
	at := 0
	if lower {
		at = 2
	}
	name, ok := p.name(at)
	if !ok {
		return nil, errorf("Unsupported predicate: %s", p.text())
	}
	rest := p.sub(at+1, n)
	if lower {
		rest = p.sub(4, n)
	}
	build := predicate(rest, lower)
	if build == nil {
		return nil, errorf("Unsupported predicate: %s", p.text())
	}
	c, err := sc.column(name)
	if err != nil {
		return nil, err
	}
	return build(c)
}

// predicate recognises what follows the column. It gives nil for what the
// dialect does not know; the column is looked up only after that.
func predicate(p span, lower bool) func(*Column) (Expr, error) {
	q, not := p, false
	if p.is(0, "NOT") {
		q, not = p.sub(1, p.len()), true
	}
	switch {
	case q.len() == 2 && (q.is(0, "LIKE") || q.is(0, "ILIKE")) && q.tok(1).kind == quoted:
		return func(c *Column) (Expr, error) {
			return &Like{c, unquote(q.str(1)), lower || q.is(0, "ILIKE"), not}, nil
		}
	case q.is(0, "IN") && q.is(1, "(") && q.is(q.len()-1, ")") && (lower || !not):
		return func(c *Column) (Expr, error) { return parseIn(c, q.sub(2, q.len()-1), lower, not) }
	case not:
		return nil
	case lower:
		if p.len() == 2 && p.is(0, "=") && p.tok(1).kind == quoted {
			return func(c *Column) (Expr, error) {
				return &In{Column: c, Values: []any{unquote(p.str(1))}, Fold: true}, nil
			}
		}
		return nil
	case p.is(0, "IS") && p.len() == 2 && p.is(1, "NULL"):
		return func(c *Column) (Expr, error) { return &Null{c, false}, nil }
	case p.is(0, "IS") && p.len() == 3 && p.is(1, "NOT") && p.is(2, "NULL"):
		return func(c *Column) (Expr, error) { return &Null{c, true}, nil }
	case p.is(0, "OVERLAP") && p.len() > 1:
		return func(c *Column) (Expr, error) {
			values, err := list(p.sub(1, p.len()), c.Name)
			return &Overlap{c, values}, err
		}
	}
	op, n := operator(p)
	if op == "" || p.len() == n {
		return nil
	}
	right := p.sub(n, p.len())
	return func(c *Column) (Expr, error) {
		if op == "=" && c.Type == Strings {
			values, err := list(right, c.Name)
			return &SameTags{c, values}, err
		}
		v, err := value(right)
		return &Compare{c, op, v}, err
	}
}

// operator reads = < <= > >= and says how many tokens it took.
func operator(p span) (op string, n int) {
	switch {
	case p.is(0, "="):
		return "=", 1
	case p.is(0, "<"), p.is(0, ">"):
		if p.is(1, "=") && !p.spaced(1) {
			return p.str(0) + "=", 2
		}
		return p.str(0), 1
	}
	return "", 0
}

func parseIn(c *Column, p span, lower, not bool) (Expr, error) {
	in := &In{Column: c, Fold: lower, Not: not}
	for _, part := range p.split(",") {
		v, err := literal(part)
		if err != nil {
			return nil, err
		}
		if _, ok := v.(string); lower && !ok {
			word := "IN"
			if not {
				word = "NOT IN"
			}
			return nil, errorf("LOWER(column) %s (...) only supports string literals", word)
		}
		in.Values = append(in.Values, v)
	}
	return in, nil
}
