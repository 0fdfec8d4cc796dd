package clients

import (
	"errors"
	"fmt"
)

// What callers branch on. Every error about a file is a *FileError that wraps
// one of these, or an error of fsx.
var (
	// ErrSyntax: the file is not what its name says.
	ErrSyntax = errors.New("cannot be read as configuration")
	// ErrDuplicate: a key on the way to the entry stands twice. Which of the
	// two the client uses is its secret.
	ErrDuplicate = errors.New("a key stands twice")
	// ErrShape: a value on the way to the entry is not a table.
	ErrShape = errors.New("is not a table of servers")
	// ErrByHand: the entry is written in a form that is read but not edited.
	ErrByHand = errors.New("is written in a form that has to be edited by hand")
	// ErrTaken: there is an entry of this name, and it is not ours.
	ErrTaken = errors.New("the name is taken by another entry")
	// ErrAltered: the entry is ours and was changed by somebody since.
	ErrAltered = errors.New("the entry was changed since it was written")
	// ErrNoEntry: there is no entry of this name.
	ErrNoEntry = errors.New("no such entry")
	// ErrUnsure: what was written is not what was read back.
	ErrUnsure = errors.New("the file does not hold what was written to it")
	// ErrForeign: the file belongs to another user of the machine.
	ErrForeign = errors.New("belongs to another user")
	// ErrExposed: every user of the machine may write the file.
	ErrExposed = errors.New("may be written by every user of this machine")
	// ErrLink: the file is a link, and what it leads to is not what was asked
	// for.
	ErrLink = errors.New("is a link")
)

// A FileError is what is wrong with one configuration file. Its text holds
// nothing of the file's content.
type FileError struct {
	Path string
	Line int    // 0: not known
	Key  string // the key in question, or ""
	Err  error
}

func (e *FileError) Error() string {
	text := e.Path
	if e.Line > 0 {
		text += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Key != "" {
		text += fmt.Sprintf(": %q", e.Key)
	}
	return text + ": " + e.Err.Error()
}

func (e *FileError) Unwrap() error { return e.Err }

// inFile says which file an error of an editor is about.
func inFile(path string, err error) error {
	if err == nil {
		return nil
	}
	var e *FileError
	if errors.As(err, &e) {
		if e.Path == "" {
			e.Path = path
		}
		return err
	}
	return &FileError{Path: path, Err: err}
}
