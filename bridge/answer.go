package bridge

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

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
		kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
		fail.text = fmt.Sprintf("%s answered with %s instead of JSON or events", r.url().Host, r.remote.quote([]byte(kind)))
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
	defer in.stop()
	s := scanner{more: in.more, body: &in, note: src.translated()}
	if s.fill(len(bom)) && bytes.HasPrefix(s.b, bom) {
		s.i = len(bom)
	}
	var env envelope
	err := s.envelope(&env)
	if err == nil {
		err = env.classify()
	}
	if err == nil && (in.err == io.EOF || in.late.Load()) {
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
		if env, err = scanFor(src, whole); err == nil {
			return r.passAnswer(&env, src)
		}
	}
	if err == errMany {
		return r.tooMany(resp.StatusCode)
	}
	return r.notMCP(resp, whole)
}

func (r *Relay) tooLarge(status int) *failure {
	return &failure{kind: kindTooLarge, status: status, text: fmt.Sprintf("the answer is larger than the limit of %d bytes", r.cfg.MaxMessage)}
}

func (r *Relay) tooMany(status int) *failure {
	return &failure{kind: kindTooLarge, status: status, text: fmt.Sprintf("the answer has more than %d parts", maxElements)}
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
func (f *legacy) satisfied(src source) bool { return f.isAnswered(src.call) }

// passArray splits an array of messages, which a remote may send in one
// revision and some send in others.
func (r *Relay) passArray(resp *http.Response, body []byte, src source) *failure {
	parts, err := elements(body)
	if err == errMany {
		return r.tooMany(resp.StatusCode)
	}
	if err != nil {
		return r.notMCP(resp, body)
	}
	passParts(parts, src)
	if src.to.satisfied(src) {
		return nil
	}
	return &failure{kind: kindBadResponse, text: r.url().Host + " answered, but not this request"}
}

// passParts passes on the messages of an array.
func passParts(parts [][]byte, src source) {
	for _, p := range parts {
		if env, err := scanEnvelope(p); err == nil {
			src.to.fromRemote(&env, src)
		}
	}
}

// bodyReader feeds a scanner from a body.
type bodyReader struct {
	r     io.ReadCloser
	buf   *buffer
	limit int64
	over  bool
	err   error // io.EOF at the end

	timer *time.Timer // of the wait for the end of a message that is whole
	late  atomic.Bool // and it has not come
}

// whole is told that the message is there. The end of the body is known by now,
// but for a remote that says it separately, and is not waited for longer than
// that of a stream: some never say it.
func (r *bodyReader) whole() {
	if r.err != nil {
		return
	}
	r.timer = time.AfterFunc(tailTime, func() {
		r.late.Store(true)
		r.r.Close()
	})
}

func (r *bodyReader) stop() {
	if r.timer != nil {
		r.timer.Stop()
	}
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
	env, err := scanFor(src, data)
	if err == errUTF8 {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
		env, err = scanFor(src, data)
	}
	switch err {
	case nil:
		src.to.fromRemote(&env, src)
	case errBatch:
		parts, err := elements(data)
		if err != nil {
			r.log.Warn("dropped an event that is no MCP message", "why", err)
			return
		}
		passParts(parts, src)
	default:
		r.log.Warn("dropped an event that is no MCP message", "why", err)
	}
}
