package keystore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// Limits of a record, the same everywhere so that what fits on one machine
// fits on another.
const (
	MaxRecord = 64 << 10 // bytes of a value
	MaxName   = 128      // bytes of a name
)

// The time-outs of a call when Options.Timeout is zero.
const (
	UnattendedTimeout = 3 * time.Second
	PromptTimeout     = 60 * time.Second
	// FileTimeout stands in for UnattendedTimeout with the sealed file: nobody
	// is waited for there, and scrypt takes its time on a small machine.
	FileTimeout = 10 * time.Second
)

// Kind is the kind of place where secrets rest.
type Kind int

const (
	// FromEnv is the kind that BRIDGE_KEYSTORE names: keychain (also when it
	// is not set), file or memory.
	FromEnv Kind = iota
	// Keychain is the operating system's: Keychain on macOS, Credential
	// Manager on Windows, Secret Service elsewhere.
	Keychain
	// File is one file sealed with age.
	File
	// Memory forgets everything when the process ends. It is meant for tests.
	Memory
)

// String returns the kind as BRIDGE_KEYSTORE names it.
func (k Kind) String() string {
	switch k {
	case Keychain:
		return "keychain"
	case File:
		return "file"
	case Memory:
		return "memory"
	}
	return "keystore"
}

// Options of Open. The zero value is right for a process nobody watches.
type Options struct {
	Kind Kind
	// Prompt says that a person is there to answer, so the keychain may ask to
	// be unlocked. Without it a locked keychain is an ErrLocked at once where
	// the platform can tell.
	Prompt bool
	// Timeout bounds every call; zero means UnattendedTimeout,
	// FileTimeout, or PromptTimeout with Prompt. An earlier deadline of the context counts too.
	Timeout time.Duration
}

// A Store holds named secrets. Get one from Open.
type Store struct {
	kind    Kind
	timeout time.Duration
	place   place
}

// place is one kind of storage. Its errors are sentinels of this package or
// the context's.
type place interface {
	get(ctx context.Context, name string) ([]byte, error)
	set(ctx context.Context, name string, value []byte) error
	delete(ctx context.Context, name string) error
	list(ctx context.Context) ([]string, error)
}

// Open chooses the place. It touches neither the keychain nor the disk; the
// only error is a BRIDGE_KEYSTORE that names nothing known.
func Open(o Options) (*Store, error) {
	if o.Kind == FromEnv {
		switch v := os.Getenv("BRIDGE_KEYSTORE"); v {
		case "", "keychain":
			o.Kind = Keychain
		case "file":
			o.Kind = File
		case "memory":
			o.Kind = Memory
		default:
			return nil, fmt.Errorf("BRIDGE_KEYSTORE is %q; it can be keychain, file or memory", v)
		}
	}
	if o.Timeout == 0 {
		switch {
		case o.Prompt:
			o.Timeout = PromptTimeout
		case o.Kind == File:
			o.Timeout = FileTimeout
		default:
			o.Timeout = UnattendedTimeout
		}
	}
	s := &Store{kind: o.Kind, timeout: o.Timeout}
	switch o.Kind {
	case Keychain:
		s.place = &keychain{ring: systemRing{}, prompt: o.Prompt, limit: entryLimit}
	case File:
		s.place = &sealed{work: scryptWork, last: &unlocked}
	case Memory:
		s.place = &memory{}
	default:
		return nil, fmt.Errorf("unknown kind of keystore %d", o.Kind)
	}
	return s, nil
}

// Kind returns where the secrets rest; never FromEnv.
func (s *Store) Kind() Kind { return s.kind }

// Get returns a copy of the record, or an ErrNotFound.
func (s *Store) Get(ctx context.Context, name string) (value []byte, err error) {
	err = s.do(ctx, "get", name, func(ctx context.Context) error {
		value, err = s.place.get(ctx, name)
		return err
	})
	return value, err
}

// Set stores a copy of value under name, in place of any record there. If it
// fails or the process dies, the old record or the new one is there.
func (s *Store) Set(ctx context.Context, name string, value []byte) error {
	return s.do(ctx, "set", name, func(ctx context.Context) error {
		if len(value) > MaxRecord {
			return fmt.Errorf("%d bytes, at most %d: %w", len(value), MaxRecord, ErrTooLarge)
		}
		return s.place.set(ctx, name, value)
	})
}

// Delete forgets the record, or returns an ErrNotFound.
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.do(ctx, "delete", name, func(ctx context.Context) error {
		return s.place.delete(ctx, name)
	})
}

// List returns the names of all records in order.
func (s *Store) List(ctx context.Context) (names []string, err error) {
	err = s.do(ctx, "list", "", func(ctx context.Context) error {
		names, err = s.place.list(ctx)
		slices.Sort(names)
		return err
	})
	return names, err
}

var errName = errors.New("the name of a secret is 1 to 128 bytes of UTF-8")

func (s *Store) do(ctx context.Context, op, name string, f func(context.Context) error) error {
	if op != "list" && (name == "" || len(name) > MaxName || !utf8.ValidString(name)) {
		err := errName
		if len(name) > MaxName {
			err = fmt.Errorf("%w: %w", errName, ErrTooLarge)
		}
		return &Error{Op: op, Kind: s.kind, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if err := f(ctx); err != nil {
		return &Error{Op: op, Name: name, Kind: s.kind, Err: err}
	}
	return nil
}

type memory struct {
	mu sync.Mutex
	m  map[string][]byte
}

func (m *memory) get(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.m[name]
	if !ok {
		return nil, ErrNotFound
	}
	return slices.Clone(value), nil
}

func (m *memory) set(_ context.Context, name string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = make(map[string][]byte)
	}
	m.m[name] = slices.Clone(value)
	return nil
}

func (m *memory) delete(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.m[name]; !ok {
		return ErrNotFound
	}
	delete(m.m, name)
	return nil
}

func (m *memory) list(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := make([]string, 0, len(m.m))
	for name := range m.m {
		names = append(names, name)
	}
	return names, nil
}
