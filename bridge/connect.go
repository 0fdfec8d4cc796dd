package bridge

import (
	"bytes"
	"context"
	"net/http"
	"time"
)

// initialize starts the conversation, or starts it anew: a host that sends it
// twice has forgotten what was before.
func (f *legacy) initialize(env *envelope) {
	f.retire()
	c := &call{id: env.id, key: idKey(env.id), method: "initialize", body: env.body, safe: true, lane: nil, wrote: newSignal()}
	c.ctx, c.cancel = context.WithCancelCause(f.ctx)
	ctx := c.ctx
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		f.out.write(endingFailure().line(env.id))
		return
	}
	f.phase, f.last = phaseConnecting, &failure{kind: kindUnreachable, retryable: true, text: "the server has not answered yet"}
	f.initLine, f.initCall = env.body, c
	f.inflight[c.key] = c
	f.mu.Unlock()
	f.spawn("connect", func() { f.connect(ctx, c) })
	f.afterFunc(f.cfg.Timeouts.Initialize, func() { f.giveInterim(c) })
}

// retire ends what an earlier initialize began.
func (f *legacy) retire() {
	f.mu.Lock()
	old, sess := f.initCall, f.sess
	var open []*call
	if old != nil {
		for _, c := range f.inflight {
			open = append(open, c)
		}
	}
	f.initCall, f.sess, f.renewing = nil, nil, nil
	f.result, f.initialized, f.interimGiven = nil, nil, false
	f.level, f.watched = nil, nil
	clear(f.asked)
	f.phase = phaseIdle
	f.mu.Unlock()
	if old == nil {
		return
	}
	f.tail = nil
	old.cancel(errEnded)
	for _, c := range open {
		f.fail(c, &failure{kind: kindSessionLost, text: "the conversation was started anew by initialize"})
		c.cancel(errEnded)
	}
	if sess != nil {
		f.spawn("hang up", func() { f.hangUp(sess, f.cfg.Timeouts.Probe) })
	}
}

// connect tries the handshake until it is answered. What a repetition cannot
// change is answered at once; the rest is tried again, and goes on being tried
// behind an interim answer.
func (f *legacy) connect(ctx context.Context, c *call) {
	for n := 0; ; n++ {
		sess, line, fail := f.handshakeInTime(ctx)
		if fail == nil {
			f.connected(sess, c, line)
			return
		}
		if ctx.Err() != nil {
			return
		}
		f.log.Debug("handshake failed", "why", fail.text, "err", fail.err)
		f.mu.Lock()
		f.last = fail
		f.tries++
		interim := f.interimGiven
		if !interim && (f.cfg.FailFast || !fail.retryable && !fail.wait) {
			f.phase = phaseFailed
			f.wakeAll()
			f.mu.Unlock()
			f.log.Warn("the server cannot be used", "why", fail.text)
			f.fail(c, fail)
			return
		}
		f.wakeAll()
		f.mu.Unlock()
		if fail.wait {
			f.giveInterim(c) // and says why
		} else if n == 0 {
			f.log.Warn("no connection to the server yet; trying again", "why", fail.text)
		}
		wait := min(jitter(firstWait*time.Duration(pow3(n))), connectPause, f.cfg.Timeouts.Retry)
		if fail.wait {
			wait = min(wait, 2*time.Second)
		}
		if !f.pause(ctx, wait) {
			return
		}
	}
}

// handshakeInTime is a handshake that gives up in the end. A remote that took the
// request and went away without a word, behind a gateway or a link that was cut,
// would otherwise keep the bridge from ever trying again. It may take a while
// longer than the host waits, since some remotes have to be started first.
func (f *legacy) handshakeInTime(ctx context.Context) (*session, []byte, *failure) {
	soon, stop := context.WithTimeout(ctx, 2*(f.cfg.Timeouts.Initialize+f.cfg.Timeouts.Probe))
	defer stop()
	sess, line, fail := f.handshake(soon)
	if fail != nil && soon.Err() != nil && ctx.Err() == nil {
		fail = &failure{kind: kindUnreachable, retryable: true, text: f.url().Host + " did not answer initialize in time"}
	}
	return sess, line, fail
}

// connectPause caps the wait between two handshakes.
const connectPause = 15 * time.Second

// pause waits d, or less when a call wants the remote now. False means that
// ctx ended.
func (f *legacy) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-f.kick:
		return true
	case <-ctx.Done():
		return false
	}
}

// connected makes sess the one in use. When the host has its answer already,
// an interim one, the bridge says what the host said since then, and that
// everything may have changed.
func (f *legacy) connected(sess *session, c *call, line []byte) {
	f.mu.Lock()
	late := f.interimGiven
	initialized := f.initialized
	f.mu.Unlock()
	told := late && initialized != nil
	if told {
		f.introduce(c.ctx, sess, initialized)
	}
	current := false
	f.change(func() {
		if current = f.initCall == c && !f.closed; !current {
			return
		}
		late = f.interimGiven // from here on the host gets no interim answer
		f.phase, f.sess, f.leg = phaseUp, sess, sess.kind
		if f.result == nil {
			f.result = sess.result
		}
		initialized = f.initialized
	})
	if !current { // the host has begun anew in the meantime, or left
		f.hangUp(sess, closeTime)
		return
	}
	if late && !told && initialized != nil { // it came in between
		f.tell(f.ctx, sess, initialized)
	}
	if env, err := scanEnvelope(line); err == nil {
		f.deliver(c, &env, source{to: f, sess: sess, call: c})
	}
	if f.cfg.Remember != nil {
		f.cfg.Remember(bytes.Clone(sess.result))
	}
	if sess.learned != ProtocolAuto {
		f.recalled.remember(f.Relay, ProtocolLegacy, sess.learned)
	}
	if late {
		f.log.Info("the server is there now")
		if initialized != nil {
			f.openStream(sess)
		}
		f.announce(sess.result, true)
	}
}

// announce tells the host that lists may have changed.
func (f *legacy) announce(result []byte, all bool) {
	caps := find(result, "capabilities")
	for _, kind := range []string{"tools", "prompts", "resources"} {
		one := find(caps, kind)
		changed := find(one, "listChanged")
		if !all && string(changed) != "true" {
			continue
		}
		line := message(nil, "notifications/"+kind+"/list_changed", nil)
		if f.sink == nil {
			f.out.write(line)
		} else if env, err := scanEnvelope(line); err == nil {
			f.sink(&env, source{to: f})
		}
	}
}

// handshake sends the host's initialize and returns the session it made and
// the remote's response. It finds out which transport and which era the remote
// has, unless that is known.
func (f *legacy) handshake(ctx context.Context) (*session, []byte, *failure) {
	f.mu.Lock()
	leg, body := f.leg, f.initLine
	f.mu.Unlock()
	switch {
	case leg == legStreamable:
		return f.handshakeStreamable(ctx, body)
	case leg == legSSE:
		return f.handshakeSSE(ctx, body)
	case leg == legModern || f.cfg.Protocol == ProtocolModern && f.sink == nil:
		return f.handshakeModern(ctx, body)
	case f.cfg.Transport == TransportSSEOnly:
		return f.handshakeSSE(ctx, body)
	case f.cfg.Transport == TransportSSEFirst:
		sess, line, fail := f.handshakeSSE(ctx, body)
		if fail != nil && otherTransport(fail) {
			if s2, l2, fail2 := f.handshakeStreamable(ctx, body); fail2 == nil {
				return s2, l2, nil
			}
		}
		return sess, line, fail
	}
	if f.sink == nil {
		if sess, line, fail := f.handshakeRecalled(ctx, body); sess != nil || fail != nil {
			return sess, line, fail
		}
	}
	sess, line, fail := f.handshakeStreamable(ctx, body)
	if fail == nil {
		if f.cfg.Protocol == ProtocolAuto && f.sink == nil && looksModern(sess.result) {
			if s2, l2, fail2 := f.handshakeModern(ctx, body); fail2 == nil {
				f.spawn("hang up", func() { f.hangUp(sess, closeTime) })
				s2.learn(nil)
				return s2, l2, nil
			}
		}
		sess.learned = ProtocolLegacy
		return sess, line, nil
	}
	if f.cfg.Protocol == ProtocolAuto && f.sink == nil && maybeModern(fail) {
		if s2, l2, fail2 := f.handshakeModern(ctx, body); fail2 == nil {
			s2.learn(fail)
			return s2, l2, nil
		}
	}
	if f.cfg.Transport != TransportHTTPOnly && otherTransport(fail) {
		// The first refusal is the one worth reporting (2025-11-25 §Backwards
		// Compatibility).
		if s2, l2, fail2 := f.handshakeSSE(ctx, body); fail2 == nil {
			return s2, l2, nil
		}
	}
	return nil, nil, fail
}

// looksModern reports whether an InitializeResult has a member that only results
// of the second era have: a remote that answers initialize in that form is a
// modern one being polite.
func looksModern(result []byte) bool { return pick(result, "resultType")[0] != nil }

// maybeModern reports whether a refused initialize may come from a remote that
// has none.
func maybeModern(fail *failure) bool {
	return fail.raw != nil || otherTransport(fail)
}

// otherTransport reports whether a refused handshake may mean that the remote
// has the other transport: a refusal by status that is not about the
// credential, the rate or the remote's health, and without a JSON-RPC error,
// which only an MCP endpoint sends.
func otherTransport(fail *failure) bool {
	if fail.raw != nil {
		return false
	}
	switch fail.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusRequestTimeout:
		return false
	}
	return fail.kind == kindHTTP && fail.status >= 400 && fail.status < 500 || fail.kind == kindBadResponse
}

// handshakeStreamable posts initialize to the endpoint.
func (f *legacy) handshakeStreamable(ctx context.Context, body []byte) (*session, []byte, *failure) {
	sess := f.newSession(legStreamable)
	c := f.handshakeCall(ctx, body)
	defer c.cancel(nil)
	fail := sess.exchange(f, c)
	return f.handshakeResult(sess, c, fail)
}

// handshakeCall is the call that carries initialize to the remote. It answers
// the bridge, not the host.
func (f *legacy) handshakeCall(ctx context.Context, body []byte) *call {
	env, _ := scanEnvelope(body) // it was scanned when it came
	c := &call{id: env.id, key: idKey(env.id), method: "initialize", body: body, wrote: newSignal(), own: make(chan answer, 1)}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	return c
}

// handshakeResult judges what the call got.
func (f *legacy) handshakeResult(sess *session, c *call, fail *failure) (*session, []byte, *failure) {
	var a answer
	select {
	case a = <-c.own:
	default:
		if fail == nil {
			fail = &failure{kind: kindBadResponse, text: f.url().Host + " did not answer initialize"}
		}
		a.fail = fail
	}
	switch {
	case a.fail != nil:
		sess.cancel()
		return nil, nil, a.fail
	case a.err != nil:
		sess.cancel()
		return nil, nil, &failure{kind: kindBadResponse, text: "the server refused to initialize", raw: a.err}
	}
	if version := find(a.result, "protocolVersion"); unquote(version) == nil {
		sess.cancel()
		return nil, nil, &failure{kind: kindBadResponse, text: f.url().Host + " answered initialize without a protocolVersion; is this an MCP server?"}
	}
	f.settle(sess, a.result)
	return sess, responseLine(c.id, "result", sess.result), nil
}

// begin makes a session for another face: the host knows nothing of it.
func (f *legacy) begin(ctx context.Context, initialize []byte) *failure {
	f.change(func() { f.phase, f.initLine, f.renewing = phaseConnecting, initialize, nil })
	sess, _, fail := f.handshake(ctx)
	if fail != nil {
		f.change(func() { f.phase, f.last = phaseFailed, fail })
		return fail
	}
	initialized := message(nil, "notifications/initialized", nil)
	f.introduce(f.ctx, sess, initialized)
	f.openStream(sess)
	closed := false
	f.change(func() {
		if closed = f.closed; closed {
			return
		}
		f.phase, f.sess, f.leg, f.result, f.initialized = phaseUp, sess, sess.kind, sess.result, initialized
	})
	if closed {
		f.hangUp(sess, closeTime)
		return endingFailure()
	}
	return nil
}
