package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bridge/internal/clients"
	"bridge/internal/sandbox"
	"bridge/internal/sandbox/faults"
	"bridge/internal/say"
	"bridge/internal/termsafe"
)

// examine runs `bridge doctor ARGS --json` in this process, in a home of its
// own.
func examine(t *testing.T, args ...string) (checks []diagnosis, status int) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	status = run(context.Background(), append([]string{"doctor", "--json"}, args...), newStreams(null, out, null))
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Checks []diagnosis }
	if err := json.Unmarshal(text, &r); err != nil && len(text) > 0 {
		t.Fatalf("%v in %s", err, text)
	}
	return r.Checks, status
}

// runBinary runs the program as its own process and returns its stdout.
func runBinary(t *testing.T, env []string, args ...string) string {
	t.Helper()
	c := exec.Command("bridge", args...)
	c.Env = append(os.Environ(), env...)
	out, err := c.Output()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	return string(out)
}

// quiet gives a test a home of its own.
func quiet(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "BRIDGE_HOME": filepath.Join(home, "bridge"), "BRIDGE_LANG": "en", "BRIDGE_KEYSTORE": "memory",
		"BRIDGE_TOKEN": "", "BRIDGE_TOKEN_FILE": "", "HTTP_PROXY": "", "HTTPS_PROXY": "", "NODE_EXTRA_CA_CERTS": "", "MCP_REMOTE_CONFIG_DIR": "", "CLAUDE_CONFIG_DIR": "",
	} {
		t.Setenv(name, value)
	}
	return home
}

// TestDoctorNamesTheFault runs the doctor against every fault the sandbox has.
func TestDoctorNamesTheFault(t *testing.T) {
	const labJSON, labSSE, labSession = "lab/lab/json", "lab/lab/sse", "lab/lab/session"
	tests := []struct {
		fault   string
		server  string
		check   string
		verdict verdict
		text    string // in message and hint
		exit    exit
	}{
		{"latency=1200ms,method=initialize", labJSON, "http", warning, "the server is slow: 1.", exitOK},
		{"cut=40,times=always", labJSON, "http", broken, "the answer breaks off after 40 bytes", exitFailure},
		{"cut=40,method=tools/list,times=always", labJSON, "conversation", broken, "tools/list: the answer breaks off after 40 bytes", exitFailure},
		{"cut=0,times=always", labJSON, "http", broken, "the answer breaks off after 0 bytes", exitFailure},
		{"status=502,times=always", labJSON, "http", broken, "502 Bad Gateway with a web page: a gateway answers", exitFailure},
		{"status=404,times=always", labJSON, "http", broken, "nothing is at this address (404)", exitFailure},
		{"status=301,times=always", labJSON, "http", broken, "leads elsewhere", exitFailure},
		{"status=403,times=always", labJSON, "sign_in", broken, "wants a token", exitSignIn},
		{"busy=7,times=always", labJSON, "http", broken, "asked too often (429) → try again in 7 seconds", exitFailure},
		{"unavailable=7,times=always", labJSON, "http", broken, "not available for now (503) → try again in 7 seconds", exitFailure},
		{"empty=200,times=always", labJSON, "http", broken, "an empty answer (200 OK)", exitFailure},
		{"empty=202,times=always", labJSON, "http", broken, "an empty answer (202 Accepted)", exitFailure},
		{"empty=204,times=always", labJSON, "http", broken, "an empty answer (204 No Content)", exitFailure},
		{"type=text/html,times=always", labJSON, "http", broken, "the answer is text/html, not application/json", exitFailure},
		{"type=application/json,times=always", labSSE, "http", broken, "no JSON-RPC answer", exitFailure},
		{"sse=cr,times=always", labSSE, "http", fine, "lines that end in CR, which is allowed", exitOK},
		{"sse=crlf,times=always", labSSE, "http", fine, "lines that end in CR LF, which is allowed", exitOK},
		{"sse=bom,times=always", labSSE, "http", fine, "a byte order mark, which is allowed", exitOK},
		{"sse=comments,times=always", labSSE, "http", fine, "comments, which is allowed", exitOK},
		{"sse=multiline,times=always", labSSE, "http", fine, "data of several lines, which is allowed", exitOK},
		// A byte at a time is no property of what arrives, only of when.
		{"sse=split,times=always", labSSE, "tools", fine, "through bridge", exitOK},
		{"duplicate,times=always", labSSE, "http", warning, "each event of the stream comes twice", exitOK},
		// What a server does twice, it alone can see; the list is whole.
		{"twice,times=always", labJSON, "tools", fine, "through bridge", exitOK},
		{"forget,method=ping", labSession, "conversation", warning, "forgot the session", exitOK},
		{"restart,method=initialize", labJSON, "http", broken, "was lost before an answer, as when a server restarts", exitUnreachable},
		{"revoke,times=always", "pacecraft", "sign_in", broken, "refused the token …", exitSignIn},
		{"expire,times=always", "nibomo", "sign_in", broken, "refused the token …", exitSignIn},
	}
	shared, err := sandbox.Start(t.Context(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	met := map[faults.Kind]bool{}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			quiet(t)
			f, err := faults.Parse(tt.fault)
			if err != nil {
				t.Fatal(err)
			}
			met[f.Kind] = true
			s := shared
			defer s.Faults().Clear()
			info := s.Info()
			address := info.Lab.URL + strings.TrimPrefix(tt.server, "lab")
			switch tt.server {
			case "pacecraft":
				address = info.PaceCraft.URL + "?workspace=alfagift"
				t.Setenv("BRIDGE_TOKEN", info.PaceCraft.Token)
			case "nibomo":
				address = info.Nibomo.URL
				t.Setenv("BRIDGE_TOKEN", accessToken(t, info.Nibomo.Issuer, info.Nibomo.URL))
				if checks, status := examine(t, address); status != 0 {
					t.Fatalf("before the fault: %+v", checks)
				}
			}
			if err := s.Faults().Add(f); err != nil {
				t.Fatal(err)
			}
			checks, status := examine(t, address)
			if status != int(tt.exit) {
				t.Errorf("status %d, want %d: %+v", status, tt.exit, checks)
			}
			for _, c := range checks {
				if c.Check == tt.check && c.Verdict == tt.verdict && strings.Contains(c.Message+" → "+c.Hint, tt.text) {
					return
				}
			}
			t.Errorf("no %s check is %s and says %q: %+v", tt.check, tt.verdict, tt.text, checks)
		})
	}
	for _, kind := range faults.Kinds() {
		// A refresh is no concern of the doctor's: it does not refresh.
		if !met[faults.Kind(kind)] && kind != "refresh" {
			t.Errorf("the fault %s is not tried", kind)
		}
	}
}

// accessToken signs the sample account in as an OAuth client does.
func accessToken(t *testing.T, issuer, resource string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	do := func(method, address, kind, body string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", kind)
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(text)
	}
	const form, redirect = "application/x-www-form-urlencoded", "http://127.0.0.1:1/callback"
	verifier := strings.Repeat("v", 64)
	sum := sha256.Sum256([]byte(verifier))
	_, text := do("POST", issuer+"/register", "application/json", `{"redirect_uris":["`+redirect+`"],"client_name":"test","token_endpoint_auth_method":"none"}`)
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(text), &client); err != nil || client.ID == "" {
		t.Fatalf("register: %s", text)
	}
	_, page := do("GET", issuer+"/authorize?"+url.Values{"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {redirect},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {resource}, "state": {"s"}}.Encode(), form, "")
	request := regexp.MustCompile(`name="request" value="([^"]+)"`).FindStringSubmatch(page)
	if request == nil {
		t.Fatalf("authorize: %s", page)
	}
	resp, text := do("POST", issuer+"/authorize", form, url.Values{"request": {request[1]}, "step": {"sample"}}.Encode())
	back, err := resp.Location()
	if err != nil {
		t.Fatalf("authorize: %s", text)
	}
	_, text = do("POST", issuer+"/token", form, url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "client_id": {client.ID},
		"redirect_uri": {redirect}, "code_verifier": {verifier}, "resource": {resource}}.Encode())
	var token struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(text), &token); err != nil || token.Access == "" {
		t.Fatalf("token: %s", text)
	}
	return token.Access
}

// TestDoctorOnTheWay tries what can be wrong before an answer arrives.
func TestDoctorOnTheWay(t *testing.T) {
	behind := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-2*time.Hour).UTC().Format(http.TimeFormat))
		io.WriteString(w, "<html>hello</html>")
	}))
	behind.Config.ErrorLog = log.New(io.Discard, "", 0) // the refused handshake
	behind.StartTLS()
	defer behind.Close()
	plain := httptest.NewServer(behind.Config.Handler)
	defer plain.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, tt := range []struct {
		name, url, proxy string
		check            string
		verdict          verdict
		text             string
		exit             exit
	}{
		{"an issuer that is not trusted", behind.URL, "", "tls", broken, `issued by "O=Acme Co", which this machine does not trust → if a company proxy does that, name its certificate file in NODE_EXTRA_CA_CERTS`, exitUnreachable},
		{"TLS where there is none", strings.Replace(plain.URL, "http:", "https:", 1), "", "http", broken, "speaks plain http, not https", exitUnreachable},
		{"nobody listens", gone.URL, "", "http", broken, "refuses the connection", exitUnreachable},
		{"no such host", "https://nowhere.invalid/mcp", "", "dns", broken, "there is no host named nowhere.invalid", exitUnreachable},
		{"a proxy that is not there", "https://mcp.example.com/mcp", gone.URL, "proxy", broken, "does not answer → check HTTPS_PROXY", exitUnreachable},
		{"a clock that is wrong", plain.URL, "", "clock", warning, "this machine is 2h0m", exitFailure},
		{"a web page", plain.URL, "", "http", broken, "the answer is text/html", exitFailure},
	} {
		t.Run(tt.name, func(t *testing.T) {
			quiet(t)
			if tt.proxy != "" {
				// http.ProxyFromEnvironment reads the environment once a
				// process, hence one of its own.
				out := runBinary(t, []string{"HTTPS_PROXY=" + tt.proxy}, "doctor", "--json", tt.url)
				if !strings.Contains(out, `"check":"proxy","server":"https://mcp.example.com/mcp","verdict":"failed"`) {
					t.Error(out)
				}
				return
			}
			checks, status := examine(t, tt.url)
			if status != int(tt.exit) {
				t.Errorf("status %d, want %d", status, tt.exit)
			}
			for _, c := range checks {
				if c.Check == tt.check && c.Verdict == tt.verdict && strings.Contains(c.Message+" → "+c.Hint, tt.text) {
					return
				}
			}
			t.Errorf("no %s check is %s and says %q: %+v", tt.check, tt.verdict, tt.text, checks)
		})
	}
}

// TestBundleHoldsNoSecret plants secrets wherever one can get into a report.
func TestBundleHoldsNoSecret(t *testing.T) {
	home := quiet(t)
	s, err := sandbox.Start(t.Context(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	token := s.Info().PaceCraft.Token
	t.Setenv("BRIDGE_TOKEN", token)
	t.Setenv("BRIDGE_PASSPHRASE", "correct horse battery")
	t.Setenv("MY_API_KEY", "k3y-of-something-else")
	path := filepath.Join(t.TempDir(), "report.json")
	if _, status := examine(t, s.Info().PaceCraft.URL+"?workspace=alfagift", "--bundle", path); status != 0 {
		t.Errorf("status %d", status)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{token, "correct horse battery", "k3y-of-something-else", home} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%q is in the report:\n%s", secret, text)
		}
	}
	var b bundle
	if err := json.Unmarshal(text, &b); err != nil || len(b.Checks) < 8 || len(b.Environment) < 3 || !strings.Contains(string(text), "BRIDGE_PASSPHRASE") {
		t.Errorf("the report lacks what helps: %v\n%s", err, text)
	}
	if _, status := examine(t, "--bundle", path); status != int(exitConflict) {
		t.Errorf("a report was overwritten, status %d", status)
	}
}

func TestSieve(t *testing.T) {
	for _, in := range []string{
		"Authorization: Bearer abcdefgh12345678", "https://user:hunter22@proxy:3128/x", "GET /mcp?access_token=abcdef123456&x=1",
		"pc_abcdefghijklmnopqrstuvwx", "ghp_abcdefghijklmnop", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.c2lnbmF0dXJl", "mine: s3cr3t-word",
	} {
		out := sieve(in, []string{"s3cr3t-word"})
		if out == in || regexp.MustCompile(`abcdefgh|hunter22|abcdef123456|c2lnbmF0dXJl|s3cr3t`).MatchString(out) {
			t.Errorf("%q became %q", in, out)
		}
	}
	if plain := "config.toml has 2 servers; key = value"; sieve(plain, nil) != plain {
		t.Errorf("%q became %q", plain, sieve(plain, nil))
	}
}

// What is sieved is JSON, in which a quote, a backslash and, unless that is
// turned off, an ampersand are written otherwise.
func TestSieveOfJSON(t *testing.T) {
	const secret = `a"b\c<d&e`
	text, err := jsonText(map[string]string{"known": secret, "address": "https://h/mcp?a=1&token=abcdef123456"})
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]string
	if err := json.Unmarshal([]byte(sieve(string(text), []string{secret})), &out); err != nil {
		t.Fatal(err)
	}
	if out["known"] != "[removed]" || out["address"] != "https://h/mcp?a=1&token=[removed]" {
		t.Errorf("%q", out)
	}
}

// The line of a client with a long name stood apart from the others.
func TestDoctorLinesStandBelowEachOther(t *testing.T) {
	labels := []string{"mcp-remote"}
	for _, c := range clients.All() {
		labels = append(labels, c.Title)
	}
	for _, lang := range []say.Lang{say.English, say.Indonesian} {
		for _, en := range []string{"program", "config", "keychain", "certificate", "revision", "sign-in", "talk", "answer"} {
			labels = append(labels, say.In(lang, en))
		}
	}
	for _, label := range labels {
		var out bytes.Buffer
		a := &app{streams: &streams{out: &out, err: &out}}
		a.showCheck(diagnosis{Verdict: fine, Message: "found", label: label})
		line := strings.TrimRight(out.String(), "\n")
		if at := termsafe.Width(strings.TrimSuffix(line, "found")); at != 19 {
			t.Errorf("in column %d: %s", at, line)
		}
	}
}
