package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
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
			f.setHeaders(s)
		}
	}
	src := source{to: f, sess: s, call: c, many: c.many}
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
		return &failure{kind: kindSessionLost, status: resp.StatusCode, retryable: true,
			text: "the server has forgotten the session, and a new one did not help"}
	}
	if env, err := scanEnvelope(bytes.TrimPrefix(body, bom)); err == nil && env.kind == response {
		if f.owner(&env, source{to: f, sess: s, call: c}) == c {
			f.deliver(c, &env, source{to: f, sess: s, call: c})
			return nil
		}
	}
	return f.remote.statusFailure(resp, body)
}

var bom = []byte("\xef\xbb\xbf")

// notMCP is a success that holds no MCP message.
func (r *Relay) notMCP(resp *http.Response, body []byte) *failure {
	fail := &failure{kind: kindBadResponse, status: resp.StatusCode}
	t := mediaType(resp.Header.Get("Content-Type"))
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		fail.text = fmt.Sprintf("%s answered %d with nothing in it", r.url().Host, resp.StatusCode)
	case t == "text/html":
		fail.text = fmt.Sprintf("%s answered with a web page instead of MCP; check the URL's path", r.remote.shown)
		if said := r.remote.quote(body); said != "" {
			fail.text += ": " + said
		}
	case t == "" || isJSON(t):
		fail.text = r.url().Host + " answered with something that is not a JSON-RPC message"
	default:
		fail.text = fmt.Sprintf("%s answered with %s instead of JSON or events", r.url().Host, excerpt([]byte(t)))
	}
	return fail
}

// readJSON reads the body of an answer, checks it while it arrives, and passes
// on what it holds: a message, or an array of them.
func (r *Relay) readJSON(resp *http.Response, src source) *failure {
	defer resp.Body.Close()
	limit := r.cfg.MaxMessage
	if resp.ContentLength > limit {
		return r.tooLarge(resp.StatusCode)
	}
	buf := getBuffer(resp.ContentLength)
	defer putBuffer(buf)
	in := bodyReader{r: resp.Body, buf: buf, limit: limit}
	s := scanner{more: in.more}
	if s.fill(3) && bytes.HasPrefix(s.b, bom) {
		s.i = 3
	}
	var env envelope
	err := s.envelope(&env)
	if err == nil {
		err = env.classify()
	}
	if err == nil && in.err == io.EOF {
		return r.passAnswer(&env, src)
	}
	// Whatever is wrong is easier to judge with all of it at hand.
	in.rest()
	switch {
	case in.over:
		return r.tooLarge(resp.StatusCode)
	case in.err != nil && in.err != io.EOF:
		return r.cutOff(src.call, in.err)
	}
	whole := bytes.TrimPrefix(buf.b, bom)
	switch err {
	case errBatch:
		return r.passArray(resp, whole, src)
	case errUTF8:
		// The answer is worth more than its broken characters.
		whole = bytes.ToValidUTF8(whole, []byte("\uFFFD"))
		if env, err = scanEnvelope(whole); err == nil {
			return r.passAnswer(&env, src)
		}
	}
	return r.notMCP(resp, whole)
}

func (r *Relay) tooLarge(status int) *failure {
	return &failure{kind: kindTooLarge, status: status, text: fmt.Sprintf("the answer is larger than the limit of %d bytes", r.cfg.MaxMessage)}
}

// cutOff is an answer that ended before its end.
func (r *Relay) cutOff(c *call, err error) *failure {
	if c.ctx.Err() != nil {
		return &failure{kind: kindShutdown, text: "the request was ended", err: err}
	}
	return &failure{kind: kindStreamLost, retryable: c.safe, err: err,
		text: "the connection to " + r.url().Host + " was cut before the answer was complete; whether the request was carried out is not known"}
}

// passAnswer passes on the one message of a JSON answer. It must answer the
// call that was posted, or another one that is open.
func (r *Relay) passAnswer(env *envelope, src source) *failure {
	src.to.fromRemote(env, src)
	if src.to.satisfied(src) {
		return nil
	}
	return &failure{kind: kindBadResponse, text: r.url().Host + " answered, but not this request"}
}

// satisfied reports whether nothing more is expected for a POST.
func (f *legacy) satisfied(src source) bool {
	if src.many != nil {
		src.many.mu.Lock()
		defer src.many.mu.Unlock()
		return src.many.open == 0
	}
	return f.isAnswered(src.call)
}

// passArray splits an array of messages, which a remote may send in one
// revision and some send in others.
func (r *Relay) passArray(resp *http.Response, body []byte, src source) *failure {
	parts, err := elements(body)
	if err != nil {
		return r.notMCP(resp, body)
	}
	for _, p := range parts {
		if env, err := scanEnvelope(p); err == nil {
			src.to.fromRemote(&env, src)
		}
	}
	if src.to.satisfied(src) {
		return nil
	}
	return &failure{kind: kindBadResponse, text: r.url().Host + " answered, but not this request"}
}

// bodyReader feeds a scanner from a body.
type bodyReader struct {
	r     io.Reader
	buf   *buffer
	limit int64
	over  bool
	err   error // io.EOF at the end
}

// readPiece is how much is read before it is scanned: enough to be worth a
// system call, little enough to stay in the cache.
const readPiece = 256 << 10

func (r *bodyReader) more() ([]byte, bool) {
	for r.err == nil {
		b := r.buf.b
		b = room(b, 1, 0)
		n, err := r.r.Read(b[len(b):min(cap(b)-1, len(b)+readPiece)])
		r.buf.b, r.err = b[:len(b)+n], err
		if int64(len(r.buf.b)) > r.limit {
			r.over, r.err = true, errEventTooLarge
			break
		}
		if n > 0 {
			return r.buf.b, true
		}
	}
	return nil, false
}

// rest reads to the end.
func (r *bodyReader) rest() {
	for r.err == nil {
		r.more()
	}
}

var eventReaders = sync.Pool{New: func() any { return newEventReader(nil, 0) }}

func (r *Relay) events(body io.Reader) *eventReader {
	p, _ := eventReaders.Get().(*eventReader)
	p.max, p.hint = r.cfg.MaxMessage, 0
	p.lastID, p.resumable, p.retry, p.hasRetry = "", false, 0, false
	p.reset(body)
	return p
}

func freeEvents(p *eventReader) {
	p.r = nil
	if cap(p.data) > largeBuffer {
		putBuffer(&buffer{b: p.data})
		p.data = nil
	}
	eventReaders.Put(p)
}

// pump passes on the events of a stream until it ends, or until done says so.
func (r *Relay) pump(events *eventReader, src source, done func() bool) error {
	for {
		ev, err := events.next()
		if err != nil {
			return err
		}
		r.passEvent(ev, src)
		if done != nil && done() {
			return nil
		}
	}
}

// passEvent passes on one event. A bad one costs itself and nothing more.
func (r *Relay) passEvent(ev event, src source) {
	if ev.name != "" || len(ev.data) == 0 {
		return
	}
	data := ev.data
	env, err := scanEnvelope(data)
	if err == errUTF8 {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
		env, err = scanEnvelope(data)
	}
	switch err {
	case nil:
		src.to.fromRemote(&env, src)
	case errBatch:
		parts, err := elements(data)
		if err != nil {
			r.log.Warn("dropped an event that is not JSON")
			return
		}
		for _, p := range parts {
			if env, err := scanEnvelope(p); err == nil {
				src.to.fromRemote(&env, src)
			}
		}
	default:
		r.log.Warn("dropped an event that is no MCP message", "why", err)
	}
}

// tailTime is how long the end of a stream is waited for once the answer is
// there, so that its connection can be used again.
const tailTime = time.Second

// readEvents reads the stream that answers a POST, and resumes it when it
// breaks before the answer (2025-11-25 §Resumability).
func (f *legacy) readEvents(s *session, c *call, resp *http.Response) *failure {
	src := source{to: f, sess: s, call: c, many: c.many}
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

const (
	resumeTries = 10
	resumeTime  = 5 * time.Minute
)

// resume opens a broken stream again where it broke. It waits as the remote
// asked by retry:, or a growing while.
func (f *legacy) resume(s *session, c *call, events *eventReader, idle *int, began time.Time) (*http.Response, *failure) {
	for {
		if *idle >= resumeTries || time.Since(began) > resumeTime {
			return nil, f.cutOff(c, errors.New("the stream could not be resumed"))
		}
		if !sleepFor(c.ctx, f.reconnectWait(events, *idle)) {
			return nil, &failure{kind: kindShutdown, text: "the request was ended"}
		}
		*idle++
		resp, err := f.openGET(c.ctx, s, events.lastID, nil)
		if err != nil {
			if fail := asFailure(err); fail.kind == kindUnauthorized || fail.kind == kindForbidden {
				return nil, fail
			}
			continue
		}
		switch {
		case resp.StatusCode == http.StatusOK && mediaType(resp.Header.Get("Content-Type")) == "text/event-stream":
			return resp, nil
		case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout:
			holdBody(resp, maxErrorBody)
			continue
		}
		text := holdBody(resp, maxErrorBody)
		if s.lost(resp.StatusCode, text) {
			f.spawn("renew", func() { _, _ = f.renew(f.ctx, s) }) // its failure is told to the next call
			return nil, &failure{kind: kindSessionLost, status: resp.StatusCode,
				text: "the server has forgotten the session while it worked on this; whether the request was carried out is not known"}
		}
		return nil, f.cutOff(c, fmt.Errorf("resume: status %d", resp.StatusCode))
	}
}

// reconnectWait is how long to wait before a stream is opened again.
func (r *Relay) reconnectWait(events *eventReader, n int) time.Duration {
	const first, limit = time.Second, 30 * time.Second
	if events.hasRetry {
		return min(events.retry, r.cfg.Timeouts.Retry)
	}
	d := float64(first)
	for range min(n, 12) {
		d *= 1.5
	}
	return min(jitter(time.Duration(d)), limit, r.cfg.Timeouts.Retry)
}

// openGET opens a stream of the session, resuming after lastID if it is not
// empty.
func (f *legacy) openGET(ctx context.Context, s *session, lastID string, wrote *signal) (*http.Response, error) {
	header := s.streamHeader
	if lastID != "" {
		header = header.Clone()
		header["Last-Event-Id"] = []string{lastID}
	}
	return f.remote.do(ctx, &send{method: http.MethodGet, header: header, stream: true, wrote: wrote})
}

// openStream opens the session's standing stream, once. A remote that has none
// says so with a 4xx, and that is all right.
//
// It returns when the remote has the request for it, or is taking its time:
// what the remote asks during the first call may come on this stream, and some
// remotes drop it when the stream is not there yet.
func (f *legacy) openStream(s *session) {
	switch s.kind {
	case legModern:
		s.opened.Do(s.modern.sub.open)
		return
	case legSSE:
		return
	}
	s.opened.Do(func() {
		wrote, answered := newSignal(), newSignal()
		f.spawn("stream", func() { f.standingStream(s, wrote, answered) })
		t := time.NewTimer(f.cfg.Timeouts.Probe)
		defer t.Stop()
		select {
		case <-wrote.c:
			t.Reset(streamPatience)
		case <-answered.c:
			return
		case <-t.C:
			return
		case <-f.ctx.Done():
			return
		}
		select {
		case <-answered.c:
		case <-t.C:
		case <-f.ctx.Done():
		}
	})
}

// streamPatience is how long the answer to an opened stream is waited for:
// some remotes send nothing, not even headers, before the first event.
const streamPatience = 150 * time.Millisecond

// standingStream keeps the stream open as long as the session lives.
func (f *legacy) standingStream(s *session, wrote, answered *signal) {
	defer answered.fire()
	events := f.events(nil)
	defer freeEvents(events)
	for n := 0; ; n++ {
		resp, err := f.openGET(s.ctx, s, events.lastID, wrote)
		answered.fire()
		switch {
		case s.ctx.Err() != nil:
			if err == nil {
				resp.Body.Close()
			}
			return
		case err != nil:
			if fail := asFailure(err); !fail.retryable {
				f.log.Debug("no standing stream", "why", fail.text)
				return
			}
		case resp.StatusCode == http.StatusOK && mediaType(resp.Header.Get("Content-Type")) == "text/event-stream":
			began, last := time.Now(), events.lastID
			events.reset(resp.Body)
			err := f.pump(events, source{to: f, sess: s}, nil)
			resp.Body.Close()
			if errors.Is(err, errEventTooLarge) {
				f.log.Warn("an event over the size limit ended the standing stream")
			}
			if time.Since(began) > 10*time.Second || events.lastID != last {
				n = 0
			}
		default:
			text := holdBody(resp, maxErrorBody)
			if s.lost(resp.StatusCode, text) {
				f.spawn("renew", func() { _, _ = f.renew(f.ctx, s) }) // its failure is told to the next call
				return
			}
			if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusRequestTimeout {
				f.log.Debug("the server offers no standing stream", "status", resp.StatusCode)
				return
			}
		}
		if !sleepFor(s.ctx, f.reconnectWait(events, n)) {
			return
		}
	}
}
