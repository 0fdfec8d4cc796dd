package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bridge/bridge"
	entry "bridge/internal/servers"
	"bridge/keystore"
)

// testApp is an app with a home of its own and streams that go nowhere.
func testApp(t *testing.T) *app {
	t.Helper()
	t.Setenv("BRIDGE_HOME", t.TempDir())
	t.Setenv("BRIDGE_TOKEN", "")
	t.Setenv("BRIDGE_TOKEN_FILE", "")
	return &app{streams: &streams{out: io.Discard, err: io.Discard}}
}

func addServer(t *testing.T, s entry.Server) {
	t.Helper()
	f, err := entry.Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Set(s); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

func TestConnect(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	web := httptest.NewServer(&paceServer{tokens: []string{"pc_right"}, workspaces: []string{"b", "Tim Inti"}})
	defer web.Close()
	a := testApp(t)
	addServer(t, entry.Server{Name: "pace", URL: web.URL + "/api/mcp", Workspace: "Tim Inti", Auth: entry.AuthToken, Deny: []string{"update_*"}})
	addServer(t, entry.Server{Name: "down", URL: "http://127.0.0.1:1/mcp", Auth: entry.AuthNone})

	t.Setenv("BRIDGE_TOKEN_PACE", "pc_right")
	c, err := a.connect(t.Context(), "pace")
	if err != nil {
		t.Fatal(err)
	}
	call := func(tool string) (string, error) {
		res, err := c.callTool(t.Context(), tool, struct{}{})
		if err != nil {
			return "", c.problem(err)
		}
		return res.Content[0].Text, nil
	}
	if text, err := call("list_docs"); err != nil || text != "list_docs in Tim Inti" {
		t.Errorf("list_docs: %q, %v", text, err)
	}
	if _, err := call("update_doc"); exitOf(err) != exitPolicy || !strings.Contains(err.Error(), "denied") {
		t.Errorf("a tool that is held back: %v (exit %d)", err, exitOf(err))
	}
	if _, err := c.request(t.Context(), "resources/list", nil); err == nil || exitOf(err) != exitFailure {
		t.Errorf("what the server does not have: %v", err)
	}
	c.close()

	for _, tt := range []struct {
		name, token string
		exit        exit
	}{
		{"pace", "pc_wrong", exitSignIn},
		{"pace", "two words", exitSignIn},
		{"down", "", exitUnreachable},
		{"nobody", "", exitUsage},
	} {
		t.Setenv("BRIDGE_TOKEN_PACE", tt.token)
		began := time.Now()
		c, err := a.connect(t.Context(), tt.name)
		if err == nil {
			c.close()
		}
		if exitOf(err) != tt.exit {
			t.Errorf("connect(%s) with %q: %v (exit %d, want %d)", tt.name, tt.token, err, exitOf(err), tt.exit)
		}
		if tt.token != "" && strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), tt.token) {
			t.Errorf("the error repeats the token: %v", err)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("connect(%s) took %v", tt.name, took)
		}
	}
}

func TestConnectEndsWithItsContext(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	asked := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer web.Close()
	a := testApp(t)
	addServer(t, entry.Server{Name: "slow", URL: web.URL, Auth: entry.AuthNone})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := a.connect(ctx, "slow"); !errors.Is(err, context.Canceled) || exitOf(err) != exitInterrupted {
		t.Errorf("connect = %v (exit %d)", err, exitOf(err))
	}
}

// A file that another program keeps changing is a conflict; what that program
// wrote is there, and nothing of ours.
func TestChangeIsAConflictInTheEnd(t *testing.T) {
	a := testApp(t)
	addServer(t, testEntry())
	f, err := entry.Load()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	edit := func(f *entry.File) error {
		n++
		if err := os.WriteFile(f.Path, fmt.Appendf(nil, "# edit %d\n", n), 0o600); err != nil {
			t.Fatal(err)
		}
		return f.Set(entry.Server{Name: "mine", URL: "https://mine.example/mcp"})
	}
	if err := a.change(f, edit); exitOf(err) != exitConflict {
		t.Errorf("change = %v (exit %d)", err, exitOf(err))
	}
	got, err := os.ReadFile(filepath.Join(os.Getenv("BRIDGE_HOME"), "config.toml"))
	if err != nil || string(got) != fmt.Sprintf("# edit %d\n", n) {
		t.Errorf("the file holds %q, %v", got, err)
	}

	// Changed once, it is edited anew: both changes are there.
	if f, err = entry.Load(); err != nil {
		t.Fatal(err)
	}
	once := false
	err = a.change(f, func(f *entry.File) error {
		if !once {
			once = true
			addServer(t, testEntry())
		}
		return f.Set(entry.Server{Name: "mine", URL: "https://mine.example/mcp"})
	})
	if f, lerr := entry.Load(); err != nil || lerr != nil || len(f.Servers()) != 2 {
		t.Errorf("change = %v, %v; %v", err, lerr, f.Servers())
	}
}

// Nothing that carries a token shows it, however it is printed: by mistake, by
// a log, or by a panic.
func TestNothingPrintsTheToken(t *testing.T) {
	const token = "pc_s3cret0123456789abcd"
	st := &fakeStore{m: map[string]string{testEntry().CredentialName(): token}}
	f := testFinder(testEntry(), st, nil)
	c, err := f.find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	auth := testAuthorizer(t, testEntry(), st, nil)
	if _, err := auth.Authorization(t.Context()); err != nil {
		t.Fatal(err)
	}
	auth.wait()
	report := statusOf(t.Context(), f)
	for name, v := range map[string]any{
		"credential": c, "*credential": &c, "token": c.token, "authorizer": auth,
		"fixedAuthorizer": fixedAuthorizer{c.token}, "status": report, "in a map": map[string]credential{"x": c},
	} {
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
		encoded, _ := json.Marshal(v) // what cannot be encoded shows nothing
		shown := fmt.Sprintf("%v %+v %#v %s %q %x %d", v, v, v, v, v, v, v) + string(encoded) + log.String()
		for _, form := range []string{token, "s3cret", fmt.Sprintf("%x", token)} {
			if strings.Contains(shown, form) {
				t.Errorf("%s shows the token", name)
			}
		}
	}
	panicked := func() (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		panic(fmt.Sprintf("%+v", c))
	}()
	if strings.Contains(panicked, token) {
		t.Error("a panic shows the token")
	}
	if report.Last4 != "abcd" {
		t.Errorf("last4 = %q", report.Last4)
	}
	if keystore.NewSecret("pc_123").Last4() != "" {
		t.Error("the last four characters of a short token are most of it")
	}
}

// A slowAuthorizer takes its time, as the key of a sealed file does.
type slowAuthorizer struct{ pause time.Duration }

func (s slowAuthorizer) Authorization(ctx context.Context) (string, error) {
	select {
	case <-time.After(s.pause):
		return "Bearer t", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (s slowAuthorizer) Challenge(context.Context, bridge.Challenge) error { return nil }

// TestWaited: what a request waits for its credential is known, so that ping
// does not count it as the server's.
func TestWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &authWatch{inner: slowAuthorizer{time.Second}}
		for range 2 {
			if _, err := w.Authorization(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.waited(); got != 2*time.Second {
			t.Errorf("waited %v", got)
		}
	})
}
