// Package dialect is the closed SQL dialect of Nibomo's sql_query and
// sql_execute: a lexer, a parser that yields a tree, and two ways to run it.
//
// It exists because the dialect is small, not PostgreSQL, and has its own words
// for every refusal; clients and models are tested against those words. It
// refuses whatever the tree cannot express: joins, sub-queries, comments,
// functions other than its own, a second workspace.
//
//	text ─ Split ─ Parse ─▶ Statement ─ Check ─┬─ Compile ─▶ SQLite text + bound values
//	                                           └─ Table.Select: over rows held in memory
//
// Nothing a caller wrote becomes part of the SQLite text: identifiers are looked
// up in the schema, aliases are replaced by position, and literals are bound
// parameters. The second way answers large collections in time; both give the
// same rows, which a test holds.
//
// Statements are immutable and safe for concurrent use.
package dialect

import "fmt"

// The limits of the dialect.
const (
	MaxRows       = 100 // returned or affected by one statement
	MaxStatements = 50  // in one batch
	maxDepth      = 16  // nested parentheses in WHERE
)

// Error is a refusal, in the words of the dialect.
type Error struct {
	Message string
	// Unsupported marks SQL that is well known but outside the dialect, as
	// against SQL that is wrong.
	Unsupported bool
}

// Error gives the message alone.
func (e *Error) Error() string { return e.Message }

func errorf(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Unsupported: true}
}
