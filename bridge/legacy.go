package bridge

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// The legacy face speaks the session revisions of MCP (2024-11-05 to
// 2025-11-25) with the host, and drives the session with the remote:
//
//	idle ──initialize──▶ connecting ──answer──▶ up ──404──▶ renewing ──▶ up
//	                        │  │                ▲                │
//	                        │  └─20 s─▶ interim ┘                └▶ broken ─ next call ─▶ renewing
//	                        └─refused─▶ failed ─ initialize ─▶ connecting
//
// connecting   connect.go: the handshake is tried until it is answered
// interim      interim.go: the host has a preliminary answer, trying goes on
// up           messages pass
// renewing     renew.go: the remote forgot the session; a new one is made
// broken       a renewal failed; the next call tries again
//
// Messages of the host enter on one goroutine, in order (faces.go). Requests
// then run on their own (call.go), while notifications and responses
// keep their order in a lane (lane.go). Messages of the remote enter through
// fromRemote, from whichever stream they came.
type legacy struct {
	*Relay
	ctx    context.Context // ends with the relay
	cancel context.CancelFunc
	wg     sync.WaitGroup

	// tail is closed when the last notification or response has left. Only
	// the goroutine that reads the host touches it.
	tail    <-chan struct{}
	waiting atomic.Int32 // in the lane

	kick chan struct{} // wakes the connector from its wait

	// sink, if not nil, takes what the remote says by itself: the face is then
	// not the host's, but the far side of another one (modern_legacy.go).
	sink func(env *envelope, src source)

	mu       sync.Mutex
	phase    phase
	changed  chan struct{} // closed and replaced when phase or sess changes
	sess     *session
	initLine []byte // the host's initialize as it came
	initCall *call
	result   []byte   // the InitializeResult the host was told
	last     *failure // why there is no session
	tries    int      // handshakes that failed
	renewing *renewal // nil: none is under way
	leg      legKind  // what the remote turned out to speak
	recalled recalledEra

	interimGiven bool
	initialized  []byte // the host's initialized notification; nil before it came

	inflight map[string]*call     // the host's requests, by idKey
	asked    map[string]*question // the remote's requests, by the idKey the host sees
	level    []byte               // the last logging/setLevel of the host that was answered
	watched  map[string][]byte    // resources/subscribe by URI

	alone int // sessions since the last answer that no call asked for

	closed bool
}

type phase uint8

const (
	phaseIdle phase = iota
	phaseConnecting
	phaseUp
	phaseBroken
	phaseFailed
)

// A question is a request of the remote that the host has not answered.
type question struct {
	id   []byte // as the remote knows it
	sess *session
	from any // the stream it came on: a *call, or nil for the standing stream
	// reply, if not nil, takes the answer instead of the remote.
	reply func(result, err []byte)
}

func newLegacy(ctx context.Context, r *Relay) *legacy {
	f := &legacy{
		Relay:    r,
		changed:  make(chan struct{}),
		kick:     make(chan struct{}, 1),
		inflight: map[string]*call{},
		asked:    map[string]*question{},
	}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// change runs fn under the lock and wakes whoever waits for a change.
func (f *legacy) change(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn()
	f.wakeAll()
}

// wakeAll wakes whoever waits for a change; f.mu is held.
func (f *legacy) wakeAll() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// spawn runs fn on a goroutine that close waits for.
func (f *legacy) spawn(what string, fn func()) {
	f.Relay.spawn(&f.wg, what, fn)
}

func (f *legacy) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

func (f *legacy) requestFromHost(env *envelope, p *params) {
	if string(env.method) == "ping" && f.sessionOrNil() == nil {
		f.out.write(emptyResult(env.id))
		return
	}
	c, fail := f.admit(env, p, nil, nil)
	if fail != nil {
		f.out.write(fail.line(env.id))
		return
	}
	f.spawn(string(env.method), func() { f.run(c) })
}

func emptyResult(id []byte) []byte {
	return responseLine(id, "result", []byte("{}"))
}

func (f *legacy) sessionOrNil() *session {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sess
}

func (f *legacy) notificationFromHost(env *envelope) {
	switch string(env.method) {
	case "notifications/cancelled":
		f.cancelFromHost(env)
	case "notifications/initialized":
		body := bytes.Clone(env.body)
		f.mu.Lock()
		first := f.initialized == nil
		f.initialized = body
		interim := f.interimGiven && f.sess == nil
		f.mu.Unlock()
		if interim || !first {
			return // the connector sends it, or it was sent
		}
		f.inLane(body, nil, f.openStream)
	default:
		f.inLane(env.body, nil, nil)
	}
}

// cancelFromHost stops a request of the host. A legacy remote is told by the
// notification, and only if it can have seen the request; its late answer is
// dropped (cancellation §Behavior). Unknown and finished requests are ignored.
func (f *legacy) cancelFromHost(env *envelope) {
	id := find(env.params, "requestId")
	if id == nil {
		return
	}
	f.mu.Lock()
	c := f.inflight[idKey(id)]
	if c == nil || c == f.initCall || c.own != nil {
		f.mu.Unlock()
		return
	}
	c.cancelled = true
	f.remove(c)
	for k, q := range f.asked {
		if q.from == c && q.reply == nil {
			delete(f.asked, k)
		}
	}
	sess := c.sess
	f.mu.Unlock()
	if c.many != nil {
		c.many.settle(f, nil)
	}
	if !c.wrote.fired() || sess != nil && sess.kind == legModern {
		c.cancel(errEnded)
		return
	}
	f.inLane(env.body, nil, nil)
	// The remote may still send what belongs to the request; after a while that
	// is no longer of interest, whether or not it took the notification.
	f.afterFunc(cancelGrace, func() { c.cancel(errEnded) })
}

// cancelGrace is how long a cancelled request's stream is still read.
const cancelGrace = 5 * time.Second

// afterFunc runs fn after d, or when the relay ends. No goroutine waits for that.
func (f *legacy) afterFunc(d time.Duration, fn func()) {
	f.wg.Add(1)
	run := sync.OnceFunc(func() {
		f.spawn("timer", fn)
		f.wg.Done()
	})
	stop := context.AfterFunc(f.ctx, run)
	time.AfterFunc(d, func() {
		stop()
		run()
	})
}

// responseFromHost carries the host's answer to a question of the remote.
func (f *legacy) responseFromHost(env *envelope) {
	if env.id == nil {
		return
	}
	f.mu.Lock()
	key := idKey(env.id)
	q := f.asked[key]
	delete(f.asked, key)
	current := q != nil && (q.sess == f.sess || f.sess == nil)
	f.mu.Unlock()
	if !current {
		f.log.Debug("dropped an answer of the host to a question that is no longer open")
		return
	}
	if q.reply != nil {
		q.reply(copyOf(env.result), copyOf(env.err))
		return
	}
	body := env.body
	if !bytes.Equal(env.id, q.id) {
		body = env.withID(q.id)
	}
	f.inLane(body, q.sess, nil)
}

// source is where a message of the remote came from, and where it goes.
type source struct {
	to   inbox
	sess *session
	call *call // whose POST the stream answers; nil: the session's own stream
}

// translated says whether the answer that is waited for will be taken apart for
// a host of another era.
func (src source) translated() bool {
	to := src.to
	if leg, ok := to.(*legInbox); ok {
		to = leg.to
	}
	_, rounds := to.(*roundInbox)
	return rounds || src.call != nil && src.call.take != nil
}

// An inbox takes what a stream of the remote brings. env is text that the
// scanner checked; it may be changed in place, and is only valid until
// fromRemote returns.
type inbox interface {
	fromRemote(env *envelope, src source)
	// satisfied reports whether nothing more is expected from src.
	satisfied(src source) bool
}

// fromRemote takes one message of the remote.
func (f *legacy) fromRemote(env *envelope, src source) {
	switch env.kind {
	case response:
		if c := f.owner(env, src); c != nil {
			f.deliver(c, env, src)
		} else {
			f.log.Debug("dropped a response that answers nothing")
		}
	case request:
		if f.sink != nil {
			f.sink(env, src)
			return
		}
		f.question(env, src)
	case notification:
		if f.sink != nil {
			f.sink(env, src)
			return
		}
		if string(env.method) == "notifications/cancelled" {
			f.withdrawn(env, src)
			return
		}
		f.toHost(env)
	}
}

// owner finds the request that a response answers. An error without an id in
// the answer to a POST can only mean that POST's request.
func (f *legacy) owner(env *envelope, src source) *call {
	if c := src.call; c != nil && c.answeredBy(env) {
		return c
	}
	if !validID(env.id) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := src.sess.first; c != nil && !c.answered && sameID(c.id, env.id) {
		return c
	}
	return f.inflight[idKey(env.id)]
}

// question passes a request of the remote to the host, under its own id unless
// that one is taken: two streams, or two sessions, may use the same.
func (f *legacy) question(env *envelope, src source) {
	var from any
	if src.call != nil {
		from = src.call
	}
	id := env.id
	f.mu.Lock()
	if src.call != nil && src.call.cancelled || f.closed {
		f.mu.Unlock()
		return
	}
	key := idKey(id)
	if q := f.asked[key]; q != nil {
		if q.from == from && q.sess == src.sess {
			f.mu.Unlock()
			return // delivered twice, as a resumed stream may
		}
		id = f.newID()
		key = idKey(id)
	}
	if len(f.asked) >= maxAsked {
		f.mu.Unlock()
		f.log.Warn("dropped a request of the server: too many are open")
		return
	}
	f.asked[key] = &question{id: bytes.Clone(env.id), sess: src.sess, from: from}
	f.mu.Unlock()
	if bytes.Equal(id, env.id) {
		f.toHost(env)
		return
	}
	msg := env.withID(id)
	env.oneLine(msg)
	f.out.write(msg)
}

// maxAsked bounds the requests of the remote that the host has not answered.
const maxAsked = 10_000

// newID makes an id of the bridge's own.
func (r *Relay) newID() []byte {
	return fmt.Appendf(nil, `"br-%s-%d"`, bridgeTag(), r.remote.nextID.Add(1))
}

// withdrawn passes on that the remote no longer wants an answer.
func (f *legacy) withdrawn(env *envelope, src source) {
	id := find(env.params, "requestId")
	var from any
	if src.call != nil {
		from = src.call
	}
	f.mu.Lock()
	shown := ""
	for k, q := range f.asked {
		if q.sess == src.sess && sameID(q.id, id) && (shown == "" || q.from == from) {
			shown = k
		}
	}
	if shown != "" {
		delete(f.asked, shown)
	}
	f.mu.Unlock()
	if shown == "" || shown == idKey(id) {
		f.toHost(env)
		return
	}
	at := offset(env.body, id)
	msg := append([]byte(nil), env.body[:at]...)
	msg = append(msg, shown...)
	msg = append(msg, env.body[at+len(id):]...)
	env.oneLine(msg)
	f.out.write(msg)
}

// drain waits until no request of the host is open, at most d.
func (f *legacy) drain(d time.Duration) {
	ctx, stop := context.WithTimeout(f.ctx, d)
	defer stop()
	if !untilNone(ctx, func() (open int, changed <-chan struct{}) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.inflight), f.changed
	}) {
		return
	}
	// What the host said last may still be on its way in the lane.
	f.await(ctx, f.tail)
}

// close answers what is open, ends everything and closes the session at the
// remote, which gets d.
func (f *legacy) close(d time.Duration) {
	f.mu.Lock()
	f.closed = true
	open := make([]*call, 0, len(f.inflight))
	for _, c := range f.inflight {
		open = append(open, c)
	}
	sess := f.sess
	f.mu.Unlock()
	within(lastWords, func() {
		for _, c := range open {
			f.fail(c, endingFailure())
		}
	})
	f.cancel()
	if sess != nil {
		f.hangUp(sess, d)
	}
}

// wait waits for the face's goroutines, at most d: one may hang in a write to
// a host that does not read.
func (f *legacy) wait(d time.Duration) { within(d, f.wg.Wait) }
