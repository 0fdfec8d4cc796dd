package bridge

import (
	"net/http"
	"testing"
	"time"
)

// Without a limit a wait is as long as it comes to be, and not none at all.
func TestNoLimitOfWaitsIsNoHurry(t *testing.T) {
	r, err := New(Config{URL: "http://127.0.0.1:1/mcp", Timeouts: Timeouts{Probe: -1, Initialize: -1, Input: -1, Retry: -1}})
	if err != nil {
		t.Fatal(err)
	}
	limit := r.remote.calls.RetryWaitMax
	if d := backoff(firstWait, limit, 1, nil); d < firstWait {
		t.Errorf("the next try comes after %v", d)
	}
	asked := &http.Response{Header: http.Header{"Retry-After": {"90"}}}
	if d := backoff(firstWait, limit, 1, asked); d != 90*time.Second {
		t.Errorf("the remote asked for 90 s and gets %v", d)
	}
	if d := r.reconnectWait(newEventReader(nil, 0), 0, false); d < time.Second/2 {
		t.Errorf("a stream is opened again after %v", d)
	}
	if d := r.listenWait(1); d < time.Second/2 {
		t.Errorf("a subscription is asked for again after %v", d)
	}
}
