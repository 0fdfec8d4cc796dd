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

// Hint returns what a person can do about an error of this package, in one or
// two plain English sentences, or "" for any other error.
func Hint(err error) string {
	file := false
	if e, ok := errors.AsType[*Error](err); ok {
		file = e.Kind == File
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return "Nothing is stored under this name. Sign in first: bridge login NAME"
	case errors.Is(err, ErrLocked) && file:
		return "The sealed file cannot be opened. Give its key with BRIDGE_PASSPHRASE_FILE, BRIDGE_PASSPHRASE, BRIDGE_KEY_FILE or the systemd credential bridge-key."
	case errors.Is(err, ErrLocked):
		return "The keychain is locked. Unlock it on the desktop and try again; on a machine without one, choose the sealed file with BRIDGE_KEYSTORE=file."
	case errors.Is(err, ErrUnavailable) && file:
		return "The sealed file cannot be read or written. Check the folder's permissions, or choose another with BRIDGE_HOME."
	case errors.Is(err, ErrUnavailable):
		return "No keychain is available here, as is usual over SSH and in containers. Choose the sealed file with BRIDGE_KEYSTORE=file, or give the token in BRIDGE_TOKEN_FILE."
	case errors.Is(err, ErrTooLarge):
		return "This is too large to be a token. Check what was pasted or piped in."
	case errors.Is(err, ErrTimeout) && file:
		return "The sealed file took too long to open. Another process may hold it; try again."
	case errors.Is(err, ErrTimeout):
		return "The keychain did not answer. A window may be waiting for your answer on the desktop; otherwise sign out and in again, or choose the sealed file with BRIDGE_KEYSTORE=file."
	case errors.Is(err, ErrDamaged) && file:
		return "The sealed file secrets.age.json is damaged. Put a backup in its place, or move it away and sign in again: bridge login NAME"
	case errors.Is(err, ErrDamaged):
		return "What is stored cannot be read any more. Sign in again: bridge login NAME"
	}
	return ""
}
