package authz

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

func (h *house) ask(email string) answer {
	h.t.Helper()
	return h.postJSON(h.as.URL+"/api/agent/send-code", `{"email":"`+email+`"}`)
}

func (h *house) verify(handle, code string) answer {
	h.t.Helper()
	return h.postJSON(h.as.URL+"/api/agent/verify-code", `{"code":"`+code+`","otpSessionToken":"`+handle+`","label":"laptop"}`)
}

func other(code string) string {
	if code == "11111111" {
		return "22222222"
	}
	return "11111111"
}

func TestDiscovery(t *testing.T) {
	h := newHouse(t)
	for _, path := range []string{"/v1/", "/v1/agent"} {
		a := h.send(http.DefaultClient, "GET", h.api.URL+path, "", "")
		for want, path := range map[string][]string{
			"email_otp_then_api_key":                       {"data", "authentication", "type"},
			h.as.URL + "/api/agent/send-code":              {"data", "authentication", "sendCodeUrl"},
			h.as.URL + "/api/agent/verify-code":            {"data", "authentication", "verifyCodeUrl"},
			h.as.URL:                                       {"data", "authBaseUrl"},
			h.api.URL + "/v1":                              {"data", "apiBaseUrl"},
			"http://127.0.0.1:1/mcp":                       {"data", "mcp", "url"},
			h.api.URL + "/v1/agent/workspaces":             {"data", "surface", "workspacesUrl"},
			"Bearer <agent API key or OAuth access token>": {"data", "mcp", "authorization"},
		} {
			if got := a.str(path...); got != want {
				t.Errorf("%v = %q, want %q", path, got, want)
			}
		}
	}
}

func TestAgentKey(t *testing.T) {
	h := newHouse(t)
	sent := h.ask("budi@mail.example")
	handle := sent.str("data", "otpSessionToken")
	if sent.status != 200 || len(handle) != 20 || !strings.Contains(sent.body, `"expiresInSeconds":180`) {
		t.Fatalf("send: %d %s", sent.status, sent.body)
	}
	code := h.lastMail("budi@mail.example")
	if !regexp.MustCompile(`^\d{8}$`).MatchString(code) {
		t.Errorf("code %q", code)
	}
	got := h.verify(handle, code)
	key := got.str("data", "apiKey")
	if got.status != 200 || got.str("data", "authorizationScheme") != "ApiKey" || got.str("data", "connection", "label") != "laptop" || got.str("data", "connection", "connectionId") == "" ||
		!strings.Contains(got.body, `"lastUsedAt":null,"revokedAt":null`) {
		t.Errorf("verify: %d %s", got.status, got.body)
	}
	if !regexp.MustCompile(`^fca_[0-9A-HJKMNP-TV-Z]{8}_[0-9A-HJKMNP-TV-Z]{26}$`).MatchString(key) {
		t.Errorf("key %q", key)
	}
	spaced := strings.ToLower(key[:20]) + " - " + key[20:]
	for _, k := range []string{key, strings.ToLower(key), spaced} {
		if who, err := h.s.Authenticate(t.Context(), k); err != nil || who.Email != "budi@mail.example" {
			t.Errorf("%q: %+v %v", k, who, err)
		}
	}
	for _, k := range []string{"", "fca_", key + "0", key[:len(key)-1], strings.Replace(key, "fca_", "fcb_", 1), "fco_" + strings.Repeat("a", 40)} {
		if _, err := h.s.Authenticate(t.Context(), k); err == nil {
			t.Errorf("%q was accepted", k)
		}
	}

	get := func(path, auth string) answer {
		if auth == "" {
			return h.send(http.DefaultClient, "GET", h.api.URL+path, "", "")
		}
		return h.send(http.DefaultClient, "GET", h.api.URL+path, "", "", "Authorization: "+auth)
	}
	if a := get("/v1/agent/me", "ApiKey "+key); a.status != 200 || a.str("data", "email") != "budi@mail.example" {
		t.Errorf("me: %d %s", a.status, a.body)
	}
	if a := get("/v1/agent/me", "Bearer "+key); a.status != 401 || a.str("code") != "AUTH_UNAUTHORIZED" {
		t.Errorf("me with Bearer: %d %s", a.status, a.body)
	}
	if a := get("/v1/agent/me", ""); a.status != 401 || a.str("code") != "AUTH_UNAUTHORIZED" {
		t.Errorf("me without: %d %s", a.status, a.body)
	}
	if a := get("/v1/agent/me", "ApiKey "+key[:len(key)-1]); a.status != 401 || a.str("error", "code") != "AGENT_API_KEY_INVALID" {
		t.Errorf("me with a bad key: %d %s", a.status, a.body)
	}
	if a := get("/v1/agent-api-keys", "ApiKey "+key); a.status != 403 || a.str("error", "code") != "AGENT_API_KEY_HUMAN_SESSION_REQUIRED" {
		t.Errorf("list keys: %d %s", a.status, a.body)
	}
	h.wait(10 * 365 * 24 * time.Hour)
	if _, err := h.s.Authenticate(t.Context(), key); err != nil {
		t.Error("a key expired")
	}
	if n, err := h.s.Revoke(t.Context(), got.str("data", "connection", "connectionId")); n != 1 || err != nil {
		t.Errorf("revoke: %d %v", n, err)
	}
	if a := get("/v1/agent/me", "ApiKey "+key); a.status != 401 || a.str("error", "code") != "AGENT_API_KEY_INVALID" {
		t.Errorf("me after revoking: %d %s", a.status, a.body)
	}
}

func TestOTPFaults(t *testing.T) {
	h := newHouse(t)
	bad := func(name string, a answer, status int, code string) {
		t.Helper()
		if a.status != status || a.str("error", "code") != code || !strings.Contains(a.body, `"ok":false`) || !strings.Contains(a.body, `"actions":[]`) {
			t.Errorf("%s: %d %s, want %d %s", name, a.status, a.body, status, code)
		}
	}
	send, check := h.as.URL+"/api/agent/send-code", h.as.URL+"/api/agent/verify-code"
	bad("not JSON", h.postJSON(send, "email=x"), 400, "INVALID_REQUEST")
	bad("no e-mail", h.postJSON(send, "{}"), 400, "INVALID_REQUEST")
	for _, e := range []string{"", "x", "@x.example", "x@", "x@y", "a b@x.example", "x@y@z.example"} {
		bad("e-mail "+e, h.ask(e), 400, "INVALID_EMAIL")
	}
	handle := h.ask("cici@mail.example").str("data", "otpSessionToken")
	code := h.lastMail("cici@mail.example")
	bad("verify: not JSON", h.postJSON(check, "x"), 400, "INVALID_REQUEST")
	bad("verify: no label", h.postJSON(check, `{"code":"`+code+`","otpSessionToken":"`+handle+`"}`), 400, "INVALID_REQUEST")
	bad("verify: long label", h.postJSON(check, `{"code":"`+code+`","otpSessionToken":"`+handle+`","label":"`+strings.Repeat("é", 121)+`"}`), 400, "INVALID_REQUEST")
	bad("unknown handle", h.verify("nope", code), 400, "OTP_SESSION_EXPIRED")
	bad("malformed", h.verify(handle, "12"), 400, "OTP_CODE_INVALID")
	for range 4 {
		bad("wrong", h.verify(handle, other(code)), 400, "OTP_CODE_INVALID")
	}
	bad("fifth wrong", h.verify(handle, other(code)), 429, "OTP_TOO_MANY_ATTEMPTS")
	bad("right, too late", h.verify(handle, code), 429, "OTP_TOO_MANY_ATTEMPTS")

	handle = h.ask("cici@mail.example").str("data", "otpSessionToken")
	code = h.lastMail("cici@mail.example")
	if a := h.verify(handle, code); a.status != 200 {
		t.Errorf("right: %d %s", a.status, a.body)
	}
	bad("used", h.verify(handle, code), 400, "OTP_SESSION_EXPIRED")

	h.wait(time.Minute)
	handle = h.ask("cici@mail.example").str("data", "otpSessionToken")
	code = h.lastMail("cici@mail.example")
	h.wait(180 * time.Second)
	bad("after 180 s", h.verify(handle, code), 400, "OTP_SESSION_EXPIRED")

	if n, err := h.s.DeleteUser(t.Context(), "cici@mail.example"); n != 1 || err != nil {
		t.Errorf("delete: %d %v", n, err)
	}
	bad("deleted", h.ask("cici@mail.example"), 410, "ACCOUNT_DELETED")
}

func TestDemoAccountNeedsNoMail(t *testing.T) {
	h := newHouse(t)
	for range 30 { // no limit counts for it
		a := h.ask("ani@example.com")
		if got := h.verify(a.str("data", "otpSessionToken"), "00000000"); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if len(h.mail) != 0 {
		t.Errorf("mail was sent: %v", h.mail)
	}
}

func TestMailLimits(t *testing.T) {
	h := newHouse(t)
	var handles []string
	for range 3 {
		handles = append(handles, h.ask("d@mail.example").str("data", "otpSessionToken"))
	}
	extra := h.ask("d@mail.example") // the fourth within a minute
	if len(h.mail["d@mail.example"]) != 3 {
		t.Errorf("%d mails", len(h.mail["d@mail.example"]))
	}
	code := h.lastMail("d@mail.example")
	if extra.status != 200 || extra.str("data", "otpSessionToken") == handles[2] {
		t.Errorf("above the limit: %d %s", extra.status, extra.body)
	}
	if a := h.verify(extra.str("data", "otpSessionToken"), code); a.status != 200 {
		t.Errorf("the fresh handle: %d %s", a.status, a.body)
	}
	if a := h.verify(handles[2], code); a.status != 400 || a.str("error", "code") != "OTP_CHALLENGE_CONSUMED" {
		t.Errorf("the other handle of a used code: %d %s", a.status, a.body)
	}
	h.wait(61 * time.Second)
	for range 2 {
		h.ask("d@mail.example") // fourth and fifth in 15 minutes
	}
	h.wait(181 * time.Second) // the last code is dead
	if a := h.ask("d@mail.example"); a.status != 429 || a.str("error", "code") != "RATE_LIMITED" {
		t.Errorf("sixth in 15 minutes without a live code: %d %s", a.status, a.body)
	}
	h.wait(15 * time.Minute)
	if a := h.ask("d@mail.example"); a.status != 200 {
		t.Errorf("15 minutes later: %d %s", a.status, a.body)
	}
}

func TestPlaceLimits(t *testing.T) {
	h := newHouse(t)
	for i := range 5 {
		if a := h.ask(fmt.Sprintf("u%d@mail.example", i)); a.status != 200 {
			t.Fatalf("address %d: %d", i, a.status)
		}
	}
	if a := h.ask("u5@mail.example"); a.status != 429 || a.str("error", "code") != "RATE_LIMITED" {
		t.Errorf("sixth address in an hour: %d %s", a.status, a.body)
	}
	for i := range 5 {
		if a := h.ask(fmt.Sprintf("u%d@mail.example", i)); a.status != 200 {
			t.Fatalf("known address %d: %d", i, a.status)
		}
	}
	if a := h.ask("u0@mail.example"); a.status != 429 {
		t.Errorf("eleventh in 15 minutes: %d", a.status)
	}
	h.wait(time.Hour + time.Second)
	if a := h.ask("u5@mail.example"); a.status != 200 {
		t.Errorf("an hour later: %d %s", a.status, a.body)
	}
}
