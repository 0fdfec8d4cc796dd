package dialect

import "strings"

// Check holds the rules that the service applies when a statement runs, not
// when it is read: in a batch, the statements before it have run by then.
func Check(st Statement) error {
	switch st := st.(type) {
	case *Select:
		return st.check()
	case *Insert:
		if len(st.Rows) > MaxRows {
			return errorf("INSERT may affect at most %d records per statement", MaxRows)
		}
	case *Update:
		return checkExpr(st.Where)
	case *Delete:
		return checkExpr(st.Where)
	}
	return nil
}

func (st *Select) check() error {
	if st.mixed {
		return errorf("SELECT * cannot be mixed with other projections")
	}
	if st.Limit == 0 {
		return errorf("LIMIT must be greater than 0")
	}
	if err := checkExpr(st.Where); err != nil {
		return err
	}
	for _, item := range st.Items {
		if (item.Func == "sum" || item.Func == "avg") && !item.Column.Type.numeric() {
			return errorf("%s only supports numeric columns", strings.ToUpper(item.Func))
		}
	}
	for _, o := range st.OrderBy {
		if _, _, err := st.target(o.Name); err != nil {
			return err
		}
	}
	return nil
}

// target finds what ORDER BY name means: an item of the list, or a column.
func (st *Select) target(name string) (item *Item, c *Column, err error) {
	if st.Grouped() {
		for i := range st.Items {
			if st.Items[i].Name == name {
				return &st.Items[i], nil, nil
			}
		}
		for _, g := range st.GroupBy {
			if g.Name == name {
				return nil, g, nil
			}
		}
		return nil, nil, errorf("Unknown ORDER BY target: %s", name)
	}
	c, missing := scope{st.Resource, st.Unnest}.column(name)
	if missing != nil {
		for i := range st.Items {
			if st.Items[i].Name == name {
				c = st.Items[i].Column
			}
		}
	}
	if c == nil {
		return nil, nil, errorf("Unknown ORDER BY target: %s", name)
	}
	if !c.Sortable {
		return nil, nil, errorf("Column is not sortable: %s", c.Name)
	}
	return nil, c, nil
}

func checkExpr(e Expr) error {
	var c *Column
	switch e := e.(type) {
	case nil:
		return nil
	case *Bool:
		for _, a := range e.Args {
			if err := checkExpr(a); err != nil {
				return err
			}
		}
		return nil
	case *Match:
		if strings.TrimSpace(e.Query) == "" {
			return errorf("MATCH query must not be empty")
		}
		return nil
	case *Compare:
		c = e.Column
	case *Like:
		c = e.Column
	case *In:
		c = e.Column
	case *Null:
		c = e.Column
	case *SameTags:
		c = e.Column
	case *Overlap:
		c = e.Column
	}
	if !c.Filterable {
		return errorf("Column is not filterable: %s", c.Name)
	}
	if l, ok := e.(*Like); ok {
		if !c.Type.text() {
			return errorf("LIKE is not supported for column: %s", c.Name)
		}
		if len(l.Pattern) > maxPattern {
			return errorf("LIKE pattern is longer than %d bytes", maxPattern)
		}
	}
	if in, ok := e.(*In); ok && in.Fold && !c.Type.text() {
		return errorf("LOWER is not supported for column: %s", c.Name)
	}
	if _, ok := e.(*Overlap); ok && c.Type != Strings {
		return errorf("OVERLAP is not supported for column: %s", c.Name)
	}
	return nil
}
