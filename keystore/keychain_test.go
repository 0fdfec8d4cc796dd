package keystore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bridge/internal/fsx"
)

// fakeRing is a keychain whose entries are limited, whose names ignore case as
// Credential Manager's do, and which can die.
type fakeRing struct {
	mu      sync.Mutex
	entries map[string]string
	limit   int
	left    int           // writes until it is dead; negative: for ever
	block   chan struct{} // if not nil, calls wait for it
	locked  bool
}

func newFakeRing(limit int) *fakeRing {
	return &fakeRing{entries: map[string]string{}, limit: limit, left: -1}
}

var errDead = fmt.Errorf("%w: died", ErrUnavailable)

func (r *fakeRing) ready(prompt bool) error {
	if r.block != nil {
		<-r.block
	}
	if r.locked && !prompt {
		return ErrLocked
	}
	return nil
}

func (r *fakeRing) get(service, user string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	value, ok := r.entries[strings.ToLower(service+":"+user)]
	if !ok {
		return "", ErrNotFound
	}
	return value, nil
}

func (r *fakeRing) set(service, user, value string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(value) > r.limit {
		return ErrTooLarge
	}
	if r.left == 0 {
		return errDead
	}
	r.left--
	r.entries[strings.ToLower(service+":"+user)] = value
	return nil
}

func (r *fakeRing) delete(service, user string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == 0 {
		return errDead
	}
	r.left--
	if _, ok := r.entries[strings.ToLower(service+":"+user)]; !ok {
		return ErrNotFound
	}
	delete(r.entries, strings.ToLower(service+":"+user))
	return nil
}

func (r *fakeRing) store() *Store {
	return &Store{kind: Keychain, timeout: 10 * time.Second, place: &keychain{ring: r, limit: r.limit}}
}

func TestKeychainSuite(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	r := newFakeRing(2400)
	suite(t, func(*testing.T) *Store { return r.store() })
	if len(r.entries) != 0 {
		t.Errorf("entries are left: %q", slices.Collect(maps.Keys(r.entries)))
	}
}

// Every write is cut off after each of its steps. The record must then be the
// old one or the new one, and the next write must leave no orphan.
func TestKeychainKilledAtEveryStep(t *testing.T) {
	sizes := []int{-1, 10, 900} // absent, in the head, in parts
	for _, from := range sizes {
		for _, to := range sizes {
			cuts := 0
			for left := 0; ; left++ {
				t.Setenv("BRIDGE_HOME", t.TempDir())
				r := newFakeRing(300)
				ctx := t.Context()
				write := func(size int, seed byte) error {
					if size < 0 {
						return r.store().Delete(ctx, "n")
					}
					return r.store().Set(ctx, "n", pattern(size, seed))
				}
				if from >= 0 {
					if err := write(from, 1); err != nil {
						t.Fatal(err)
					}
				}
				r.left = left
				err := write(to, 2)
				whole := r.left > 0
				r.left = -1

				got, getErr := r.store().Get(ctx, "n")
				is := func(size int, seed byte) bool {
					if size < 0 {
						return errors.Is(getErr, ErrNotFound)
					}
					return getErr == nil && bytes.Equal(got, pattern(size, seed))
				}
				if !is(from, 1) && !is(to, 2) {
					t.Fatalf("%d → %d bytes, killed after %d steps: %d bytes, %v", from, to, left, len(got), getErr)
				}
				if err == nil && !is(to, 2) {
					t.Fatalf("%d → %d bytes, %d steps: told to be done, but is not", from, to, left)
				}
				// A later write of another record sweeps.
				if err := r.store().Set(ctx, "other", []byte("x")); err != nil {
					t.Fatal(err)
				}
				want := []string{}
				for user := range r.entries {
					if strings.Contains(user, "#") {
						want = append(want, user)
					}
				}
				now, _ := r.store().Get(ctx, "n")
				if parts := (len(now) + 299) / 300; len(now) < 200 && len(want) != 0 || len(now) > 200 && len(want) != parts {
					t.Fatalf("%d → %d bytes, %d steps: a record of %d bytes with parts %q", from, to, left, len(now), want)
				}
				names, err := r.store().List(ctx)
				if err != nil || slices.Contains(names, "n") != (getErr == nil) {
					t.Fatalf("%d → %d bytes, %d steps: listed %q, %v", from, to, left, names, err)
				}
				if whole {
					break
				}
				cuts++
			}
			if to > 0 && cuts == 0 {
				t.Errorf("%d → %d bytes: nothing was cut off", from, to)
			}
		}
	}
}

func TestKeychainReadersSeeWholeRecords(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	r := newFakeRing(300)
	ctx := t.Context()
	if err := r.store().Set(ctx, "n", pattern(1500, 0)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for n := 0; ; n++ {
				got, err := r.store().Get(ctx, "n")
				if err != nil || !bytes.Equal(got, pattern(1500, got[0])) {
					t.Errorf("read %d: %d bytes, %v", n, len(got), err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for w := range 2 {
		writers.Go(func() {
			for i := range 10 {
				if err := r.store().Set(ctx, "n", pattern(1500, byte(w*10+i))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if len(r.entries) != 6 {
		t.Errorf("%d entries are left, want a head and five parts", len(r.entries))
	}
}

func TestKeychainDamage(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	ctx := t.Context()
	for what, harm := range map[string]func(r *fakeRing, head string){
		"foreign head": func(r *fakeRing, head string) { r.entries[head] = "hunter2" },
		"huge counts":  func(r *fakeRing, head string) { r.entries[head] = "bridge1 aa 999999999 999999999 00\n" },
		"cut head":     func(r *fakeRing, head string) { r.entries[head] = r.entries[head][:40] },
		"missing part": func(r *fakeRing, head string) {
			for k := range r.entries {
				if strings.HasSuffix(k, ".1") {
					delete(r.entries, k)
				}
			}
		},
		"flipped bit": func(r *fakeRing, head string) {
			for k, v := range r.entries {
				if strings.HasSuffix(k, ".0") {
					r.entries[k] = "\x00" + v[1:]
				}
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			r := newFakeRing(300)
			s := r.store()
			if err := s.Set(ctx, "n", pattern(800, 9)); err != nil {
				t.Fatal(err)
			}
			service, _ := serviceName()
			harm(r, service+":n")
			if _, err := s.Get(ctx, "n"); !errors.Is(err, ErrDamaged) {
				t.Errorf("get: %v, want ErrDamaged", err)
			}
			if err := s.Set(ctx, "n", []byte("mended")); err != nil {
				t.Errorf("set over damage: %v", err)
			}
			if got, err := s.Get(ctx, "n"); err != nil || string(got) != "mended" {
				t.Errorf("mended: %q, %v", got, err)
			}
			harm(r, service+":n")
			if err := s.Delete(ctx, "n"); err != nil {
				t.Errorf("delete of a damaged record: %v", err)
			}
			if len(r.entries) != 0 {
				t.Errorf("left behind: %q", slices.Collect(maps.Keys(r.entries)))
			}
		})
	}
}

func TestKeychainTimesOut(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		r := newFakeRing(300)
		r.block = make(chan struct{})
		s := r.store()
		s.timeout = UnattendedTimeout
		start := time.Now()
		if _, err := s.Get(t.Context(), "n"); !errors.Is(err, ErrTimeout) {
			t.Errorf("get: %v, want ErrTimeout", err)
		}
		if d := time.Since(start); d != UnattendedTimeout {
			t.Errorf("gave up after %s", d)
		}
		if n := Stuck(); n != 1 {
			t.Errorf("%d calls are stuck, want 1", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := s.Set(ctx, "n", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("set cancelled: %v, want Canceled", err)
		}
		// The write that was given up on keeps the others out until it ends.
		state, err := fsx.StateDir()
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := fsx.TryLock(filepath.Join(state, "keychain.lock")); !errors.Is(err, fsx.ErrLocked) {
			t.Errorf("the lock of a stuck write: %v, want ErrLocked", err)
		}
		if err := s.Set(t.Context(), "n", nil); !errors.Is(err, ErrTimeout) {
			t.Errorf("set meanwhile: %v, want ErrTimeout", err)
		}
		for range 2 * maxStuck {
			if _, err := s.Get(t.Context(), "n"); !errors.Is(err, ErrTimeout) {
				t.Errorf("get: %v, want ErrTimeout", err)
			}
		}
		if n := Stuck(); n != maxStuck {
			t.Errorf("%d calls are stuck, want the bound %d", n, maxStuck)
		}
		close(r.block)
		synctest.Wait()
		if n := Stuck(); n != 0 {
			t.Errorf("%d calls are still stuck", n)
		}
		if err := s.Set(t.Context(), "n", []byte("v")); err != nil {
			t.Errorf("after it came back: %v", err)
		}
	})
}

func TestKeychainLockedAndPanicking(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	r := newFakeRing(300)
	r.locked = true
	s := r.store()
	_, getErr := s.Get(t.Context(), "n")
	for op, err := range map[string]error{
		"get": getErr, "set": s.Set(t.Context(), "n", nil), "delete": s.Delete(t.Context(), "n"),
	} {
		if !errors.Is(err, ErrLocked) {
			t.Errorf("%s: %v, want ErrLocked", op, err)
		}
	}
	r.entries = nil // a write panics now
	r.locked = false
	if err := s.Set(t.Context(), "n", nil); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a panic: %v, want ErrUnavailable", err)
	}
}

func TestKeychainWithoutIndex(t *testing.T) {
	home := t.TempDir()
	t.Setenv("BRIDGE_HOME", home)
	r := newFakeRing(300)
	s := r.store()
	if err := s.Set(t.Context(), "n", pattern(800, 1)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "state", "keychain.json")
	if err := fsx.CheckPrivate(path); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.List(t.Context()); !errors.Is(err, ErrDamaged) {
		t.Errorf("list with a damaged index: %v, want ErrDamaged", err)
	}
	if got, err := s.Get(t.Context(), "n"); err != nil || !bytes.Equal(got, pattern(800, 1)) {
		t.Errorf("get with a damaged index: %d bytes, %v", len(got), err)
	}
	if err := s.Set(t.Context(), "n", pattern(700, 2)); err != nil {
		t.Fatal(err)
	}
	if names, err := s.List(t.Context()); err != nil || !slices.Equal(names, []string{"n"}) {
		t.Errorf("list after a write: %q, %v", names, err)
	}
	if len(r.entries) != 4 {
		t.Errorf("%d entries, want a head and three parts", len(r.entries))
	}
}

func TestServiceNameByHome(t *testing.T) {
	usual, err := fsx.DefaultHome()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, home := range []string{"", usual, t.TempDir(), t.TempDir()} {
		t.Setenv("BRIDGE_HOME", home)
		got, err := serviceName()
		if err != nil {
			t.Fatal(err)
		}
		if plain := home == "" || home == usual; plain != (got == "bridge") {
			t.Errorf("BRIDGE_HOME=%s: service %q", home, got)
		} else if other, ok := seen[got]; ok && !plain {
			t.Errorf("%s and %s share the service %q", home, other, got)
		}
		seen[got] = home
	}
}
