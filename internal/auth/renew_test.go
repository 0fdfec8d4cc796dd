package auth

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// many goroutines, one refresh, with the resource; the new pair is stored
// before it is used.
func TestOneRefresh(t *testing.T) {
	w := newWorld(t)
	a, b := w.session(t, nil), w.session(t, nil)
	must(t, w.fakeServer, a)
	must(t, w.fakeServer, b)
	w.expire()
	var all sync.WaitGroup
	for _, s := range []*Session{a, b} {
		for range 10 {
			all.Go(func() {
				h, err := call(t.Context(), w.fakeServer, s)
				if err != nil {
					t.Errorf("a request failed: %v", err)
				}
				if stored, _ := decodeRecord(w.store.m["record"]); stored.header() != h {
					t.Error("what is used is not what is stored")
				}
			})
		}
	}
	all.Wait()
	if w.asked("grant:refresh_token") != 1 || w.opens() != 1 {
		t.Errorf("%d refreshes, %d windows", w.asked("grant:refresh_token"), w.opens())
	}
	if lastForm(w).Get("resource") != w.mcp() || lastForm(w).Get("client_id") != "client-1" {
		t.Errorf("refresh request %v", lastForm(w))
	}
}

// Ahead of time, by the wall clock, so that no request is refused first. A
// clock that jumps costs a refresh at most.
func TestRefreshAhead(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	now := time.Now()
	set := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
	s := w.session(t, func(o *Options) {
		o.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
	})
	h := must(t, w.fakeServer, s)
	for _, step := range []struct {
		jump time.Duration
		want int // refreshes so far
	}{
		{58 * time.Minute, 0},
		{90 * time.Second, 1}, // less than a minute is left
		{30 * time.Minute, 1},
		{48 * time.Hour, 2},  // the machine slept
		{-72 * time.Hour, 2}, // the clock was set back: what is held is used until it is refused
	} {
		set(step.jump)
		next := must(t, w.fakeServer, s)
		if got := w.asked("grant:refresh_token"); got != step.want {
			t.Errorf("after %v: %d refreshes, want %d", step.jump, got, step.want)
		}
		if (next != h) != (step.want != 0 && step.jump > 0 && step.jump != 30*time.Minute) {
			t.Errorf("after %v: the header changed: %v", step.jump, next != h)
		}
		h = next
	}
	if w.opens() != 1 {
		t.Errorf("%d windows", w.opens())
	}
}

// A 5xx, a page, a broken connection and a 429 say nothing about the grant:
// they are tried again and never turn into a sign-in.
func TestRefreshThroughTrouble(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	must(t, w.fakeServer, s)
	w.expire()
	page := "<!doctype html><title>Bad Gateway</title>"
	trouble := []func(http.ResponseWriter){
		func(rw http.ResponseWriter) { http.Error(rw, page, http.StatusServiceUnavailable) },
		func(rw http.ResponseWriter) {
			rw.Header().Set("Content-Type", "text/html")
			_, _ = rw.Write([]byte(page))
		},
		func(rw http.ResponseWriter) { http.Error(rw, page, http.StatusBadRequest) },
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		func(rw http.ResponseWriter) {
			http.Error(rw, `{"error":"temporarily_unavailable"}`, http.StatusTooManyRequests)
		},
	}
	var mu sync.Mutex
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path != "/token" || len(trouble) == 0 {
			return false
		}
		f := trouble[0]
		trouble = trouble[1:]
		f(rw)
		return true
	}
	must(t, w.fakeServer, s)
	if w.opens() != 1 || w.asked("grant:refresh_token") != 1 {
		t.Errorf("%d windows, %d refreshes", w.opens(), w.asked("grant:refresh_token"))
	}
}

// While it lasts, the error says so, and what is stored stays. Between the tries
// it waits, each time longer; here the waits are only counted.
func TestRefreshNeverAnswered(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	var waited time.Duration
	s.pause = func(ctx context.Context, d time.Duration) bool { waited += d; return ctx.Err() == nil }
	must(t, w.fakeServer, s)
	w.expire()
	before := string(w.store.m["record"])
	w.fakeServer.mu.Lock()
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			http.Error(rw, "<html>", http.StatusBadGateway)
			return true
		}
		return false
	}
	w.fakeServer.mu.Unlock()
	_, err := call(t.Context(), w.fakeServer, s)
	if !errors.Is(err, ErrUnreachable) {
		t.Errorf("err = %v", err)
	}
	if strings.Contains(err.Error(), "<html>") {
		t.Errorf("a page in the error: %v", err)
	}
	if string(w.store.m["record"]) != before || w.opens() != 1 {
		t.Error("what was stored changed, or a browser opened")
	}
	if n := w.asked("POST /token"); n != 1+renewTries || waited < 3*time.Second || waited > 8*time.Second {
		t.Errorf("%d tries in %v", n-1, waited)
	}
}

// When time runs out in the middle of a try, it is still the server that did
// not answer as it should.
func TestRefreshOutOfTime(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	s.pause = func(context.Context, time.Duration) bool { return true }
	must(t, w.fakeServer, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var tries atomic.Int32
	w.fakeServer.mu.Lock()
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if tries.Add(1) > 1 {
			cancel()
			_, _ = io.Copy(io.Discard, r.Body) // only then the server sees
			<-r.Context().Done()               // that the other end has gone
			return true
		}
		http.Error(rw, "<html>", http.StatusBadGateway)
		return true
	}
	w.fakeServer.mu.Unlock()
	r, err := s.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.askAgain(ctx, r); !transient(err) {
		t.Errorf("err = %v", err)
	}
}

// Only a definite invalid_grant is the end, and the registration stays: the
// same client gets the same grant.
func TestGrantGone(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	must(t, w.fakeServer, s)
	w.expire()
	w.fakeServer.mu.Lock()
	clear(w.refresh)
	w.fakeServer.mu.Unlock()
	must(t, w.fakeServer, s)
	if w.opens() != 2 || w.asked("POST /register") != 1 {
		t.Errorf("%d windows, %d registrations", w.opens(), w.asked("POST /register"))
	}
}

// a client that the server does not know any more is registered again,
// once.
func TestClientGone(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	must(t, w.fakeServer, s)
	w.expire()
	w.fakeServer.mu.Lock()
	w.reject["client-1"] = true
	w.fakeServer.mu.Unlock()
	must(t, w.fakeServer, s)
	if w.asked("POST /register") != 2 {
		t.Errorf("%d registrations", w.asked("POST /register"))
	}
}

// The loser of a race never deletes what the winner stored: its refresh token
// was spent, but what is stored is not what failed.
func TestLoserDeletesNothing(t *testing.T) {
	w := newWorld(t)
	winner, loser := w.session(t, nil), w.session(t, nil)
	must(t, w.fakeServer, winner)
	old := must(t, w.fakeServer, loser)
	w.expire()
	h := must(t, w.fakeServer, winner)
	if err := loser.renew(t.Context(), old); err != nil || loser.header() != h {
		t.Errorf("the loser: %v", err)
	}
	if stored, err := decodeRecord(w.store.m["record"]); err != nil || stored.header() != h || w.asked("grant:refresh_token") != 1 {
		t.Error("the winner's tokens are gone")
	}
}

// A server that gives no new refresh token means the old one.
func TestRefreshTokenStays(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	must(t, w.fakeServer, s)
	before, _ := decodeRecord(w.store.m["record"])
	w.expire()
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return false
		}
		w.fakeServer.mu.Lock()
		w.access["next"] = true
		w.fakeServer.mu.Unlock()
		w.json(rw, 200, nil, map[string]any{"access_token": "next", "expires_in": "1800"}) // a string, as some send it
		return true
	}
	if h := must(t, w.fakeServer, s); h != "Bearer next" {
		t.Errorf("header %q", h)
	}
	after, err := decodeRecord(w.store.m["record"])
	if err != nil || !after.tokens.refresh.Equal(before.tokens.refresh) || after.tokens.expires.Sub(after.tokens.issued) != 30*time.Minute ||
		after.tokens.scope != before.tokens.scope {
		t.Errorf("stored: expires %v, %v", after.tokens.expires, err)
	}
}

// a token that was just issued and is not taken stops the loop.
func TestTokenNeverTaken(t *testing.T) {
	w := newWorld(t)
	w.life = 0
	s := w.session(t, nil)
	var err error
	for range 10 {
		var h string
		if h, err = s.Authorization(t.Context()); err != nil {
			break
		}
		w.fakeServer.mu.Lock()
		clear(w.refresh)
		w.fakeServer.mu.Unlock()
		if err = s.Refused(t.Context(), 401, nil, h); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrRefused) || w.opens() > 2 {
		t.Errorf("err = %v after %d windows", err, w.opens())
	}
}

// the union of what was asked for, granted and challenged; and no loop.
func TestStepUp(t *testing.T) {
	w := newWorld(t)
	w.prm = func(m map[string]any) { m["scopes_supported"] = []string{"read"} }
	s := w.session(t, nil)
	h := must(t, w.fakeServer, s)
	challenge := []string{`Bearer error="insufficient_scope", scope="admin"`}
	if err := s.Refused(t.Context(), 403, challenge, h); err != nil {
		t.Fatalf("step up: %v", err)
	}
	next := must(t, w.fakeServer, s)
	if next == h || w.opens() != 2 || !strings.Contains(w.opened[1], "scope=read+admin") {
		t.Errorf("windows %q", w.opened)
	}
	// Another request that was refused with the old token just goes again.
	if err := s.Refused(t.Context(), 403, challenge, h); err != nil || w.opens() != 2 {
		t.Errorf("a late refusal: %v, %d windows", err, w.opens())
	}
	// All of it was asked for, and it still does not do.
	if err := s.Refused(t.Context(), 403, challenge, next); !errors.Is(err, ErrRefused) || w.opens() != 2 {
		t.Errorf("the same again: %v, %d windows", err, w.opens())
	}
	for i, scope := range []string{"a", "b", "c", "d", "e"} {
		err := s.Refused(t.Context(), 403, []string{`Bearer error="insufficient_scope", scope="` + scope + `"`}, s.header())
		if i >= 2 && !errors.Is(err, ErrRefused) {
			t.Errorf("step %d: %v", i, err)
		}
	}
	if w.opens() > 1+maxSteps {
		t.Errorf("%d windows", w.opens())
	}
}

// Where a person has to ask for the sign-in, the one that they ask for gets the
// scopes that the request lacked. However often it is refused until then, a
// sign-in is what is needed, and the error says for what.
func TestStepUpOnRequest(t *testing.T) {
	w := newWorld(t)
	w.prm = func(m map[string]any) { m["scopes_supported"] = []string{"read"} }
	s := w.session(t, func(o *Options) { o.Mode = OnRequest })
	if err := s.Login(t.Context(), LoginOptions{}); err != nil {
		t.Fatal(err)
	}
	h := must(t, w.fakeServer, s)
	for range maxSteps + 2 {
		err := s.Refused(t.Context(), 403, []string{`Bearer error="insufficient_scope", scope="admin"`}, h)
		var e *Error
		if !errors.Is(err, ErrSignInNeeded) || !errors.As(err, &e) || e.Scope != "read admin" {
			t.Fatalf("refused: %v", err)
		}
	}
	if w.opens() != 1 {
		t.Errorf("%d windows that nobody asked for", w.opens()-1)
	}
	if _, err := s.SignIn(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	l := s.login
	s.mu.Unlock()
	if l != nil {
		<-l.done
	}
	if w.opens() != 2 || !strings.Contains(w.opened[1], "scope=read+admin") {
		t.Errorf("windows %q", w.opened)
	}
}

// A 20 kB token goes the whole way.
func TestLargeToken(t *testing.T) {
	w := newWorld(t)
	w.size = 20 << 10
	s := w.session(t, nil)
	if h := must(t, w.fakeServer, s); len(h) < 20<<10 {
		t.Errorf("%d bytes", len(h))
	}
	if h := must(t, w.fakeServer, w.session(t, nil)); len(h) < 20<<10 {
		t.Errorf("%d bytes in another process", len(h))
	}
}

// The authorization server moved: nothing of the old one is shown to the new
// one.
func TestServerMoved(t *testing.T) {
	old, next := newWorld(t), newFakeServer(t)
	s := old.session(t, nil)
	must(t, old.fakeServer, s)
	old.expire()
	old.fakeServer.mu.Lock()
	clear(old.refresh)
	old.prm = func(m map[string]any) { m["authorization_servers"] = []string{next.URL + "/as"} }
	old.fakeServer.mu.Unlock()
	h, err := s.Authorization(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Refused(t.Context(), 401, nil, h); err != nil {
		t.Fatalf("after the move: %v", err)
	}
	if !next.good(s.header()) || next.asked("POST /register") != 1 {
		t.Error("not signed in at the new server")
	}
	next.mu.Lock()
	defer next.mu.Unlock()
	for _, form := range next.forms {
		if form.Get("refresh_token") != "" {
			t.Error("a refresh token of the old server was shown to the new one")
		}
	}
}

// logout revokes where it can, and forgets in any case.
func TestForget(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	must(t, w.fakeServer, s)
	revoked, err := s.Forget(t.Context())
	if err != nil || !revoked || w.asked("POST /revoke") != 2 || len(w.store.m) != 0 {
		t.Errorf("revoked %v, %v, %d requests", revoked, err, w.asked("POST /revoke"))
	}
	if _, err := s.Forget(t.Context()); err == nil {
		t.Error("nothing to forget is no error")
	}
}

// TestNothingSentIsRepeated has the authorization server put what it was sent into
// its errors: none of it is in an error or in the log.
func TestNothingSentIsRepeated(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	if _, err := call(t.Context(), w.fakeServer, s); err != nil {
		t.Fatal(err)
	}
	w.expire()
	var sent string
	w.fakeServer.mu.Lock()
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return false
		}
		_ = r.ParseForm()
		sent = r.PostForm.Get("refresh_token")
		w.json(rw, 400, nil, map[string]any{"error": "invalid_request", "error_description": "what is " + sent + "? " + sent[:9] + "\x01" + sent[9:]})
		return true
	}
	w.fakeServer.mu.Unlock()
	_, err := call(t.Context(), w.fakeServer, s)
	if err == nil || sent == "" {
		t.Fatalf("err = %v, sent %q", err, sent)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if text := err.Error() + w.log.String(); strings.Contains(text, sent) || !strings.Contains(text, "what is") {
		t.Errorf("shown: %s", text)
	}
}

// The host was named three times: "h:1: dial tcp h:1: connect: …", and for a
// name that is not found once more with the address of the resolver.
func TestUnreachableNamesTheHostOnce(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	gone := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "as.example.com", Server: "192.0.2.53:53", IsNotFound: true}}
	for _, tt := range []struct {
		err  *unreachable
		want string
	}{
		{&unreachable{"127.0.0.1:1", refused}, "127.0.0.1:1: " + syscall.ECONNREFUSED.Error()},
		{&unreachable{"as.example.com", gone}, "as.example.com: no such host"},
		{&unreachable{"as.example.com", io.ErrUnexpectedEOF}, "as.example.com: unexpected EOF"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// Where the identity token is what the server takes, a refresh that brings none
// asks for a new sign-in. The access token is not sent in its place.
func TestRefreshWithoutIdentityToken(t *testing.T) {
	w := newWorld(t)
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return false
		}
		_ = r.ParseForm()
		answer := map[string]any{"access_token": "access", "refresh_token": "refresh", "token_type": "Bearer", "expires_in": 3600}
		if r.PostForm.Get("grant_type") == grantCode {
			id := "identity-" + r.PostForm.Get("code")
			w.fakeServer.mu.Lock()
			w.access[id] = true
			w.fakeServer.mu.Unlock()
			answer["id_token"] = id
		}
		w.json(rw, 200, nil, answer)
		return true
	}
	identity := func(o *Options) { o.UseIDToken = true }
	first := must(t, w.fakeServer, w.session(t, identity))
	w.expire()
	second := must(t, w.fakeServer, w.session(t, identity))
	if !strings.HasPrefix(second, "Bearer identity-") || second == first || w.opens() != 2 {
		t.Errorf("%q, then %q after %d sign-ins", first, second, w.opens())
	}
}

// What a request begins while the session ends is refused, and not added to
// what Close waits for.
func TestNothingBeginsAfterClose(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	s.Close()
	if _, err := s.Authorization(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("Authorization: %v", err)
	}
	if err := s.Refused(t.Context(), 401, nil, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Refused: %v", err)
	}
	if err := s.Login(t.Context(), LoginOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Login: %v", err)
	}
	if _, err := s.SignIn(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("SignIn: %v", err)
	}
	if w.store.gets != 0 || w.opens() != 0 {
		t.Errorf("%d looks into the store, %d browsers", w.store.gets, w.opens())
	}
}
