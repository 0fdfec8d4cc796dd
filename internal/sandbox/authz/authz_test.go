package authz

import (
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"
	_ "github.com/ncruces/go-sqlite3/vfs/memdb"
)

// house is a running authorization server with a clock and a letter box.
type house struct {
	t   *testing.T
	s   *Service
	as  *httptest.Server
	api *httptest.Server

	mu   sync.Mutex
	at   time.Time
	mail map[string][]string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:/"+strings.ReplaceAll(t.Name(), "/", "_")+"?vfs=memdb&_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, at: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), mail: map[string][]string{}}
	var asHandler, apiHandler http.Handler
	h.as = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asHandler.ServeHTTP(w, r) }))
	h.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { apiHandler.ServeHTTP(w, r) }))
	h.s, err = New(t.Context(), db, Options{
		Issuer: h.as.URL, Resource: "http://127.0.0.1:1/mcp", API: h.api.URL, Sample: "ani@example.com", Demo: []string{"ani@example.com"},
		Now: func() time.Time { h.mu.Lock(); defer h.mu.Unlock(); return h.at },
		Send: func(email, code string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.mail[email] = append(h.mail[email], code)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	asHandler, apiHandler = h.s.Handler(), h.s.API(nil)
	t.Cleanup(func() { h.as.Close(); h.api.Close(); db.Close() })
	return h
}

func (h *house) wait(d time.Duration) { h.mu.Lock(); defer h.mu.Unlock(); h.at = h.at.Add(d) }

func (h *house) lastMail(email string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.mail[email]
	if len(m) == 0 {
		h.t.Fatalf("no mail for %s", email)
	}
	return m[len(m)-1]
}

// answer is an HTTP response with its body read.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) str(path ...string) string {
	var v any
	if json.Unmarshal([]byte(a.body), &v) != nil {
		return ""
	}
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	s, _ := v.(string)
	return s
}

func (h *house) send(c *http.Client, method, u, contentType, body string, headers ...string) answer {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, u, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for _, x := range headers {
		k, v, _ := strings.Cut(x, ": ")
		req.Header.Set(k, v)
	}
	resp, err := c.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(b)}
}

func (h *house) postJSON(u, body string) answer {
	h.t.Helper()
	return h.send(http.DefaultClient, "POST", u, "application/json", body)
}

func (h *house) token(form url.Values) answer {
	h.t.Helper()
	return h.send(http.DefaultClient, "POST", h.as.URL+"/token", "application/x-www-form-urlencoded", form.Encode())
}

const (
	redirect = "http://127.0.0.1:4567/callback"
	verifier = "0123456789012345678901234567890123456789012"
)

func challengeOf(v string) string {
	sum := sha256.Sum256([]byte(v))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (h *house) register() string {
	h.t.Helper()
	a := h.postJSON(h.as.URL+"/register", `{"client_name":"test","redirect_uris":["`+redirect+`"]}`)
	if a.status != 201 {
		h.t.Fatalf("register: %d %s", a.status, a.body)
	}
	return a.str("client_id")
}

func (h *house) query(clientID string) url.Values {
	return url.Values{"client_id": {clientID}, "redirect_uri": {redirect}, "response_type": {"code"}, "code_challenge": {challengeOf(verifier)},
		"code_challenge_method": {"S256"}, "resource": {"http://127.0.0.1:1/mcp"}, "state": {"s&1"}}
}

// browser keeps cookies and stops at redirects away from the page.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

var requestField = regexp.MustCompile(`name="request" value="([^"]+)"`)

// open shows the page and returns a function that posts one of its forms.
func (h *house) open(q url.Values) (answer, func(step, field, value string) answer) {
	h.t.Helper()
	b := browser(h.t)
	page := h.send(b, "GET", h.as.URL+"/authorize?"+q.Encode(), "", "")
	m := requestField.FindStringSubmatch(page.body)
	return page, func(step, field, value string) answer {
		h.t.Helper()
		if m == nil {
			h.t.Fatalf("no form: %d %s", page.status, page.body)
		}
		return h.send(b, "POST", h.as.URL+"/authorize", "application/x-www-form-urlencoded", url.Values{"request": {m[1]}, "step": {step}, field: {value}}.Encode())
	}
}

func location(a answer) url.Values {
	u, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		return nil
	}
	return u.Query()
}

// code signs in with the sample button.
func (h *house) code(clientID string) string {
	h.t.Helper()
	_, post := h.open(h.query(clientID))
	return location(post("sample", "", "")).Get("code")
}

func exchange(code, clientID string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {redirect}, "client_id": {clientID}}
}

func TestMetadata(t *testing.T) {
	h := newHouse(t)
	a := h.send(http.DefaultClient, "GET", h.as.URL+"/.well-known/oauth-authorization-server", "", "")
	for path, want := range map[string]string{"issuer": h.as.URL, "authorization_endpoint": h.as.URL + "/authorize", "token_endpoint": h.as.URL + "/token", "registration_endpoint": h.as.URL + "/register"} {
		if a.str(path) != want {
			t.Errorf("%s = %q, want %q", path, a.str(path), want)
		}
	}
	for _, want := range []string{`"code_challenge_methods_supported":["S256"]`, `"token_endpoint_auth_methods_supported":["none"]`, `"grant_types_supported":["authorization_code","refresh_token"]`,
		`"response_types_supported":["code"]`, `"scopes_supported":["flashcards"]`, `"authorization_response_iss_parameter_supported":true`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%s is missing in %s", want, a.body)
		}
	}
	if a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Error("metadata without CORS")
	}
	for _, gone := range []string{"/revoke", "/introspect", "/device_authorization"} {
		if a := h.postJSON(h.as.URL+gone, "{}"); a.status != 404 {
			t.Errorf("%s: %d", gone, a.status)
		}
	}
	rec := httptest.NewRecorder()
	h.s.ResourceMetadata().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/.well-known/oauth-protected-resource/mcp", nil))
	want := `{"authorization_servers":["` + h.as.URL + `"],"bearer_methods_supported":["header"],"resource":"http://127.0.0.1:1/mcp","scopes_supported":["flashcards"]}`
	if rec.Body.String() != want {
		t.Errorf("resource metadata %s, want %s", rec.Body, want)
	}
}

func TestRegister(t *testing.T) {
	h := newHouse(t)
	uris := func(n int) string {
		return `{"redirect_uris":[` + strings.TrimSuffix(strings.Repeat(`"https://a.example/x",`, n), ",") + `]}`
	}
	for _, c := range []struct{ name, body, want string }{
		{"https", `{"redirect_uris":["https://app.example/cb"]}`, ""},
		{"localhost", `{"redirect_uris":["http://localhost:1/cb","http://[::1]:2/cb","http://127.0.0.1/"]}`, ""},
		{"private scheme", `{"redirect_uris":["com.example.app:/cb"]}`, ""},
		{"ten", uris(10), ""},
		{"unknown fields", `{"redirect_uris":["https://a.example/"],"grant_types":["password"],"token_endpoint_auth_method":"client_secret_post"}`, ""},
		{"none", uris(0), "invalid_redirect_uri"},
		{"eleven", uris(11), "invalid_redirect_uri"},
		{"http elsewhere", `{"redirect_uris":["http://app.example/cb"]}`, "invalid_redirect_uri"},
		{"scheme without dot", `{"redirect_uris":["myapp:/cb"]}`, "invalid_redirect_uri"},
		{"fragment", `{"redirect_uris":["https://a.example/#x"]}`, "invalid_redirect_uri"},
		{"relative", `{"redirect_uris":["/cb"]}`, "invalid_redirect_uri"},
		{"not JSON", `redirect_uris=x`, "invalid_client_metadata"},
		{"absent", `{}`, "invalid_client_metadata"},
		{"long name", `{"redirect_uris":["https://a.example/"],"client_name":"` + strings.Repeat("é", 256) + `"}`, "invalid_client_metadata"},
		{"name fits", `{"redirect_uris":["https://a.example/"],"client_name":"` + strings.Repeat("é", 255) + `"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := h.postJSON(h.as.URL+"/register", c.body)
			if c.want != "" {
				if a.status != 400 || a.str("error") != c.want {
					t.Errorf("%d %s, want %s", a.status, a.body, c.want)
				}
				return
			}
			if a.status != 201 || !regexp.MustCompile(`^fcc_[A-Za-z0-9]{24}$`).MatchString(a.str("client_id")) || a.str("token_endpoint_auth_method") != "none" {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}

func TestAuthorizeFaults(t *testing.T) {
	h := newHouse(t)
	id := h.register()
	for _, c := range []struct {
		name, key, value, want string // want: an error code, or plain text when the redirect is not to be trusted
	}{
		{"unknown client", "client_id", "fcc_nobody", "Unknown client_id"},
		{"client-id document", "client_id", "https://app.example/client.json", "Unknown client_id"},
		{"other port", "redirect_uri", "http://127.0.0.1:4568/callback", "redirect_uri is not registered"},
		{"other path", "redirect_uri", redirect + "/", "redirect_uri is not registered"},
		{"token", "response_type", "token", "unsupported_response_type"},
		{"no response type", "response_type", "", "invalid_request"},
		{"no challenge", "code_challenge", "", "invalid_request"},
		{"short challenge", "code_challenge", strings.Repeat("a", 42), "invalid_request"},
		{"long challenge", "code_challenge", strings.Repeat("a", 129), "invalid_request"},
		{"plain", "code_challenge_method", "plain", "invalid_request"},
		{"no resource", "resource", "", "invalid_request"},
		{"slash after resource", "resource", "http://127.0.0.1:1/mcp/", "invalid_request"},
		{"other resource", "resource", "http://127.0.0.1:2/mcp", "invalid_request"},
		{"scope", "scope", "flashcards openid", "invalid_scope"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := h.query(id)
			q.Set(c.key, c.value)
			a, _ := h.open(q)
			if strings.Contains(c.want, " ") {
				if a.status != 400 || !strings.Contains(a.body, c.want) || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
					t.Errorf("%d %s", a.status, a.body)
				}
				return
			}
			l := location(a)
			if a.status != 302 || !strings.HasPrefix(a.header.Get("Location"), redirect+"?") || l.Get("error") != c.want || l.Get("error_description") == "" || l.Get("state") != "s&1" {
				t.Errorf("%d %s, want %s", a.status, a.header.Get("Location"), c.want)
			}
		})
	}
}

func TestPage(t *testing.T) {
	h := newHouse(t)
	a := h.postJSON(h.as.URL+"/register", `{"client_name":"<script>x</script>","redirect_uris":["`+redirect+`"]}`)
	page, post := h.open(h.query(a.str("client_id")))
	if page.header.Get("Cache-Control") != "no-store" || page.header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("headers: %v", page.header)
	}
	if strings.Contains(page.body, "<script>") || !strings.Contains(page.body, "&lt;script&gt;") {
		t.Error("the client's name is not escaped")
	}
	if a := post("email", "email", "nobody"); a.status != 400 || !strings.Contains(a.body, "valid e-mail") {
		t.Errorf("bad e-mail: %d", a.status)
	}
	if a := post("email", "email", "Budi@Mail.Example"); !strings.Contains(a.body, `name="code"`) {
		t.Errorf("after the e-mail: %d %s", a.status, a.body)
	}
	if a := post("code", "code", "1"); a.status != 400 || !strings.Contains(a.body, `name="code"`) {
		t.Errorf("wrong code: %d", a.status)
	}
	done := post("code", "code", h.lastMail("budi@mail.example"))
	l := location(done)
	if done.status != 302 || l.Get("code") == "" || l.Get("state") != "s&1" || l.Get("iss") != h.as.URL {
		t.Errorf("%d %s", done.status, done.header.Get("Location"))
	}
	if a := post("sample", "", ""); a.status != 400 {
		t.Errorf("the same page again: %d", a.status)
	}
}

func TestPageBelongsToItsBrowser(t *testing.T) {
	h := newHouse(t)
	q := h.query(h.register())
	page, post := h.open(q)
	m := requestField.FindStringSubmatch(page.body)
	stolen := h.send(browser(t), "POST", h.as.URL+"/authorize", "application/x-www-form-urlencoded", url.Values{"request": {m[1]}, "step": {"sample"}}.Encode())
	if stolen.status != 400 {
		t.Errorf("another browser: %d", stolen.status)
	}
	if l := location(post("deny", "", "")); l.Get("error") != "access_denied" || l.Get("state") != "s&1" {
		t.Errorf("deny: %v", l)
	}
	_, post = h.open(q)
	h.wait(16 * time.Minute)
	if a := post("sample", "", ""); a.status != 400 {
		t.Errorf("a page left open: %d", a.status)
	}
}

func TestToken(t *testing.T) {
	h := newHouse(t)
	id := h.register()
	code := h.code(id)

	wrong := exchange(code, id)
	wrong.Set("code_verifier", strings.Repeat("x", 43))
	if a := h.token(wrong); a.status != 400 || a.str("error") != "invalid_grant" {
		t.Errorf("wrong verifier: %d %s", a.status, a.body)
	}
	a := h.token(exchange(code, id)) // the wrong one did not use the code up
	if a.status != 200 || a.header.Get("Cache-Control") != "no-store" || a.str("token_type") != "Bearer" || a.str("scope") != "flashcards" || !strings.Contains(a.body, `"expires_in":3600`) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	access, refresh := a.str("access_token"), a.str("refresh_token")
	if !regexp.MustCompile(`^fco_[A-Za-z0-9]{40}$`).MatchString(access) || !regexp.MustCompile(`^fcr_[A-Za-z0-9]{40}$`).MatchString(refresh) {
		t.Errorf("token shapes: %s %s", access, refresh)
	}
	who, err := h.s.Authenticate(t.Context(), access)
	if err != nil || who.Email != "ani@example.com" {
		t.Errorf("Authenticate: %+v %v", who, err)
	}
	if a := h.token(exchange(code, id)); a.str("error") != "invalid_grant" {
		t.Errorf("code twice: %s", a.body)
	}

	renew := func(token, client string) answer {
		return h.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {client}})
	}
	if a := renew(refresh, "fcc_other"); a.str("error") != "invalid_grant" {
		t.Errorf("another client's refresh token: %s", a.body)
	}
	second := renew(refresh, id)
	if second.status != 200 || second.str("access_token") == access || second.str("refresh_token") == refresh {
		t.Fatalf("refresh: %d %s", second.status, second.body)
	}
	if a := renew(refresh, id); a.status != 400 || a.str("error") != "invalid_grant" {
		t.Errorf("replayed refresh token: %s", a.body)
	}
	if _, err := h.s.Authenticate(t.Context(), access); err != nil {
		t.Error("a refresh cancelled the earlier access token")
	}
	third := renew(second.str("refresh_token"), id)
	if third.status != 200 {
		t.Errorf("the replay revoked the family: %s", third.body)
	}
	h.wait(3600 * time.Second)
	if _, err := h.s.Authenticate(t.Context(), third.str("access_token")); err == nil {
		t.Error("an access token outlived its hour")
	}
	h.wait(365 * 24 * time.Hour)
	if a := renew(third.str("refresh_token"), id); a.status != 200 {
		t.Errorf("a refresh token expired: %s", a.body)
	}

	late := h.code(id)
	h.wait(600 * time.Second)
	if a := h.token(exchange(late, id)); a.str("error") != "invalid_grant" {
		t.Errorf("a code after 600 s: %s", a.body)
	}
}

func TestTokenRequests(t *testing.T) {
	h := newHouse(t)
	id := h.register()
	for _, c := range []struct {
		name   string
		change func(url.Values)
		want   string
	}{
		{"no grant", func(v url.Values) { v.Del("grant_type") }, "invalid_request"},
		{"other grant", func(v url.Values) { v.Set("grant_type", "client_credentials") }, "unsupported_grant_type"},
		{"no code", func(v url.Values) { v.Del("code") }, "invalid_request"},
		{"no verifier", func(v url.Values) { v.Del("code_verifier") }, "invalid_request"},
		{"no redirect", func(v url.Values) { v.Del("redirect_uri") }, "invalid_request"},
		{"no client", func(v url.Values) { v.Del("client_id") }, "invalid_request"},
		{"twice", func(v url.Values) { v.Add("code", "x") }, "invalid_request"},
		{"no refresh token", func(v url.Values) { v.Set("grant_type", "refresh_token") }, "invalid_request"},
		{"other redirect", func(v url.Values) { v.Set("redirect_uri", redirect+"x") }, "invalid_grant"},
		{"unknown code", func(v url.Values) { v.Set("code", "x") }, "invalid_grant"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := exchange(h.code(id), id)
			c.change(v)
			if a := h.token(v); a.status != 400 || a.str("error") != c.want || a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%d %s, want %s", a.status, a.body, c.want)
			}
		})
	}
	v := exchange(h.code(id), id)
	v.Set("resource", "https://elsewhere.example/") // ignored here
	if a := h.token(v); a.status != 200 {
		t.Errorf("with resource: %s", a.body)
	}
	if a := h.send(http.DefaultClient, "POST", h.as.URL+"/token", "application/json", `{}`); a.str("error") != "invalid_request" {
		t.Errorf("JSON: %s", a.body)
	}
	if a := h.send(http.DefaultClient, "OPTIONS", h.as.URL+"/token", "", ""); a.status != 204 || a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("preflight: %d %v", a.status, a.header)
	}
}

func TestOneUseUnderConcurrency(t *testing.T) {
	h := newHouse(t)
	id := h.register()
	code := h.code(id)
	var mu sync.Mutex
	good := 0
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if a := h.token(exchange(code, id)); a.status == 200 {
				mu.Lock()
				defer mu.Unlock()
				good++
			}
		})
	}
	wg.Wait()
	if good != 1 {
		t.Errorf("a code was redeemed %d times", good)
	}
}

func TestOneConnectionPerUserAndClient(t *testing.T) {
	h := newHouse(t)
	id := h.register()
	who := func(client string) Identity {
		a := h.token(exchange(h.code(client), client))
		i, err := h.s.Authenticate(t.Context(), a.str("access_token"))
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	first := who(id)
	if n, err := h.s.RevokeAll(t.Context()); n != 1 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if again := who(id); again != first {
		t.Errorf("consenting again made another connection: %+v, %+v", first, again)
	}
	if other := who(h.register()); other.ConnectionID == first.ConnectionID || other.UserID != first.UserID {
		t.Errorf("another client: %+v", other)
	}
}

func TestNothingIsStoredInClear(t *testing.T) {
	h := newHouse(t)
	id := h.register()
	code := h.code(id)
	a := h.token(exchange(code, id))
	key, _, err := h.s.NewKey(t.Context(), "u", "l")
	if err != nil {
		t.Fatal(err)
	}
	handle := h.ask("e@mail.example").str("data", "otpSessionToken")
	mailed := h.lastMail("e@mail.example")
	for _, table := range []string{"as_tokens", "as_codes", "as_requests", "as_challenges", "as_handles"} {
		rows, err := h.s.db.QueryContext(t.Context(), "SELECT * FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, s := range cells(t, rows) {
			n++
			for _, secret := range []string{code, key, a.str("access_token"), a.str("refresh_token"), handle, mailed} {
				if strings.Contains(s, secret) {
					t.Errorf("%s holds a secret in clear", table)
				}
			}
		}
		if n == 0 && table != "as_requests" { // a request is gone once it is answered
			t.Errorf("%s is empty: nothing was looked at", table)
		}
	}
}

// cells are all values of a result, as text.
func cells(t *testing.T, rows *sql.Rows) (out []string) {
	t.Helper()
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row := make([]sql.NullString, len(cols))
		into := make([]any, len(cols))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for _, c := range row {
			out = append(out, c.String)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
