package bridge

import (
	"errors"
	"testing"
)

// TestPlainHTTPStaysOnThisMachine holds what a name leads to, and not only the
// name, to what plain http is allowed for.
func TestPlainHTTPStaysOnThisMachine(t *testing.T) {
	relay, err := New(Config{URL: "http://mcp.localhost/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	control := relay.remote.dialer.ControlContext
	if control == nil {
		t.Fatal("addresses are not looked at")
	}
	for address, fine := range map[string]bool{
		"127.0.0.1:80": true, "127.8.0.1:80": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true,
		"192.0.2.1:80": false, "10.0.0.1:80": false, "[2001:db8::1]:80": false, "0.0.0.0:80": false, "": false,
	} {
		if err := control(t.Context(), "tcp", address, nil); (err == nil) != fine {
			t.Errorf("%s: %v", address, err)
		}
	}
	fail := relay.remote.connectionFailure(t.Context(), errNotThisMachine)
	if fail.retryable || fail.kind != kindUnreachable || !errors.Is(fail, errNotThisMachine) {
		t.Errorf("failure %+v", fail)
	}
	for _, cfg := range []Config{{URL: "https://example.com/mcp"}, {URL: "http://example.com/mcp", AllowHTTP: true}} {
		relay, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if relay.remote.dialer.ControlContext != nil {
			t.Errorf("%s is held to this machine", cfg.URL)
		}
	}
}
