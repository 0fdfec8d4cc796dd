package servers

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinel errors of this package, for what callers branch on.
var (
	// ErrChanged means that config.toml was changed between being read and
	// being written. Nothing was written; reading again and repeating the
	// change is safe.
	ErrChanged = errors.New("the file was changed by another program")
	// ErrUnknownServer means that no entry and no preset has the name.
	ErrUnknownServer = errors.New("no server of this name")
	// ErrBusy means that another bridge kept the file's lock for too long.
	ErrBusy = errors.New("another bridge is writing the file")
)

// A Problem is the kind of fault an Error reports, so that a caller can put it
// into its own words or language.
type Problem int

const (
	// NotReadable: a folder, a FIFO, a dangling link, no permission, too large,
	// UTF-16.
	NotReadable Problem = iota + 1
	// NotTOML: the text does not parse, as a half written file does not.
	NotTOML
	// UnknownKey: a key that this version does not know.
	UnknownKey
	// BadValue: a known key with a value that cannot be right.
	BadValue
	// SecretInside: a value that looks like a secret.
	SecretInside
	// Expansion: a ${VAR}, which this file does not have.
	Expansion
	// Unsafe: other users may change the file, and it can name programs to run.
	Unsafe
	// ByHand: the entry is written in a form that is read but not edited.
	ByHand
)

// An Error is a fault of config.toml or of a value meant for it. It never
// holds the value at fault, because that may be a secret.
type Error struct {
	Path    string // the file, or "" for a value that came from elsewhere
	Line    int    // 1-based, or 0 when no line is at fault
	Problem Problem
	Server  string // the entry's name, or ""
	Key     string // the key as it is written in the file, or ""
	Detail  string // one clause, lower case, no full stop
	Advice  string // what to do, naming the command to type; may be empty
	Err     error  // the cause, or nil
}

// Error returns the place and the detail on one line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Detail)
	return b.String()
}

// Hint returns what to do about it, or "".
func (e *Error) Hint() string { return e.Advice }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
