package bridge_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"bridge/bridge"
)

// TestEngine tests the engine of the conversations with a fake in place of the
// relay: it must pass what is right and, above all, fail what is wrong.
func TestEngine(t *testing.T) {
	const prose = "A conversation of the engine with a fake that does nothing but forward lines.\n"
	tests := []struct{ name, config, wire, fault string }{
		{name: "an exchange", wire: `
host> {"jsonrpc":"2.0","id":1,"method":"ping"}
remote> POST ping
    Content-Type: application/json
    Mcp-Session-Id: -
    body same
remote< 200 application/json
    {"jsonrpc":"2.0","id":1,"result":{}}
host< {"jsonrpc":"2.0","id":1,"result":"*"}
host none
remote none
eof
expect exit`},
		{name: "a handshake", wire: "handshake 2025-11-25\nalive"},
		{name: "an id of another type", fault: `.id: got 1, want "1"`, wire: `
host> {"jsonrpc":"2.0","id":1,"method":"ping"}
remote> POST ping
remote< 200 application/json
    {"jsonrpc":"2.0","id":1,"result":{}}
host< {"jsonrpc":"2.0","id":"1","result":{}}`},
		{name: "an answer nobody claims", fault: "lines nobody asked for", wire: `
host> {"jsonrpc":"2.0","id":1,"method":"ping"}
remote> POST ping
remote< 200 application/json
    {"jsonrpc":"2.0","id":1,"result":{}}
host<~ {"jsonrpc":"2.0","id":1,"result":{}}
host> {"jsonrpc":"2.0","id":2,"method":"ping"}
remote> POST ping
remote< 200 application/json
    {"jsonrpc":"2.0","id":2,"result":{}}`},
		{name: "a request nobody claims", fault: "nothing was expected", wire: `
host> {"jsonrpc":"2.0","id":1,"method":"ping"}
remote none`},
		{name: "a secret on stdout", config: "secret hunter22", fault: "stdout shows the secret", wire: `
host> {"jsonrpc":"2.0","id":1,"method":"ping"}
remote> POST ping
remote< 200 application/json
    {"jsonrpc":"2.0","id":1,"result":{"a":"hunter22"}}
host< {"jsonrpc":"2.0","id":1,"result":"*"}`},
		{name: "a missing header", config: "header X-Key: k1", fault: "the configured header X-Key is missing", wire: `
host> {"jsonrpc":"2.0","id":1,"method":"ping"}
remote> POST ping
remote< 200 application/json
    {"jsonrpc":"2.0","id":1,"result":{}}
host< {"jsonrpc":"2.0","id":1,"result":{}}`},
		{name: "a line that is no message", fault: "stdout is no JSON-RPC message", wire: `
host> {"jsonrpc":"2.0","id":1,"method":"ping"}
remote> POST ping
remote< 200 text/plain
    "hello"
host<= "hello"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := prose + "-- config --\n" + tt.config + "\ndeadline 2s\n-- wire --\n" + tt.wire
			s, err := parseConversation([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			spy := &spyTB{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				converse(spy, "self "+tt.name, s, startForwarder)
			}()
			<-done
			switch {
			case tt.fault == "" && spy.fatal != "":
				t.Errorf("it failed: %s", spy.fatal)
			case tt.fault != "" && !strings.Contains(spy.fatal, tt.fault):
				t.Errorf("it should have failed with %q, but: %q", tt.fault, spy.fatal)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, got string
		ok           bool
	}{
		{`{"id":1}`, `{"id":1}`, true},
		{`{"id":1}`, `{"id":1.0}`, false},
		{`{"id":"a"}`, `{"id":"\u0061"}`, false},
		{`{"x":"a"}`, `{"x":"\u0061"}`, true},
		{`{"x":"*","*":"*"}`, `{"x":[1],"y":2}`, true},
		{`{"x":"*"}`, `{"x":[1],"y":2}`, false},
		{`{"x":"a*c"}`, `{"x":"abc"}`, true},
		{`{"x":"a*c"}`, `{"x":"ab"}`, false},
		{`{"x":"/^-3260[03]$/"}`, `{"x":-32600}`, true},
		{`[1,"$a","$a"]`, `[1,{"z":1},{"z":1}]`, true},
		{`[1,"$a","$a"]`, `[1,{"z":1},{"z":2}]`, false},
		{`{"x":1}`, `{}`, false},
		{`1`, `9007199254740993`, false},
	}
	for _, tt := range tests {
		if err := match(tt.pattern, []byte(tt.got), bindings{}); (err == nil) != tt.ok {
			t.Errorf("match(%s, %s) = %v", tt.pattern, tt.got, err)
		}
	}
}

// spyTB notes a failure instead of failing.
type spyTB struct {
	testing.TB
	fatal string
}

func (s *spyTB) Helper() {}

func (s *spyTB) Fatal(args ...any) { s.fatal = fmt.Sprint(args...); runtime.Goexit() }

func (s *spyTB) Fatalf(format string, args ...any) {
	s.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// forwarder posts each line and writes back what comes.
type forwarder struct{ cfg bridge.Config }

func startForwarder(cfg bridge.Config) (runner, error) { return forwarder{cfg}, nil }

func (f forwarder) Run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.cfg.URL, bytes.NewReader(lines.Bytes()))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			return nil
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err == nil && len(body) > 0 {
			_, err = stdout.Write(append(body, '\n'))
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}
