package keystore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"filippo.io/age"

	"bridge/internal/fsx"
)

// sealed keeps all records in one file, Home()/secrets.age.json, encrypted with
// age. The file is replaced as a whole, so every write is atomic, and writers
// of all processes take turns under state/secrets.lock.
//
// It protects against who gets the file without its key: a backup, a synced
// folder, a stolen disk. It does not protect against who can read both.
type sealed struct {
	work int // of scrypt for a new file, log2 N
	last *lastUnlock
}

// A lastUnlock is what became of the last key that was tried. It is shared by
// all stores of a process, so that scrypt runs once for a command, which may
// open several, and once for a wrong passphrase, which is as slow.
type lastUnlock struct {
	mu       sync.Mutex
	tried    string // the key and the sealed identity; empty: none yet
	identity *age.X25519Identity
	err      error
}

var unlocked lastUnlock

// envelope is the file. Byte strings are base64, as encoding/json does.
type envelope struct {
	Version int    `json:"bridge_secrets"`
	Key     []byte `json:"key,omitempty"` // the identity, age with a passphrase; see key
	Data    []byte `json:"data"`          // contents, age for the identity
}

type contents struct {
	Records map[string][]byte `json:"records"`
}

const (
	envelopeVersion = 1
	sealedMax       = 16 << 20

	// scryptWork makes a guess cost about half a second and 128 MiB
	// (log2 N; OWASP's first choice). A file may ask for a little more.
	scryptWork    = 17
	scryptWorkMax = 18
)

func sealedPath() (string, error) {
	home, err := fsx.Dir()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return filepath.Join(home, "secrets.age.json"), nil
}

func (s *sealed) get(ctx context.Context, name string) (value []byte, err error) {
	c, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	value, ok := c.Records[name]
	if !ok {
		return nil, ErrNotFound
	}
	return value, nil
}

func (s *sealed) list(ctx context.Context) ([]string, error) {
	c, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Collect(maps.Keys(c.Records)), nil
}

func (s *sealed) set(ctx context.Context, name string, value []byte) error {
	value = bytes.Clone(value) // what follows may outlive the call
	return s.change(ctx, func(c *contents) error {
		c.Records[name] = value
		return nil
	})
}

func (s *sealed) delete(ctx context.Context, name string) error {
	return s.change(ctx, func(c *contents) error {
		if _, ok := c.Records[name]; !ok {
			return ErrNotFound
		}
		delete(c.Records, name)
		return nil
	})
}

func (s *sealed) read(ctx context.Context) (*contents, error) {
	var c *contents
	_, err := bounded(ctx, func() (err error) {
		c, _, err = s.load()
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (s *sealed) change(ctx context.Context, edit func(*contents) error) error {
	state, err := fsx.StateDir()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	lock, err := fsx.Lock(ctx, filepath.Join(state, "secrets.lock"))
	if err != nil {
		return lockError(ctx, err)
	}
	// The lock is given back when the work has ended, not when the caller was
	// told that it takes too long. save looks at the context once more before
	// it writes, so an answer that comes late changes nothing.
	busy, err := bounded(ctx, func() error {
		c, e, err := s.load()
		if err != nil {
			return err
		}
		if err := edit(c); err != nil {
			return err
		}
		return s.save(ctx, c, e)
	})
	if busy == nil {
		lock.Unlock()
		return err
	}
	go func() {
		<-busy
		lock.Unlock()
	}()
	return err
}

// load returns the contents of the file and its envelope; a file that does not
// exist has empty ones.
func (s *sealed) load() (*contents, envelope, error) {
	c := &contents{Records: make(map[string][]byte)}
	path, err := sealedPath()
	if err != nil {
		return nil, envelope{}, err
	}
	data, err := fsx.ReadFile(path, sealedMax)
	if errors.Is(err, fs.ErrNotExist) {
		return c, envelope{Version: envelopeVersion}, nil
	}
	if err != nil {
		return nil, envelope{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var e envelope
	if json.Unmarshal(data, &e) != nil || e.Version != envelopeVersion {
		return nil, envelope{}, fmt.Errorf("%w: %s is not a sealed file of this version", ErrDamaged, path)
	}
	id, err := s.unlock(e.Key)
	if err != nil {
		return nil, envelope{}, err
	}
	plain, err := open(e.Data, sealedMax, id)
	if err != nil {
		return nil, envelope{}, err
	}
	if json.Unmarshal(plain, c) != nil || c.Records == nil {
		return nil, envelope{}, fmt.Errorf("%w: %s", ErrDamaged, path)
	}
	return c, e, nil
}

func (s *sealed) save(ctx context.Context, c *contents, e envelope) error {
	var id *age.X25519Identity
	var err error
	if e.Data == nil {
		id, e.Key, err = s.create()
	} else {
		id, err = s.unlock(e.Key)
	}
	if err != nil {
		return err
	}
	plain, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if e.Data, err = seal(plain, id.Recipient()); err != nil {
		return err
	}
	file, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	path, err := sealedPath()
	if err != nil {
		return err
	}
	if len(file) > sealedMax {
		return fmt.Errorf("%w: all records together", ErrTooLarge)
	}
	if ctx.Err() != nil {
		return givenUp(ctx)
	}
	if err := fsx.WriteFile(path, append(file, '\n')); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// create makes the identity of a new file, and seals it if the key is a
// passphrase.
func (s *sealed) create() (id *age.X25519Identity, sealedID []byte, err error) {
	k, err := findKey(true)
	if err != nil {
		return nil, nil, err
	}
	if isIdentity(k.text) {
		id, err := s.unlock(nil)
		return id, nil, err
	}
	id, err = age.GenerateX25519Identity()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	r, err := age.NewScryptRecipient(k.text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrLocked, err)
	}
	r.SetWorkFactor(s.work)
	sealedID, err = seal([]byte(id.String()), r)
	if err != nil {
		return nil, nil, err
	}
	s.remember(id, k, sealedID)
	return id, sealedID, nil
}

// unlock returns the identity: the key itself, or what the passphrase opens.
func (s *sealed) unlock(sealedID []byte) (*age.X25519Identity, error) {
	k, err := findKey(false)
	if err != nil {
		return nil, err
	}
	// Waiting for the mutex is waiting for another call's scrypt, which is
	// just what this one would have to do.
	s.last.mu.Lock()
	defer s.last.mu.Unlock()
	if tried := k.text + "\x00" + string(sealedID); s.last.tried != tried {
		id, err := k.identity(sealedID)
		s.last.tried, s.last.identity, s.last.err = tried, id, err
	}
	return s.last.identity, s.last.err
}

// identity is unlock without a memory.
func (k key) identity(sealedID []byte) (*age.X25519Identity, error) {
	text := k.text
	if sealedID == nil {
		if !isIdentity(text) {
			return nil, fmt.Errorf("%w: the file is sealed for a key file, and %s is not one", ErrLocked, k.source)
		}
	} else {
		pass, err := age.NewScryptIdentity(text)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrLocked, err)
		}
		pass.SetMaxWorkFactor(scryptWorkMax)
		plain, err := open(sealedID, keyMax, pass)
		if err != nil {
			if errors.Is(err, ErrLocked) {
				err = fmt.Errorf("%w: %s does not open it", ErrLocked, k.source)
			}
			return nil, err
		}
		text = string(plain)
	}
	id, err := age.ParseX25519Identity(text)
	if err != nil {
		// age quotes what it could not read, so its error stays here.
		return nil, fmt.Errorf("%w: %s is not a valid age identity", ErrLocked, k.source)
	}
	return id, nil
}

func (s *sealed) remember(id *age.X25519Identity, k key, sealedID []byte) {
	s.last.mu.Lock()
	defer s.last.mu.Unlock()
	s.last.tried, s.last.identity, s.last.err = k.text+"\x00"+string(sealedID), id, nil
}

func isIdentity(text string) bool { return strings.HasPrefix(text, "AGE-SECRET-KEY-1") }

func seal(plain []byte, to age.Recipient) ([]byte, error) {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: seal: %w", ErrUnavailable, err)
	}
	return out.Bytes(), nil
}

// open returns an ErrLocked if id is not the right one, and an ErrDamaged if
// the data is not what was sealed.
func open(data []byte, limit int64, id age.Identity) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(data), id)
	if err != nil {
		if _, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
			return nil, fmt.Errorf("%w: the key does not open it", ErrLocked)
		}
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if int64(len(plain)) > limit {
		return nil, fmt.Errorf("%w: sealed data", ErrTooLarge)
	}
	return plain, nil
}
