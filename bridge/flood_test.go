package bridge_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"bridge/bridge"
)

// TestFloodOfQuestions has a remote with sessions ask a client of 2026-07-28 more
// than it takes answers to. The answers under way have a bound, and calls go on.
func TestFloodOfQuestions(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"ping", "roots/list"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			var answers atomic.Int32
			flooded, over := make(chan struct{}), make(chan struct{})
			var once sync.Once
			remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Type", "text/event-stream")
					for n := range 5000 {
						fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":%q}\n\n", n, method)
					}
					_ = http.NewResponseController(w).Flush()
					once.Do(func() { close(flooded) })
					<-over
					return
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				var m struct{ ID json.RawMessage }
				_ = json.Unmarshal(body, &m)
				switch rpcName(body) {
				case "response":
					answers.Add(1)
					<-over
				case "tools/call":
					reply(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
				default:
					usual(w, r, body)
				}
			}))
			defer remote.Close()
			defer close(over)
			relay, err := bridge.New(bridge.Config{URL: remote.URL, Protocol: bridge.ProtocolLegacy})
			if err != nil {
				t.Fatal(err)
			}
			stdin, in := io.Pipe()
			h := newHost(in, peerDeadline)
			go func() { h.result <- relay.Run(t.Context(), stdin, h) }()
			call := func(id int) {
				t.Helper()
				line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n", id)
				if err := h.send([]byte(line)); err != nil {
					t.Fatal(err)
				}
				if err := h.next(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"*"}`, id), true); err != nil {
					t.Fatal(err)
				}
			}
			call(1)
			<-flooded
			call(2)
			call(3)
			if n := answers.Load(); n > 100 {
				t.Errorf("%d answers are under way", n)
			}
			in.Close()
			if err := h.waitEnd(exitWithin); err != nil {
				t.Error(err)
			}
		})
	}
}
