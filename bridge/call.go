package bridge

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// A call is a request of the host, or of the bridge itself, until it is
// answered.
type call struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	id     []byte
	key    string
	method string
	body   []byte
	safe   bool            // may be sent again though it may have been processed
	lane   <-chan struct{} // must have left before this is sent
	wrote  *signal         // the request was written to the network
	many   *batch          // the array it came in; nil: none
	params params          // of a request to a modern remote
	wire   []byte          // the id the remote knows it by; nil: the same

	// own, for a request of the bridge, takes the answer instead of the host.
	own chan answer
	// take, for a request that stands for one of another face, takes the
	// answer or the failure in place; env is valid until it returns.
	take func(env *envelope, fail *failure)

	rounds int // requests sent for it to a modern remote

	carrier *call   // what takes it to the remote with others; nil: it goes itself
	carries []*call // of a carrier, once all of them are known

	// Guarded by legacy.mu.
	answered  bool
	cancelled bool
	sess      *session
	open      int // of a carrier: requests without an answer
}

// wireID is the id under which the remote has the request.
func (c *call) wireID() []byte {
	if c.wire != nil {
		return c.wire
	}
	return c.id
}

// answeredBy reports whether a response is the answer to c: it has c's id, or,
// being an error in the answer to c's own POST, none.
func (c *call) answeredBy(env *envelope) bool {
	return env.kind == response && (c.id != nil && sameID(c.wireID(), env.id) || !validID(env.id) && env.err != nil)
}

// answer is what an own call got.
type answer struct {
	result []byte
	err    []byte // the JSON-RPC error object
	fail   *failure
}

// admit makes a call of a request of the host, unless it must not pass. many and
// carrier are nil for one that does not come in an array.
func (f *legacy) admit(env *envelope, p *params, many *batch, carrier *call) (*call, *failure) {
	c := &call{
		id:      env.id,
		key:     idKey(env.id),
		method:  string(env.method),
		body:    env.body,
		safe:    safeMethod(env.method),
		lane:    f.tail,
		params:  *p,
		many:    many,
		carrier: carrier,
	}
	if c.method == "tools/call" {
		safe, fail := f.admitTool(p)
		if fail != nil {
			return nil, fail
		}
		c.safe = safe
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return nil, &failure{kind: kindShutdown, text: "bridge is ending"}
	case f.phase == phaseIdle:
		return nil, &failure{code: codeInvalid, kind: kindBadRequest, text: "send initialize first"}
	case f.inflight[c.key] != nil:
		return nil, &failure{code: codeInvalid, kind: kindBadRequest, text: "this id belongs to a request that is still open"}
	}
	f.inflight[c.key] = c
	if carrier != nil {
		carrier.open++
		c.ctx, c.wrote = carrier.ctx, carrier.wrote
		c.cancel = func(cause error) {
			if f.isAnswered(carrier) { // nobody else waits for it
				carrier.cancel(cause)
			}
		}
		return c, nil
	}
	c.wrote = newSignal()
	c.ctx, c.cancel = context.WithCancelCause(f.ctx)
	return c, nil
}

// run carries one request to its answer.
func (f *legacy) run(c *call) {
	defer c.cancel(nil)
	defer func() {
		if p := recover(); p != nil {
			f.log.Error("internal error; please report it", "method", c.method, "panic", fmt.Sprintf("%.200v", p))
			f.fail(c, &failure{kind: kindBadResponse, text: "internal error in bridge"})
		}
	}()
	if !f.await(c.ctx, c.lane) {
		f.fail(c, &failure{kind: kindShutdown, text: "bridge is ending"})
		return
	}
	lost, cut := 0, 0
	for {
		sess, fail := f.session(c.ctx, true)
		if fail != nil {
			if f.isInterim() {
				f.answerInterim(c, fail)
			} else {
				f.fail(c, fail)
			}
			return
		}
		f.mu.Lock()
		c.sess = sess
		for _, one := range c.carries {
			one.sess = sess
		}
		over := c.answered || c.cancelled // while a new session was made for it
		f.mu.Unlock()
		if over {
			return
		}
		fail = sess.exchange(f, c)
		if fail == nil || f.isAnswered(c) {
			return
		}
		switch {
		case fail.kind == kindSessionLost && fail.retryable && lost == 0:
			// The remote refused the request before looking at it.
			lost++
			if _, renewFail := f.renew(c.ctx, sess); renewFail != nil {
				f.fail(c, renewFail)
				return
			}
			continue
		case fail.kind == kindStreamLost && c.safe && cut == 0 && c.ctx.Err() == nil:
			cut++
			continue
		}
		f.fail(c, fail)
		return
	}
}

func (f *legacy) isAnswered(c *call) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return c.answered || c.cancelled
}

// remove takes a call out of the table; f.mu is held.
func (f *legacy) remove(c *call) {
	if f.inflight[c.key] == c {
		delete(f.inflight, c.key)
	}
	if c.carrier != nil {
		c.carrier.leave()
	}
	if len(f.inflight) == 0 {
		f.wakeAll()
	}
}

// finish claims the right to answer c; it is given once.
func (f *legacy) finish(c *call) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.answered || c.cancelled {
		return false
	}
	c.answered = true
	if c.own == nil {
		f.alone = 0
	}
	f.remove(c)
	return true
}

// deliver passes a response of the remote to whoever waits for it.
func (f *legacy) deliver(c *call, env *envelope, src source) {
	for _, one := range c.carries { // an error that names none of them is for all
		f.deliver(one, newResponse(one.id, "error", env.err), src)
	}
	if c.carries != nil {
		return
	}
	if c.method == "tools/list" && env.result != nil && c.own == nil && c.take == nil {
		env = f.passTools(env)
	}
	if !f.finish(c) {
		return
	}
	if env.result != nil {
		f.remember(c) // before the host knows, and says the next thing
	}
	switch {
	case c.take != nil:
		c.take(env, nil)
	case c.own != nil:
		c.own <- answer{result: bytes.Clone(env.result), err: bytes.Clone(env.err)}
	default:
		msg := env.body
		if !env.rpc {
			msg = env.withRPC()
		}
		if !bytes.Equal(env.id, c.id) {
			at := *env
			at.body = msg
			if !env.rpc {
				// The prefix moved everything; look again.
				at, _ = scanEnvelope(msg)
			}
			msg = at.withID(c.id)
		}
		env.oneLine(msg)
		f.write(c, msg)
	}
	if src.call != c && (src.call == nil || src.call != c.carrier) {
		c.cancel(errAnswered) // nobody needs to wait for it elsewhere
	}
}

// write sends the answer of a call to the host: a line, or a part of one.
func (f *legacy) write(c *call, msg []byte) {
	if c.many != nil {
		c.many.settle(f, msg)
		return
	}
	f.out.write(msg)
}

// afterwards is a failure as it is told to whoever made the call: what may have
// been processed is not called retryable, since it would be done twice.
func (c *call) afterwards(fail *failure) *failure {
	unknown := fail.kind == kindUnreachable || fail.kind == kindHTTP && fail.status >= 500
	if !fail.retryable || !unknown || c.safe || !c.wrote.fired() {
		return fail
	}
	told := *fail
	told.retryable = false
	return &told
}

// fail answers a call with an error of the bridge.
func (f *legacy) fail(c *call, fail *failure) {
	for _, one := range c.carries {
		f.fail(one, fail)
	}
	if !f.finish(c) {
		return
	}
	if fail.err != nil {
		f.log.Debug("request failed", "method", c.method, "kind", fail.kind, "err", fail.err)
	}
	switch {
	case c.take != nil:
		c.take(nil, c.afterwards(fail))
		return
	case c.own != nil:
		c.own <- answer{fail: fail}
		return
	}
	f.write(c, c.afterwards(fail).line(c.id))
}

// remember keeps what a new session has to be told again.
func (f *legacy) remember(c *call) {
	if c.own != nil || c.take != nil || !c.restored() {
		return
	}
	env, err := scanEnvelope(c.body)
	if err != nil {
		return
	}
	uri := find(env.params, "uri")
	f.mu.Lock()
	defer f.mu.Unlock()
	switch c.method {
	case "logging/setLevel":
		f.level = c.body
	case "resources/subscribe":
		if f.watched == nil {
			f.watched = map[string][]byte{}
		}
		f.watched[string(unquote(uri))] = c.body
	case "resources/unsubscribe":
		delete(f.watched, string(unquote(uri)))
	}
}

// restored reports whether the request changes what the remote keeps for the
// session.
func (c *call) restored() bool {
	switch c.method {
	case "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return true
	}
	return false
}

// ask sends a request of the bridge's own in the given session and waits for
// its answer, at most Timeouts.Probe.
func (f *legacy) ask(ctx context.Context, sess *session, method string, params []byte) answer {
	id := f.newID()
	return f.askRaw(ctx, sess, id, method, message(id, method, params))
}

func (f *legacy) askRaw(ctx context.Context, sess *session, id []byte, method string, body []byte) answer {
	c := &call{
		id: id, key: idKey(id), method: method, body: body, safe: safeMethod([]byte(method)),
		wrote: newSignal(), own: make(chan answer, 1), sess: sess,
	}
	var stop context.CancelFunc
	ctx, stop = context.WithTimeout(ctx, f.cfg.Timeouts.Probe)
	defer stop()
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	defer c.cancel(nil)
	f.mu.Lock()
	if f.inflight[c.key] == nil {
		f.inflight[c.key] = c
	}
	f.mu.Unlock()
	if fail := sess.exchange(f, c); fail != nil {
		f.fail(c, fail)
	}
	select {
	case a := <-c.own:
		return a
	case <-ctx.Done():
		f.fail(c, &failure{kind: kindUnreachable, retryable: true, text: "the server did not answer in time"})
		return <-c.own
	}
}

// graceAfterLoss is how long requests of a lost session may still be answered.
const graceAfterLoss = 2 * time.Second
