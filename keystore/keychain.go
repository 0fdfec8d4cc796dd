package keystore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"bridge/internal/fsx"
)

// ring is the part of a keychain that is used here: entries of limited size
// under a service and a user name, each replaced in one step. Calls may block
// for ever. Errors are sentinels of this package.
type ring interface {
	// ready finds out cheaply whether the keychain is there and, unless prompt
	// allows it to ask for the password, unlocked.
	ready(prompt bool) error
	get(service, user string) (string, error)
	set(service, user, value string) error
	delete(service, user string) error
}

// keychain keeps records of any size in a ring; see head for how.
//
// Writers, of this process and others, take turns under state/keychain.lock.
// Readers do not: a reader that meets a writer finds its parts gone, and then
// a new head.
type keychain struct {
	ring   ring
	prompt bool
	limit  int // bytes of an entry
}

// session is the use of a ring during one call of the Store.
type session struct {
	*keychain
	ctx     context.Context
	service string
	busy    <-chan struct{} // a ring call that was given up on and still runs
}

func (k *keychain) open(ctx context.Context) (*session, error) {
	service, err := serviceName()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s := &session{keychain: k, ctx: ctx, service: service}
	err = s.call(func() error { return k.ring.ready(k.prompt) })
	return s, err
}

// serviceName keeps the records of one BRIDGE_HOME apart from another's: the
// lock and the index lie there too. The usual home has the plain name.
func serviceName() (string, error) {
	home, err := fsx.Home()
	if err != nil {
		return "", err
	}
	if usual, err := fsx.DefaultHome(); err == nil && usual == home {
		return "bridge", nil
	}
	if target, err := filepath.EvalSymlinks(home); err == nil {
		home = target
	}
	sum := sha256.Sum256([]byte(home))
	return "bridge-" + hex.EncodeToString(sum[:4]), nil
}

func (s *session) call(f func() error) error {
	busy, err := bounded(s.ctx, f)
	if busy != nil {
		s.busy = busy
	}
	return err
}

func (s *session) get(user string) (value string, err error) {
	var got string
	err = s.call(func() (err error) { got, err = s.ring.get(s.service, user); return err })
	if err != nil {
		return "", err
	}
	return got, nil
}

func (s *session) set(user, value string) error {
	return s.call(func() error { return s.ring.set(s.service, user, value) })
}

// remove deletes an entry that may be absent.
func (s *session) remove(user string) error {
	err := s.call(func() error { return s.ring.delete(s.service, user) })
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func (s *session) removeParts(entry string, g generation) error {
	for i := range g.Parts {
		if err := s.remove(partName(entry, g.Gen, i)); err != nil {
			return err
		}
	}
	return nil
}

// head returns the head of a record; found is false if there is none, and a
// damaged head is an ErrDamaged.
func (s *session) head(entry string) (h head, found bool, err error) {
	value, err := s.get(entry)
	if errors.Is(err, ErrNotFound) {
		return head{}, false, nil
	}
	if err != nil {
		return head{}, false, err
	}
	h, err = parseHead(value)
	return h, true, err
}

// read returns the record a head stands for.
func (s *session) read(entry string, h head) ([]byte, error) {
	value := h.rest
	for i := range h.parts {
		part, err := s.get(partName(entry, h.gen, i))
		if errors.Is(err, ErrNotFound) {
			return nil, fmt.Errorf("%w: part %d of %d is missing", ErrDamaged, i+1, h.parts)
		}
		if err != nil {
			return nil, err
		}
		if value = append(value, part...); len(value) > h.size {
			return nil, ErrDamaged
		}
	}
	return h.check(value)
}

func (k *keychain) get(ctx context.Context, name string) ([]byte, error) {
	s, err := k.open(ctx)
	if err != nil {
		return nil, err
	}
	entry := entryName(name)
	for last := (head{}); ; {
		h, found, err := s.head(entry)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, ErrNotFound
		}
		value, err := s.read(entry, h)
		// Parts that are gone are no damage if a writer was faster: then the
		// head has changed. The deadline bounds how often that can happen.
		if errors.Is(err, ErrDamaged) && h.parts > 0 && h.gen != last.gen {
			last = h
			continue
		}
		return value, err
	}
}

func (k *keychain) set(ctx context.Context, name string, value []byte) error {
	return k.write(ctx, func(s *session, x *index) error {
		entry := entryName(name)
		old, _, err := s.head(entry)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return err
		}
		h, parts := split(value, k.limit)
		// Whatever may be left behind is written down before it exists.
		_, known := x.Records[name]
		untidy := !known || old.parts > 0 || h.parts > 0
		if untidy {
			if err := x.expect(name, old, h); err != nil {
				return err
			}
		}
		for i, part := range parts {
			if err := s.set(partName(entry, h.gen, i), string(part)); err != nil {
				return err
			}
		}
		if err := s.set(entry, h.String()); err != nil {
			return err
		}
		// security(1) does not always tell that it failed, so look.
		now, found, err := s.head(entry)
		if err == nil && (!found || now.sum != h.sum || now.gen != h.gen) {
			err = ErrDamaged
		}
		if err == nil {
			_, err = s.read(entry, now)
		}
		if errors.Is(err, ErrDamaged) {
			return fmt.Errorf("%w: the keychain did not keep what was written", ErrUnavailable)
		}
		if err != nil {
			return err
		}
		if untidy {
			s.sweep(x, name)
		}
		return nil
	})
}

func (k *keychain) delete(ctx context.Context, name string) error {
	return k.write(ctx, func(s *session, x *index) error {
		entry := entryName(name)
		old, found, err := s.head(entry)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return err
		}
		if old.parts > 0 {
			if err := x.expect(name, old); err != nil {
				return err
			}
		}
		if err := s.remove(entry); err != nil {
			return err
		}
		s.sweep(x, name)
		if !found {
			return ErrNotFound
		}
		return nil
	})
}

// list asks for every head, because after a crash the index may know a name
// whose record was never finished.
func (k *keychain) list(ctx context.Context) ([]string, error) {
	x, err := loadIndex()
	if err != nil {
		return nil, err
	}
	s, err := k.open(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range x.Records {
		_, found, err := s.head(entryName(name))
		if err != nil && !errors.Is(err, ErrDamaged) {
			return nil, err
		}
		if found {
			names = append(names, name)
		}
	}
	return names, nil
}

// write runs f as the only writer, after sweeping what killed writers left.
//
// A ring call that was given up on may still take effect later. While it runs
// the lock stays taken, so that it cannot fall into another's write.
func (k *keychain) write(ctx context.Context, f func(*session, *index) error) (err error) {
	state, err := fsx.StateDir()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	lock, err := fsx.Lock(ctx, filepath.Join(state, "keychain.lock"))
	if err != nil {
		return lockError(ctx, err)
	}
	s, err := k.open(ctx)
	defer func() {
		if s == nil || s.busy == nil {
			lock.Unlock()
			return
		}
		go func() {
			<-s.busy
			lock.Unlock()
		}()
	}()
	if err != nil {
		return err
	}
	x, err := loadIndex()
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	for name, r := range x.Records {
		if r.Untidy {
			s.sweep(x, name)
		}
	}
	return f(s, x)
}

// sweep deletes the generations of a record that its head does not point at,
// and brings the index up to date. The record is safe by now, so a failure
// costs nothing but another try at the next write.
func (s *session) sweep(x *index, name string) {
	entry := entryName(name)
	h, found, err := s.head(entry)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return
	}
	r, known := x.Records[name]
	if !known {
		return
	}
	var kept record
	for _, g := range r.Generations {
		if found && g.Gen == h.gen {
			kept.Generations = append(kept.Generations, g)
		} else if s.removeParts(entry, g) != nil {
			return
		}
	}
	if found {
		x.Records[name] = kept
	} else {
		delete(x.Records, name)
	}
	_ = x.save()
}

// lockError makes a lock that could not be had in time an ErrTimeout.
func lockError(ctx context.Context, err error) error {
	if errors.Is(err, fsx.ErrLocked) {
		return fmt.Errorf("another process is writing: %w", ErrTimeout)
	}
	if ctx.Err() != nil {
		return givenUp(ctx)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
