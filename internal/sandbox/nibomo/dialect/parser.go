package dialect

import "strings"

// ParseOne parses sql that must be a single statement.
func ParseOne(sql string) (Statement, error) {
	parts, err := Split(sql)
	if err != nil {
		return nil, err
	}
	if len(parts) != 1 {
		return nil, errorf("Unsupported SQL statement")
	}
	return Parse(parts[0])
}

// Parse parses one statement. It checks form and names; Check holds what the
// service refuses only when the statement runs.
func Parse(part Part) (Statement, error) {
	s := part.s
	p := span{&s, 0, len(s.toks)}
	verb := strings.ToUpper(p.str(0))
	if p.has(comment) {
		switch verb {
		case "SELECT", "INSERT", "UPDATE", "DELETE":
			return nil, errorf("Unsupported %s statement", verb)
		}
		return nil, errorf("Unsupported SQL statement")
	}
	switch verb {
	case "SHOW", "DESCRIBE":
		return parseShow(p)
	case "SELECT":
		return parseSelect(p)
	case "INSERT":
		return parseInsert(p)
	case "UPDATE":
		return parseUpdate(p)
	case "DELETE":
		return parseDelete(p)
	case "WITH":
		return nil, unsupported("WITH is not supported")
	}
	return nil, errorf("Unsupported SQL statement")
}

func parseShow(p span) (Statement, error) {
	n := p.len()
	if p.is(0, "SHOW") && p.is(1, "TABLES") {
		switch {
		case n == 2:
			return &ShowTables{text: text(p.text())}, nil
		case n == 4 && p.is(2, "LIKE") && p.tok(3).kind == quoted:
			like := unquote(p.str(3))
			return &ShowTables{text: text(p.text()), Like: &like}, nil
		}
		return nil, errorf("Unsupported SQL statement")
	}
	at := 1
	if p.is(0, "SHOW") {
		if !p.is(1, "COLUMNS") || !p.is(2, "FROM") {
			return nil, errorf("Unsupported SQL statement")
		}
		at = 3
	}
	name, ok := p.name(at)
	if !ok || n != at+1 {
		return nil, errorf("Unsupported SQL statement")
	}
	r, err := resource(name)
	if err != nil {
		return nil, err
	}
	return &Describe{text: text(p.text()), Resource: r}, nil
}

func resource(name string) (*Resource, error) {
	if r := Find(name); r != nil {
		return r, nil
	}
	return nil, errorf("Unknown resource: %s", name)
}

// scope is what names in a statement can refer to.
type scope struct {
	r      *Resource
	unnest *Column
}

func (s scope) column(name string) (*Column, error) {
	if s.unnest != nil && s.unnest.Name == name {
		return s.unnest, nil
	}
	if c := s.r.Column(name); c != nil {
		return c, nil
	}
	return nil, errorf("Unknown column for %s: %s", s.r.Name, name)
}
