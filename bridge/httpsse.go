package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// The HTTP+SSE leg (2024-11-05): one GET stream brings everything the remote
// says; its first event, endpoint, names where to post. There is no session
// id, and a stream that ends is the end of the session.

// handshakeSSE opens the stream, waits for the endpoint and posts initialize.
func (f *legacy) handshakeSSE(ctx context.Context, body []byte) (*session, []byte, *failure) {
	s := f.newSession(legSSE)
	if fail := f.openSSE(ctx, s); fail != nil {
		s.cancel()
		return nil, nil, fail
	}
	c := f.handshakeCall(ctx, body)
	defer c.cancel(nil)
	fail := f.exchangeSSE(s, c)
	return f.handshakeResult(s, c, fail)
}

// openSSE opens the stream and starts to read it. It returns when the endpoint
// is known.
func (f *legacy) openSSE(ctx context.Context, s *session) *failure {
	stop := context.AfterFunc(ctx, s.cancel) // until the endpoint is there
	defer stop()
	t := time.AfterFunc(f.cfg.Timeouts.Probe, s.cancel)
	defer t.Stop()
	resp, err := f.remote.do(s.ctx, &send{method: http.MethodGet, header: s.streamHeader, stream: true})
	if err != nil {
		if s.ctx.Err() != nil && ctx.Err() == nil {
			return f.noEndpoint()
		}
		return asFailure(err)
	}
	if resp.StatusCode != http.StatusOK {
		return f.remote.statusFailure(resp, holdBody(resp, maxErrorBody))
	}
	if mediaType(resp.Header.Get("Content-Type")) != "text/event-stream" {
		return f.notMCP(resp, holdBody(resp, maxErrorBody))
	}
	refused := make(chan *failure, 1)
	f.spawn("event stream", func() { f.readSSE(s, resp, refused) })
	select {
	case <-s.ready.c:
		return nil
	case fail := <-refused:
		return fail
	case <-s.died.c:
		return f.noEndpoint()
	}
}

func (f *legacy) noEndpoint() *failure {
	return &failure{kind: kindBadResponse, text: f.url().Host + " opened an event stream, but did not say where to post (no endpoint event)"}
}

// readSSE reads the stream to its end.
func (f *legacy) readSSE(s *session, resp *http.Response, refused chan<- *failure) {
	defer s.died.fire()
	defer resp.Body.Close()
	events := f.events(resp.Body)
	defer freeEvents(events)
	for {
		ev, err := events.next()
		if err != nil {
			if errors.Is(err, errEventTooLarge) {
				f.log.Warn("an event over the size limit ended the stream")
			}
			break
		}
		if ev.name == "endpoint" {
			u, err := f.sameOrigin(string(ev.data))
			if err != nil {
				f.log.Warn("refused the address the server wants messages at", "why", err)
				select {
				case refused <- &failure{kind: kindBadResponse, text: err.Error()}:
				default:
				}
				if s.post.Load() == nil {
					return
				}
				continue
			}
			s.post.Store(u)
			s.ready.fire()
			continue
		}
		f.passEvent(ev, source{to: f, sess: s})
	}
	if s.ctx.Err() == nil && s.ready.fired() {
		s.died.fire()
		f.spawn("renew", func() { f.reopen(s) })
	}
}

// sameOrigin resolves the address of an endpoint event. Another origin would
// get the user's credential, so it is refused.
func (f *legacy) sameOrigin(text string) (*url.URL, error) {
	ref, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the server named an address for messages that is no URL")
	}
	u := f.url().ResolveReference(ref)
	if u.User != nil || originOf(u) != f.remote.origin {
		return nil, fmt.Errorf("the server wants messages at another origin (%s), which would get your credential", f.remote.quote([]byte(plainURL(u.String()))))
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// reopen makes a new session after the stream broke, and goes on trying: a
// server that restarts, a network that changes, a lid that was closed.
func (f *legacy) reopen(s *session) {
	f.failLost(s)
	f.mu.Lock()
	n := f.alone // longer and longer, if the remote ends each stream at once
	f.alone++
	f.mu.Unlock()
	for ; ; n++ {
		wait := min(jitter(firstWait*time.Duration(pow3(n))), 30*time.Second)
		if !sleepFor(f.ctx, wait) {
			return
		}
		f.mu.Lock()
		current := f.sess == s || f.phase == phaseBroken
		f.mu.Unlock()
		if !current {
			return
		}
		if _, fail := f.renew(f.ctx, s); fail == nil || f.ctx.Err() != nil {
			return
		}
	}
}

// failLost answers what was in flight when the stream broke: the answers would
// have come on it.
func (f *legacy) failLost(s *session) {
	f.mu.Lock()
	var open []*call
	for _, c := range f.inflight {
		if c.sess == s && c.own == nil && !c.safe {
			open = append(open, c)
		}
	}
	f.mu.Unlock()
	for _, c := range open {
		f.fail(c, f.cutOff(c, nil))
		c.cancel(errEnded)
	}
}

// exchangeSSE posts a call and waits until its answer comes on the stream,
// which may be before the POST returns.
func (f *legacy) exchangeSSE(s *session, c *call) *failure {
	if s.died.fired() {
		return &failure{kind: kindSessionLost, retryable: true, text: "the event stream of " + f.url().Host + " is gone"}
	}
	if c.method == "initialize" && c.own != nil {
		f.mu.Lock()
		s.first = c // the host's own initialize waits under the same id
		f.mu.Unlock()
	}
	resp, err := f.remote.do(c.ctx, &send{
		method: http.MethodPost, url: s.endpoint(), header: s.header, body: c.body, safe: c.safe, wrote: c.wrote,
		ended: func() bool { return f.isAnswered(c) },
	})
	if err != nil {
		if f.isAnswered(c) {
			return nil
		}
		return asFailure(err)
	}
	if resp.StatusCode/100 != 2 {
		return f.refused(s, c, resp)
	}
	holdBody(resp, maxErrorBody)
	select {
	case <-c.ctx.Done():
		if f.isAnswered(c) {
			return nil
		}
		return &failure{kind: kindShutdown, text: "the request was ended"}
	case <-s.died.c:
		if f.isAnswered(c) {
			return nil
		}
		return f.cutOff(c, nil)
	}
}

var errAnswered = errors.New("answered")
