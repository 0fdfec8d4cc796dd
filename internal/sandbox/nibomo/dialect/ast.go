package dialect

// Statement is one parsed statement: *ShowTables, *Describe, *Select, *Insert,
// *Update or *Delete.
type Statement interface {
	// Normalized is the text with runs of white space outside strings as one
	// space, and without a closing semicolon.
	Normalized() string
	// Kind is the statementType of results: show_tables, describe, select,
	// insert, update or delete.
	Kind() string
	// Reads says which of the two tools runs it.
	Reads() bool
}

type text string

func (t text) Normalized() string { return string(t) }

// ShowTables is SHOW TABLES [LIKE '…'].
type ShowTables struct {
	text
	Like *string // nil without LIKE
}

// Describe is DESCRIBE r and SHOW COLUMNS FROM r.
type Describe struct {
	text
	Resource *Resource
}

// Select is SELECT.
type Select struct {
	text
	Resource *Resource
	Unnest   *Column // nil without UNNEST
	All      bool    // SELECT *
	Items    []Item  // never a wildcard, unless mixed is set
	Where    Expr    // nil for all rows
	GroupBy  []*Column
	OrderBy  []Order
	Random   bool
	Limit    int // -1 when absent
	Offset   int
	mixed    bool // * beside other items, which Check refuses
}

// Item is one column of a result.
type Item struct {
	Func   string // "", or count, sum, avg, min, max
	Column *Column
	Name   string // of the output
}

// Order is one item of ORDER BY.
type Order struct {
	Name string
	Desc bool
}

// Insert is INSERT INTO r (columns) VALUES rows.
type Insert struct {
	text
	Resource  *Resource
	Columns   []*Column
	Rows      [][]any // string, int64, float64, bool, nil, or []string
	Returning *Returning
}

// Update is UPDATE r SET … WHERE ….
type Update struct {
	text
	Resource  *Resource
	Set       []Assign
	Where     Expr
	Returning *Returning
}

// Assign is one assignment; Value as in Insert.Rows.
type Assign struct {
	Column *Column
	Value  any
}

// Delete is DELETE FROM r WHERE ….
type Delete struct {
	text
	Resource  *Resource
	Where     Expr
	Returning *Returning
}

// Returning is RETURNING; nil Columns mean *.
type Returning struct{ Columns []*Column }

// Kind names the statement as answers do.
func (*ShowTables) Kind() string { return "show_tables" }

// Kind names the statement as answers do.
func (*Describe) Kind() string { return "describe" }

// Kind names the statement as answers do.
func (*Select) Kind() string { return "select" }

// Kind names the statement as answers do.
func (*Insert) Kind() string { return "insert" }

// Kind names the statement as answers do.
func (*Update) Kind() string { return "update" }

// Kind names the statement as answers do.
func (*Delete) Kind() string { return "delete" }

// Reads reports whether the statement only reads.
func (*ShowTables) Reads() bool { return true }

// Reads reports whether the statement only reads.
func (*Describe) Reads() bool { return true }

// Reads reports whether the statement only reads.
func (*Select) Reads() bool { return true }

// Reads reports whether the statement only reads.
func (*Insert) Reads() bool { return false }

// Reads reports whether the statement only reads.
func (*Update) Reads() bool { return false }

// Reads reports whether the statement only reads.
func (*Delete) Reads() bool { return false }

// Expr is a condition: *Bool or one of the predicates. A predicate is true or
// false, never unknown.
type Expr interface{ isExpr() }

// Bool joins two or more conditions.
type Bool struct {
	Or   bool
	Args []Expr
}

// Compare is column op value; Value is string, int64, float64, bool, nil, or Now.
type Compare struct {
	Column *Column
	Op     string // = < <= > >=
	Value  any
}

// Now stands for NOW() until the statement runs.
type Now struct{}

// Like is [NOT] LIKE and ILIKE. % and _ do not match line terminators.
type Like struct {
	Column  *Column
	Pattern string
	Fold    bool // letter case does not count
	Not     bool
}

// In is column IN (…), and LOWER(column) with =, IN and NOT IN.
type In struct {
	Column *Column
	Values []any
	Fold   bool
	Not    bool // only with Fold
}

// Null is IS [NOT] NULL.
type Null struct {
	Column *Column
	Not    bool
}

// SameTags is tags = (…): the same set.
type SameTags struct {
	Column *Column
	Values []string
}

// Overlap is tags OVERLAP (…): at least one in common.
type Overlap struct {
	Column *Column
	Values []string
}

// Match is MATCH('…'): in any column, letter case does not count.
type Match struct{ Query string }

func (*Bool) isExpr()     {}
func (*Compare) isExpr()  {}
func (*Like) isExpr()     {}
func (*In) isExpr()       {}
func (*Null) isExpr()     {}
func (*SameTags) isExpr() {}
func (*Overlap) isExpr()  {}
func (*Match) isExpr()    {}
