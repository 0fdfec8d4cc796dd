package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridge/bridge"
)

func TestServeForm(t *testing.T) {
	const url = "https://mcp.example.com/mcp"
	for _, tt := range []struct {
		args string
		want string // what serve gets, joined; "-" when it is not for serve
	}{
		{"", "-"},
		{"serve", ""},
		{"serve " + url, url},
		{"version", "-"},
		{"version --json", "-"},
		{"--json version", "-"},
		{"--color always version", "-"},
		{url, url},
		{"--debug " + url, "--debug " + url},
		{"3334 " + url, "3334 " + url},
		{url + " 3334 --debug", url + " 3334 --debug"},
		{"--header version: " + url, "--header version: " + url},
		{"--header Authorization: Bearer x " + url, "--header Authorization: Bearer x " + url},
		{"--transport http-only " + url, "--transport http-only " + url},
		{"--resource https://other.example.com " + url, "--resource https://other.example.com " + url},
		{"--resource https://other.example.com version", "-"},
		{"-y mcp-remote " + url, url},
		{"-y mcp-remote@0.15.1 --debug " + url, "--debug " + url},
		{"mcp-remote " + url, url},
		{"tools " + url, "-"},
		{url + " --generate-shell-completion", "-"},
		{"--help", "-"},
		{url + " --help", url + " --help"},
	} {
		rest, ok := serveForm(strings.Fields(tt.args))
		got := strings.Join(rest, " ")
		if !ok {
			got = "-"
		}
		if got != tt.want {
			t.Errorf("serveForm(%q) = %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestParseServe(t *testing.T) {
	const url = "https://mcp.example.com/mcp"
	base := func(change func(*serveOptions)) serveOptions {
		o := serveOptions{target: url}
		change(&o)
		return o
	}
	for _, tt := range []struct {
		args []string
		want serveOptions
	}{
		{[]string{url}, base(func(*serveOptions) {})},
		{[]string{"--", url}, base(func(*serveOptions) {})},
		{[]string{url, "3334"}, base(func(o *serveOptions) { o.signIn.callbackPort = 3334 })},
		{[]string{"3334", url}, base(func(o *serveOptions) { o.signIn.callbackPort = 3334 })},
		{[]string{"--header", "A: b", url, "--header=C:d"}, base(func(o *serveOptions) { o.headers = []header{{"A", "b"}, {"C", "d"}} })},
		{[]string{"--header", "Authorization:", "Bearer", "x", url}, base(func(o *serveOptions) { o.headers = []header{{"Authorization", "Bearer x"}} })},
		{[]string{"--header=Authorization:", "Bearer", "x", url}, base(func(o *serveOptions) { o.headers = []header{{"Authorization", "Bearer x"}} })},
		{[]string{url, "--header", "x-api-key:", "12345", "3334"}, base(func(o *serveOptions) {
			o.headers = []header{{"X-Api-Key", "12345"}}
			o.signIn.callbackPort = 3334
		})},
		{[]string{url, "--transport", "sse-only", "--allow-http=true", "--debug=false"}, base(func(o *serveOptions) {
			o.transport, o.allowHTTP = bridge.TransportSSEOnly, true
		})},
		{[]string{url, "--timeout", "connect=5s", "--timeout=probe=2", "--timeout", "tls=0", "--headers-timeout", "300"}, base(func(o *serveOptions) {
			o.timeouts = bridge.Timeouts{Connect: 5 * time.Second, Probe: 2 * time.Second, TLS: -1, Response: 300 * time.Second}
		})},
		{[]string{url, "--resource=", "--device-code", "--authorize-param", "a=b", "--authorize-param", "c=d"}, base(func(o *serveOptions) {
			o.signIn = signInOptions{resourceGiven: true, deviceCode: true, authorizeParams: []string{"a=b", "c=d"}}
		})},
		{[]string{url, "--keep-alive", "--ipv4"}, base(func(o *serveOptions) { o.ignored = []string{"--keep-alive", "--ipv4"} })},
	} {
		got, err := parseServe(tt.args)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("parseServe(%q)\n got %#v, %v\nwant %#v", tt.args, got, err, tt.want)
		}
	}
}

func TestParseServeRefuses(t *testing.T) {
	for _, args := range []string{
		"", "--debug", "3334", "ftp://x/y", "https://", "http://10.0.0.1/mcp", "https://a@b/c", "non.sense",
		"https://x/y --header", "https://x/y --header nocolon", "https://x/y --timeout connect", "https://x/y --timeout x=1s",
		"https://x/y --timeout connect=-1s", "https://x/y --connect-timeout never", "https://x/y --nope", "https://x/y -x", "https://x/y z", "https://x/y --color red",
	} {
		_, err := parseServe(strings.Fields(args))
		if exitOf(err) != exitUsage {
			t.Errorf("parseServe(%q): %v is no usage error", args, err)
		}
	}
	for _, args := range []string{"--help", "-h", "https://x/y --help", "--header a:b --help"} {
		if _, err := parseServe(strings.Fields(args)); !errors.Is(err, errHelpWanted) {
			t.Errorf("parseServe(%q): %v", args, err)
		}
	}
	for _, url := range []string{"http://localhost:1/x", "http://127.0.0.1/x", "http://[::1]:8080/x", "https://10.0.0.1/x", "http://mcp.localhost/x"} {
		if err := checkURL(url, false); err != nil {
			t.Errorf("checkURL(%q): %v", url, err)
		}
	}
}

// TestAddressesAreShownWithoutSecrets mistypes addresses that hold a key.
func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	const key = "q-0123456789"
	for _, args := range []string{
		"https://x/y?key=" + key + " https://x/y?key=" + key, "https:///y?key=" + key, "ht!tp://x/?key=" + key, "x.example/mcp?key=" + key,
		"https://x/%zz?key=" + key, "u:" + key + "@x.example/mcp", "https://u:" + key + "@x/", "//u:" + key + "@x", "https://x/y https://u:" + key + "@x/",
	} {
		_, err := parseServe(strings.Fields(args))
		var p *problem
		if !errors.As(err, &p) {
			t.Errorf("parseServe(%q): %v", args, err)
			continue
		}
		if text := p.text + p.tip; strings.Contains(text, key) {
			t.Errorf("parseServe(%q) shows the key: %s", args, text)
		}
	}
	for address, want := range map[string]string{
		"https://x/y": "https://x/y", "https://x/y?a=b": "https://x/y?…", "https://u:p@x/y": "…@x/y", "https://x/y?a=b@c": "https://x/y?…", "wat?": "wat",
	} {
		if got := withoutSecrets(address); got != want {
			t.Errorf("withoutSecrets(%q) = %q", address, got)
		}
	}
}

func TestRejoin(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
		used  int
	}{
		{[]string{"A: b", "c"}, "A: b", 1},
		{[]string{"A:", "b", "c"}, "A: b", 2},
		{[]string{"Authorization:", "Bearer", "x", "3334"}, "Authorization: Bearer x", 3},
		{[]string{"Authorization:", "Bearer x"}, "Authorization: Bearer x", 2},
		{[]string{"Authorization:Bearer", "x"}, "Authorization:Bearer x", 2},
		{[]string{"Authorization: Basic", "eDp5"}, "Authorization: Basic eDp5", 2},
		{[]string{"Authorization:", "--debug"}, "Authorization:", 1},
		{[]string{"Authorization:", "https://x/y"}, "Authorization:", 1},
		{[]string{"Authorization:", "Bearer", "https://x/y"}, "Authorization: Bearer", 2},
		{[]string{`"Authorization:`, "Bearer", `x"`, "3334"}, "Authorization: Bearer x", 3},
		{[]string{`'A:b'`, "c"}, "A:b", 1},
		{[]string{`"A:`}, "A:", 1},
		{[]string{"nocolon", "x"}, "nocolon", 1},
		{nil, "", 0},
	} {
		got, used := rejoin(tt.words)
		if got != tt.want || used != tt.used {
			t.Errorf("rejoin(%q) = %q, %d, want %q, %d", tt.words, got, used, tt.want, tt.used)
		}
	}
}

func TestCleanToken(t *testing.T) {
	for raw, want := range map[string]string{
		"abc":                `abc`,
		"  abc\r\n":          `abc`,
		`"abc"`:              `abc`,
		"Bearer abc":         `abc`,
		"bearer   abc":       `abc`,
		`'Bearer "abc"'`:     `abc`,
		"Bearer Bearer abc":  `abc`,
		"bearerabc":          `bearerabc`,
		`"`:                  `"`,
		"pc_a.b-c_d~e+f/g==": `pc_a.b-c_d~e+f/g==`,
	} {
		if got, err := cleanToken(raw, "X"); err != nil || got != want {
			t.Errorf("cleanToken(%q) = %q, %v", raw, got, err)
		}
	}
	for _, raw := range []string{"", "  ", `""`, "Bearer", "Bearer ", `"Bearer "`, "a b", "a\nb", "a\x00b", "café"} {
		got, err := cleanToken(raw, "THE_VARIABLE")
		if exitOf(err) != exitSignIn || !strings.Contains(err.Error(), "THE_VARIABLE") {
			t.Errorf("cleanToken(%q) = %q, %v", raw, got, err)
		}
	}
}

func TestHTTPHeader(t *testing.T) {
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"A": "one", "EMPTY": "", "NESTED": "${A}", "LINES": "x\r\nEvil: y"}[name]
		return v, ok
	}
	for value, want := range map[string]string{
		"${A}": "one", "x${A}y${A}": "xoneyone", "${env:A}": "one", "$A": "$A", "${": "${", "${A": "${A", "${1}": "${1}",
		"${a b}": "${a b}", "${${A}}": "${one}", "x${EMPTY}y": "xy", "${NESTED}": "${A}", "{}": "{}",
	} {
		got, err := httpHeader([]header{{"X", value}}, env)
		if err != nil || got.Get("X") != want {
			t.Errorf("%q became %q, %v, want %q", value, got.Get("X"), err, want)
		}
	}
	for _, h := range []header{
		{"X", "${MISSING}"}, {"X", "${LINES}"}, {"X", "a\x7fb"}, {"Authorization", ""}, {"Authorization", "Bearer"},
		{"Authorization", "Bearer ${EMPTY}"}, {"Authorization", "${EMPTY}"},
	} {
		_, err := httpHeader([]header{h}, env)
		if exitOf(err) != exitUsage || !strings.Contains(err.Error(), h.name) {
			t.Errorf("%q: %v", h.value, err)
		}
	}
	if text := fmt.Sprintf("%v %+v %#v %s", header{"X", "secret"}, header{"X", "secret"}, header{"X", "secret"}, []header{{"X", "secret"}}); strings.Contains(text, "secret") {
		t.Errorf("a header shows its value: %s", text)
	}
}

func TestMatchGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"delete*", "delete_task", true}, {"delete*", "undelete", false}, {"*account", "get_account", true},
		{"*account", "account_get", false}, {"exact", "exact", true}, {"exact", "exactly", false}, {"*", "", true},
		{"", "", true}, {"", "a", false}, {"a*b*c", "a__b__c", true}, {"a*b*c", "a__c__b", false}, {"a*a", "a", false},
		{"*a*a*", "aa", true}, {"a**b", "ab", true}, {"a*b", "ab_", false}, {"*b", "bbb", true},
	} {
		if got := matchGlob(tt.pattern, tt.name); got != tt.want {
			t.Errorf("matchGlob(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
	gate := ignoreGate{"Delete*"}
	if gate.Allow(bridge.Tool{Name: "deleteTask"}) == "" || gate.Allow(bridge.Tool{Name: "get"}) != "" {
		t.Error("the gate does not hold")
	}
}

func TestExtraCAs(t *testing.T) {
	t.Setenv("NODE_EXTRA_CA_CERTS", "")
	t.Setenv("SSL_CERT_FILE", "")
	log := slog.New(slog.DiscardHandler)
	if pool, err := extraCAs(nil, log); pool != nil || err != nil {
		t.Errorf("without extra certificates: %v", err)
	}
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	trusts := func(t *testing.T, files []string) {
		t.Helper()
		pool, err := extraCAs(files, log)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.Certificate().Verify(x509.VerifyOptions{Roots: pool(), DNSName: "example.com"}); err != nil {
			t.Errorf("the certificate is not trusted: %v", err)
		}
	}
	trusts(t, []string{file})
	t.Setenv("NODE_EXTRA_CA_CERTS", file)
	trusts(t, nil)

	// A file that the environment names wrongly is no reason to stop.
	var warned bytes.Buffer
	t.Setenv("NODE_EXTRA_CA_CERTS", file+".missing")
	pool, err := extraCAs(nil, slog.New(slog.NewTextHandler(&warned, nil)))
	if err != nil || pool() == nil || !strings.Contains(warned.String(), "NODE_EXTRA_CA_CERTS") {
		t.Errorf("err %v, log %q", err, warned.String())
	}
}

// A stuckRelay has read all there is and does not return before it is freed:
// its write to stdout is stuck.
type stuckRelay struct{ freed chan struct{} }

func (r stuckRelay) Run(_ context.Context, stdin io.Reader, _ io.Writer) error {
	_, _ = io.Copy(io.Discard, stdin)
	<-r.freed
	return nil
}

func TestServeEndsThoughTheRelayIsStuck(t *testing.T) {
	for _, how := range []string{"stdin is closed", "a signal arrives"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				stdin, host := io.Pipe()
				relay := stuckRelay{make(chan struct{})}
				time.AfterFunc(time.Minute, func() {
					if how == "a signal arrives" {
						cancel()
					} else {
						host.Close()
					}
				})
				started := time.Now()
				var left time.Duration
				if err := relayUntilEnd(ctx, relay, stdin, io.Discard, func() {}, func() {
					left = time.Since(started)
					host.Close()
					close(relay.freed) // what the end of the process does
				}); err != nil {
					t.Errorf("ended with %v", err)
				}
				if left != time.Minute+endWithin {
					t.Errorf("left after %v", left)
				}
			})
		})
	}
}

// An endingRelay ends with stdin.
type endingRelay struct{ err error }

func (r endingRelay) Run(_ context.Context, stdin io.Reader, _ io.Writer) error {
	_, _ = io.Copy(io.Discard, stdin)
	return r.err
}

// A program that was asked for a token held serve up for longer, since the time of
// the relay did not count for what ends after it.
func TestServeLeavesWhatEndsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		stuck := make(chan struct{})
		broken := errors.New("broken")
		err := relayUntilEnd(t.Context(), endingRelay{broken}, strings.NewReader(""), io.Discard, func() { <-stuck }, func() {
			if took := time.Since(began); took != endWithin {
				t.Errorf("left after %v", took)
			}
			close(stuck) // what the end of the process does
		})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

func TestServeEndsWithTheRelay(t *testing.T) {
	broken := errors.New("broken")
	synctest.Test(t, func(t *testing.T) {
		leave := func() { t.Error("left though the relay has returned") }
		for _, want := range []error{broken, nil} {
			if err := relayUntilEnd(t.Context(), endingRelay{want}, strings.NewReader(""), io.Discard, func() {}, leave); !errors.Is(err, want) {
				t.Errorf("got %v", err)
			}
		}
		time.Sleep(2 * endWithin) // of the bubble's clock
	})
}
