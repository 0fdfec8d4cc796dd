package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// The modern face speaks 2026-07-28 and later with the host: every request
// stands for itself and says in its _meta what it needs; the bridge writes
// responses and notifications, never a request. What the remote speaks is found
// out with the first request (probe.go):
//
//	modern  the request passes as it is (modern_leg.go)
//	legacy  a session is made behind the face's back (modern_legacy.go)
type modern struct {
	*Relay
	ctx    context.Context
	cancel context.CancelFunc
	leg    *modernLeg
	wg     sync.WaitGroup

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when a request ends or the era is known
	inflight map[string]*call
	listens  map[*call]*listen
	era      era
	probing  bool
	unsure   bool  // the remote may have been about to fall over when it was asked
	down     *down // set when the remote is a legacy one
	closed   bool
	version  string // of the last request

	recalled   recalledEra
	fromMemory bool // era was recalled at first
	doubted    bool // and has been asked for since
}

type era uint8

const (
	eraUnknown era = iota
	eraModern
	eraLegacy
)

func newModern(ctx context.Context, r *Relay) *modern {
	m := &modern{Relay: r, changed: make(chan struct{}), inflight: map[string]*call{}, listens: map[*call]*listen{}}
	m.ctx, m.cancel = context.WithCancel(ctx)
	m.leg = newModernLeg(m.ctx, r)
	switch r.cfg.Protocol {
	case ProtocolModern:
		m.era = eraModern
	case ProtocolLegacy:
		m.becomeLegacy()
	}
	return m
}

func (m *modern) spawn(what string, fn func()) {
	m.Relay.spawn(&m.wg, what, fn)
}

// wake tells whoever waits that something has changed; m.mu is held.
func (m *modern) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *modern) requestFromHost(env *envelope, p *params) {
	c := &call{
		id: env.id, key: idKey(env.id), method: string(env.method), body: env.body, params: *p,
		safe: safeMethod(env.method), wrote: newSignal(),
	}
	fail := m.check(c)
	if fail == nil && c.method == "tools/call" {
		c.safe, fail = m.admitTool(p)
	}
	if fail != nil {
		m.out.write(fail.line(c.id))
		return
	}
	c.ctx, c.cancel = context.WithCancelCause(m.ctx)
	m.mu.Lock()
	switch {
	case m.closed:
		fail = &failure{kind: kindShutdown, text: "bridge is ending"}
	case m.inflight[c.key] != nil:
		fail = &failure{code: codeInvalid, kind: kindBadRequest, text: "this id belongs to a request that is still open"}
	default:
		m.inflight[c.key] = c
		m.version = p.version()
	}
	m.mu.Unlock()
	if fail != nil {
		c.cancel(nil)
		m.out.write(fail.line(c.id))
		return
	}
	m.spawn(c.method, func() { m.run(c) })
}

// check refuses what no server of this era may accept (basic §_meta). Whether
// the remote has the revision is the remote's to say.
func (m *modern) check(c *call) *failure {
	if caps := find(c.params.meta, metaCapabilities); !isObject(caps) {
		return &failure{code: codeParams, kind: kindBadRequest, text: "the request lacks _meta " + metaCapabilities}
	}
	if v := c.params.version(); len(v) > maxRevision || !headerSafe(v) {
		return unsupportedVersion(v) // it could not stand in the header
	}
	return nil
}

// maxRevision is more than a revision is ever long: they are dates.
const maxRevision = 64

// unsupportedVersion is the error that names the revision the bridge itself has.
func unsupportedVersion(asked string) *failure {
	data, err := json.Marshal(asked)
	if err != nil { // a string always marshals
		data = []byte(`""`)
	}
	return &failure{raw: fmt.Appendf(nil, `{"code":%d,"message":"bridge: unsupported protocol version","data":{"supported":[%q],"requested":%s}}`, codeVersion, modernRevision, data)}
}

func (m *modern) run(c *call) {
	defer c.cancel(nil)
	defer func() {
		if p := recover(); p != nil {
			m.log.Error("internal error; please report it", "method", c.method, "panic", fmt.Sprintf("%.200v", p))
			m.fail(c, &failure{kind: kindBadResponse, text: "internal error in bridge"})
		}
	}()
	for again := false; ; again = true {
		era, fail := m.findOut(c)
		if fail != nil {
			m.fail(c, fail)
			return
		}
		if era == eraModern {
			break
		}
		if fail = m.down.run(c); fail == nil {
			return
		}
		if !m.reconsider() || again {
			m.fail(c, fail)
			return
		}
	}
	if c.method == "subscriptions/listen" {
		m.runListen(c)
		return
	}
	for cut := 0; ; cut++ {
		fail := m.leg.exchange(c, m)
		if fail == nil || m.satisfied(source{call: c}) {
			return
		}
		if fail.kind != kindStreamLost || !c.safe || cut > 0 || c.ctx.Err() != nil {
			m.fail(c, fail)
			return
		}
		// The request is lost with its stream; another one, under another id,
		// asks the same (2026-07-28 changelog 9).
		c.wire = m.newID()
		env, err := scanEnvelope(c.body)
		if err != nil {
			m.fail(c, fail)
			return
		}
		c.body = env.withID(c.wire)
	}
}

// fromRemote takes a message from the stream that answers a call.
func (m *modern) fromRemote(env *envelope, src source) {
	switch env.kind {
	case response:
		if c := src.call; c != nil && c.answeredBy(env) {
			m.deliver(c, env)
			return
		}
		m.log.Debug("dropped a response that answers nothing")
	case notification:
		if m.satisfied(src) {
			return // nothing is sent for a request that has ended
		}
		m.toHost(env)
	case request:
		// A modern remote asks by input_required.
		m.log.Warn("dropped a request of the server: there are none in this revision", "method", excerpt(env.method))
	}
}

func (r *Relay) toHost(env *envelope) {
	msg := env.body
	if !env.rpc {
		msg = env.withRPC()
	}
	env.oneLine(msg)
	r.out.write(msg)
}

func (m *modern) satisfied(src source) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return src.call.answered || src.call.cancelled
}

// finish claims the right to answer c; it is given once.
func (m *modern) finish(c *call) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.answered || c.cancelled {
		return false
	}
	c.answered = true
	m.remove(c)
	return true
}

// remove takes a call out of the table; m.mu is held.
func (m *modern) remove(c *call) {
	if m.inflight[c.key] == c {
		delete(m.inflight, c.key)
		m.wake()
	}
}

func (m *modern) deliver(c *call, env *envelope) {
	if c.method == "tools/list" && env.result != nil {
		env = m.passTools(env)
	}
	if !m.finish(c) {
		return
	}
	if !env.rpc || !bytes.Equal(env.id, c.id) {
		part, value := "result", env.result
		if env.err != nil {
			part, value = "error", env.err
		}
		msg := responseLine(c.id, part, value)
		env.oneLine(msg)
		m.out.write(msg)
		return
	}
	m.toHost(env)
}

func (m *modern) fail(c *call, fail *failure) {
	if !m.finish(c) {
		return
	}
	if fail.err != nil {
		m.log.Debug("request failed", "method", c.method, "kind", fail.kind, "err", fail.err)
	}
	m.out.write(c.afterwards(fail).line(c.id))
}

// answer gives the host a result of the bridge's own making.
// It reports whether the host still wanted one.
func (m *modern) answer(c *call, result []byte) bool {
	if !m.finish(c) {
		return false
	}
	m.out.write(flat(responseLine(c.id, "result", result)))
	return true
}

// cancelFromHost ends a request: its stream is closed, which is how a modern
// remote learns of it, and nothing more is said. It reports whether the
// request was this face's.
func (m *modern) cancelFromHost(p *params) bool {
	if p.reqID == nil {
		return false
	}
	m.mu.Lock()
	c := m.inflight[idKey(p.reqID)]
	if c == nil {
		m.mu.Unlock()
		return false
	}
	c.cancelled = true
	m.remove(c)
	down := m.down
	m.mu.Unlock()
	if down != nil {
		down.cancelled(c)
	}
	c.cancel(errEnded)
	return true
}

// notificationFromHost passes on what is not about a request.
func (m *modern) notificationFromHost(env *envelope) {
	switch string(env.method) {
	case "notifications/initialized", "notifications/roots/list_changed", "notifications/cancelled":
		return // gone from this era, or about a request that has ended
	}
	p := readParams(env.params)
	version := p.version()
	m.mu.Lock()
	if version == "" {
		version = m.version
	}
	era, down := m.era, m.down
	m.mu.Unlock()
	method := string(env.method)
	m.spawn("notification", func() {
		switch {
		case era == eraModern:
			m.leg.tell(m.ctx, version, method, env.body, &p)
		case down != nil:
			down.tell(env.body)
		}
	})
}

func (m *modern) drain(d time.Duration) {
	ctx, stop := context.WithTimeout(m.ctx, d)
	defer stop()
	untilNone(ctx, func() (open int, changed <-chan struct{}) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, c := range m.inflight {
			if m.listens[c] == nil { // a subscription ends with the relay
				open++
			}
		}
		return open, m.changed
	})
}

// close answers what is open. A modern remote has no session to close.
func (m *modern) close(d time.Duration) {
	m.mu.Lock()
	m.closed = true
	open := make([]*call, 0, len(m.inflight))
	for _, c := range m.inflight {
		open = append(open, c)
	}
	down := m.down
	m.mu.Unlock()
	within(lastWords, func() {
		for _, c := range open {
			if l := m.listenOf(c); l != nil {
				l.end(m)
				continue
			}
			m.fail(c, endingFailure())
		}
	})
	if down != nil {
		down.close(d)
	}
	m.cancel()
}

func endingFailure() *failure {
	return &failure{kind: kindShutdown, text: "bridge is ending; the request was given up"}
}

func (m *modern) wait(d time.Duration) {
	within(d, func() {
		m.wg.Wait()
		if m.down != nil {
			m.down.up.wait(d)
		}
	})
}
