package auth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bridge/keystore"
)

func lastForm(w *world) url.Values {
	w.fakeServer.mu.Lock()
	defer w.fakeServer.mu.Unlock()
	return w.forms[len(w.forms)-1]
}

// A first 401 leads to one sign-in; every request of it is as the checklist
// has it.
func TestSignIn(t *testing.T) {
	w := newWorld(t)
	w.scope = "read"
	s := w.session(t, nil)
	h := must(t, w.fakeServer, s)
	link, err := url.Parse(w.opened[0])
	if err != nil {
		t.Fatal(err)
	}
	q := link.Query()
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "client-1", "code_challenge_method": "S256", "resource": w.mcp(), "scope": "read write",
	} {
		if q.Get(name) != want {
			t.Errorf("authorization request: %s = %q, want %q", name, q.Get(name), want)
		}
	}
	if len(q.Get("code_challenge")) != 43 || len(q.Get("state")) < 22 { // 22 characters are 128 bits
		t.Errorf("challenge %q, state %q", q.Get("code_challenge"), q.Get("state"))
	}
	redirect, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || redirect.Hostname() != "127.0.0.1" || redirect.Port() == "" || redirect.Path != "/callback" {
		t.Errorf("redirect URI %q", q.Get("redirect_uri"))
	}
	form := lastForm(w)
	for name, want := range map[string]string{
		"grant_type": grantCode, "client_id": "client-1", "redirect_uri": q.Get("redirect_uri"), "resource": w.mcp(),
	} {
		if form.Get(name) != want {
			t.Errorf("token request: %s = %q, want %q", name, form.Get(name), want)
		}
	}
	reg := w.register[0]
	if reg["application_type"] != "native" || reg["token_endpoint_auth_method"] != "none" || reg["client_name"] != "bridge" ||
		reg["redirect_uris"].([]any)[0] != q.Get("redirect_uri") {
		t.Errorf("registration %v", reg)
	}
	// What is stored is one record, with what was granted rather than asked.
	info, err := Inspect(w.store.m["record"])
	if err != nil || !info.SignedIn || info.Scope != "read" || info.Issuer != w.URL+"/as" || !info.Renewable || info.Expires.IsZero() {
		t.Errorf("stored: %+v, %v", info, err)
	}
	// Another process needs nobody.
	if got := must(t, w.fakeServer, w.session(t, nil)); got != h || w.opens() != 1 {
		t.Errorf("another session has another header, or %d browsers", w.opens())
	}
	w.secretFree(t, w.log.String())
	// The listener is gone.
	if c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", redirect.Host); err == nil {
		c.Close()
		t.Error("the listener still listens")
	}
}

// What comes to the listener and is not the answer is ignored, and what
// is refused is refused before anything is redeemed.
func TestCallback(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(q, back url.Values)
		asm    func(map[string]any)
		want   error // nil: signed in
	}{
		{"iss as it should be", func(_, b url.Values) { b.Set("iss", "ISSUER") }, nil, nil},
		{"no iss and none promised", nil, nil, nil},
		{"another iss", func(_, b url.Values) { b.Set("iss", "https://evil.example") }, nil, ErrUnsafe},
		{"iss in another form", func(_, b url.Values) { b.Set("iss", "ISSUER/") }, nil, ErrUnsafe},
		{"iss twice", func(_, b url.Values) { b["iss"] = []string{"ISSUER", "ISSUER"} }, nil, ErrUnsafe},
		{"iss promised and absent", nil, func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = true }, ErrUnsafe},
		{"denied without the iss that was promised", func(_, b url.Values) { b.Del("code"); b.Set("error", "access_denied") },
			func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = true }, ErrDenied},
		{"denied", func(_, b url.Values) { b.Del("code"); b.Set("error", "access_denied") }, nil, ErrDenied},
		{"denied by another issuer", func(_, b url.Values) { b.Del("code"); b.Set("error", "access_denied"); b.Set("iss", "x") }, nil, ErrUnsafe},
		{"no code", func(_, b url.Values) { b.Del("code") }, nil, ErrDenied},
		{"a code that is none", func(_, b url.Values) { b.Set("code", "made-up") }, nil, ErrDenied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			if tt.answer != nil {
				w.fakeServer.answer = func(q, b url.Values) {
					tt.answer(q, b)
					for i, v := range b["iss"] {
						b["iss"][i] = strings.Replace(v, "ISSUER", w.URL+"/as", 1)
					}
				}
			}
			w.asm = tt.asm
			s := w.session(t, nil)
			_, err := call(t.Context(), w.fakeServer, s)
			if tt.want == nil && err != nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Fatalf("err = %v, want %v", err, tt.want)
			}
			if tt.want == nil {
				return
			}
			if errors.Is(tt.want, ErrUnsafe) && w.asked("POST /token") != 0 {
				t.Error("the code was redeemed")
			}
			// It is not asked again by itself, here or in a process that starts now.
			if _, err := call(t.Context(), w.fakeServer, s); !errors.Is(err, ErrSignInNeeded) {
				t.Errorf("afterwards: %v", err)
			}
			if _, err := call(t.Context(), w.fakeServer, w.session(t, nil)); !errors.Is(err, tt.want) || w.opens() != 1 {
				t.Errorf("another process: %v, %d browsers", err, w.opens())
			}
		})
	}
}

// Requests that are not for this sign-in get a page that repeats nothing of
// them, and the sign-in goes on.
func TestStrangeVisits(t *testing.T) {
	w := newWorld(t)
	var once sync.Once
	seen := make(chan struct{})
	s := w.session(t, func(o *Options) {
		o.Browser = func(_ context.Context, link string) error {
			ctx := t.Context() // longer than the sign-in
			u, _ := url.Parse(link)
			redirect := u.Query().Get("redirect_uri")
			once.Do(func() {
				for _, bad := range []string{"?code=x&state=<script>alert(1)</script>", "?code=x", "", "?error=access_denied&state=", "?state=a&state=b&code=x"} {
					page, err := visitPage(ctx, redirect+bad)
					if err != nil || !strings.HasPrefix(page, "400 ") || strings.Contains(page, "alert(1)") {
						t.Errorf("%q: %v %.200s", bad, err, page)
					}
				}
				if page, err := visitPage(ctx, strings.TrimSuffix(redirect, "/callback")+"/other"); err != nil || !strings.HasPrefix(page, "404 ") {
					t.Errorf("another path: %v %.100s", err, page)
				}
				res, err := http.Post(redirect, "text/plain", nil) //nolint:noctx // a test on loopback
				if err != nil || res.StatusCode != http.StatusMethodNotAllowed {
					t.Errorf("POST: %v", err)
				} else {
					res.Body.Close()
				}
			})
			page, err := visitPage(ctx, link)
			if err != nil || !strings.HasPrefix(page, "200 ") || !strings.Contains(page, "You are signed in") {
				t.Errorf("at the end: %v %.300s", err, page)
			}
			close(seen)
			return err
		}
	})
	must(t, w.fakeServer, s)
	<-seen
}

// A second answer to the same sign-in does no harm (the browser's back button).
func TestSecondCallback(t *testing.T) {
	w := newWorld(t)
	back := make(chan string, 1)
	w.fakeServer.answer = func(q, b url.Values) {
		select {
		case back <- q.Get("redirect_uri") + "?" + b.Encode():
		default:
		}
	}
	s := w.session(t, nil)
	h := must(t, w.fakeServer, s)
	if page, err := visitPage(t.Context(), <-back); err == nil && strings.HasPrefix(page, "200") {
		t.Errorf("the second answer got %.200s", page)
	}
	if got := must(t, w.fakeServer, s); got != h || w.asked("grant:"+grantCode) != 1 {
		t.Error("the sign-in did not outlive a second answer")
	}
}

// Many requests, many processes: one window.
func TestOneWindow(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	browser := func(ctx context.Context, link string) error {
		w.mu.Lock()
		w.opened = append(w.opened, link)
		w.mu.Unlock()
		<-release
		_, err := visitPage(ctx, link)
		return err
	}
	var all sync.WaitGroup
	for range 4 {
		s := w.session(t, func(o *Options) { o.Browser = browser })
		for range 5 {
			all.Go(func() {
				if _, err := call(t.Context(), w.fakeServer, s); err != nil {
					t.Errorf("a request failed: %v", err)
				}
			})
		}
	}
	close(release)
	all.Wait()
	if w.opens() != 1 || w.asked("POST /register") != 1 || w.asked("grant:"+grantCode) != 1 {
		t.Errorf("%d windows, %d registrations, %d exchanges", w.opens(), w.asked("POST /register"), w.asked("grant:"+grantCode))
	}
}

// The host kills the process that opened the browser while the person is still
// typing: another one finishes what it began, without a second window.
func TestTakeOver(t *testing.T) {
	w := newWorld(t)
	links := make(chan string, 2)
	browser := func(_ context.Context, link string) error { links <- link; return nil }
	first := w.session(t, func(o *Options) { o.Browser = browser; o.Wait = 10 * time.Millisecond })
	_, err := call(t.Context(), w.fakeServer, first)
	if !errors.Is(err, ErrSignInNeeded) {
		t.Fatalf("first: %v", err)
	}
	link := <-links
	for began := time.Now(); ; { // a kill before that costs a second window
		if p := first.readPending(); p != nil && !p.Opened.IsZero() {
			break
		}
		if time.Since(began) > 10*time.Second {
			t.Fatal("the window is not noted")
		}
		pause(t.Context(), time.Millisecond)
	}
	second := w.session(t, func(o *Options) { o.Browser = browser; o.Wait = 20 * time.Second })
	got := make(chan error, 1)
	go func() {
		_, err := call(t.Context(), w.fakeServer, second)
		got <- err
	}()
	first.Close() // as far as the folder can tell, this is how a kill looks
	deadline := time.Now().Add(10 * time.Second)
	for { // the port is free for a moment
		page, err := visitPage(t.Context(), link)
		if err == nil && strings.HasPrefix(page, "200 ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("nobody answers the browser: %v %.100s", err, page)
		}
		pause(t.Context(), 50*time.Millisecond)
	}
	if err := <-got; err != nil {
		t.Fatalf("second: %v", err)
	}
	if len(links) != 0 || w.asked("POST /register") != 1 {
		t.Errorf("%d more windows, %d registrations", len(links), w.asked("POST /register"))
	}
}

// --no-browser: the address that a person pastes, into whichever process.
func TestPaste(t *testing.T) {
	for _, other := range []bool{false, true} {
		t.Run("another process leads "+strconv.FormatBool(other), func(t *testing.T) {
			w := newWorld(t)
			back := make(chan string, 1)
			w.fakeServer.answer = func(q, b url.Values) { back <- q.Get("redirect_uri") + "?" + b.Encode() }
			if other {
				leader := w.session(t, func(o *Options) {
					o.Browser = func(context.Context, string) error { return failure(ErrNoBrowser, "") }
					o.Wait = 100 * time.Millisecond
				})
				if _, err := call(t.Context(), w.fakeServer, leader); !errors.Is(err, ErrSignInNeeded) {
					t.Fatal(err)
				}
			}
			s := w.session(t, func(o *Options) { o.Mode = OnRequest })
			paste, links := make(chan string, 4), make(chan Link, 4)
			done := make(chan error, 1)
			odd := 0
			go func() {
				done <- s.Login(t.Context(), LoginOptions{NoBrowser: true, Paste: paste, Tell: func(l Link) { links <- l }, Odd: func() { odd++ }})
			}()
			link := <-links
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, link.URL, nil)
			res, err := http.DefaultTransport.RoundTrip(req) // not followed: that machine cannot reach us
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			paste <- "not an address"
			paste <- link.URL
			paste <- "http://127.0.0.1/callback?code=x&state=wrong"
			paste <- "  " + <-back + "\n"
			if err := <-done; err != nil {
				t.Fatalf("login: %v", err)
			}
			if w.opens() != 0 || !w.good(s.header()) {
				t.Error("not signed in, or a browser was opened")
			}
			if odd != 3 {
				t.Errorf("told of %d addresses that were none", odd)
			}
		})
	}
}

// A "no" that a person pastes into one process is the end for the one that
// waits for the browser, too: it went on waiting for what could not come.
func TestPastedNoEndsTheLeader(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	led := make(chan Link, 4)
	leader := w.session(t, func(o *Options) { o.Mode = OnRequest })
	ended := make(chan error, 1)
	go func() {
		ended <- leader.Login(ctx, LoginOptions{NoBrowser: true, Tell: func(l Link) { led <- l }})
	}()
	link, err := url.Parse((<-led).URL)
	if err != nil {
		t.Fatal(err)
	}
	paste := make(chan string, 1)
	paste <- "http://127.0.0.1/callback?error=access_denied&state=" + link.Query().Get("state")
	other := w.session(t, func(o *Options) { o.Mode = OnRequest })
	if err := other.Login(ctx, LoginOptions{NoBrowser: true, Paste: paste}); !errors.Is(err, ErrDenied) {
		t.Errorf("pasted: %v", err)
	}
	if err := <-ended; !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "access_denied") {
		t.Errorf("the leader: %v", err)
	}
}

// the port is kept with the registration; when it is taken, another one
// is registered. A port the user chose is that one or none.
func TestPorts(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	must(t, w.fakeServer, s)
	again := func() *Session {
		s := w.session(t, func(o *Options) { o.Mode = OnRequest })
		if err := s.Login(t.Context(), LoginOptions{}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	again()
	if w.asked("POST /register") != 1 {
		t.Errorf("%d registrations", w.asked("POST /register"))
	}
	r, err := s.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:"+strconv.Itoa(portOf(r)))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	again()
	if w.asked("POST /register") != 2 {
		t.Errorf("%d registrations after the port was taken", w.asked("POST /register"))
	}
	fixed := w.session(t, func(o *Options) { o.Mode = OnRequest; o.Callback.Port = portOf(r) })
	if err := fixed.Login(t.Context(), LoginOptions{}); !errors.Is(err, ErrPortTaken) {
		t.Errorf("a port that is taken: %v", err)
	}
}

// No browser: the link is told, and the sign-in can still be finished with it.
func TestNoBrowser(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, func(o *Options) {
		o.Browser = func(context.Context, string) error { return failure(ErrNoBrowser, "") }
		o.Wait = 200 * time.Millisecond
	})
	_, err := call(t.Context(), w.fakeServer, s)
	var e *Error
	if !errors.As(err, &e) || e.Link == "" {
		t.Fatalf("err = %v, want one with a link", err)
	}
	if link, err := s.SignIn(t.Context()); err != nil || link.URL != e.Link {
		t.Errorf("the tool gives %q, %v", link.URL, err)
	}
	if _, err := visitPage(t.Context(), e.Link); err != nil {
		t.Fatal(err)
	}
	must(t, w.fakeServer, s)
}

// Never and OnRequest begin nothing by themselves; OnRequest begins when asked.
func TestModes(t *testing.T) {
	w := newWorld(t)
	for _, mode := range []Mode{Never, OnRequest} {
		s := w.session(t, func(o *Options) { o.Mode = mode })
		if _, err := call(t.Context(), w.fakeServer, s); !errors.Is(err, ErrSignInNeeded) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
	if w.opens() != 0 || w.asked("GET /.well-known/oauth-protected-resource/mcp") != 0 {
		t.Error("something was begun")
	}
	s := w.session(t, func(o *Options) { o.Mode = OnRequest })
	if link, err := s.SignIn(t.Context()); err != nil || link.URL == "" {
		t.Fatalf("SignIn: %v, %v", link, err)
	}
	must(t, w.fakeServer, s)
}

// A static token in the store is used as it is, and never leads to OAuth.
func TestStaticToken(t *testing.T) {
	w := newWorld(t)
	w.store.m = map[string][]byte{"record": []byte("fixed\n")}
	s := w.session(t, nil)
	if h, err := s.Authorization(t.Context()); h != "Bearer fixed" || err != nil {
		t.Fatalf("%q, %v", h, err)
	}
	if err := s.Refused(t.Context(), 401, nil, "Bearer fixed"); !errors.Is(err, ErrRefused) {
		t.Errorf("refused: %v", err)
	}
	if n := w.opens() + w.asked("POST /register"); n != 0 {
		t.Error("OAuth began")
	}
	// Another one stored meanwhile is taken.
	w.store.m["record"] = []byte("other")
	if err := s.Refused(t.Context(), 401, nil, "Bearer fixed"); err != nil || s.header() != "Bearer other" {
		t.Errorf("after a new login: %v, %q", err, s.header())
	}
}

// A record of which the keychain has lost a part is as good as none. "Sign in
// again" was what it said, and signing in failed at it as everything else did.
func TestSignInOverADamagedRecord(t *testing.T) {
	w := newWorld(t)
	w.store.damaged = &keystore.Error{Op: "get", Name: "record", Kind: keystore.Keychain, Err: keystore.ErrDamaged}
	if err := w.session(t, nil).Login(t.Context(), LoginOptions{}); err != nil {
		t.Fatal(err)
	}
	must(t, w.fakeServer, w.session(t, nil))
	if w.opens() != 1 {
		t.Errorf("%d windows", w.opens())
	}
	// A sealed file that is damaged takes no record, and nobody is sent to a
	// browser for nothing.
	w.store.damaged = &keystore.Error{Op: "get", Name: "record", Kind: keystore.File, Err: keystore.ErrDamaged}
	if err := w.session(t, nil).Login(t.Context(), LoginOptions{}); !errors.Is(err, keystore.ErrDamaged) || w.opens() != 1 {
		t.Errorf("%v, %d windows", err, w.opens())
	}
}

// What another process is told of a sign-in that failed a moment ago is what
// happened: a port in use, or a keychain that is locked, was "denied: 3334".
func TestHowASignInEnded(t *testing.T) {
	w := newWorld(t)
	s := w.session(t, nil)
	if _, _, err := s.where(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ err, want error }{
		{failure(ErrDenied, "access_denied"), ErrDenied},
		{failure(ErrTimeout, ""), ErrTimeout},
		{failure(ErrUnsafe, "x"), ErrUnsafe},
		{failure(ErrNoOAuth, ""), ErrNoOAuth},
		{failure(ErrNoClient, "x"), ErrNoClient},
		{&Error{Kind: ErrPortTaken, Detail: "3334"}, ErrPortTaken},
		{&keystore.Error{Op: "set", Kind: keystore.Keychain, Err: keystore.ErrLocked}, ErrSignInNeeded},
		{&Error{Kind: errClientGone, Detail: "invalid_client"}, ErrSignInNeeded},
	} {
		s.endPending(tt.err)
		err := s.readPending().failed(s.now().Add(-time.Second))
		var e, was *Error
		if !errors.Is(err, tt.want) || !errors.As(err, &e) || errors.As(tt.err, &was) && e.Detail != was.Detail {
			t.Errorf("%v became %v", tt.err, err)
		}
	}
}
