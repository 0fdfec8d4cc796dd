package bridge

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// A secret of any length and in any place of a long message is not in the trace,
// nor the first half of one that ends where the trace no longer looks.
func TestTraceCutsNoSecretInTwo(t *testing.T) {
	secret := strings.Repeat("0123456789abcdef", 200)
	other := strings.Repeat("fedcba9876543210", 64)
	trace := &bytes.Buffer{}
	relay, err := New(Config{
		URL: "https://example.com/mcp", Trace: trace,
		Header: http.Header{"Authorization": {"Bearer " + secret}, "X-Key": {other}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < traceLen+longestSecret+64; at += 61 {
		for _, before := range []string{"", strings.Repeat(other, 3), strings.Repeat(other, 16)} {
			trace.Reset()
			msg := before + strings.Repeat("x", at) + secret + strings.Repeat("y", 2*longestSecret)
			relay.trace.message("→ host", []byte(msg))
			if got := trace.String(); strings.Contains(got, secret[:8]) || strings.Contains(got, other[:8]) {
				t.Fatalf("at %d, after %d bytes: a part of a secret is in the trace", at, len(before))
			}
		}
	}
}

// The trace is read in a terminal: what would steer that is not in it.
func TestTraceSteersNoTerminal(t *testing.T) {
	trace := &bytes.Buffer{}
	relay, err := New(Config{URL: "https://example.com/mcp", Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	relay.trace.message("→ host", []byte("{\"a\":\"\x1b[2J \u009b2J \u0085 \u202egnp.exe \xff\"}"))
	if got := trace.String(); strings.ContainsAny(got, "\x1b\u009b\u0085\u202e") || strings.Contains(got, "\xff") {
		t.Errorf("the trace holds %q", got)
	}
}
