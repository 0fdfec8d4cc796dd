package bridge_test

import (
	"net/http"
	"net/http/httptest"
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
