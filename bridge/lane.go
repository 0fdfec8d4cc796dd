package bridge

import (
	"context"
	"net/http"
	"time"
)

// The lane keeps the order of what the host says without asking: HTTP requests
// overtake each other, so each notification and response waits until the one
// before it got its status line, and a request waits for those before it
// (`initialized` must be seen before the first request, an answer before what
// it allows).

// maxLane bounds how many wait in the lane of a remote that takes nothing.
const maxLane = 10_000

// inLane sends a notification or a response after those before it. of is the
// session whose question a response answers, and nil for a notification. then,
// if not nil, runs when the remote took it, with the session that was in use.
// inLane is called on the goroutine that reads the host.
func (f *legacy) inLane(body []byte, of *session, then func(*session)) {
	if f.waiting.Add(1) > maxLane {
		f.waiting.Add(-1)
		f.log.Warn("dropped a notification: the server takes none")
		return
	}
	before := f.tail
	left := newSignal()
	f.tail = left.c
	f.spawn("lane", func() {
		defer f.waiting.Add(-1)
		defer left.fire()
		if !f.await(f.ctx, before) {
			return
		}
		sess, fail := f.session(f.ctx, false)
		if fail != nil {
			f.log.Debug("dropped a notification: there is no session", "why", fail.text)
			return
		}
		// A remote that takes its time must not hold up everything behind.
		t := time.AfterFunc(f.cfg.Timeouts.Probe, left.fire)
		defer t.Stop()
		switch {
		case of == nil:
		case of != sess:
			f.log.Debug("dropped an answer of the host: the session that asked is gone")
			return
		default:
			f.respond(f.ctx, sess, body)
			return
		}
		if f.tell(f.ctx, sess, body) && then != nil {
			then(sess)
		}
	})
}

// await waits for a step of the lane; false means that ctx ended first.
func (f *legacy) await(ctx context.Context, step <-chan struct{}) bool {
	if step == nil {
		return true
	}
	select {
	case <-step:
		return true
	default:
	}
	select {
	case <-step:
		return true
	case <-ctx.Done():
		return false
	}
}

// respond posts the answer to a question of the remote. If the session is lost,
// nobody waits for it any more, and in a new one its id may be that of another
// question.
func (f *legacy) respond(ctx context.Context, sess *session, body []byte) {
	if _, lost := f.tellOnce(ctx, sess, body); lost {
		_, _ = f.renew(ctx, sess) // its failure is told to the next call
	}
}

// tell posts a notification, and reports whether the remote took it. A remote
// that forgot the session is told again in the new one: the 404 says that it has
// not looked at the message.
func (f *legacy) tell(ctx context.Context, sess *session, body []byte) bool {
	took, lost := f.tellOnce(ctx, sess, body)
	if !lost {
		return took
	}
	next, fail := f.renew(ctx, sess)
	if fail != nil {
		f.trouble(ctx, "a notification did not reach the server", "why", fail)
		return false
	}
	took, _ = f.tellOnce(ctx, next, body)
	return took
}

// tellOnce is tell in a session that is not in use yet, or not to be replaced.
func (f *legacy) tellOnce(ctx context.Context, sess *session, body []byte) (took, lost bool) {
	if sess.kind == legModern {
		return f.tellModern(ctx, sess, body), false
	}
	resp, err := f.remote.do(ctx, &send{method: http.MethodPost, url: sess.endpoint(), header: sess.header, body: body})
	if err != nil {
		f.trouble(ctx, "a notification did not reach the server", "why", err)
		return false, false
	}
	if resp.StatusCode/100 == 2 {
		f.strayAnswer(sess, resp)
		return true, false
	}
	if sess.lost(resp.StatusCode, holdBody(resp, maxErrorBody)) {
		return false, true
	}
	f.log.Warn("the server refused a notification", "status", resp.StatusCode)
	return false, false
}

// introduce tells initialized in a session that is not in use yet. A remote that
// takes its time must not hold up everything behind, as in the lane.
func (f *legacy) introduce(ctx context.Context, sess *session, initialized []byte) {
	ctx, stop := context.WithTimeout(ctx, f.cfg.Timeouts.Probe)
	defer stop()
	told := newSignal()
	f.spawn("initialized", func() {
		defer told.fire()
		f.tellOnce(f.ctx, sess, initialized)
	})
	select {
	case <-told.c:
	case <-ctx.Done():
	}
}

// strayAnswer reads what a remote sends back where nothing was asked. Most
// send nothing; some use the stream for messages of their own.
func (f *legacy) strayAnswer(sess *session, resp *http.Response) {
	if mediaType(resp.Header.Get("Content-Type")) != "text/event-stream" || sess.kind != legStreamable {
		holdBody(resp, maxErrorBody)
		return
	}
	f.spawn("stray stream", func() {
		defer resp.Body.Close()
		events := f.events(resp.Body)
		defer freeEvents(events)
		_ = f.pump(events, source{to: f, sess: sess}, nil) // it ends when it ends
	})
}
