package bridge_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"bridge/bridge"
)

// Waiting is the moment after the first request, and comes once.
func TestWaitingIsCalledWhileTheFirstAnswerIsOut(t *testing.T) {
	var calls atomic.Int32
	called := make(chan struct{}, 3)
	p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) {
		c.Waiting = func() { calls.Add(1); called <- struct{}{} }
	}, func(w http.ResponseWriter, r *http.Request, body []byte) {
		select { // the answer is not there yet
		case <-called:
			called <- struct{}{}
		case <-time.After(10 * time.Second):
			t.Error("not called though the request has arrived")
		}
		echoServer(w, r, body)
	})
	for range 3 {
		p.alive()
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("called %d times", n)
	}
}

// A request that has not got anywhere is not the first one.
func TestWaitingIsCalledThoughTheRemoteWasAway(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	var there atomic.Bool
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil {
			usual(w, r, body)
		}
	}))
	defer remote.Close()
	relay, err := bridge.New(bridge.Config{
		URL: remote.URL, Protocol: bridge.ProtocolLegacy, FailFast: true,
		Timeouts: bridge.Timeouts{Retry: time.Millisecond},
		Waiting:  func() { calls.Add(1) },
		Proxy: func(*http.Request) (*url.URL, error) {
			if !there.Load() {
				return nil, errors.New("no way")
			}
			return nil, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	stdin, in := io.Pipe()
	h := newHost(in, peerDeadline)
	go func() { h.result <- relay.Run(t.Context(), stdin, h) }()
	initialize := func(want string) {
		t.Helper()
		if err := h.send([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}` + "\n")); err != nil {
			t.Fatal(err)
		}
		if err := h.next(want, false); err != nil {
			t.Fatal(err)
		}
	}
	initialize(`{"jsonrpc":"2.0","id":1,"error":"*"}`)
	if n := calls.Load(); n != 0 {
		t.Errorf("called %d times before a request was written", n)
	}
	there.Store(true)
	initialize(`{"jsonrpc":"2.0","id":1,"result":"*"}`)
	if n := calls.Load(); n != 1 {
		t.Errorf("called %d times", n)
	}
	in.Close()
	if err := h.waitEnd(exitWithin); err != nil {
		t.Error(err)
	}
}
