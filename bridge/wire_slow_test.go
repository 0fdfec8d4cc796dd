package bridge_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"bridge/bridge"
)

// TestAnswerInTheMiddleAtEOF ends stdin while the host is still reading an
// answer: it gets the whole of it if it goes on within the time of an ending,
// and the relay ends in time if it does not.
func TestAnswerInTheMiddleAtEOF(t *testing.T) {
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	}))
	defer remote.Close()
	for _, goesOn := range []bool{true, false} {
		out := blockedWriter{entered: make(chan struct{}, 1), free: make(chan struct{})}
		relay, err := bridge.New(bridge.Config{URL: remote.URL})
		if err != nil {
			t.Fatal(err)
		}
		stdin, in := io.Pipe()
		h := newHost(in, peerDeadline)
		go func() { h.result <- relay.Run(t.Context(), stdin, out) }()
		if err := h.send([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}` + "\n")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-out.entered:
		case <-time.After(peerDeadline):
			t.Fatal("nothing was written")
		}
		in.Close()
		if goesOn {
			select {
			case err := <-h.result:
				t.Fatalf("ended in the middle of an answer: %v", err)
			case <-time.After(600 * time.Millisecond):
			}
			close(out.free)
		}
		if err := h.waitEnd(exitWithin); err != nil {
			t.Errorf("the host goes on reading: %t: %v", goesOn, err)
		}
		if !goesOn {
			close(out.free)
		}
	}
}
