package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"bridge/bridge"
)

// A peer is both ends of a relay for the tests that a script cannot hold: many
// cases in a loop, sizes, bytes that are no HTTP.
type peer struct {
	t      testing.TB
	host   *host
	server *httptest.Server
	output safeBuffer
	cancel context.CancelFunc
	stdin  *io.PipeReader

	mu      sync.Mutex
	seen    map[string]int // how often the remote saw a request id, as raw JSON
	watcher func(body []byte)
}

// peerDeadline is how long a peer waits for a line; the largest messages need
// most of it on a busy machine.
const peerDeadline = 60 * time.Second

// usual answers what every conversation has: the handshake, the DELETE, the GET
// that gets 405, and the call of the tool "alive". It reports whether it did.
func usual(w http.ResponseWriter, req *http.Request, body []byte) bool {
	if req.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return true
	}
	var m struct {
		ID     json.RawMessage
		Params struct{ Name string }
	}
	_ = json.Unmarshal(body, &m)
	switch name := rpcName(body); {
	case name == "initialize":
		reply(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"r","version":"1"}}}`, m.ID)
	case strings.HasPrefix(name, "notifications/"), name == "response":
		w.WriteHeader(http.StatusAccepted)
	case name == "tools/call" && m.Params.Name == "alive":
		reply(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
	default:
		return false
	}
	return true
}

func reply(w http.ResponseWriter, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, format, args...)
}

// startPeer starts a relay in front of a handler, past its handshake. The
// handler gets what usual does not answer.
func startPeer(t testing.TB, change func(*bridge.Config, *httptest.Server), handle func(w http.ResponseWriter, req *http.Request, body []byte)) *peer {
	t.Helper()
	p := &peer{t: t, seen: map[string]int{}}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		p.note(body)
		if !usual(w, req, body) {
			handle(w, req, body)
		}
	}))
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	cfg := bridge.Config{
		Timeouts: bridge.Timeouts{Retry: 5 * time.Millisecond},
		Log:      slog.New(slog.NewTextHandler(&p.output, nil)),
		Proxy:    func(*http.Request) (*url.URL, error) { return nil, nil },
	}
	if change != nil {
		change(&cfg, p.server)
	}
	if p.server.URL == "" {
		p.server.Start()
	}
	cfg.URL = p.server.URL + "/mcp"
	relay, err := bridge.New(cfg)
	if err != nil {
		p.server.Close()
		t.Fatal(err)
	}
	var in *io.PipeWriter
	p.stdin, in = io.Pipe()
	p.host = newHost(in, peerDeadline)
	p.host.big = true
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() { p.host.result <- relay.Run(ctx, p.stdin, p.host) }()
	t.Cleanup(p.close)
	p.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}` + "\n")
	p.want(`{"jsonrpc":"2.0","id":"init","result":"*"}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	return p
}

// watch has f see every body in the order of arrival.
func (p *peer) watch(f func(body []byte)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watcher = f
}

func (p *peer) note(body []byte) {
	p.mu.Lock()
	if p.watcher != nil {
		p.watcher(body)
	}
	p.mu.Unlock()
	var m struct{ ID json.RawMessage }
	if len(body) < 1<<20 && json.Unmarshal(body, &m) == nil && m.ID != nil && rpcName(body) != "response" {
		p.mu.Lock()
		p.seen[string(m.ID)]++
		p.mu.Unlock()
	}
}

func (p *peer) count(id string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[id]
}

func (p *peer) send(text string) {
	p.t.Helper()
	if err := p.host.send([]byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

// may names a line that may come or not.
func (p *peer) may(pattern string) {
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	p.host.may = append(p.host.may, pattern)
}

// want waits for a line that fits, in any order.
func (p *peer) want(pattern string) {
	p.t.Helper()
	if err := p.host.next(pattern, true); err != nil {
		p.t.Fatalf("%v\nlog:\n%s", err, p.output.String())
	}
}

// alive proves that an ordinary call works and that nothing else is waiting.
func (p *peer) alive() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"alive","method":"tools/call","params":{"name":"alive"}}` + "\n")
	p.want(`{"jsonrpc":"2.0","id":"alive","result":"*"}`)
	if lines := p.host.quiet(0); len(lines) > 0 {
		p.t.Errorf("lines nobody asked for: %s", clip(bytes.Join(lines, []byte("\n"))))
	}
}

// call makes a call under an id that is used once and checks that it gets one
// answer: a result, an error, or either.
func (p *peer) call(id int, name, want string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`+"\n", id, name))
	switch want {
	case "result":
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"*"}`, id))
	case "error":
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":"*","message":"*","*":"*"}}`, id))
	default:
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"*":"*"}`, id))
	}
	if n := p.count(fmt.Sprint(id)); n > 1 {
		p.t.Errorf("the call %d was made %d times", id, n)
	}
}

// close ends the relay by EOF and checks what every end promises.
func (p *peer) close() {
	_ = p.host.in.Close()
	if err := p.host.waitEnd(exitWithin); err != nil {
		p.t.Error(err)
	}
	p.cancel()
	_ = p.stdin.Close()
	p.server.CloseClientConnections()
	p.server.Close()
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	for _, f := range p.host.faults {
		p.t.Error(f)
	}
}
