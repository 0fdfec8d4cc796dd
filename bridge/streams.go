package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	resumeTries = 10
	resumeTime  = 5 * time.Minute
)

// resume opens a broken stream again where it broke. It waits as the remote
// asked by retry:, or a growing while, also when the remote turns out to be away.
func (f *legacy) resume(s *session, c *call, events *eventReader, idle *int, began time.Time) (*http.Response, *failure) {
	for away := false; ; away = true {
		if *idle >= resumeTries || time.Since(began) > resumeTime {
			return nil, f.cutOff(c, errors.New("the stream could not be resumed"))
		}
		if !sleepFor(c.ctx, f.reconnectWait(events, *idle, away)) {
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

// reconnectWait is how long to wait before a stream is opened again, for the nth
// time. What the remote asked for is meant for one that is there: away says that
// the last try found it was not.
func (r *Relay) reconnectWait(events *eventReader, n int, away bool) time.Duration {
	const first, limit = time.Second, 30 * time.Second
	asked := time.Duration(0)
	if events.hasRetry {
		if asked = min(max(events.retry, leastRetry), r.cfg.Timeouts.Retry); !away {
			return asked
		}
	}
	d := float64(first)
	for range min(n, 12) {
		d *= 1.5
	}
	return max(asked, min(jitter(time.Duration(d)), limit, r.cfg.Timeouts.Retry))
}

// leastRetry is the least wait, whatever the remote asks for: with none at all, a
// stream that is closed at once would be opened again as fast as the two can.
const leastRetry = 100 * time.Millisecond

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

// mayRenewAlone reports whether a session may be made anew though no request of
// the host asks for it: not again and again, for a remote that forgets each as
// soon as its stream is closed. The next call finds out.
func (f *legacy) mayRenewAlone() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alone++
	return f.alone <= maxAlone
}

// maxAlone is how many sessions in a row are made that no call was answered in.
const maxAlone = 3

// standingStream keeps the stream open as long as the session lives. A 404 means
// that the session is lost only when there was a stream: many remotes that have
// none answer with it.
func (f *legacy) standingStream(s *session, wrote, answered *signal) {
	defer answered.fire()
	events := f.events(nil)
	defer freeEvents(events)
	open := false // it was, once
	for n := 0; ; n++ {
		resp, err := f.openGET(s.ctx, s, events.lastID, wrote)
		answered.fire()
		away := true
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
			open, away = true, false
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
			if open && s.lost(resp.StatusCode, text) && f.mayRenewAlone() {
				f.spawn("renew", func() { _, _ = f.renew(f.ctx, s) }) // its failure is told to the next call
				return
			}
			if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusRequestTimeout {
				f.log.Debug("the server offers no standing stream", "status", resp.StatusCode)
				return
			}
		}
		if !sleepFor(s.ctx, f.reconnectWait(events, n, away)) {
			return
		}
	}
}
