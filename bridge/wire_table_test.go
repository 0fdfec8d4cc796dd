package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"bridge/bridge"
)

// TestErrorBodies holds every error status with a JSON-RPC error in its body
// to the body: code, message and data reach the host under the request's id,
// whatever id the body has. A status that may be repeated may be repeated
// first (K-29, X-13).
func TestErrorBodies(t *testing.T) {
	ids := map[string]string{"right": `"id":%s,`, "null": `"id":null,`, "missing": ""}
	for _, status := range []int{400, 403, 405, 406, 409, 410, 413, 415, 422, 429, 500, 501, 502, 503, 504} {
		for kind, id := range ids {
			t.Run(fmt.Sprintf("%d with id %s", status, kind), func(t *testing.T) {
				p := startPeer(t, nil, func(w http.ResponseWriter, _ *http.Request, body []byte) {
					var m struct{ ID json.RawMessage }
					if err := json.Unmarshal(body, &m); err != nil {
						return
					}
					member := id
					if strings.Contains(id, "%s") {
						member = fmt.Sprintf(id, m.ID)
					}
					w.Header().Set("Content-Type", "application/json; charset=utf-8")
					w.WriteHeader(status)
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0",%s"error":{"code":-32099,"message":"because","data":{"k":1.0}}}`, member)
				})
				for _, method := range []string{"tools/call", "tools/list"} {
					p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":{"name":"x"}}`+"\n", method, method))
					p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"error":{"code":-32099,"message":"because","data":{"k":1.0}}}`, method))
				}
				p.alive()
			})
		}
	}
}

// TestCancelNeverOvertakes sends each cancellation right behind its request. A
// request that was cancelled before it went out may stay at home; one that went
// out reached the remote before its cancellation, and nothing is answered
// (H-09, X-18).
func TestCancelNeverOvertakes(t *testing.T) {
	const n = 100
	var mu sync.Mutex
	var order []string
	p := startPeer(t, nil, func(w http.ResponseWriter, req *http.Request, body []byte) {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal(body, &m); err != nil {
			return
		}
		<-req.Context().Done() // a call that never ends by itself
	})
	p.watch(func(body []byte) {
		mu.Lock()
		defer mu.Unlock()
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				RequestID json.RawMessage `json:"requestId"`
			}
		}
		if err := json.Unmarshal(body, &m); err != nil {
			return
		}
		switch m.Method {
		case "tools/call":
			order = append(order, "call "+string(m.ID))
		case "notifications/cancelled":
			order = append(order, "cancel "+string(m.Params.RequestID))
		}
	})
	for i := range n {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow"}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i, i))
	}
	p.alive()
	mu.Lock()
	defer mu.Unlock()
	called := map[string]bool{}
	for _, o := range order {
		what, id, _ := strings.Cut(o, " ")
		if what == "call" {
			called[id] = true
		} else if !called[id] {
			// It may be that the request never went out. If it did, it is behind.
			for _, later := range order {
				if later == "call "+id {
					t.Errorf("the cancellation of %s overtook it", id)
				}
			}
		}
	}
}

// TestCap holds MaxMessage to its word for a line of the host and for each form
// of an answer (config.go MaxMessage, H-11): what fits passes, and what is well
// above it does not. By how much a message may be above before it is noticed,
// a read buffer or two, is left open: the cap is there to bound memory.
func TestCap(t *testing.T) {
	const limit, above = 1 << 20, 3 << 20
	forms := map[string]func(w http.ResponseWriter, body []byte){
		"a body of known length": func(w http.ResponseWriter, body []byte) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			_, _ = w.Write(body)
		},
		"a chunked body": func(w http.ResponseWriter, body []byte) {
			w.Header().Set("Content-Type", "application/json")
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(body)
		},
		"an event": func(w http.ResponseWriter, body []byte) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: %s\n\n", body)
		},
	}
	change := func(c *bridge.Config, _ *httptest.Server) { c.MaxMessage = limit }
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			p := startPeer(t, change, func(w http.ResponseWriter, _ *http.Request, body []byte) {
				var m struct {
					ID     json.RawMessage
					Params struct{ Size int }
				}
				if err := json.Unmarshal(body, &m); err != nil {
					return
				}
				form(w, padded(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"x":"`, m.ID), `"}}`, m.Params.Size))
			})
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"x/x","params":{"size":%d}}`+"\n", limit))
			p.want(`{"jsonrpc":"2.0","id":1,"result":"*"}`)
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"x/x","params":{"size":%d}}`+"\n", above))
			p.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"bridge: *","data":{"source":"bridge","*":"*"}}}`)
			p.alive()
		})
	}
	t.Run("a line", func(t *testing.T) {
		p := startPeer(t, change, echoServer)
		line := func(id, size int) string {
			return string(padded(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x/x","params":{"x":"`, id), `"}}`, size)) + "\n"
		}
		p.send(line(1, limit-2))
		p.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		p.send(line(2, above))
		p.want(`{"jsonrpc":"2.0","id":2,"error":{"code":"*","message":"bridge: *","*":"*"}}`)
		p.alive()
	})
}

// TestHeadersAreChecked refuses configured headers that would break a request,
// without showing their values.
func TestHeadersAreChecked(t *testing.T) {
	for name, value := range map[string]string{
		"X-A": "hunter22\r\nX-B: 1", "X-C": "hunter22\n", "X-D": "hunter22\x00", "X E": "hunter22", "X:F": "hunter22", "": "hunter22",
	} {
		_, err := bridge.New(bridge.Config{URL: "https://example.com/mcp", Header: http.Header{name: {value}}})
		if err == nil {
			t.Errorf("New takes the header %q: %q", name, value)
		} else if strings.Contains(err.Error(), "hunter22") {
			t.Errorf("the error shows the value: %v", err)
		}
	}
}

// stuckAuthorizer waits for a person until its context ends.
type stuckAuthorizer struct{ asked chan struct{} }

func (a stuckAuthorizer) Authorization(ctx context.Context) (string, error) {
	select {
	case a.asked <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return "", ctx.Err()
}

func (a stuckAuthorizer) Challenge(ctx context.Context, _ bridge.Challenge) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestEOFInASignIn ends stdin while the Authorizer waits for a person: the
// relay ends in time all the same (X-20; architecture.md "whatever else is
// going on").
func TestEOFInASignIn(t *testing.T) {
	auth := stuckAuthorizer{asked: make(chan struct{}, 1)}
	relay, err := bridge.New(bridge.Config{URL: "http://127.0.0.1:9/mcp", Authorizer: auth})
	if err != nil {
		t.Fatal(err)
	}
	stdin, in := io.Pipe()
	h := newHost(in, peerDeadline)
	go func() { h.result <- relay.Run(t.Context(), stdin, h) }()
	if err := h.send([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}` + "\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-auth.asked:
	case <-time.After(peerDeadline):
		t.Fatal("the Authorizer was not asked")
	}
	_ = in.Close()
	if err := h.waitEnd(exitWithin); err != nil {
		t.Error(err)
	}
}

// TestProxy sends everything through Config.Proxy, and the credential of the
// remote only inside the request meant for it.
func TestProxy(t *testing.T) {
	var mu sync.Mutex
	var through []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		through = append(through, req.Method+" "+req.URL.Host)
		mu.Unlock()
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		if !usual(w, req, body) {
			echoServer(w, req, body)
		}
	}))
	defer proxy.Close()
	via, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) {
		c.Proxy = func(*http.Request) (*url.URL, error) { return via, nil }
	}, func(http.ResponseWriter, *http.Request, []byte) { t.Error("a request went past the proxy") })
	p.alive()
	mu.Lock()
	defer mu.Unlock()
	if len(through) < 3 {
		t.Errorf("only these went through the proxy: %q", through)
	}
}

// TestRemember is told the InitializeResult once a handshake, as the remote
// gave it (config.go Remember), and every request carries the user agent.
func TestRemember(t *testing.T) {
	told := make(chan string, 10)
	var mu sync.Mutex
	agents := map[string]bool{}
	p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) {
		c.Remember = func(result []byte) { told <- string(result) }
		c.UserAgent = "a-test/1"
	}, func(w http.ResponseWriter, req *http.Request, body []byte) {
		mu.Lock()
		agents[req.UserAgent()] = true
		mu.Unlock()
		echoServer(w, req, body)
	})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
	p.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	p.alive()
	select {
	case got := <-told:
		if err := match(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"r","version":"1"}}`, []byte(got), bindings{}); err != nil {
			t.Error(err)
		}
	case <-time.After(peerDeadline):
		t.Error("Remember was not told")
	}
	if len(told) > 0 {
		t.Errorf("Remember was told again: %s", <-told)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(agents) != 1 || !agents["a-test/1"] {
		t.Errorf("user agents: %v", agents)
	}
}

// blockedWriter is a host that does not read.
type blockedWriter struct{ entered, free chan struct{} }

func (w blockedWriter) Write(p []byte) (int, error) {
	select {
	case w.entered <- struct{}{}:
	default:
	}
	<-w.free
	return len(p), nil
}

// TestBlockedStdout ends the relay in time although a write to the host blocks
// (architecture.md "whatever else is going on").
func TestBlockedStdout(t *testing.T) {
	out := blockedWriter{entered: make(chan struct{}, 1), free: make(chan struct{})}
	defer close(out.free)
	relay, err := bridge.New(bridge.Config{URL: "http://127.0.0.1:9/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	stdin, in := io.Pipe()
	defer in.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := newHost(in, peerDeadline)
	go func() { h.result <- relay.Run(ctx, stdin, out) }()
	if err := h.send([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-out.entered:
	case <-time.After(peerDeadline):
		t.Fatal("nothing was written")
	}
	cancel()
	if err := h.waitEnd(exitWithin); err != nil {
		t.Error(err)
	}
}

// A message that is nested beyond all reason is no reason to leave its request
// without an answer: the id stands before the fault.
func TestDeepNestingKeepsItsID(t *testing.T) {
	p := startPeer(t, nil, func(http.ResponseWriter, *http.Request, []byte) {
		t.Error("nothing of it may reach the remote")
	})
	p.send(`{"jsonrpc":"2.0","id":10,"method":"ping","params":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}\n")
	p.want(`{"jsonrpc":"2.0","id":10,"error":{"code":-32700,"message":"*","*":"*"}}`)
}
