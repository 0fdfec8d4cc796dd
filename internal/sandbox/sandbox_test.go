package sandbox_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridge/internal/sandbox"
	"bridge/internal/sandbox/faults"
)

func start(t *testing.T, opt sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// reply is an HTTP answer with its body read.
type reply struct {
	status int
	header http.Header
	body   string
}

func send(t *testing.T, c *http.Client, method, u, body string, headers ...string) (reply, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, u, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		k, v, _ := strings.Cut(h, ": ")
		if k == "Host" {
			req.Host = v
		} else {
			req.Header.Add(k, v)
		}
	}
	resp, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(b)}, err
}

func must(t *testing.T, method, u, body string, headers ...string) reply {
	t.Helper()
	return mustWith(t, http.DefaultClient, method, u, body, headers...)
}

func mustWith(t *testing.T, c *http.Client, method, u, body string, headers ...string) reply {
	t.Helper()
	r, err := send(t, c, method, u, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	accept    = "Accept: application/json, text/event-stream"
	isJSON    = "Content-Type: application/json"
	toolsList = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	hello     = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`
)

func TestLoopbackOnly(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.168.1.1:0", "example.com:80", "[::]:0"} {
		if _, err := sandbox.Start(t.Context(), sandbox.Options{Addr: addr}); !errors.Is(err, sandbox.ErrNotLoopback) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{"127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000"} {
		if _, err := sandbox.Start(t.Context(), sandbox.Options{Addr: addr}); err == nil {
			t.Errorf("%s was taken", addr)
		}
	}
	s := start(t, sandbox.Options{Addr: "localhost:0"})
	if u := s.Info().PaceCraft.URL; !strings.HasPrefix(u, "http://127.0.0.1:") {
		t.Errorf("localhost became %s", u)
	}
}

// What stands at the root of one service is not found at the root of another.
// Only Nibomo's /mcp looked at the Host header: a page whose name pointed at
// this machine could press the sign-in page's button.
func TestRequestsForAnotherHostAreRefused(t *testing.T) {
	s := start(t, sandbox.Options{})
	i := s.Info()
	for _, u := range []string{i.PaceCraft.URL, i.Nibomo.URL, i.Nibomo.Issuer + "/authorize", i.Nibomo.API, i.Lab.URL + "/lab/json", i.Admin.URL} {
		for _, host := range []string{"evil.example", "evil.example:7700", "127.0.0.1.evil.example", "192.168.0.1", "localhost.evil.example:80"} {
			if got, err := send(t, http.DefaultClient, "POST", u, "{}", "Host: "+host); err != nil || got.status != http.StatusForbidden || !strings.Contains(got.body, "Invalid Host header: "+host) {
				t.Errorf("%s as %s: %d %s %v", u, host, got.status, got.body, err)
			}
		}
		if got, err := send(t, http.DefaultClient, "POST", u, "{}"); err != nil || strings.Contains(got.body, "Invalid Host header") {
			t.Errorf("%s: %d %s %v", u, got.status, got.body, err)
		}
	}
}

func TestOrigins(t *testing.T) {
	s := start(t, sandbox.Options{})
	i := s.Info()
	for _, c := range []struct {
		url    string
		status int
	}{
		{origin(i.PaceCraft.URL) + "/.well-known/oauth-protected-resource", 404},
		{origin(i.PaceCraft.URL) + "/.well-known/oauth-protected-resource/api/mcp", 404},
		{origin(i.PaceCraft.URL) + "/.well-known/oauth-authorization-server", 404},
		{origin(i.Nibomo.URL) + "/.well-known/oauth-protected-resource", 200},
		{origin(i.Nibomo.URL) + "/.well-known/oauth-protected-resource/mcp", 200},
		{origin(i.Nibomo.URL) + "/.well-known/oauth-authorization-server", 404},
		{i.Nibomo.Issuer + "/.well-known/oauth-authorization-server", 200},
		{origin(i.Nibomo.URL) + "/health", 200},
		{i.Nibomo.API, 200},
		{origin(i.Nibomo.URL) + "/nope", 404},
	} {
		if r := must(t, "GET", c.url, ""); r.status != c.status {
			t.Errorf("%s: %d, want %d", c.url, r.status, c.status)
		}
	}
	if r := must(t, "GET", origin(i.Nibomo.URL)+"/nope", ""); !strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") {
		t.Errorf("404 as %s", r.header.Get("Content-Type"))
	}
}

func origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func TestVariants(t *testing.T) {
	s := start(t, sandbox.Options{})
	i := s.Info()
	tokens := map[string]string{"lab": "none", "pacecraft": i.PaceCraft.Token, "nibomo": i.Nibomo.Key}
	for _, svc := range i.Lab.Services {
		auth := "Authorization: Bearer " + tokens[svc]
		for _, form := range i.Lab.Forms {
			u := i.Lab.URL + "/" + svc + "/" + form
			t.Run(svc+"/"+form, func(t *testing.T) {
				if svc != "lab" {
					if r := must(t, "POST", u, hello, accept, isJSON); r.status != 401 {
						t.Errorf("without a token: %d", r.status)
					}
				}
				switch {
				case form == "http-sse":
					return // its handshake is a stream; the front's tests have it
				case strings.HasPrefix(form, "modern"):
					body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
					r := must(t, "POST", u, body, accept, isJSON, auth, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list")
					if r.status != 200 || !strings.Contains(r.body, `"resultType":"complete"`) {
						t.Errorf("%d %s", r.status, r.body)
					}
				default:
					r := must(t, "POST", u, hello, accept, isJSON, auth)
					if r.status != 200 || !strings.Contains(r.body, `"protocolVersion":"2025-06-18"`) {
						t.Fatalf("%d %s", r.status, r.body)
					}
					session := r.header.Get("Mcp-Session-Id")
					if (session != "") != (strings.HasPrefix(form, "session") || form == "resumable") {
						t.Errorf("session %q", session)
					}
					r = must(t, "POST", u, toolsList, accept, isJSON, auth, "Mcp-Session-Id: "+session)
					sse := strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream")
					if r.status != 200 || !strings.Contains(r.body, `"tools":[`) || sse != (strings.Contains(form, "sse") || form == "resumable") {
						t.Errorf("%d %s %s", r.status, r.header.Get("Content-Type"), r.body)
					}
				}
			})
		}
	}
}

func TestDataPersists(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sand box?.db")
	first := start(t, sandbox.Options{Data: file})
	before := first.Info()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := start(t, sandbox.Options{Data: file})
	after := second.Info()
	if before.PaceCraft.Token != after.PaceCraft.Token || before.Nibomo.Key != after.Nibomo.Key {
		t.Error("the sample tokens changed between two runs on one file")
	}
	if r := must(t, "POST", after.PaceCraft.URL, toolsList, "Authorization: Bearer "+before.PaceCraft.Token); r.status != 200 {
		t.Errorf("the old token: %d", r.status)
	}
	if before.Admin.Token == after.Admin.Token {
		t.Error("the admin token is not random")
	}
	other := start(t, sandbox.Options{})
	if r := must(t, "POST", other.Info().PaceCraft.URL, toolsList, "Authorization: Bearer "+before.PaceCraft.Token); r.status != 401 {
		t.Errorf("a token of another sandbox: %d", r.status)
	}
}

func TestFixedPorts(t *testing.T) {
	s := start(t, sandbox.Options{})
	u, err := url.Parse(s.Info().PaceCraft.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.Start(t.Context(), sandbox.Options{Addr: u.Host}); err == nil {
		t.Error("two sandboxes on one port")
	}
}

func arm(t *testing.T, s *sandbox.Sandbox, text string) {
	t.Helper()
	if r := must(t, "POST", s.Info().Admin.URL, text, "Authorization: Bearer "+s.Info().Admin.Token); r.status != 201 {
		t.Fatalf("%s: %d %s", text, r.status, r.body)
	}
}

func TestFaults(t *testing.T) {
	f, err := faults.Parse("status=503,on=pacecraft,method=tools/list")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, sandbox.Options{Faults: []faults.Fault{f}})
	i := s.Info()
	pace := "Authorization: Bearer " + i.PaceCraft.Token
	key := "Authorization: Bearer " + i.Nibomo.Key
	if r := must(t, "POST", i.PaceCraft.URL, toolsList, pace); r.status != 503 || !strings.Contains(r.body, "<html>") {
		t.Errorf("armed from the start: %d", r.status)
	}
	if r := must(t, "POST", i.Admin.URL, "twice"); r.status != 401 {
		t.Errorf("admin without its token: %d", r.status)
	}

	u := i.Lab.URL + "/lab/session"
	r := must(t, "POST", u, hello, accept, isJSON)
	session := "Mcp-Session-Id: " + r.header.Get("Mcp-Session-Id")
	arm(t, s, "forget,on=lab")
	if r := must(t, "POST", u, toolsList, accept, isJSON, session); r.status != 404 {
		t.Errorf("forgotten session: %d %s", r.status, r.body)
	}

	arm(t, s, "restart,on=nibomo")
	if r, err := send(t, http.DefaultClient, "POST", i.Nibomo.URL, toolsList, accept, isJSON, key); err == nil {
		t.Errorf("a restart answered %d", r.status)
	}
	deadline := time.Now().Add(5 * time.Second)
	for {
		r, err := send(t, http.DefaultClient, "POST", i.Nibomo.URL, toolsList, accept, isJSON, key)
		if err == nil {
			if r.status != 200 {
				t.Errorf("after the restart: %d", r.status)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}

	arm(t, s, "revoke,on=pacecraft")
	if r := must(t, "POST", i.PaceCraft.URL, toolsList, pace); r.status != 401 {
		t.Errorf("revoked token: %d", r.status)
	}
	if r := must(t, "POST", i.Nibomo.URL, toolsList, accept, isJSON, key); r.status != 401 {
		t.Errorf("revoked key: %d", r.status)
	}
}

func TestThrottle(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := start(t, sandbox.Options{Throttle: true, Now: func() time.Time { return at }})
	u := origin(s.Info().Nibomo.URL) + "/health"
	for i := range 40 {
		if r := must(t, "GET", u, ""); r.status != 200 {
			t.Fatalf("request %d: %d", i, r.status)
		}
	}
	if r := must(t, "GET", u, ""); r.status != 429 || r.header.Get("Retry-After") != "" {
		t.Errorf("the 41st at once: %d", r.status)
	}
	if r := must(t, "POST", s.Info().PaceCraft.URL, toolsList, "Authorization: Bearer "+s.Info().PaceCraft.Token); r.status != 200 {
		t.Errorf("the other service: %d", r.status)
	}
}

func TestMailIsTold(t *testing.T) {
	type letter struct{ email, code string }
	mail := make(chan letter, 1)
	s := start(t, sandbox.Options{Mail: func(email, code string) { mail <- letter{email, code} }})
	r := must(t, "GET", s.Info().Nibomo.API, "")
	var d struct {
		Data struct {
			Authentication struct {
				SendCodeURL   string `json:"sendCodeUrl"`
				VerifyCodeURL string `json:"verifyCodeUrl"`
			} `json:"authentication"`
			OTP    string `json:"otpSessionToken"`
			APIKey string `json:"apiKey"`
		} `json:"data"`
	}
	decode := func(r reply) {
		t.Helper()
		if err := json.Unmarshal([]byte(r.body), &d); err != nil {
			t.Fatal(err)
		}
	}
	decode(r)
	decode(must(t, "POST", d.Data.Authentication.SendCodeURL, `{"email":"new@mail.example"}`, isJSON))
	got := <-mail
	if got.email != "new@mail.example" {
		t.Errorf("mail to %s", got.email)
	}
	decode(must(t, "POST", d.Data.Authentication.VerifyCodeURL, `{"code":"`+got.code+`","otpSessionToken":"`+d.Data.OTP+`","label":"test"}`, isJSON))
	if r := must(t, "POST", s.Info().Nibomo.URL, toolsList, accept, isJSON, "Authorization: Bearer "+d.Data.APIKey); r.status != 200 {
		t.Errorf("the new key: %d %s", r.status, r.body)
	}
}
