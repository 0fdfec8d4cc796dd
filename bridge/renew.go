package bridge

import (
	"bytes"
	"context"
)

// A renewal is the making of one session in place of another. It counts as long as
// it is legacy.renewing.
type renewal struct {
	over *signal
	// What came of it, once it is over.
	sess *session
	fail *failure
}

// renew makes a new session in place of one that the remote has forgotten, or
// whose stream died. However many requests find out at once, one renewal runs,
// and all wait for it. lost is the session that does not work any more; nil
// means that there is none at all.
//
// The host does not notice: its initialize is sent again, then its initialized,
// its log level and its subscriptions, and the answers to those are swallowed.
func (f *legacy) renew(ctx context.Context, lost *session) (*session, *failure) {
	f.mu.Lock()
	r := f.renewing
	if r == nil {
		switch s := f.sess; {
		case s != nil && s != lost:
			f.mu.Unlock()
			return s, nil // it has been done
		case f.closed || f.initLine == nil:
			f.mu.Unlock()
			return nil, &failure{kind: kindShutdown, text: "bridge is ending"}
		case f.phase == phaseConnecting:
			f.mu.Unlock()
			return nil, &failure{kind: kindSessionLost, text: "the conversation has been started anew"}
		}
		r = &renewal{over: newSignal()}
		f.renewing = r
		f.phase = phaseUp // calls wait for the renewal
		if f.sess != nil {
			f.sess.cancel()
		}
		f.sess = nil
		told := f.result
		f.spawn("renew", func() {
			defer r.over.fire()
			r.sess, r.fail = f.makeAnew(told)
			f.renewed(r)
		})
	}
	f.mu.Unlock()
	select {
	case <-r.over.c:
		return r.sess, r.fail
	case <-ctx.Done():
		return nil, &failure{kind: kindShutdown, text: "the request was ended"}
	case <-f.ctx.Done():
		return nil, &failure{kind: kindShutdown, text: "bridge is ending"}
	}
}

// renewed takes into use what a renewal made, unless the host has begun anew or
// left in the meantime.
func (f *legacy) renewed(r *renewal) {
	current, initialized := false, false
	f.change(func() {
		if current = f.renewing == r && !f.closed; !current {
			return
		}
		f.renewing = nil
		if r.fail != nil {
			f.phase, f.last = phaseBroken, r.fail
			return
		}
		f.sess = r.sess
		initialized = f.initialized != nil
		for k, q := range f.asked {
			if q.sess != r.sess {
				delete(f.asked, k) // nobody waits for the answers
			}
		}
	})
	switch {
	case !current:
		if r.sess != nil {
			f.hangUp(r.sess, closeTime)
		}
		r.sess, r.fail = nil, &failure{kind: kindSessionLost, text: "the conversation has been started anew"}
		return
	case r.fail != nil:
		f.trouble(f.ctx, "no new session could be made", "why", r.fail.text)
	default:
		f.log.Info("the server had forgotten the session; a new one was made")
		if initialized {
			f.openStream(r.sess)
		}
		f.announce(r.sess.result, false)
		f.announceWatched()
	}
	f.giveUpOld(r.sess)
}

// makeAnew does the handshake again and restores what the host had set.
func (f *legacy) makeAnew(told []byte) (*session, *failure) {
	ctx, stop := context.WithTimeout(f.ctx, f.cfg.Timeouts.Probe)
	defer stop()
	s, _, fail := f.handshake(ctx)
	if fail != nil {
		if fail.kind == kindShutdown && f.ctx.Err() == nil {
			fail = &failure{kind: kindUnreachable, retryable: true, text: f.url().Host + " did not answer in time"}
		}
		return nil, fail
	}
	if !f.isInterimResult() && !covers(s.result, told) {
		f.hangUp(s, closeTime)
		return nil, &failure{kind: kindSessionLost, text: "the server has forgotten the session and offers something else now; reconnect to it"}
	}
	f.mu.Lock()
	initialized, level := f.initialized, f.level
	watched := make([][]byte, 0, len(f.watched))
	for _, line := range f.watched {
		watched = append(watched, line)
	}
	f.mu.Unlock()
	if initialized != nil {
		f.introduce(ctx, s, initialized)
	}
	if level != nil {
		f.restore(ctx, s, "logging/setLevel", level)
	}
	for _, line := range watched {
		f.restore(ctx, s, "resources/subscribe", line)
	}
	return s, nil
}

// restore sends a request of the host again and swallows the answer.
func (f *legacy) restore(ctx context.Context, s *session, method string, line []byte) {
	env, err := scanEnvelope(line)
	if err != nil {
		return
	}
	id := f.newID()
	a := f.askRaw(ctx, s, id, method, env.withID(id))
	if a.fail != nil || a.err != nil {
		f.trouble(ctx, "a setting could not be restored in the new session", "method", method)
	}
}

func (f *legacy) isInterimResult() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.interimGiven
}

// covers reports whether an InitializeResult offers at least what another one
// did, in the same revision.
func covers(now, then []byte) bool {
	a := find(now, "protocolVersion")
	b := find(then, "protocolVersion")
	if !bytes.Equal(unquote(a), unquote(b)) {
		return false
	}
	have := find(now, "capabilities")
	want := find(then, "capabilities")
	for _, name := range []string{"tools", "prompts", "resources", "logging", "completions", "tasks"} {
		if c := find(want, name); c != nil {
			if n := find(have, name); n == nil {
				return false
			}
		}
	}
	return true
}

// giveUpOld answers the requests that were in flight in another session than
// s, after a moment in which they may still be answered or refused themselves.
func (f *legacy) giveUpOld(s *session) {
	f.mu.Lock()
	var old []*call
	for _, c := range f.inflight {
		if c.sess != nil && c.sess != s && c.own == nil {
			old = append(old, c)
		}
	}
	f.mu.Unlock()
	if len(old) == 0 {
		return
	}
	f.afterFunc(graceAfterLoss, func() {
		for _, c := range old {
			f.mu.Lock()
			moved := c.sess == s
			f.mu.Unlock()
			if moved {
				continue // it was refused, and sent again
			}
			f.fail(c, &failure{kind: kindSessionLost,
				text: "the server lost the session while it worked on this; whether the request was carried out is not known"})
			c.cancel(errEnded)
		}
	})
}
