package sandbox_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"bridge/internal/sandbox"
)

// The wire of the flashcard service: authentication failures and the
// transport's table, row by row.
func TestNibomoWire(t *testing.T) {
	s := start(t, sandbox.Options{})
	i := s.Info().Nibomo
	auth := "Authorization: Bearer " + i.Key
	list := []string{auth, accept, isJSON}
	plus := func(more ...string) []string { return append(append([]string{}, list...), more...) }
	challenge := `Bearer resource_metadata="` + origin(i.URL) + `/.well-known/oauth-protected-resource/mcp"`
	denied := `{"error":"invalid_token","error_description":"A valid OAuth Bearer token is required to access the MCP resource."}`
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		want               string
	}{
		{"no token", "POST", toolsList, []string{accept, isJSON}, 401, denied},
		{"malformed token", "POST", toolsList, []string{accept, isJSON, "Authorization: Bearer x"}, 401, denied},
		{"empty token", "POST", toolsList, []string{accept, isJSON, "Authorization: Bearer"}, 401, denied},
		{"ApiKey scheme", "POST", toolsList, []string{accept, isJSON, "Authorization: ApiKey " + i.Key}, 401, denied},
		{"scheme in lower case", "POST", toolsList, []string{accept, isJSON, "Authorization: bearer " + i.Key}, 200, `"tools":[`},
		{"key in lower case", "POST", toolsList, []string{accept, isJSON, "Authorization: Bearer " + strings.ToLower(i.Key)}, 200, `"tools":[`},
		{"GET without a token", "GET", "", nil, 401, denied},
		{"OPTIONS without a token", "OPTIONS", "", []string{"Origin: https://x.example", "Access-Control-Request-Method: POST"}, 401, denied},
		{"GET", "GET", "", []string{auth}, 405, `"error":"method_not_allowed"`},
		{"DELETE", "DELETE", "", []string{auth}, 405, `"error":"method_not_allowed"`},
		{"session id ignored", "POST", toolsList, plus("Mcp-Session-Id: x"), 200, `"tools":[`},
		{"initialize", "POST", hello, list, 200, `"name":"flashcards-open-source-app","version":"v1"`},
		{"no initialize needed", "POST", toolsList, list, 200, `"tools":[`},
		{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, list, 202, ""},
		{"batch", "POST", "[" + toolsList + `,{"jsonrpc":"2.0","id":3,"method":"ping"}]`, list, 200, `{"jsonrpc":"2.0","id":3,"result":{}}]`},
		{"oldest revision", "POST", strings.Replace(hello, "2025-06-18", "2024-10-07", 1), list, 200, `"protocolVersion":"2024-10-07"`},
		{"unknown revision in initialize", "POST", strings.Replace(hello, "2025-06-18", "2026-07-28", 1), list, 200, `"protocolVersion":"2025-11-25"`},
		{"revision header", "POST", toolsList, plus("MCP-Protocol-Version: 2025-11-25"), 200, `"tools":[`},
		{"unsupported revision header", "POST", toolsList, plus("MCP-Protocol-Version: 1999-01-01"), 400, `"code":-32000`},
		{"modern revision header", "POST", toolsList, plus("MCP-Protocol-Version: 2026-07-28"), 400, `"code":-32000`},
		{"server/discover", "POST", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, list, 200, `"code":-32601`},
		{"prompts/list", "POST", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, list, 200, `"code":-32601`},
		{"resources/list", "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, list, 200, `"code":-32601`},
		{"any Accept", "POST", toolsList, []string{auth, isJSON, "Accept: */*"}, 406, `"code":-32000`},
		{"Accept of JSON alone", "POST", toolsList, []string{auth, isJSON, "Accept: application/json"}, 406, `"code":-32000`},
		{"Content-Type", "POST", toolsList, []string{auth, accept, "Content-Type: text/plain"}, 415, `"code":-32000`},
		{"no Content-Type", "POST", toolsList, []string{auth, accept}, 415, `"code":-32000`},
		{"bad JSON", "POST", "{", list, 400, `"code":-32700,"message":"Parse error: Invalid JSON"`},
		{"not JSON-RPC", "POST", `{"a":1}`, list, 400, `"code":-32700`},
		{"Host", "POST", toolsList, plus("Host: localhost"), 403, `"code":-32000,"message":"Invalid Host header: localhost"`},
		{"Origin unchecked", "POST", toolsList, plus("Origin: https://x.example"), 200, `"tools":[`},
		{"4 MiB", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("a", 4<<20) + `"}}`, list, 413, `"code":-32000`},
		{"just below", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("a", 4<<20-100) + `"}}`, list, 200, `"result":{}`},
		{"no name", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, list, 200, `"code":-32603`},
		{"arguments no object", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_query","arguments":[]}}`, list, 200, `"code":-32603`},
		{"unknown tool", "POST", call("nope", "{}"), list, 200, `MCP error -32602: Tool nope not found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := must(t, c.method, i.URL, c.body, c.headers...)
			if r.status != c.status || !strings.Contains(r.body, c.want) || (c.want == "" && r.body != "") {
				t.Errorf("%d %.300s, want %d with %s", r.status, r.body, c.status, c.want)
			}
			if r.header.Get("X-Request-Id") == "" {
				t.Error("no X-Request-Id")
			}
			if got := r.header.Get("Www-Authenticate"); (r.status == 401) != (got == challenge) {
				t.Errorf("WWW-Authenticate: %s", got)
			}
			if r.status == 405 && r.header.Get("Allow") != "POST" {
				t.Errorf("Allow: %s", r.header.Get("Allow"))
			}
			if r.header.Get("Mcp-Session-Id") != "" || r.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("headers %v", r.header)
			}
			if ct := r.header.Get("Content-Type"); r.body != "" && ct != "application/json" {
				t.Errorf("Content-Type: %s", ct)
			}
		})
	}
	if r := must(t, "GET", origin(i.URL)+"/health", ""); r.body != `{"status":"ok"}` || r.header.Get("X-Request-Id") == "" {
		t.Errorf("health: %s %v", r.body, r.header)
	}
	if _, err := url.Parse(i.API); err != nil {
		t.Error(err)
	}
	// Overload is what the gateway or the function answers, on demand.
	arm(t, s, "unavailable=1,on=nibomo")
	if r := must(t, "POST", i.URL, toolsList, list...); r.status != 503 || r.header.Get("Retry-After") != "1" || !strings.Contains(r.body, `"code":"SERVICE_UNAVAILABLE"`) {
		t.Errorf("overload: %d %s", r.status, r.body)
	}
}

func call(tool, args string) string {
	return `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

// envelope calls a tool and returns what its text holds.
func envelope(t *testing.T, u, token, tool, args string) (data map[string]any, code string) {
	t.Helper()
	r := must(t, "POST", u, call(tool, args), accept, isJSON, "Authorization: Bearer "+token)
	var answer struct {
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
	}
	var env struct {
		OK    bool           `json:"ok"`
		Data  map[string]any `json:"data"`
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(r.body), &answer); err != nil || len(answer.Result.Content) != 1 {
		t.Fatalf("%s: %d %s", tool, r.status, r.body)
	}
	if err := json.Unmarshal([]byte(answer.Result.Content[0].Text), &env); err != nil {
		t.Fatalf("%s: %s", tool, answer.Result.Content[0].Text)
	}
	return env.Data, env.Error.Code
}

// The quick test: a browser signs in, a card is asked for, revealed, graded,
// and graded again with the same id.
func TestNibomoSignInAndReview(t *testing.T) {
	s := start(t, sandbox.Options{})
	i := s.Info().Nibomo

	// 401 → resource metadata → server metadata → registration.
	r := must(t, "POST", i.URL, toolsList, accept, isJSON)
	m := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(r.header.Get("Www-Authenticate"))
	if m == nil {
		t.Fatalf("challenge: %v", r.header)
	}
	var prm struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	decode(t, must(t, "GET", m[1], ""), &prm)
	if prm.Resource != i.URL || len(prm.Servers) != 1 || prm.Servers[0] != i.Issuer {
		t.Fatalf("resource metadata: %+v", prm)
	}
	var as struct {
		Issuer    string `json:"issuer"`
		Authorize string `json:"authorization_endpoint"`
		Token     string `json:"token_endpoint"`
		Register  string `json:"registration_endpoint"`
	}
	decode(t, must(t, "GET", i.Issuer+"/.well-known/oauth-authorization-server", ""), &as)
	var client struct {
		ID string `json:"client_id"`
	}
	const back = "http://127.0.0.1:9/callback"
	decode(t, must(t, "POST", as.Register, `{"client_name":"test","redirect_uris":["`+back+`"]}`, isJSON), &client)

	verifier := strings.Repeat("v", 64)
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{"client_id": {client.ID}, "redirect_uri": {back}, "response_type": {"code"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "resource": {prm.Resource}, "state": {"abc"}}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page := mustWith(t, browser, "GET", as.Authorize+"?"+q.Encode(), "")
	field := regexp.MustCompile(`name="request" value="([^"]+)"`).FindStringSubmatch(page.body)
	if field == nil {
		t.Fatalf("sign-in page: %d %s", page.status, page.body)
	}
	done := mustWith(t, browser, "POST", as.Authorize, url.Values{"request": {field[1]}, "step": {"sample"}}.Encode(), "Content-Type: application/x-www-form-urlencoded")
	loc, err := url.Parse(done.header.Get("Location"))
	if err != nil || loc.Query().Get("iss") != as.Issuer || loc.Query().Get("state") != "abc" {
		t.Fatalf("redirect: %v %v", done.header, err)
	}
	var tokens struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {loc.Query().Get("code")}, "code_verifier": {verifier}, "redirect_uri": {back}, "client_id": {client.ID}}
	decode(t, must(t, "POST", as.Token, form.Encode(), "Content-Type: application/x-www-form-urlencoded"), &tokens)

	data, _ := envelope(t, i.URL, tokens.Access, "list_workspaces", "{}")
	list, _ := data["workspaces"].([]any)
	if len(list) < 2 {
		t.Fatalf("sample workspaces: %v", data)
	}
	var card map[string]any
	workspace := ""
	for _, w := range list {
		workspace, _ = w.(map[string]any)["workspaceId"].(string)
		data, _ = envelope(t, i.URL, tokens.Access, "next_review_card", `{"workspaceId":"`+workspace+`"}`)
		if card, _ = data["card"].(map[string]any); card != nil {
			break
		}
	}
	id, _ := card["cardId"].(string)
	if id == "" {
		t.Fatal("no sample card is due")
	}
	where := `"workspaceId":"` + workspace + `","cardId":"` + id + `"`
	if data, code := envelope(t, i.URL, tokens.Access, "reveal_answer", "{"+where+"}"); code != "" || data["backText"] == "" {
		t.Errorf("reveal: %v %s", data, code)
	}
	submit := "{" + where + `,"reviewId":"6f1c1c1e-7a58-4f3c-9d0b-0d9a5b3b2a11","rating":"Good","reviewedTimeZone":"Asia/Jakarta"}`
	if data, code := envelope(t, i.URL, tokens.Access, "submit_review", submit); code != "" || data["rating"] != "Good" {
		t.Errorf("submit: %v %s", data, code)
	}
	if _, code := envelope(t, i.URL, tokens.Access, "submit_review", submit); code != "REVIEW_EVENT_CONFLICT" {
		t.Errorf("the same review again: %s", code)
	}

	// Expired: 401 as for any other; the refresh token mends it.
	arm(t, s, "expire,on=nibomo")
	if r := must(t, "POST", i.URL, toolsList, accept, isJSON, "Authorization: Bearer "+tokens.Access); r.status != 401 {
		t.Errorf("expired: %d", r.status)
	}
	renew := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.Refresh}, "client_id": {client.ID}}.Encode()
	arm(t, s, "refresh=503")
	if r := must(t, "POST", as.Token, renew, "Content-Type: application/x-www-form-urlencoded"); r.status != 503 {
		t.Errorf("refresh on a bad day: %d", r.status)
	}
	decode(t, must(t, "POST", as.Token, renew, "Content-Type: application/x-www-form-urlencoded"), &tokens)
	// The same connection: the review is still known.
	if _, code := envelope(t, i.URL, tokens.Access, "submit_review", submit); code != "REVIEW_EVENT_CONFLICT" {
		t.Errorf("after the refresh: %s", code)
	}
	// Another connection records it a second time, as the service does.
	if _, code := envelope(t, i.URL, i.Key, "submit_review", submit); code == "REVIEW_EVENT_CONFLICT" {
		t.Error("another connection shares the review's id")
	}
}

func decode(t *testing.T, r reply, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
}
