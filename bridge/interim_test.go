package bridge_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"bridge/bridge"
)

// The remote answers while the interim answer is being put together. Then none is
// given, and nothing that belongs to one is said.
func TestAnswerOvertakesTheInterimOne(t *testing.T) {
	t.Parallel()
	asked, answered := make(chan struct{}), make(chan struct{})
	var once sync.Once
	recalled := make(chan struct{})
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if rpcName(body) == "initialize" {
			<-asked
		}
		var m struct{ ID json.RawMessage }
		_ = json.Unmarshal(body, &m)
		if !usual(w, r, body) {
			reply(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}))
	defer remote.Close()
	relay, err := bridge.New(bridge.Config{
		URL: remote.URL, Protocol: bridge.ProtocolLegacy,
		Timeouts: bridge.Timeouts{Initialize: time.Millisecond},
		Recall: func() []byte {
			once.Do(func() { close(asked) })
			<-answered
			close(recalled)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	stdin, in := io.Pipe()
	h := newHost(in, peerDeadline)
	go func() { h.result <- relay.Run(t.Context(), stdin, h) }()
	exchange := func(line, want string) {
		t.Helper()
		if err := h.send([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		if err := h.next(want, false); err != nil {
			t.Fatal(err)
		}
	}
	exchange(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"*","capabilities":{"tools":{}},"serverInfo":{"name":"r","version":"1"}}}`)
	close(answered)
	<-recalled
	// list_changed would stand before the answer
	exchange(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"result":"*"}`)
	in.Close()
	if err := h.waitEnd(exitWithin); err != nil {
		t.Error(err)
	}
}
