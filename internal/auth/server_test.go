package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bridge/keystore"
)

// A fakeServer is an MCP server and its authorization server on one origin,
// small enough to be right by inspection. It counts what it is asked, and a
// test may take a request from it.
type fakeServer struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	count    map[string]int // "METHOD /path", and "grant:" with the grant type
	forms    []url.Values   // of the token endpoint
	register []map[string]any
	access   map[string]bool // good access tokens
	refresh  map[string]string
	codes    map[string]url.Values // code → authorization request
	reject   map[string]bool       // clients that are not known any more

	life     int // expires_in; 0 leaves it out
	size     int // of an access token
	scope    string
	prm, asm func(map[string]any) // change the documents
	answer   func(q url.Values, back url.Values)
	take     func(w http.ResponseWriter, r *http.Request) bool
}

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	f := &fakeServer{t: t, count: map[string]int{}, access: map[string]bool{}, refresh: map[string]string{}, codes: map[string]url.Values{},
		reject: map[string]bool{}, life: 3600}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *fakeServer) mcp() string { return f.URL + "/mcp" }

func (f *fakeServer) asked(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[what]
}

func (f *fakeServer) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count[what]++
}

// expire makes the access tokens given so far no good.
func (f *fakeServer) expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.access)
}

func (f *fakeServer) good(header string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	token, ok := strings.CutPrefix(header, "Bearer ")
	return ok && f.access[token]
}

func (f *fakeServer) serve(w http.ResponseWriter, r *http.Request) {
	f.note(r.Method + " " + r.URL.Path)
	f.mu.Lock()
	take := f.take
	f.mu.Unlock()
	if take != nil && take(w, r) {
		return
	}
	switch r.URL.Path {
	case "/.well-known/oauth-protected-resource/mcp":
		f.json(w, 200, f.prm, map[string]any{"resource": f.mcp(), "authorization_servers": []string{f.URL + "/as"}, "scopes_supported": []string{"read", "write"}})
	case "/.well-known/oauth-authorization-server/as":
		f.json(w, 200, f.asm, map[string]any{
			"issuer": f.URL + "/as", "authorization_endpoint": f.URL + "/authorize", "token_endpoint": f.URL + "/token",
			"registration_endpoint": f.URL + "/register", "revocation_endpoint": f.URL + "/revoke", "device_authorization_endpoint": f.URL + "/device",
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	case "/register":
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		f.mu.Lock()
		f.register = append(f.register, body)
		n := len(f.register)
		f.mu.Unlock()
		f.json(w, 201, nil, map[string]any{"client_id": fmt.Sprintf("client-%d", n), "token_endpoint_auth_method": "none"})
	case "/authorize":
		f.authorize(w, r)
	case "/token":
		f.token(w, r)
	case "/mcp":
		if !f.good(r.Header.Get("Authorization")) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+f.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "no", http.StatusUnauthorized)
		}
	case "/revoke":
		w.WriteHeader(http.StatusOK)
	case "/device":
		f.json(w, 200, nil, map[string]any{"device_code": "device", "user_code": "ABCD-EFGH", "verification_uri": f.URL + "/activate", "interval": 1, "expires_in": 60})
	default:
		http.NotFound(w, r)
	}
}

func (f *fakeServer) json(w http.ResponseWriter, status int, change func(map[string]any), v map[string]any) {
	if change != nil {
		change(v)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// authorize agrees at once.
func (f *fakeServer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	code := rand.Text()
	back := url.Values{"code": {code}, "state": {q.Get("state")}}
	f.mu.Lock()
	f.codes[code] = q
	if f.answer != nil {
		f.answer(q, back)
	}
	f.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (f *fakeServer) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	form := r.PostForm
	f.note("grant:" + form.Get("grant_type"))
	f.mu.Lock()
	f.forms = append(f.forms, form)
	bad := ""
	scope := f.scope
	switch form.Get("grant_type") {
	case grantCode:
		q, ok := f.codes[form.Get("code")]
		delete(f.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if !ok || q.Get("redirect_uri") != form.Get("redirect_uri") || q.Get("client_id") != form.Get("client_id") ||
			q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			bad = "invalid_grant"
		} else if scope == "" {
			scope = q.Get("scope")
		}
	case "refresh_token":
		was, ok := f.refresh[form.Get("refresh_token")]
		delete(f.refresh, form.Get("refresh_token"))
		if !ok {
			bad = "invalid_grant"
		} else if scope == "" {
			scope = was
		}
	case grantClient, grantDevice:
	default:
		bad = "unsupported_grant_type"
	}
	if f.reject[form.Get("client_id")] {
		bad = "invalid_client"
	}
	if bad != "" {
		f.mu.Unlock()
		f.json(w, 400, nil, map[string]any{"error": bad})
		return
	}
	access, refresh := "access-"+rand.Text(), "refresh-"+rand.Text()
	access += strings.Repeat("x", max(0, f.size-len(access)))
	f.access[access], f.refresh[refresh] = true, scope
	out := map[string]any{"access_token": access, "token_type": "bearer", "refresh_token": refresh, "scope": scope}
	if f.life > 0 {
		out["expires_in"] = f.life
	}
	f.mu.Unlock()
	f.json(w, 200, nil, out)
}

// A memStore is a keystore that a test can look into.
type memStore struct {
	mu   sync.Mutex
	m    map[string][]byte
	gets int
	sets int

	damaged error // what Get says until something is written
}

func (m *memStore) Get(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gets++
	if m.damaged != nil {
		return nil, m.damaged
	}
	v, ok := m.m[name]
	if !ok {
		return nil, keystore.ErrNotFound
	}
	return slices.Clone(v), nil
}

func (m *memStore) Set(_ context.Context, name string, v []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = map[string][]byte{}
	}
	m.sets++
	m.damaged = nil
	m.m[name] = slices.Clone(v)
	return nil
}

func (m *memStore) Delete(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.m[name]; !ok {
		return keystore.ErrNotFound
	}
	delete(m.m, name)
	return nil
}

// A world is a server, a store and a folder, which several sessions share.
type world struct {
	*fakeServer
	store *memStore
	dir   string

	mu     sync.Mutex
	opened []string // links that a browser was started with
	log    strings.Builder
}

func newWorld(t *testing.T) *world {
	return &world{fakeServer: newFakeServer(t), store: &memStore{}, dir: t.TempDir()}
}

func (w *world) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

func (w *world) opens() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.opened)
}

// session makes a session of the world; change may adjust it.
func (w *world) session(t *testing.T, change func(*Options)) *Session {
	t.Helper()
	o := Options{
		URL: w.mcp(), Dir: w.dir, Mode: Auto, Wait: time.Minute, // which nobody waits for, on a slow machine neither
		Where:   func(context.Context) (Store, string, error) { return w.store, "record", nil },
		Browser: w.browse,
		Log:     slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	s, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// browse is a browser whose person agrees at once.
func (w *world) browse(ctx context.Context, link string) error {
	w.mu.Lock()
	w.opened = append(w.opened, link)
	w.mu.Unlock()
	_, err := visitPage(ctx, link)
	return err
}

// visitPage follows a link to its end and returns the page.
func visitPage(ctx context.Context, link string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return fmt.Sprint(res.StatusCode, " ", string(b)), err
}

// call does what the relay does for one request, and returns the header that
// the server took.
func call(ctx context.Context, f *fakeServer, s *Session) (string, error) {
	for range 4 {
		h, err := s.Authorization(ctx)
		if err != nil {
			return "", err
		}
		if f.good(h) {
			return h, nil
		}
		challenge := `Bearer resource_metadata="` + f.URL + `/.well-known/oauth-protected-resource/mcp"`
		if err := s.Refused(ctx, 401, []string{challenge}, h); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("the server never took it")
}

// must is call that has to succeed.
func must(t *testing.T, f *fakeServer, s *Session) string {
	t.Helper()
	h, err := call(t.Context(), f, s)
	if err != nil {
		t.Fatalf("no credential: %v", err)
	}
	return h
}

// secretFree fails if any secret the server gave stands in text.
func (w *world) secretFree(t *testing.T, text string) {
	t.Helper()
	w.fakeServer.mu.Lock()
	defer w.fakeServer.mu.Unlock()
	for _, m := range []map[string]bool{w.access} {
		for token := range m {
			if strings.Contains(text, token) {
				t.Errorf("an access token is in %.300s", text)
			}
		}
	}
	for token := range w.refresh {
		if strings.Contains(text, token) {
			t.Errorf("a refresh token is in %.300s", text)
		}
	}
	for _, form := range w.forms {
		for _, k := range []string{"code", "code_verifier", "refresh_token"} {
			if v := form.Get(k); v != "" && strings.Contains(text, v) {
				t.Errorf("a %s is in %.300s", k, text)
			}
		}
	}
}
