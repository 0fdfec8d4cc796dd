package auth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"bridge/internal/servers"
)

// documents serves what its map has, and remembers what was asked for.
type documents struct {
	*httptest.Server
	mu    sync.Mutex
	docs  map[string]string // path → body; a body that begins with a digit is a status
	paths []string
	revs  []string
}

func newDocuments(t *testing.T, docs map[string]string) *documents {
	d := &documents{docs: docs}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.paths = append(d.paths, r.URL.Path)
		d.revs = append(d.revs, r.Header.Get("MCP-Protocol-Version"))
		body, ok := d.docs[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case body == "503":
			http.Error(w, "<html>", http.StatusServiceUnavailable)
		case strings.HasPrefix(body, "302 "):
			http.Redirect(w, r, strings.ReplaceAll(body[4:], "BASE", d.URL), http.StatusFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(strings.ReplaceAll(body, "BASE", d.URL)))
		}
	}))
	t.Cleanup(d.Close)
	return d
}

func (d *documents) guard(t *testing.T, path string) *guard {
	t.Helper()
	u, err := url.Parse(d.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	g := newGuard(u, &Options{UserAgent: "test"})
	t.Cleanup(g.close)
	return g
}

// A-02…A-09: where the authorization server is found, in which order it is
// looked for, and what ends the search.
func TestDiscover(t *testing.T) {
	const prm = `{"resource":"BASE/mcp","authorization_servers":["BASE/as"],"scopes_supported":["a","b"]}`
	const asm = `{"issuer":"BASE/as","authorization_endpoint":"BASE/a","token_endpoint":"BASE/t","code_challenge_methods_supported":["S256"]}`
	root := strings.Replace(asm, "BASE/as", "BASE", 1)
	for _, tt := range []struct {
		name     string
		header   string // resource_metadata
		docs     map[string]string
		issuer   string // found; BASE stands for the origin
		resource string
		err      error
		asked    []string // in this order, if given
	}{
		{"A-02 header", "BASE/custom", map[string]string{"/custom": prm, "/.well-known/oauth-authorization-server/as": asm}, "BASE/as", "BASE/mcp", nil,
			[]string{"/custom", "/.well-known/oauth-authorization-server/as"}},
		{"A-02 path, then root", "", map[string]string{"/.well-known/oauth-protected-resource": prm, "/.well-known/oauth-authorization-server/as": asm}, "BASE/as", "BASE/mcp", nil,
			[]string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/as"}},
		{"A-03 header leads nowhere", "BASE/gone", map[string]string{"/.well-known/oauth-protected-resource/mcp": prm, "/.well-known/oauth-authorization-server/as": asm}, "BASE/as", "BASE/mcp", nil, nil},
		{"A-04 resource above the path", "", map[string]string{"/.well-known/oauth-protected-resource": strings.Replace(prm, "BASE/mcp", "BASE/", 1), "/.well-known/oauth-authorization-server/as": asm}, "BASE/as", "BASE/", nil, nil},
		{"A-04 another path", "", map[string]string{"/.well-known/oauth-protected-resource": strings.Replace(prm, "BASE/mcp", "BASE/mc", 1)}, "", "", ErrUnsafe,
			[]string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"}},
		{"A-04 another origin", "", map[string]string{"/.well-known/oauth-protected-resource/mcp": strings.Replace(prm, "BASE/mcp", "https://evil.example/mcp", 1)}, "", "", ErrUnsafe,
			[]string{"/.well-known/oauth-protected-resource/mcp"}},
		{"A-04 no authorization server", "", map[string]string{"/.well-known/oauth-protected-resource": `{"resource":"BASE/mcp"}`, "/.well-known/oauth-authorization-server": root}, "BASE", "BASE/mcp", nil, nil},
		{"A-05 metadata at the origin", "", map[string]string{"/.well-known/oauth-authorization-server": root}, "BASE", "BASE/mcp", nil, nil},
		{"A-05 nothing anywhere", "", nil, "BASE", "BASE/mcp", nil, nil},
		{"A-06 OpenID, path inserted", "", map[string]string{"/.well-known/oauth-protected-resource": prm, "/.well-known/openid-configuration/as": asm}, "BASE/as", "BASE/mcp", nil, nil},
		{"A-06 OpenID, path before", "", map[string]string{"/.well-known/oauth-protected-resource": prm, "/as/.well-known/openid-configuration": asm}, "BASE/as", "BASE/mcp", nil,
			[]string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/as", "/.well-known/openid-configuration/as", "/as/.well-known/openid-configuration"}},
		{"A-06 a page is no metadata", "", map[string]string{"/.well-known/oauth-protected-resource": prm, "/.well-known/oauth-authorization-server/as": "<html>", "/.well-known/openid-configuration/as": asm}, "BASE/as", "BASE/mcp", nil, nil},
		{"A-06 5xx, then the next", "", map[string]string{"/.well-known/oauth-protected-resource": prm, "/.well-known/oauth-authorization-server/as": "503", "/.well-known/openid-configuration/as": asm}, "BASE/as", "BASE/mcp", nil, nil},
		{"A-06 5xx everywhere", "", map[string]string{"/.well-known/oauth-protected-resource/mcp": "503", "/.well-known/oauth-protected-resource": "503"}, "", "", ErrUnreachable, nil},
		{"A-07 another issuer ends it", "", map[string]string{"/.well-known/oauth-protected-resource": prm, "/.well-known/oauth-authorization-server/as": strings.Replace(asm, "BASE/as", "BASE/as/", 1), "/.well-known/openid-configuration/as": asm}, "", "", ErrUnsafe,
			[]string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/as"}},
		{"A-08 the one that is known", "", map[string]string{"/.well-known/oauth-protected-resource": strings.Replace(prm, `["BASE/as"]`, `["BASE/first","BASE/known"]`, 1), "/.well-known/oauth-authorization-server/known": strings.Replace(asm, "BASE/as", "BASE/known", 1)}, "BASE/known", "BASE/mcp", nil, nil},
		{"A-33 a redirect on the way", "", map[string]string{"/.well-known/oauth-protected-resource/mcp": "302 BASE/moved", "/moved": prm, "/.well-known/oauth-authorization-server/as": asm}, "BASE/as", "BASE/mcp", nil, nil},
		{"A-33 a redirect to another scheme", "", map[string]string{"/.well-known/oauth-protected-resource/mcp": "302 file:///etc/passwd"}, "", "", ErrUnsafe, nil},
		{"A-33 a redirect to the metadata service", "", map[string]string{"/.well-known/oauth-protected-resource/mcp": "302 http://169.254.169.254/latest"}, "", "", ErrUnsafe, nil},
		{"A-33 redirects without end", "", map[string]string{"/.well-known/oauth-protected-resource/mcp": "302 BASE/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server": root}, "BASE", "BASE/mcp", nil, nil},
		{"A-33 an endpoint by another scheme", "", map[string]string{"/.well-known/oauth-protected-resource": prm, "/.well-known/oauth-authorization-server/as": strings.Replace(asm, "BASE/a\"", "javascript:alert(1)\"", 1)}, "", "", ErrUnsafe, nil},
		{"A-33 an endpoint on plain http", "", map[string]string{"/.well-known/oauth-protected-resource": prm, "/.well-known/oauth-authorization-server/as": strings.Replace(asm, "BASE/t", "http://example.com/t", 1)}, "", "", ErrUnsafe, nil},
		{"A-33 an answer without end", "", map[string]string{"/.well-known/oauth-protected-resource/mcp": `{"resource":"` + strings.Repeat("x", maxBody) + `"}`}, "", "", ErrUnsafe, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDocuments(t, tt.docs)
			c := Challenge{Params: map[string]string{}}
			if tt.header != "" {
				c.Params["resource_metadata"] = strings.ReplaceAll(tt.header, "BASE", d.URL)
			}
			got, err := d.guard(t, "/mcp").discover(t.Context(), c, d.URL+"/known")
			if tt.err != nil || err != nil {
				if !errors.Is(err, tt.err) || tt.err == nil {
					t.Fatalf("err = %v, want %v", err, tt.err)
				}
			} else {
				want := strings.ReplaceAll(tt.issuer, "BASE", d.URL)
				if got.server.Issuer != want || got.resource != strings.ReplaceAll(tt.resource, "BASE", d.URL) {
					t.Errorf("issuer %q resource %q", got.server.Issuer, got.resource)
				}
			}
			if tt.asked != nil && !slices.Equal(d.paths, tt.asked) {
				t.Errorf("asked for %q, want %q", d.paths, tt.asked)
			}
			for _, rev := range d.revs {
				if rev == "" {
					t.Error("a request without MCP-Protocol-Version")
				}
			}
		})
	}
}

// what is asked for at first.
func TestScopeFor(t *testing.T) {
	for _, tt := range []struct {
		set, challenged, resource string
		server                    []string
		want                      string
	}{
		{"", "", "", nil, ""},
		{"", "", "", []string{"email", "profile"}, ""}, // never the authorization server's list
		{"", "", "a b", nil, "a b"},
		{"", "c", "a b", nil, "c"},
		{"mine", "c", "a b", []string{"offline_access"}, "mine"},
		{"", "c", "", []string{"c", "offline_access"}, "c offline_access"},
		{"", "", "a offline_access", []string{"offline_access"}, "a offline_access"},
	} {
		d := &discovery{scopes: tt.resource, server: serverMetadata{Scopes: tt.server}}
		if got := d.scopeFor(tt.set, tt.challenged); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// which addresses may be reached on behalf of which server.
func TestAddresses(t *testing.T) {
	for _, tt := range []struct {
		server, addr string
		ok           bool
	}{
		{"https://8.8.8.8/mcp", "1.1.1.1", true},
		{"https://8.8.8.8/mcp", "127.0.0.1", false},
		{"https://8.8.8.8/mcp", "10.1.2.3", false},
		{"https://8.8.8.8/mcp", "192.168.1.1", false},
		{"https://8.8.8.8/mcp", "169.254.169.254", false},
		{"https://8.8.8.8/mcp", "100.64.0.1", false},
		{"https://8.8.8.8/mcp", "224.0.0.1", false},
		{"https://8.8.8.8/mcp", "0.0.0.0", false},
		{"https://8.8.8.8/mcp", "255.255.255.255", false},
		{"https://8.8.8.8/mcp", "::1", false},
		{"https://8.8.8.8/mcp", "fd00::1", false},
		{"https://8.8.8.8/mcp", "fe80::1%eth0", false},
		{"https://8.8.8.8/mcp", "::ffff:10.0.0.1", false},
		{"https://8.8.8.8/mcp", "64:ff9b::a9fe:a9fe", false},
		{"https://8.8.8.8/mcp", "2002:a00:1::", false},
		{"https://8.8.8.8/mcp", "2606:4700::1111", true},
		{"https://10.0.0.1/mcp", "10.9.9.9", true},
		{"https://10.0.0.1/mcp", "127.0.0.1", false},
		{"https://10.0.0.1/mcp", "169.254.169.254", false},
		{"http://localhost:8080/mcp", "127.0.0.1", true},
		{"http://localhost:8080/mcp", "10.0.0.1", true},
		{"http://localhost:8080/mcp", "169.254.169.254", false},
		{"http://localhost:8080/mcp", "0.0.0.0", false},
	} {
		u, err := url.Parse(tt.server)
		if err != nil {
			t.Fatal(err)
		}
		g := &guard{server: u}
		if err := g.checkAddr(netip.MustParseAddr(tt.addr)); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s for %s: %v", tt.addr, tt.server, err)
		}
	}
}

// What a server may name as a URL.
func TestCheckURL(t *testing.T) {
	far, err := url.Parse("https://mcp.example.com/mcp")
	if err != nil {
		t.Fatal(err)
	}
	near, err := url.Parse("http://127.0.0.1:1/mcp")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		raw       string
		far, near bool
	}{
		{"https://as.example.com/token", true, true},
		{"http://as.example.com/token", false, false},
		{"http://127.0.0.1:2/token", false, true},
		{"http://localhost:2/token", false, true},
		{"http://[::1]:2/token", false, true},
		{"http://127.0.0.1.evil.example/token", false, false},
		{"https://user:pw@as.example.com/token", false, false},
		{"https://169.254.169.254/latest", false, false},
		{"https://10.0.0.1/token", false, true},
		{"javascript:alert(1)", false, false},
		{"file:///etc/passwd", false, false},
		{"data:text/html,x", false, false},
		{"ms-settings:x", false, false},
		{"https:", false, false},
		{"https:///token", false, false},
		{"//as.example.com/token", false, false},
		{"https://a$(calc.exe).example/", false, false},
		{"https://as.example.com/\x00", false, false},
		{"https://" + strings.Repeat("a", 9000), false, false},
		{"", false, false},
	} {
		for _, who := range []struct {
			server *url.URL
			want   bool
		}{{far, tt.far}, {near, tt.near}} {
			g := &guard{server: who.server, own: networkOfServer(who.server)}
			g.ownKnown = true
			if _, err := g.checkURL(tt.raw); (err == nil) != who.want {
				t.Errorf("%.60q for %s: %v", tt.raw, who.server, err)
			}
		}
	}
}

// networkOfServer stands in for a look into the DNS.
func networkOfServer(u *url.URL) network {
	if servers.Loopback(u.Hostname()) {
		return loopback
	}
	return public
}

// The address is checked when it is connected to, after DNS, so that a name
// which leads to a private address is of no use.
func TestDialIsGuarded(t *testing.T) {
	d := newDocuments(t, map[string]string{"/x": "{}"})
	port := d.URL[strings.LastIndexByte(d.URL, ':'):]
	u, err := url.Parse("https://mcp.example.com/mcp")
	if err != nil {
		t.Fatal(err)
	}
	g := newGuard(u, &Options{AllowHTTP: true})
	g.ownKnown = true // a public server
	defer g.close()
	var v map[string]any
	if err := g.getJSON(t.Context(), "http://localhost"+port+"/x", &v); !errors.Is(err, ErrUnsafe) || len(d.paths) != 0 {
		t.Errorf("err = %v, %d requests arrived", err, len(d.paths))
	}
}

// A DNS server that did not answer once, as after a laptop woke up, made the
// sign-in of a private network unsafe for as long as the process lived.
func TestOwnNetworkIsAskedForAgain(t *testing.T) {
	answer, asked := error(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), 0
	g := &guard{server: &url.URL{Scheme: "https", Host: "mcp.corp.example"}}
	g.lookup = func(context.Context, string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr("10.0.0.5")}, answer
	}
	signIn := netip.MustParseAddr("10.0.0.9")
	if err := g.checkAddr(signIn); !errors.Is(err, ErrUnsafe) {
		t.Errorf("without the DNS: %v", err)
	}
	answer = nil
	for range 2 {
		if err := g.checkAddr(signIn); err != nil {
			t.Errorf("with it: %v", err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

//
func TestCanonical(t *testing.T) {
	for raw, want := range map[string]string{
		"https://MCP.Example.com:443/mcp/":    "https://mcp.example.com/mcp",
		"https://h.example/":                  "https://h.example",
		"https://h.example/a/b?workspace=x#y": "https://h.example/a/b",
		"http://127.0.0.1:8080/mcp":           "http://127.0.0.1:8080/mcp",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(u); got != want {
			t.Errorf("%s: %s", raw, got)
		}
	}
}
