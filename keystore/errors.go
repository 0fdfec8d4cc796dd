package keystore

import "errors"

// What callers branch on. Every error of a Store that concerns the place where
// secrets rest is exactly one of these, or the cause of the context.
var (
	// ErrNotFound: there is no record of that name.
	ErrNotFound = errors.New("no such secret")
	// ErrLocked: the keychain needs unlocking, or the key of the sealed file is
	// missing or wrong.
	ErrLocked = errors.New("locked")
	// ErrUnavailable: there is no keychain here, or it does not work.
	ErrUnavailable = errors.New("not available")
	// ErrTooLarge: the record is larger than MaxRecord, or its name than MaxName.
	ErrTooLarge = errors.New("too large")
	// ErrTimeout: no answer came in time.
	ErrTimeout = errors.New("no answer in time")
	// ErrDamaged: what is stored is not what was written. The record can be
	// written again or deleted.
	ErrDamaged = errors.New("stored data is damaged")
)

// An Error says which operation failed on which record, where. It never holds
// any part of a secret.
type Error struct {
	Op   string // "get", "set", "delete", "list"
	Name string // of the record; empty for "list"
	Kind Kind
	Err  error // errors.Is one of the sentinels, or a context's error
}

func (e *Error) Error() string {
	text := e.Kind.String() + ": " + e.Op
	if e.Name != "" {
		text += " " + e.Name
	}
	return text + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }
