package cards

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"bridge/internal/fsx"
)

// An Entry is a grade that the server has not confirmed.
type Entry struct {
	ID        string    `json:"review_id"` // the reviewId: made once, kept for retries
	Card      string    `json:"card_id"`
	Rating    string    `json:"rating"`
	Workspace string    `json:"workspace_id"`
	Zone      string    `json:"time_zone"`
	Given     time.Time `json:"given_at"`

	// tried says that it may have reached the server: it was found on disk, or
	// sent without an answer. Such an entry is looked for before it is sent
	// again, because another connection (a new sign-in) would record it twice.
	tried bool
	// renamed is how often the server said that the ID is another card's.
	renamed int
	// stuck is why the server does not take it.
	stuck error
}

// An Outbox is the file of what is not confirmed. The whole file is replaced
// with every change and synced, so a crash leaves the state before or after.
// It is locked: two reviews that share one would send each other's grades.
type Outbox struct {
	path    string
	lock    *fsx.FileLock
	entries []*Entry
	save    func(path string, data []byte) error
}

type outboxFile struct {
	Version int      `json:"version"`
	Entries []*Entry `json:"entries"`
}

// maxOutbox bounds what is read back: some 20,000 grades.
const maxOutbox = 8 << 20

// ErrBusy means that another review has the outbox.
var ErrBusy = errors.New("another review is running")

// OpenOutbox locks and reads the outbox at path, whose folder is made if it is
// absent.
func OpenOutbox(path string) (*Outbox, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open outbox: %w", err)
	}
	lock, err := fsx.TryLock(path + ".lock")
	if errors.Is(err, fsx.ErrLocked) {
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open outbox: %w", err)
	}
	b := &Outbox{path: path, lock: lock, save: fsx.WriteFile}
	if b.entries, err = readOutbox(path); err != nil {
		lock.Unlock()
		return nil, err
	}
	return b, nil
}

func readOutbox(path string) ([]*Entry, error) {
	data, err := fsx.ReadFile(path, maxOutbox)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	var f outboxFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("read outbox %s: %w", path, err)
	}
	if f.Version != 1 {
		return nil, fmt.Errorf("read outbox %s: version %d is of another bridge", path, f.Version)
	}
	for _, e := range f.Entries {
		if e == nil {
			return nil, fmt.Errorf("read outbox %s: an entry is empty", path)
		}
		e.tried = true
	}
	return f.Entries, nil
}

// Unsent counts the entries in the outbox at path without taking its lock.
func Unsent(path string) (int, error) {
	entries, err := readOutbox(path)
	return len(entries), err
}

// Close gives the lock back. Entries stay on disk.
func (b *Outbox) Close() { b.lock.Unlock() }

// change replaces the entries on disk, then in memory.
func (b *Outbox) change(entries []*Entry) error {
	data, err := json.Marshal(outboxFile{1, entries})
	if err == nil {
		err = b.save(b.path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write outbox: %w", err)
	}
	b.entries = entries
	return nil
}

func (b *Outbox) add(e *Entry) error { return b.change(append(slices.Clone(b.entries), e)) }

func (b *Outbox) remove(e *Entry) error {
	return b.change(slices.DeleteFunc(slices.Clone(b.entries), func(x *Entry) bool { return x == e }))
}

// rename gives an entry a new reviewId.
func (b *Outbox) rename(e *Entry, id string) error {
	old := *e
	e.ID = id
	if err := b.change(b.entries); err != nil {
		*e = old
		return err
	}
	e.tried = false // the server has never seen this one
	return nil
}

// holds says whether a card has a grade that the server has not confirmed.
func (b *Outbox) holds(cardID string) bool {
	return slices.ContainsFunc(b.entries, func(e *Entry) bool { return e.Card == cardID })
}
