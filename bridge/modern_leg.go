package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// The modern leg (2026-07-28): each request is a POST of its own with headers
// that repeat it, the answer is JSON or a stream, there is no session, no GET,
// no resuming. Closing the stream cancels.
type modernLeg struct {
	*Relay
	ctx    context.Context
	header http.Header // what all requests share

	mu      sync.Mutex
	tools   map[string][]binding
	listing *listing // the list under way; nil if none is
	warned  map[string]bool
}

func newModernLeg(ctx context.Context, r *Relay) *modernLeg {
	l := &modernLeg{Relay: r, ctx: ctx, tools: map[string][]binding{}, warned: map[string]bool{}}
	h := r.remote.header()
	h["Content-Type"] = []string{"application/json"}
	h["Accept"] = []string{"application/json, text/event-stream"}
	l.header = h
	return l
}

// headers are those of one message.
func (l *modernLeg) headers(version, method string, p *params) http.Header {
	h := make(http.Header, len(l.header)+4)
	maps.Copy(h, l.header)
	var bound []binding
	if method == "tools/call" {
		l.mu.Lock()
		bound = l.tools[string(unquote(p.name))]
		l.mu.Unlock()
	}
	mirror(h, version, method, p, bound)
	return h
}

// exchange posts a call, whose params and body say the same, and hands what
// comes to the inbox until it is satisfied.
func (l *modernLeg) exchange(c *call, to inbox) *failure {
	version := c.params.version()
	if c.method == "tools/call" && c.own == nil {
		l.know(c)
	}
	box := &legInbox{to: to, leg: l, call: c}
	for {
		fail := l.once(c, version, box)
		if !box.mismatch || fail != nil {
			return fail
		}
		// The schema has changed under way: learn it and repeat once, under
		// the same id, since the remote refused before it looked.
		box.mismatch, box.repeated = false, true
		l.refresh(c)
	}
}

func (l *modernLeg) once(c *call, version string, box *legInbox) *failure {
	resp, err := l.remote.do(c.ctx, &send{
		method: http.MethodPost, header: l.headers(version, c.method, &c.params), body: c.body, safe: c.safe, wrote: c.wrote,
		ended: func() bool { return box.to.satisfied(source{call: c}) },
	})
	if err != nil {
		return asFailure(err)
	}
	src := source{to: box, call: c}
	if resp.StatusCode/100 != 2 {
		body := holdBody(resp, maxErrorBody)
		if env, err := scanEnvelope(bytes.TrimPrefix(body, bom)); err == nil && c.answeredBy(&env) {
			box.fromRemote(&env, src)
			return nil
		}
		return l.remote.statusFailure(resp, body)
	}
	switch t := mediaType(resp.Header.Get("Content-Type")); {
	case t == "text/event-stream":
		events := l.events(resp.Body)
		events.hint = min(resp.ContentLength, l.cfg.MaxMessage)
		defer freeEvents(events)
		defer resp.Body.Close()
		err := l.pump(events, src, func() bool { return box.satisfied(src) })
		if box.satisfied(src) {
			l.finishStream(events, resp.Body, src)
			return nil
		}
		if err == errEventTooLarge {
			return l.tooLarge(resp.StatusCode)
		}
		return l.cutOff(c, err)
	case isJSON(t) || t == "":
		return l.readJSON(resp, src)
	}
	return l.notMCP(resp, holdBody(resp, maxErrorBody))
}

// tell posts a notification.
func (l *modernLeg) tell(ctx context.Context, version, method string, body []byte, p *params) {
	resp, err := l.remote.do(ctx, &send{method: http.MethodPost, header: l.headers(version, method, p), body: body})
	if err != nil {
		l.trouble(ctx, "a notification did not reach the server", "why", err)
		return
	}
	holdBody(resp, maxErrorBody)
	if resp.StatusCode/100 != 2 {
		l.log.Warn("the server refused a notification", "status", resp.StatusCode)
	}
}

// A legInbox stands before an inbox and does what belongs to the leg: it learns
// tools from the lists, and holds back the one error that the leg mends.
type legInbox struct {
	to       inbox
	leg      *modernLeg
	call     *call
	mismatch bool // a header did not fit the schema
	repeated bool
}

func (b *legInbox) fromRemote(env *envelope, src source) {
	if b.call.answeredBy(env) {
		if b.call.method == "tools/call" && env.err != nil && !b.repeated && errorCode(env.err) == codeHeaderMismatch {
			b.mismatch = true
			return
		}
		if b.call.method == "tools/list" && env.result != nil {
			env = b.leg.learn(env)
		}
	}
	b.to.fromRemote(env, src)
}

func (b *legInbox) satisfied(src source) bool { return b.mismatch || b.to.satisfied(src) }

// learn takes the bindings from a page of tools/list and takes out the tools
// whose annotations are not valid, which must not be called.
func (l *modernLeg) learn(env *envelope) *envelope {
	list := find(env.result, "tools")
	parts, err := elements(list)
	if err != nil {
		return env
	}
	keep := make([][]byte, 0, len(parts))
	for _, tool := range parts {
		raw := find(tool, "name")
		name := string(unquote(raw))
		bound, err := bindings(tool)
		l.mu.Lock()
		if err != nil {
			delete(l.tools, name)
			if !l.warned[name] && len(l.warned) < maxTools && len(name) <= maxName {
				l.warned[name] = true
				l.log.Warn("left out a tool with an invalid schema", "tool", excerpt([]byte(name)), "why", err)
			}
		} else if _, known := l.tools[name]; known || len(l.tools) < maxTools && len(name) <= maxName {
			l.tools[name] = bound
		}
		l.mu.Unlock()
		if err == nil {
			keep = append(keep, tool)
		}
	}
	if len(keep) == len(parts) {
		return env
	}
	again, err := env.replaced(list, joinArray(keep))
	if err != nil {
		return env
	}
	return again
}

// know makes sure that a tool's bindings are known before it is called.
func (l *modernLeg) know(c *call) {
	l.mu.Lock()
	_, known := l.tools[string(unquote(c.params.name))]
	l.mu.Unlock()
	if !known {
		l.refresh(c)
	}
}

// A listing is the listing of all tools by one call, for which others wait.
type listing struct {
	over chan struct{} // closed at the end
	left bool          // the call was ended before; set until over is closed
}

// refresh lists all tools, in the name of the caller. One list runs at a time;
// others wait for it, and if its caller is cancelled, the next one lists. If it
// fails, the call goes out without what it would have told.
func (l *modernLeg) refresh(c *call) {
	own := &listing{over: make(chan struct{})}
	for {
		l.mu.Lock()
		other := l.listing
		if other == nil {
			l.listing = own
			l.mu.Unlock()
			break
		}
		l.mu.Unlock()
		select {
		case <-other.over:
			if !other.left {
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
	defer func() {
		own.left = c.ctx.Err() != nil
		l.mu.Lock()
		l.listing = nil
		l.mu.Unlock()
		close(own.over)
	}()
	l.list(c)
}

// list asks for the pages of tools/list, from which learn takes what it needs.
func (l *modernLeg) list(c *call) {
	ctx, stop := context.WithTimeout(c.ctx, l.cfg.Timeouts.Probe)
	defer stop()
	cursor := []byte(nil)
	for range maxPages {
		page := []byte(`{"_meta":` + string(bareMeta(c.params.meta)))
		if cursor != nil {
			page = fmt.Appendf(page, `,"cursor":%s`, cursor)
		}
		a := l.ask(ctx, "tools/list", append(page, '}'))
		if a.result == nil {
			l.log.Debug("the tools could not be listed")
			return
		}
		if cursor = find(a.result, "nextCursor"); unquote(cursor) == nil || len(unquote(cursor)) == 0 {
			return
		}
	}
}

// maxPages bounds how far the bridge itself follows a list.
const maxPages = 100

// ask sends a request of the bridge's own and returns its answer.
func (l *modernLeg) ask(ctx context.Context, method string, rawParams []byte) answer {
	id := l.newID()
	c := &call{
		id: id, key: idKey(id), method: method, safe: safeMethod([]byte(method)), wrote: newSignal(), own: make(chan answer, 1),
		body: message(id, method, rawParams),
	}
	c.params = readParams(rawParams)
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	defer c.cancel(nil)
	box := &ownInbox{call: c}
	fail := l.exchange(c, box)
	select {
	case a := <-c.own:
		return a
	default:
		if fail != nil && c.wrote.fired() && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			fail.silent = true
		}
		return answer{fail: fail}
	}
}

// ownInbox takes the answer to a request of the bridge's own, and nothing else.
type ownInbox struct {
	call *call
	done bool
}

func (b *ownInbox) fromRemote(env *envelope, _ source) {
	if !b.done && b.call.answeredBy(env) {
		b.done = true
		b.call.own <- answer{result: copyOf(env.result), err: copyOf(env.err)}
	}
}

func (b *ownInbox) satisfied(source) bool { return b.done }

// bareMeta is the part of a caller's _meta that every request needs.
func bareMeta(meta []byte) []byte {
	b := []byte{'{'}
	for _, key := range []string{metaVersion, metaClientInfo, metaCapabilities} {
		if v := find(meta, key); v != nil {
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, `%q:%s`, key, v)
		}
	}
	return append(b, '}')
}

// replaced returns the message with one part of it replaced.
func (env *envelope) replaced(part, with []byte) (*envelope, error) {
	at := offset(env.body, part)
	msg := make([]byte, 0, len(env.body)-len(part)+len(with)+1)
	msg = append(msg, env.body[:at]...)
	msg = append(msg, with...)
	msg = append(msg, env.body[at+len(part):]...)
	again, err := scanEnvelope(msg)
	return &again, err
}

// discover asks the remote what it is. version is the revision to ask in.
func (l *modernLeg) discover(ctx context.Context, version string, meta []byte) (answer, string) {
	ctx, stop := context.WithTimeout(ctx, l.cfg.Timeouts.Probe)
	defer stop()
	for range 2 {
		a := l.ask(ctx, "server/discover", fmt.Appendf(nil, `{"_meta":%s}`, meta))
		if a.err == nil || errorCode(a.err) != codeVersion {
			return a, version
		}
		// The remote names the revisions it has: ask again in the best of them,
		// also when it is the same (it may have been asked for other reasons).
		mutual := mutualVersion(supported(a.err))
		if mutual == "" {
			return a, version
		}
		next, err := withMember(meta, metaVersion, fmt.Appendf(nil, "%q", mutual))
		if err != nil {
			return a, version
		}
		meta, version = next, mutual
	}
	return l.ask(ctx, "server/discover", fmt.Appendf(nil, `{"_meta":%s}`, meta)), version
}

// supported is error.data.supported.
func supported(e []byte) []string {
	data := find(e, "data")
	raw := find(data, "supported")
	v, _ := readVersions(raw)
	return v
}

// readVersions reads a list of revisions of a sensible length.
func readVersions(raw []byte) (versions []string, ok bool) {
	const most = 16 << 10
	ok = len(raw) <= most && json.Unmarshal(raw, &versions) == nil
	return versions, ok
}

// mutualVersion is the newest modern revision of a list that this relay speaks.
func mutualVersion(versions []string) string {
	for _, v := range versions {
		if v == modernRevision {
			return v
		}
	}
	return ""
}

// listenWait is the pause before the nth try in a row to open a listen stream
// again.
func (r *Relay) listenWait(n int) time.Duration {
	d := time.Second
	for range min(n-1, 5) {
		d *= 2
	}
	return min(jitter(d), 30*time.Second, r.cfg.Timeouts.Retry)
}
