package bridge

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

type legKind uint8

const (
	legUnknown    legKind = iota
	legStreamable         // Streamable HTTP, 2025-03-26 and later
	legSSE                // HTTP+SSE, 2024-11-05
	legModern             // 2026-07-28, translated
)

// A session is what one successful initialize made: with Streamable HTTP a
// session id (or none, if the remote is stateless) and a revision, with
// HTTP+SSE a stream and the address to post to.
type session struct {
	kind    legKind
	id      string
	version string
	result  []byte // InitializeResult

	header       http.Header // of POSTs; shared, never changed
	streamHeader http.Header // of GETs

	ctx    context.Context // of the standing stream; ends with the session
	cancel context.CancelFunc

	opened  sync.Once               // the standing stream
	post    atomic.Pointer[url.URL] // HTTP+SSE: where to post
	ready   *signal                 // HTTP+SSE: post is known
	died    *signal                 // HTTP+SSE: the stream ended
	modern  *modernSession          // translated: what stands for the session
	learned Protocol                // the remote's era, to be remembered; ProtocolAuto: nothing to learn
	first   *call                   // HTTP+SSE: the initialize under way; guarded by legacy.mu
}

func (f *legacy) newSession(kind legKind) *session {
	s := &session{kind: kind}
	s.ctx, s.cancel = context.WithCancel(f.ctx)
	if kind == legSSE {
		s.ready, s.died = newSignal(), newSignal()
	}
	f.setHeaders(s)
	return s
}

// setHeaders makes the header maps that all requests of the session share.
func (f *legacy) setHeaders(s *session) {
	base := f.remote.header()
	if s.id != "" {
		base["Mcp-Session-Id"] = []string{s.id}
	}
	if s.version >= versionHeaderSince && s.kind == legStreamable {
		base["Mcp-Protocol-Version"] = []string{s.version}
	}
	s.streamHeader = base.Clone()
	s.streamHeader["Accept"] = []string{"text/event-stream"}
	base["Content-Type"] = []string{"application/json"}
	base["Accept"] = []string{"application/json, text/event-stream"}
	s.header = base
}

// settle takes from the answer to initialize what later requests need.
func (f *legacy) settle(s *session, result []byte) {
	s.result = bytes.Clone(result)
	if v := find(result, "protocolVersion"); v != nil {
		// Only what can stand in a header goes there.
		if version := string(unquote(v)); len(version) <= 32 && headerSafe(version) {
			s.version = version
		}
	}
	f.setHeaders(s)
}

// validSessionID reports whether a session id is visible ASCII, as it must be
// (2025-03-26 §Session Management), and of a size that fits a header.
func validSessionID(id string) bool {
	for i := 0; i < len(id); i++ {
		if id[i] < 0x21 || id[i] > 0x7e {
			return false
		}
	}
	return len(id) <= 4096
}

// endpoint is where the session's messages are posted; nil means the URL the
// relay was made for.
func (s *session) endpoint() *url.URL { return s.post.Load() }

// exchange sends a call and returns when it is answered, or why it was not.
func (s *session) exchange(f *legacy, c *call) *failure {
	switch s.kind {
	case legSSE:
		return f.exchangeSSE(s, c)
	case legModern:
		return f.exchangeModern(s, c)
	}
	return f.exchangeStreamable(s, c)
}

// lost reports whether an answer means that the remote has forgotten the
// session: 404 by the specification, and 400 in the words that several servers
// use for it.
func (s *session) lost(status int, body []byte) bool {
	if s.kind == legSSE {
		return status == http.StatusNotFound
	}
	if s.id == "" {
		return false
	}
	return status == http.StatusNotFound ||
		status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(body), []byte("session"))
}

// session returns the session to use. For a call it waits while one is being
// made; a notification without a session is not worth the wait.
func (f *legacy) session(ctx context.Context, isCall bool) (*session, *failure) {
	var limit <-chan time.Time
	tries := -1
	for {
		f.mu.Lock()
		changed := f.changed
		switch f.phase {
		case phaseIdle:
			f.mu.Unlock()
			return nil, &failure{code: codeInvalid, kind: kindBadRequest, text: "send initialize first"}
		case phaseFailed:
			last := f.last
			f.mu.Unlock()
			return nil, last
		case phaseUp:
			if s := f.sess; s != nil {
				f.mu.Unlock()
				return s, nil
			}
		case phaseBroken:
			f.mu.Unlock()
			if !isCall {
				return nil, &failure{kind: kindSessionLost, text: "there is no session"}
			}
			return f.renew(ctx, nil)
		case phaseConnecting:
			if f.interimGiven {
				last := f.last
				switch {
				case !isCall:
					f.mu.Unlock()
					return nil, last
				case tries < 0:
					tries = f.tries
					f.wake()
					t := time.NewTimer(interimPatience)
					defer t.Stop()
					limit = t.C
				case f.tries > tries:
					f.mu.Unlock()
					return nil, last
				}
			}
		}
		f.mu.Unlock()
		select {
		case <-changed:
		case <-limit:
			f.mu.Lock()
			last := f.last
			up := f.phase == phaseUp
			f.mu.Unlock()
			if up {
				continue
			}
			return nil, last
		case <-ctx.Done():
			return nil, &failure{kind: kindShutdown, text: "the request was ended", err: context.Cause(ctx)}
		}
	}
}

// interimPatience is how long a call waits for a connection that is not there,
// before it is answered with the reason.
const interimPatience = 2 * time.Second

// wake ends the connector's wait.
func (f *legacy) wake() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// hangUp closes a session at the remote: DELETE, which it may refuse
// (2025-03-26 §Session Management). The time for it is bounded.
func (f *legacy) hangUp(s *session, d time.Duration) {
	s.cancel()
	if s.kind != legStreamable || s.id == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(f.ctx), d)
	defer stop()
	resp, err := f.remote.do(ctx, &send{method: http.MethodDelete, header: s.streamHeader, stream: true})
	if err != nil {
		f.log.Debug("the session could not be closed at the server", "why", err)
		return
	}
	resp.Body.Close()
}

// newUUID is a random UUID (RFC 9562 §5.4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it does not fail (crypto/rand)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// bridgeTag sets this process's ids apart from all others.
var bridgeTag = sync.OnceValue(func() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // it does not fail (crypto/rand)
	return hex.EncodeToString(b[:])
})
