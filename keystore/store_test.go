package keystore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// suite is what every kind of Store must do. Names carry a prefix, for a
// keychain may hold other records.
func suite(t *testing.T, open func(t *testing.T) *Store) {
	name := func(t *testing.T, rest string) string { return "suite/" + t.Name() + "/" + rest }

	t.Run("sizes", func(t *testing.T) {
		ctx, s := t.Context(), open(t)
		for _, size := range []int{0, 1, 40, 2_272, 2_400, 2_560, 2_600, 4_096, 20_000, MaxRecord} {
			n := name(t, fmt.Sprint(size))
			for _, seed := range []byte{1, 2} { // the second replaces the first
				want := pattern(size, seed)
				if err := s.Set(ctx, n, want); err != nil {
					t.Fatalf("set %d bytes: %v", size, err)
				}
				got, err := open(t).Get(ctx, n)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("get %d bytes: %d bytes, equal %t, %v", size, len(got), bytes.Equal(got, want), err)
				}
			}
			if err := s.Delete(ctx, n); err != nil {
				t.Fatalf("delete %d bytes: %v", size, err)
			}
			if _, err := s.Get(ctx, n); !errors.Is(err, ErrNotFound) {
				t.Fatalf("get after delete of %d bytes: %v", size, err)
			}
		}
		n := name(t, "shrinks")
		for _, size := range []int{20_000, 10, 3_000, 0} {
			if err := s.Set(ctx, n, pattern(size, 3)); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Get(ctx, n); err != nil || !bytes.Equal(got, pattern(size, 3)) {
				t.Fatalf("after resizing to %d: %d bytes, %v", size, len(got), err)
			}
		}
		if err := s.Delete(ctx, n); err != nil {
			t.Fatal(err)
		}
	})

	t.Run("names", func(t *testing.T) {
		ctx, s := t.Context(), open(t)
		names := []string{
			name(t, "a"), name(t, "A"), name(t, "a#1.0"), name(t, `quote"'\ $x`), name(t, "naïve ☕"),
			name(t, "new\nline"), "x" + strings.Repeat("é", (MaxName-1)/2),
		}
		for i, n := range names {
			if err := s.Set(ctx, n, []byte{byte(i)}); err != nil {
				t.Fatalf("set %q: %v", n, err)
			}
		}
		listed, err := open(t).List(ctx)
		if err != nil || !slices.IsSorted(listed) {
			t.Fatalf("list: %q, %v", listed, err)
		}
		for i, n := range names {
			if got, err := s.Get(ctx, n); err != nil || !bytes.Equal(got, []byte{byte(i)}) {
				t.Errorf("get %q: %v, %v", n, got, err)
			}
			if !slices.Contains(listed, n) {
				t.Errorf("%q is not listed in %q", n, listed)
			}
			if err := s.Delete(ctx, n); err != nil {
				t.Errorf("delete %q: %v", n, err)
			}
			if err := s.Delete(ctx, n); !errors.Is(err, ErrNotFound) {
				t.Errorf("delete %q again: %v", n, err)
			}
		}
		listed, err = s.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if slices.Contains(listed, n) {
				t.Errorf("%q is listed after its deletion", n)
			}
		}
	})

	t.Run("refusals", func(t *testing.T) {
		ctx, s := t.Context(), open(t)
		n := name(t, "kept")
		if err := s.Set(ctx, n, []byte("old")); err != nil {
			t.Fatal(err)
		}
		if err := s.Set(ctx, n, make([]byte, MaxRecord+1)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a large record: %v, want ErrTooLarge", err)
		}
		if err := s.Set(ctx, n, make([]byte, 1<<20)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a megabyte: %v, want ErrTooLarge", err)
		}
		if err := s.Set(ctx, strings.Repeat("n", MaxName+1), nil); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a long name: %v, want ErrTooLarge", err)
		}
		for _, bad := range []string{"", "\xff"} {
			if err := s.Set(ctx, bad, nil); err == nil {
				t.Errorf("the name %q was taken", bad)
			}
		}
		if got, err := s.Get(ctx, n); err != nil || string(got) != "old" {
			t.Errorf("after refusals: %q, %v", got, err)
		}
		if err := s.Delete(ctx, n); err != nil {
			t.Error(err)
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if s.Kind() != Memory {
			if _, err := s.Get(gone, n); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v, want Canceled", err)
			}
		}
	})
}

func pattern(size int, seed byte) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*7) ^ byte(i>>8) ^ seed
	}
	return b
}

func TestMemory(t *testing.T) {
	s := mustOpen(t, Options{Kind: Memory})
	suite(t, func(*testing.T) *Store { return s })

	value := []byte("mine")
	if err := s.Set(t.Context(), "n", value); err != nil {
		t.Fatal(err)
	}
	value[0] = 'X'
	got, _ := s.Get(t.Context(), "n")
	got[1] = 'X'
	if now, _ := s.Get(t.Context(), "n"); string(now) != "mine" {
		t.Errorf("the store shares its memory: %q", now)
	}
}

func TestOpenChoosesByEnvironment(t *testing.T) {
	for env, want := range map[string]Kind{"": Keychain, "keychain": Keychain, "file": File, "memory": Memory} {
		t.Setenv("BRIDGE_KEYSTORE", env)
		s, err := Open(Options{})
		if err != nil || s.Kind() != want {
			t.Errorf("BRIDGE_KEYSTORE=%s: %v, %v", env, s, err)
		}
	}
	t.Setenv("BRIDGE_KEYSTORE", "Keychain ")
	if _, err := Open(Options{}); err == nil {
		t.Error("a misspelt kind was taken")
	}
	for o, want := range map[Options]time.Duration{
		{Kind: Memory}:                       UnattendedTimeout,
		{Kind: File}:                         FileTimeout,
		{Kind: File, Prompt: true}:           PromptTimeout,
		{Kind: Memory, Timeout: time.Second}: time.Second,
	} {
		if s := mustOpen(t, o); s.timeout != want {
			t.Errorf("%+v: time-out %s, want %s", o, s.timeout, want)
		}
	}
}

func mustOpen(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
