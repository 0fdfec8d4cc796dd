package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"bridge/keystore"
)

// as registered, and never in two ways at once.
func TestClientAuthentication(t *testing.T) {
	for _, tt := range []struct {
		method, basic, id, secret string
	}{
		{"none", "", "a b", ""},
		{"client_secret_basic", "a+b:s%3A%2F", "", ""},
		{"client_secret_post", "", "a b", "s:/"},
	} {
		var header string
		var form url.Values
		d := newDocuments(t, nil)
		d.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			header, form = r.Header.Get("Authorization"), r.PostForm
		})
		c := &registration{id: "a b", secret: keystore.NewSecret("s:/"), method: tt.method}
		if _, err := d.guard(t, "/mcp").post(t.Context(), d.URL+"/token", "", c, url.Values{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		basic, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(header, "Basic "))
		if string(basic) != tt.basic || form.Get("client_id") != tt.id || form.Get("client_secret") != tt.secret {
			t.Errorf("%s: header %q form %v", tt.method, basic, form)
		}
	}
}

// A-11…A-16: which client is used.
func TestChooseClient(t *testing.T) {
	const issuer = "https://as.example"
	docs := serverMetadata{Issuer: issuer, ClientIDDocs: true}
	plainServer := serverMetadata{Issuer: issuer}
	doc := Client{MetadataURL: "https://bridge.example/client.json"}
	given := Client{ID: "mine", Secret: keystore.NewSecret("s")}
	stored := func(kind, as, redirect string, expires time.Time) *record {
		return &record{issuer: as, client: registration{kind: kind, id: "stored", redirect: redirect, expires: expires}}
	}
	for _, tt := range []struct {
		name   string
		client Client
		server serverMetadata
		old    *record
		want   string // client id; empty: register
		err    error
	}{
		{"pre-registered comes first", given, docs, stored("dynamic", issuer, "r", time.Time{}), "mine", nil},
		{"a document where they are taken", doc, docs, nil, doc.MetadataURL, nil},
		{"no document where they are not", doc, plainServer, nil, "", nil},
		{"a document without a path", Client{MetadataURL: "https://bridge.example"}, docs, nil, "", ErrUnsafe},
		{"a document on plain http", Client{MetadataURL: "http://bridge.example/c.json"}, docs, nil, "", ErrUnsafe},
		{"what was registered", Client{}, plainServer, stored("dynamic", issuer, "r", time.Time{}), "stored", nil},
		{"with another issuer", Client{}, plainServer, stored("dynamic", "https://other.example", "r", time.Time{}), "", nil},
		{"with another port", Client{}, plainServer, stored("dynamic", issuer, "r2", time.Time{}), "", nil},
		{"with a secret that has ended", Client{}, plainServer, stored("dynamic", issuer, "r", time.Now().Add(-time.Hour)), "", nil},
		{"given at an earlier login", Client{}, plainServer, stored("given", issuer, "r2", time.Time{}), "stored", nil},
		{"given, for another issuer", Client{}, plainServer, stored("given", "https://other.example", "r", time.Time{}), "", ErrUnsafe},
		{"nothing", Client{}, plainServer, nil, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New(t.Context(), Options{URL: "https://mcp.example/mcp", Client: tt.client})
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.chooseClient(&discovery{server: tt.server}, tt.old, "r")
			if !errors.Is(err, tt.err) || (err != nil) != (tt.err != nil) {
				t.Fatalf("err = %v", err)
			}
			id := ""
			if got != nil {
				id = got.id
			}
			if id != tt.want {
				t.Errorf("client %q, want %q", id, tt.want)
			}
		})
	}
}

// once more with the other name of loopback, then the server's own words.
func TestRegisterRetries(t *testing.T) {
	w := newWorld(t)
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/register" {
			return false
		}
		var body struct {
			URIs []string `json:"redirect_uris"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		if strings.Contains(body.URIs[0], "localhost") {
			w.json(rw, 201, nil, map[string]any{"client_id": "c"})
		} else {
			w.json(rw, 400, nil, map[string]any{"error": "invalid_redirect_uri", "error_description": "use\x1b[31m localhost"})
		}
		return true
	}
	s := w.session(t, nil)
	must(t, w.fakeServer, s)
	if q, _ := url.Parse(w.opened[0]); !strings.HasPrefix(q.Query().Get("redirect_uri"), "http://localhost:") {
		t.Errorf("redirect URI %s", q.Query().Get("redirect_uri"))
	}
	w2 := newWorld(t)
	w2.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/register" {
			w2.json(rw, 403, nil, map[string]any{"error": "access_denied", "error_description": "no\x1b[31m entry"})
		}
		return r.URL.Path == "/register"
	}
	_, err := call(t.Context(), w2.fakeServer, w2.session(t, nil))
	if !errors.Is(err, ErrNoClient) || !strings.Contains(err.Error(), "no[31m entry") || w2.opens() != 0 {
		t.Errorf("err = %v, %d windows", err, w2.opens())
	}
}

// no S256, no sign-in, unless the user insists.
func TestPKCERequired(t *testing.T) {
	w := newWorld(t)
	w.asm = func(m map[string]any) { delete(m, "code_challenge_methods_supported") }
	if _, err := call(t.Context(), w.fakeServer, w.session(t, nil)); !errors.Is(err, ErrUnsafe) || w.opens() != 0 {
		t.Errorf("err = %v, %d windows", err, w.opens())
	}
	w.store.m = nil
	s := w.session(t, func(o *Options) { o.AssumePKCE = true; o.Mode = OnRequest })
	if err := s.Login(t.Context(), LoginOptions{}); err != nil {
		t.Error(err)
	}
}

// RFC 8707 turned off or set by the user holds for every request, also those
// of a process that was not told.
func TestResource(t *testing.T) {
	for _, tt := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.NoResource = true }, ""},
		{func(o *Options) { o.Resource = "api://x" }, "api://x"},
	} {
		w := newWorld(t)
		s := w.session(t, tt.change)
		h := must(t, w.fakeServer, s)
		if got := lastForm(w).Get("resource"); got != tt.want || strings.Contains(w.opened[0], "resource=") != (tt.want != "") {
			t.Errorf("resource %q at sign-in, link %s", got, w.opened[0])
		}
		w.expire()
		other := w.session(t, nil)
		if must(t, w.fakeServer, other) == h || lastForm(w).Get("resource") != tt.want {
			t.Errorf("resource %q at the refresh", lastForm(w).Get("resource"))
		}
	}
}

// A machine without a person.
func TestClientCredentials(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []Client{
		{ID: "c", Secret: keystore.NewSecret("s")},
		{ID: "c", Key: keystore.NewSecret(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))},
	} {
		w := newWorld(t)
		s := w.session(t, func(o *Options) { o.Mode = Never; o.ClientCredentials = true; o.Client = client })
		h := must(t, w.fakeServer, s)
		w.expire()
		w.fakeServer.mu.Lock()
		clear(w.refresh)
		w.fakeServer.mu.Unlock()
		if next, err := call(t.Context(), w.fakeServer, s); err != nil && !errors.Is(err, errGrantGone) || next == h {
			t.Errorf("after the end: %v", err)
		}
		if w.opens() != 0 {
			t.Error("a browser was opened")
		}
		if lastForm(w).Get("resource") != w.mcp() {
			t.Errorf("form %v", lastForm(w))
		}
	}
}

// A code that is typed on another machine.
func TestDeviceCode(t *testing.T) {
	w := newWorld(t)
	polls := 0
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return false
		}
		if polls++; polls > 1 {
			return false
		}
		w.json(rw, 400, nil, map[string]any{"error": "authorization_pending"})
		return true
	}
	s := w.session(t, func(o *Options) {
		o.Mode, o.DeviceCode = OnRequest, true
		o.Browser = func(context.Context, string) error { return nil }
	})
	var told Link
	if err := s.Login(t.Context(), LoginOptions{Tell: func(l Link) { told = l }}); err != nil {
		t.Fatal(err)
	}
	if told.Code != "ABCD-EFGH" || told.URL != w.URL+"/activate" || polls != 2 || !w.good(s.header()) {
		t.Errorf("told %+v after %d polls", told, polls)
	}
}

// CVE-2025-6514: nothing but a web page is opened, with one argument and no
// shell.
func TestOpenBrowser(t *testing.T) {
	for _, link := range []string{
		"file:///etc/passwd", "javascript:alert(1)", "ms-settings:x", "http://example.com/", "https://u:p@example.com/", "https:", "-x", "$(id)", "",
	} {
		t.Setenv("BRIDGE_BROWSER", "/bin/true")
		if err := OpenBrowser(t.Context(), link); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%q: %v", link, err)
		}
	}
	if runtime.GOOS == "windows" {
		return // the rest needs a script
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "a browser")
	out := filepath.Join(dir, "out")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf '%s|' \"$#\" \"$@\" \"$BRIDGE_TOKEN\" >'"+out+"'\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("BRIDGE_BROWSER", script)
	t.Setenv("BRIDGE_TOKEN", "secret")
	if err := OpenBrowser(t.Context(), "https://example.com/'; calc \""); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "1|https://example.com/%27;%20calc%20%22||" {
		t.Errorf("the program got %q", got)
	}
	link := "https://example.com/a?b=$(id)&c=%60x%60;d"
	if err := OpenBrowser(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "1|"+link+"||" {
		t.Errorf("the program got %q", got)
	}
	t.Setenv("BRIDGE_BROWSER", filepath.Join(dir, "none")+string(os.PathListSeparator)+script)
	if err := OpenBrowser(t.Context(), link); err != nil {
		t.Errorf("the second of a list: %v", err)
	}
	t.Setenv("BRIDGE_BROWSER", "none")
	if err := OpenBrowser(t.Context(), link); !errors.Is(err, ErrNoBrowser) {
		t.Errorf("none: %v", err)
	}
}

// A record that is damaged is as good as none; a newer one is left alone.
func TestDecodeRecord(t *testing.T) {
	for _, bad := range []string{`{`, `{}`, `{"bridge_oauth":0}`, `{"bridge_oauth":"1"}`} {
		if _, err := decodeRecord([]byte(bad)); !errors.Is(err, keystore.ErrDamaged) || errors.Is(err, errNewer) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := decodeRecord([]byte(`{"bridge_oauth":2}`)); !errors.Is(err, errNewer) {
		t.Errorf("newer: %v", err)
	}
	r := &record{url: "u", issuer: "i", resource: "r", tokenURL: "t", revoke: "v", grant: grantCode, scope: "a", set: "b",
		client: registration{kind: "dynamic", id: "c", secret: secret("s"), expires: at(5), method: "none", redirect: "x", key: secret("k")},
		tokens: tokens{access: secret("A"), refresh: secret("R"), scope: "d", issued: at(6), expires: at(7)}}
	r.draft = &record{static: keystore.Secret{}, url: "u2", issuer: "i2"}
	value, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeRecord(value)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := back.encode(); string(again) != string(value) || back.draft.issuer != "i2" {
		t.Errorf("%s became %s", value, again)
	}
}

// A client that was registered for device codes is used again, until the
// server has forgotten it.
func TestDeviceCodeRegistersOnce(t *testing.T) {
	w := newWorld(t)
	w.take = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/device" {
			return false
		}
		_ = r.ParseForm()
		w.fakeServer.mu.Lock()
		gone := w.reject[r.PostForm.Get("client_id")]
		w.fakeServer.mu.Unlock()
		if gone {
			w.json(rw, 401, nil, map[string]any{"error": "invalid_client"})
		}
		return gone
	}
	s := w.session(t, func(o *Options) {
		o.Mode, o.DeviceCode = OnRequest, true
		o.Browser = func(context.Context, string) error { return nil }
	})
	for i, want := range []int{1, 1, 2} {
		if i == 2 {
			w.fakeServer.mu.Lock()
			w.reject["client-1"] = true
			w.fakeServer.mu.Unlock()
		}
		if err := s.Login(t.Context(), LoginOptions{}); err != nil {
			t.Fatal(err)
		}
		if n := w.asked("POST /register"); n != want || !w.good(s.header()) {
			t.Errorf("login %d: %d registrations, want %d", i+1, n, want)
		}
	}
}
