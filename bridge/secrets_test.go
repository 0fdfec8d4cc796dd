package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// TestNothingHiddenIsShown has a remote repeat what it was sent, in the forms that
// remotes do, and looks for it in what the bridge says.
func TestNothingHiddenIsShown(t *testing.T) {
	const (
		token    = "tok-0123456789/abcdef"
		inQuery  = "q0123456789"
		inPath   = "NGE0ZTRhNDQtYWJjZC00ZGVm"
		password = "correct horse"
		session  = "sess-0123456789"
		cookie   = "cookie-0123456789"
	)
	log := &bytes.Buffer{}
	relay, err := New(Config{
		URL: "https://example.com/s/" + inPath + "/mcp?api_key=" + inQuery + "&workspace=alfagift",
		Header: http.Header{
			"Authorization": {"Bearer " + token},
			"X-Proxy":       {"Basic YWxpY2U6Y29ycmVjdCBob3JzZQ=="},
		},
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	r := relay.remote
	r.hidden.learn(session)
	r.note(&http.Response{
		Header:  http.Header{"Set-Cookie": {"lb=" + cookie}},
		Request: &http.Request{URL: r.url},
	})
	for _, said := range []string{
		"bad token " + token,
		`{"message":"bad token tok-0123456789\/abcdef"}`,
		"bad tok\x01en tok-0123\u200b456789/abcdef",
		"Cannot POST /s/" + inPath + "/mcp?api_key=" + inQuery,
		"alice: " + password,
		"no session " + session,
		"lb=" + cookie,
		strings.Repeat("x", excerptLen-10) + token,
		strings.Repeat("x", excerptLen-10) + "tok-0123\x7f456789/abcdef",
	} {
		log.Reset()
		relay.log.Warn("said", "why", errors.New(said), "text", said)
		texts := []string{r.quote([]byte(said))}
		if !strings.ContainsAny(said, "\x01\x7f\u200b") { // the log escapes what is no text
			texts = append(texts, log.String())
		}
		for _, text := range texts {
			for _, secret := range []string{token, token[:8], inQuery, inPath, password, session, cookie} {
				if strings.Contains(text, secret) {
					t.Errorf("%q: %q shows %s", said, text, secret)
				}
			}
		}
	}
	if got := r.quote([]byte("no workspace alfagift")); got != "no workspace alfagift" {
		t.Errorf("an ordinary parameter is kept from who has to mend it: %q", got)
	}
	if !relay.log.With("why", token).Handler().Enabled(t.Context(), slog.LevelWarn) {
		t.Error("the log is off")
	}
	log.Reset()
	relay.log.With("why", token).WithGroup("g").Warn("x", "n", 1)
	if got := log.String(); strings.Contains(got, token) || !strings.Contains(got, "g.n=1") {
		t.Errorf("log: %s", got)
	}
}

// TestLogIsNotFilled says one thing again and again.
func TestLogIsNotFilled(t *testing.T) {
	log := &bytes.Buffer{}
	relay, err := New(Config{URL: "https://example.com/mcp", Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 * maxRepeats {
		relay.log.Warn("dropped it", "n", 1)
		relay.log.Debug("detail")
	}
	relay.log.Warn("something else")
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if want := maxRepeats + 10*maxRepeats + 1; len(lines) != want {
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	if strings.Count(log.String(), "not shown") != 1 || !strings.Contains(log.String(), "something else") {
		t.Error(log.String())
	}
}

func TestOpaque(t *testing.T) {
	for word, want := range map[string]bool{
		"mcp": false, "mcp-server-2025-production-v1": false, "internationalisation": false, "1234567890": false,
		"alfagift": false, "workspace_of_the_team_2025": false,
		"0b6a1c8e-3f7d-4c2a-9e55-8d1f0a7b6c43": true, "sk-proj-aB3dE5gH7jK9mN1pQ3sT": true, "NGE0ZTRhNDQtYWJjZC00ZGVm": true,
	} {
		if got := opaque(word); got != want {
			t.Errorf("opaque(%q) = %t", word, got)
		}
	}
}

// TestCookiesAreFew gives the relay more cookies than it may keep.
func TestCookiesAreFew(t *testing.T) {
	relay, err := New(Config{URL: "https://example.com/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	r := relay.remote
	for n := range 3 * maxCookies {
		r.note(&http.Response{
			Header:  http.Header{"Set-Cookie": {fmt.Sprintf("c%d=v", n), "big=" + strings.Repeat("x", maxCookie), fmt.Sprintf("c0=%d", n)}},
			Request: &http.Request{URL: r.url},
		})
	}
	got := strings.Split(r.cookies(), "; ")
	if len(got) != maxCookies || strings.Contains(r.cookies(), "big=") {
		t.Errorf("%d cookies are sent", len(got))
	}
	if want := fmt.Sprintf("c0=%d", 3*maxCookies-1); !strings.Contains(r.cookies(), want) {
		t.Errorf("a cookie that is known was not renewed: %s", r.cookies())
	}
}
