package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"
)

// The Streamable HTTP leg (2025-03-26 and later): each message is a POST, the
// answer to a request is JSON or a stream of events, a standing GET stream
// carries what the remote says by itself, and a stream that breaks is resumed
// by GET with Last-Event-ID.

// exchangeStreamable posts a call and reads until it is answered. A failure of
// kind session_lost that is retryable means that the remote did not look at
// the request.
func (f *legacy) exchangeStreamable(s *session, c *call) *failure {
	header := s.header
	if c.method == "initialize" {
		// Gateways before remotes of the second era route by it.
		header = maps.Clone(header)
		header["Mcp-Method"] = []string{c.method}
	}
	resp, err := f.remote.do(c.ctx, &send{
		method: http.MethodPost, header: header, body: c.body, safe: c.safe, wrote: c.wrote,
		ended: func() bool { return f.isAnswered(c) },
	})
	if err != nil {
		return asFailure(err)
	}
	if c.method == "initialize" {
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" && validSessionID(id) {
			s.id = id
			f.remote.hidden.learn(id)
			f.setHeaders(s)
		}
	}
	src := source{to: f, sess: s, call: c}
	if resp.StatusCode/100 != 2 {
		return f.refused(s, c, resp)
	}
	switch t := mediaType(resp.Header.Get("Content-Type")); {
	case t == "text/event-stream":
		return f.readEvents(s, c, resp)
	case isJSON(t) || t == "":
		return f.readJSON(resp, src)
	default:
		body := holdBody(resp, maxErrorBody)
		return f.notMCP(resp, body)
	}
}

func asFailure(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return &failure{kind: kindUnreachable, text: "the request could not be sent", err: err}
}

// refused reads an answer whose status is an error. A JSON-RPC error in it is
// the remote's own word and is passed on.
func (f *legacy) refused(s *session, c *call, resp *http.Response) *failure {
	body := holdBody(resp, maxErrorBody)
	if s.lost(resp.StatusCode, body) && c.method != "initialize" {
		// Said only when the same comes back in a new session: then it is not
		// the session.
		text := fmt.Sprintf("the server answered %d to this request, in a new session as well", resp.StatusCode)
		if said := f.remote.quote(body); said != "" {
			text += ": " + said
		}
		return &failure{kind: kindSessionLost, status: resp.StatusCode, retryable: true, text: text}
	}
	if env, err := scanEnvelope(bytes.TrimPrefix(body, bom)); err == nil && env.kind == response {
		if f.owner(&env, source{to: f, sess: s, call: c}) == c {
			f.deliver(c, &env, source{to: f, sess: s, call: c})
			return nil
		}
	}
	return f.remote.statusFailure(resp, body)
}

// tailTime is how long the end of a stream is waited for once the answer is
// there, so that its connection can be used again.
const tailTime = time.Second

// readEvents reads the stream that answers a POST, and resumes it when it
// breaks before the answer (2025-11-25 §Resumability).
func (f *legacy) readEvents(s *session, c *call, resp *http.Response) *failure {
	src := source{to: f, sess: s, call: c}
	events := f.events(resp.Body)
	events.hint = min(resp.ContentLength, f.cfg.MaxMessage)
	defer freeEvents(events)
	body := resp.Body
	defer func() { body.Close() }()
	done := func() bool { return f.satisfied(src) }
	idle := 0 // tries in a row that brought nothing
	began := time.Now()
	for {
		before := events.lastID
		err := f.pump(events, src, done)
		if done() {
			f.finishStream(events, body, src)
			return nil
		}
		if errors.Is(err, errEventTooLarge) {
			return f.tooLarge(resp.StatusCode)
		}
		if c.ctx.Err() != nil || !events.resumable || !headerSafe(events.lastID) {
			return f.cutOff(c, err)
		}
		body.Close()
		if events.lastID != before {
			idle, began = 0, time.Now()
		}
		next, fail := f.resume(s, c, events, &idle, began) //nolint:bodyclose // the deferred call closes the last one, the loop those before
		if fail != nil {
			return fail
		}
		body = next.Body
		events.reset(body)
	}
}

// finishStream reads what follows the answer: usually nothing, and then the
// connection is free again at once.
func (r *Relay) finishStream(events *eventReader, body io.Closer, src source) {
	t := time.AfterFunc(tailTime, func() { body.Close() })
	defer t.Stop()
	_ = r.pump(events, src, nil) // to its end
}
