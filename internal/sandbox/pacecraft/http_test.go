package pacecraft_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver"

	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/pacecraft"
	"bridge/internal/sandbox/rpc"
)

// handler is how the service is mounted: everything it needs of a request is
// the account and the workspace parameter.
type handler struct{ *pacecraft.Service }

func (h handler) Handle(ctx context.Context, c *front.Call) (json.RawMessage, *rpc.Error) {
	return h.Service.Handle(ctx, c.Principal.(pacecraft.Account), c.Query.Get("workspace"), c.Method, c.Params)
}

// mount serves a seeded service over HTTP as the page describes the endpoint.
func mount(t *testing.T) (svc *pacecraft.Service, server string, token pacecraft.Token, secret string) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(t.TempDir(), "sandbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	svc, err = pacecraft.Open(t.Context(), db, pacecraft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	who, err := svc.Seed(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	token, secret, err = svc.CreateToken(t.Context(), who.ID, "curl")
	if err != nil {
		t.Fatal(err)
	}
	f := front.New(front.Options{
		Handler: handler{svc}, Revisions: pacecraft.Revisions(),
		Authenticate: func(r *http.Request) (any, *front.Denial) {
			bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			a, err := svc.Authenticate(r.Context(), bearer)
			if err != nil {
				return nil, &front.Denial{Status: http.StatusUnauthorized, Body: rpc.Marshal(map[string]string{"error": err.Error()})}
			}
			return a, nil
		},
	})
	mux := http.NewServeMux()
	mux.Handle("/api/mcp", f)
	ts := httptest.NewServer(mux)
	t.Cleanup(func() { ts.Close(); f.Close() })
	return svc, ts.URL, token, secret
}

type answer struct {
	status int
	header http.Header
	body   string
}

func send(t *testing.T, method, target, secret, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`
	toolsList  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	listSpaces = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_spaces","arguments":{}}}`
)

// The page's quick test with curl, in its order and each alone: no session, no
// Accept, no Content-Type; answers are plain JSON.
func TestQuickTestWithCurl(t *testing.T) {
	_, server, _, secret := mount(t)
	target := server + "/api/mcp?workspace=alfagift"
	for body, want := range map[string]string{initialize: `"protocolVersion":"2025-06-18"`, toolsList: `"update_doc"`, listSpaces: "Aplikasi Seluler"} {
		a := send(t, http.MethodPost, target, secret, body)
		if a.status != http.StatusOK || !strings.Contains(a.body, want) || !json.Valid([]byte(a.body)) ||
			!strings.HasPrefix(a.header.Get("Content-Type"), "application/json") || a.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %d %v %s", body, a.status, a.header, a.body)
		}
	}
}

func TestOnlyPost(t *testing.T) {
	_, server, _, secret := mount(t)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if a := send(t, method, server+"/api/mcp?workspace=alfagift", secret, ""); a.status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d %s", method, a.status, a.body)
		}
	}
}

// A refused token is a 401 that says so, with nothing that could start OAuth.
func TestUnauthorizedOverHTTP(t *testing.T) {
	svc, server, token, secret := mount(t)
	target := server + "/api/mcp?workspace=alfagift"
	refused := func(bearer string) {
		t.Helper()
		a := send(t, http.MethodPost, target, bearer, toolsList)
		if a.status != http.StatusUnauthorized || !strings.Contains(a.body, "dicabut") || a.header.Get("WWW-Authenticate") != "" {
			t.Errorf("%d %v %s", a.status, a.header, a.body)
		}
	}
	refused("")
	refused("pc_salahketik")
	if a := send(t, http.MethodPost, target, secret, toolsList); a.status != http.StatusOK {
		t.Fatalf("good token: %d", a.status)
	}
	if err := svc.RevokeToken(t.Context(), token.ID); err != nil {
		t.Fatal(err)
	}
	refused(secret)
	if a := send(t, http.MethodGet, server+"/.well-known/oauth-protected-resource", "", ""); a.status != http.StatusNotFound {
		t.Errorf("protected resource metadata: %d", a.status)
	}
}

// The parameter by name, encoded either way, and what is said without it.
func TestWorkspaceInTheURL(t *testing.T) {
	_, server, _, secret := mount(t)
	const name = "Kedai Kopi Séruni – Bandung"
	for _, query := range []string{"?workspace=" + url.QueryEscape(name), "?workspace=" + url.PathEscape(name)} {
		if a := send(t, http.MethodPost, server+"/api/mcp"+query, secret, listSpaces); !strings.Contains(a.body, "Pembukaan Toko") {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	for body, want := range map[string]string{initialize: `"protocolVersion"`, toolsList: `"list_spaces"`} {
		if a := send(t, http.MethodPost, server+"/api/mcp", secret, body); a.status != http.StatusOK || !strings.Contains(a.body, want) || strings.Contains(a.body, "Bandung") {
			t.Errorf("no workspace, %s: %s", body, a.body)
		}
	}
	a := send(t, http.MethodPost, server+"/api/mcp", secret, listSpaces)
	if !strings.Contains(a.body, `"isError":true`) || !strings.Contains(a.body, "alfagift") || !strings.Contains(a.body, name) {
		t.Errorf("no workspace: %s", a.body)
	}
}
