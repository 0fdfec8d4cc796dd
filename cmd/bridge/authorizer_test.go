package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"bridge/bridge"
	entry "bridge/internal/servers"
	"bridge/keystore"
)

func testAuthorizer(t *testing.T, s entry.Server, st *fakeStore, env map[string]string) *authorizer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	a := newAuthorizer(ctx, testFinder(s, st, env))
	t.Cleanup(func() { cancel(); a.wait() })
	return a
}

func wantSignIn(t *testing.T, err error, refused, waiting bool, says string) {
	t.Helper()
	var e *bridge.SignInError
	if !errors.As(err, &e) {
		t.Fatalf("err = %v, want a *SignInError", err)
	}
	if e.Refused != refused || e.Waiting != waiting || !strings.Contains(e.Message, says) {
		t.Errorf("got %+v, want refused %v waiting %v %q", e, refused, waiting, says)
	}
}

func TestAuthorizerAsksOnce(t *testing.T) {
	s := testEntry()
	st := &fakeStore{m: map[string]string{s.CredentialName(): "one"}, hold: make(chan struct{})}
	a := testAuthorizer(t, s, st, nil)
	if st.count() != 0 {
		t.Error("the keystore was asked before anybody needed it")
	}
	a.start()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if v, err := a.Authorization(t.Context()); v != "Bearer one" || err != nil {
				t.Errorf("Authorization = %q, %v", v, err)
			}
		})
	}
	close(st.hold)
	all.Wait()
	if n := st.count(); n != 1 {
		t.Errorf("the keystore was asked %d times", n)
	}
}

func TestAuthorizerDoesNotHoldUpItsCaller(t *testing.T) {
	s := testEntry()
	st := &fakeStore{hold: make(chan struct{})} // never answers
	a := testAuthorizer(t, s, st, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Authorization(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestAuthorizerWithoutToken(t *testing.T) {
	s := testEntry()
	st := &fakeStore{}
	a := testAuthorizer(t, s, st, nil)
	_, err := a.Authorization(t.Context())
	wantSignIn(t, err, false, true, "bridge login my-team")

	// What login stores while serve runs is found by the next request.
	st.Set(t.Context(), s.CredentialName(), []byte("new"))
	if v, err := a.Authorization(t.Context()); v != "Bearer new" || err != nil {
		t.Errorf("Authorization = %q, %v", v, err)
	}

	s.Auth = entry.AuthAuto
	a = testAuthorizer(t, s, &fakeStore{}, nil)
	if v, err := a.Authorization(t.Context()); v != "" || err != nil {
		t.Errorf("a server that may be open: %q, %v", v, err)
	}
	wantSignIn(t, a.Challenge(t.Context(), bridge.Challenge{Status: 401}), false, true, "bridge login my-team")

	s.Auth = entry.AuthNone
	x := &app{streams: &streams{}}
	if p, err := x.provider(t.Context(), testFinder(s, st, nil), &bridge.Config{URL: s.URL}, signInOptions{}); p != nil || err != nil {
		t.Errorf("a server that takes no credential has a provider: %v, %v", p, err)
	}
}

func TestAuthorizerLockedKeychain(t *testing.T) {
	for _, cause := range []error{keystore.ErrLocked, keystore.ErrTimeout, keystore.ErrUnavailable} {
		s := testEntry()
		st := &fakeStore{m: map[string]string{s.CredentialName(): "one"}, err: cause}
		a := testAuthorizer(t, s, st, nil)
		_, err := a.Authorization(t.Context())
		wantSignIn(t, err, false, true, "BRIDGE_KEYSTORE=file")

		st.mu.Lock()
		st.err = nil // unlocked
		st.mu.Unlock()
		if v, err := a.Authorization(t.Context()); v != "Bearer one" || err != nil {
			t.Errorf("after unlocking: %q, %v", v, err)
		}
	}
}

func TestAuthorizerChallenge(t *testing.T) {
	s := testEntry()
	st := &fakeStore{m: map[string]string{s.CredentialName(): "old"}}
	a := testAuthorizer(t, s, st, nil)
	used, err := a.Authorization(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ch := bridge.Challenge{Status: 401, Used: used}
	wantSignIn(t, a.Challenge(t.Context(), ch), true, true, "bridge login my-team")

	st.Set(t.Context(), s.CredentialName(), []byte("new"))
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if err := a.Challenge(t.Context(), ch); err != nil {
				t.Errorf("Challenge after login = %v", err)
			}
		})
	}
	all.Wait()
	if v, err := a.Authorization(t.Context()); v != "Bearer new" || err != nil {
		t.Errorf("Authorization = %q, %v", v, err)
	}
	before := st.count()
	if err := a.Challenge(t.Context(), ch); err != nil || st.count() != before {
		t.Errorf("a late 401 for the old token asked again (%v)", err)
	}
	wantSignIn(t, a.Challenge(t.Context(), bridge.Challenge{Status: 403, Used: "Bearer new"}), true, false, "does not allow")

	a = testAuthorizer(t, s, st, map[string]string{"BRIDGE_TOKEN": "fixed"})
	if used, err = a.Authorization(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantSignIn(t, a.Challenge(t.Context(), bridge.Challenge{Status: 401, Used: used}), true, false, "BRIDGE_TOKEN")
}

func TestEntryGate(t *testing.T) {
	reads := bridge.Tool{Name: "read_doc", Known: true, ReadOnly: true}
	writes := bridge.Tool{Name: "Update_Doc", Known: true, Destructive: true}
	unknown := bridge.Tool{Name: "read_doc"}
	for _, tt := range []struct {
		name  string
		s     entry.Server
		tool  bridge.Tool
		allow bool
	}{
		{"deny wins", entry.Server{Allow: []string{"*"}, Deny: []string{"update_*"}}, writes, false},
		{"deny is about the whole name", entry.Server{Deny: []string{"doc"}}, writes, true},
		{"allow", entry.Server{Allow: []string{"READ_*"}}, reads, true},
		{"not among the allowed", entry.Server{Allow: []string{"read_*"}}, writes, false},
		{"read-only", entry.Server{ReadOnly: true}, reads, true},
		{"read-only, writing", entry.Server{ReadOnly: true}, writes, false},
		{"read-only, unknown", entry.Server{ReadOnly: true}, unknown, false},
	} {
		if got := newEntryGate(tt.s).Allow(tt.tool); (got == "") != tt.allow {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	if newEntryGate(testEntry()) != nil {
		t.Error("an entry without policy has a gate")
	}
}
