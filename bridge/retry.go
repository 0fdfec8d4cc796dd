package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What may be sent again:
//
//	the request…                                       may be resent
//	never reached the remote (no connection was got)   always
//	was refused before it was processed
//	  (429, 503 with Retry-After, HTTP/2's
//	  REFUSED_STREAM and a GOAWAY that leaves it out)  always
//	may have been processed
//	  (connection lost, 408, 500, 502, 503, 504)       only if it is safe
//	failed by TLS, or by a redirect                    never: it would again
//	has begun to be answered                           never (not seen here)
//
// 401 is answered by remote.do, 404 with a session by the session's owner; a
// connection that turned out closed before a byte was written is replaced by
// net/http itself. What else net/http would repeat is kept from it (once.go).
//
// go-retryablehttp would retry every method on every 5xx; checkRetry replaces
// that policy and backoff its unbounded waits.

const (
	maxTries  = 3
	firstWait = 300 * time.Millisecond
)

// An attempt is the context of one request: it tells checkRetry, which gets
// nothing else, what may be done, and learns from the connection how far the
// request came.
type attempt struct {
	context.Context
	safe    bool
	reached atomic.Bool // a connection was got for the latest try
	dials   atomic.Int32
	conn    net.Conn // the latest one; of the goroutine that sends
	wrote   *signal
	first   func()      // is called when the request has been written whole; may be nil
	ended   func() bool // the host no longer wants it; may be nil
	hooks   httptrace.ClientTrace
}

type attemptKey struct{}

func (a *attempt) Value(key any) any {
	if _, ok := key.(attemptKey); ok {
		return a
	}
	return a.Context.Value(key)
}

func (a *attempt) traced() context.Context {
	a.hooks.GetConn = func(string) { a.reached.Store(false) }
	a.hooks.GotConn = func(got httptrace.GotConnInfo) {
		a.conn = got.Conn
		a.reached.Store(true)
	}
	switch {
	case a.first != nil:
		a.hooks.WroteRequest = func(how httptrace.WroteRequestInfo) {
			if a.wrote != nil {
				a.wrote.fire()
			}
			if how.Err == nil {
				a.first()
			}
		}
	case a.wrote != nil:
		a.hooks.WroteRequest = func(httptrace.WroteRequestInfo) { a.wrote.fire() }
	}
	return httptrace.WithClientTrace(a, &a.hooks)
}

func checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, nil // the error at hand says more
	}
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return false, nil
	}
	if err != nil {
		if isTLS(err) || errors.Is(err, errTooManyDials) {
			return false, nil
		}
		return !a.reached.Load() || a.safe || unprocessed(err), nil
	}
	again := false
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		again = true
	case http.StatusServiceUnavailable:
		again = a.safe || resp.Header.Get("Retry-After") != ""
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout:
		again = a.safe
	case http.StatusInternalServerError:
		// A body in JSON is the remote's own error and worth more than a
		// repetition.
		again = a.safe && !isJSON(resp.Header.Get("Content-Type"))
	}
	if again {
		// It would be read before the wait, for as long as the remote likes.
		held := holdBody(resp, maxErrorBody)
		resp.Body = io.NopCloser(bytes.NewReader(held))
	}
	return again, nil
}

var errEnded = errors.New("no longer wanted")

// prepareRetry keeps a request that was cancelled while it waited from being
// sent again.
func prepareRetry(req *http.Request) error {
	a, ok := req.Context().Value(attemptKey{}).(*attempt)
	if !ok {
		return nil
	}
	a.dials.Store(0)
	if a.ended != nil && a.ended() {
		return errEnded
	}
	return nil
}

// backoff is the wait before try n+1: Retry-After if the remote named one, else
// 0.3 s growing about threefold, with jitter so that many bridges do not knock
// together. Both are capped.
func backoff(first, limit time.Duration, n int, resp *http.Response) time.Duration {
	if resp != nil {
		if d, ok := retryAfter(resp.Header.Get("Retry-After"), time.Now()); ok {
			return min(d, limit)
		}
	}
	return min(jitter(first*time.Duration(pow3(n))), limit)
}

func pow3(n int) int {
	p := 1
	for range min(n, 8) {
		p *= 3
	}
	return p
}

// jitter spreads d by ±20 %.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64())) //nolint:gosec // spreading load needs no secret randomness
}

// retryAfter parses both forms of the header (RFC 9110 §10.2.3).
func retryAfter(v string, now time.Time) (time.Duration, bool) {
	if v = strings.TrimSpace(v); v == "" {
		return 0, false
	}
	if s, err := strconv.Atoi(v); err == nil {
		if s < 0 {
			return 0, false
		}
		return time.Duration(min(s, 1<<20)) * time.Second, true
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0), true
	}
	return 0, false
}

// A signal is a channel closed at most once.
type signal struct {
	once sync.Once
	c    chan struct{}
}

func newSignal() *signal { return &signal{c: make(chan struct{})} }

func (s *signal) fire() { s.once.Do(func() { close(s.c) }) }

func (s *signal) fired() bool {
	select {
	case <-s.c:
		return true
	default:
		return false
	}
}

// safeMethod reports whether a request of this method may be sent again though
// it may have been processed: it only reads. tools/call depends on the tool.
func safeMethod(method []byte) bool {
	switch string(method) {
	case "initialize", "ping", "server/discover", "completion/complete",
		"tools/list", "prompts/list", "prompts/get",
		"resources/list", "resources/templates/list", "resources/read":
		return true
	}
	return false
}
