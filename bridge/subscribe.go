package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A subscription stands for everything a legacy host hears of by itself from a
// modern remote: one subscriptions/listen with the list changes it may be told
// of and the resources it watches. What is listened to is part of the request,
// so each burst of changes to it is a new request; the old one is given up when
// the new one is acknowledged.
type subscription struct {
	f *legacy
	s *session

	turn     sync.Mutex // one listen request is made at a time
	mu       sync.Mutex
	want     filter
	run      *listening
	asked    []*watching // changes that the host waits for
	changing bool        // somebody is at them
}

// A listening is one listen request and its repetitions.
type listening struct {
	cancel context.CancelFunc
	acked  chan filter // takes the first acknowledgement
	ended  *signal
	want   atomic.Pointer[filter]  // what its next try asks for
	fail   atomic.Pointer[failure] // why its latest try got no answer; nil: it got one
}

func newSubscription(f *legacy, s *session) *subscription {
	return &subscription{f: f, s: s, want: filter{
		Tools:     offers(s.result, "tools", "listChanged"),
		Prompts:   offers(s.result, "prompts", "listChanged"),
		Resources: offers(s.result, "resources", "listChanged"),
	}}
}

// open listens for what the remote says it may tell of.
func (u *subscription) open() {
	u.turn.Lock()
	defer u.turn.Unlock()
	u.mu.Lock()
	want := u.want
	u.mu.Unlock()
	if want.empty() {
		return
	}
	u.replace(u.start(want))
}

func (u *subscription) replace(next *listening) {
	u.mu.Lock()
	old := u.run
	u.run = next
	u.mu.Unlock()
	if old != nil {
		old.cancel()
	}
}

// A watching is a change of what is watched, asked for by the host.
type watching struct {
	uri  string
	on   bool
	ctx  context.Context // of the host's request
	done chan *failure   // takes how it ended
}

// burst is how long the first change waits for others, so that a host which
// subscribes to many resources at once costs one listen request.
const burst = 20 * time.Millisecond

// watch adds a resource, or takes it out, and returns when the remote has
// acknowledged that.
func (u *subscription) watch(ctx context.Context, uri string, on bool) *failure {
	w := &watching{uri: uri, on: on, ctx: ctx, done: make(chan *failure, 1)}
	u.mu.Lock()
	u.asked = append(u.asked, w)
	first := !u.changing
	u.changing = true
	u.mu.Unlock()
	if first {
		u.f.spawn("watch", u.change)
	}
	select {
	case fail := <-w.done:
		return fail
	case <-ctx.Done():
		return &failure{kind: kindShutdown, text: "the request was ended"}
	}
}

// change makes the changes that were asked for, a burst at a time.
func (u *subscription) change() {
	for sleepFor(u.s.ctx, burst) {
		u.mu.Lock()
		batch := u.asked
		u.asked = nil
		if len(batch) == 0 {
			u.changing = false
			u.mu.Unlock()
			return
		}
		u.mu.Unlock()
		u.turn.Lock()
		u.make(batch)
		u.turn.Unlock()
	}
	u.mu.Lock()
	left := u.asked
	u.asked, u.changing = nil, false
	u.mu.Unlock()
	for _, w := range left {
		w.done <- &failure{kind: kindSessionLost, text: "the session has ended"}
	}
}

// make makes a batch of changes with one listen request. The old one stays when
// none of them was acknowledged.
func (u *subscription) make(batch []*watching) {
	u.mu.Lock()
	want := u.want
	run := u.run
	u.mu.Unlock()
	uris := slices.Clone(want.URIs)
	last := map[string]*watching{} // what counts, when a resource comes more than once
	for _, w := range batch {
		if w.ctx.Err() != nil {
			continue // the host does not want it any more
		}
		last[w.uri] = w
		at := slices.Index(uris, w.uri)
		switch {
		case !w.on && at >= 0:
			uris = slices.Delete(uris, at, at+1)
		case w.on && at < 0 && len(uris) < maxWatched:
			uris = append(uris, w.uri)
		case w.on && at < 0:
			delete(last, w.uri)
			w.done <- &failure{kind: kindBadRequest, text: "too many resources are watched"}
		}
	}
	end := func(fail func(uri string) *failure) {
		for _, w := range batch {
			select {
			case w.done <- fail(w.uri): // unless it is over already
			default:
			}
		}
	}
	none := func(string) *failure { return nil }
	refused := func(string) *failure {
		return &failure{kind: kindBadResponse, text: "the server does not tell of changes of this resource"}
	}
	next := want
	next.URIs = uris
	switch {
	case next.empty():
		u.settle(nil, next)
		end(none)
		return
	case slices.Equal(uris, want.URIs) && run != nil && !run.ended.fired():
		end(none)
		return
	}
	l := u.start(next)
	got, ok := u.acknowledged(l)
	if !ok {
		l.cancel()
		why := refused
		if fail := l.fail.Load(); fail != nil {
			why = func(string) *failure { return fail }
		}
		end(why)
		return
	}
	took := false // something of the batch was acknowledged
	kept := uris[:0:0]
	for _, uri := range uris {
		if w := last[uri]; w == nil || slices.Contains(got.URIs, uri) {
			kept = append(kept, uri)
			took = took || w != nil
		}
	}
	for _, w := range last {
		took = took || !w.on
	}
	if !took {
		l.cancel()
		end(refused)
		return
	}
	next.URIs = kept
	l.want.Store(&next)
	u.settle(l, next)
	end(func(uri string) *failure {
		if w := last[uri]; w != nil && w.on && !slices.Contains(kept, uri) {
			return refused(uri)
		}
		return nil
	})
}

// acknowledged waits for what the remote agrees to.
func (u *subscription) acknowledged(l *listening) (got filter, ok bool) {
	t := time.NewTimer(u.f.cfg.Timeouts.Probe)
	defer t.Stop()
	select {
	case got = <-l.acked:
		return got, true
	case <-l.ended.c:
	case <-t.C:
	case <-u.s.ctx.Done():
	}
	return got, false
}

// settle makes l the one in use, for what is wanted now.
func (u *subscription) settle(l *listening, want filter) {
	u.mu.Lock()
	u.want = want
	u.mu.Unlock()
	u.replace(l)
}

const maxWatched = 1000

// start begins to listen.
func (u *subscription) start(want filter) *listening {
	ctx, cancel := context.WithCancel(u.s.ctx)
	l := &listening{cancel: cancel, acked: make(chan filter, 1), ended: newSignal()}
	l.want.Store(&want)
	u.f.spawn("listen", func() {
		defer l.ended.fire()
		defer cancel()
		u.listen(ctx, l)
	})
	return l
}

// listen keeps one listen request alive.
func (u *subscription) listen(ctx context.Context, l *listening) {
	acks := 0
	for failures := 0; ; {
		notifications, err := json.Marshal(l.want.Load())
		if err != nil {
			return
		}
		raw, err := u.s.modern.paramsFor(fmt.Appendf(nil, `{"notifications":%s}`, notifications))
		if err != nil {
			return
		}
		id := u.f.newID()
		c := &call{
			id: id, key: idKey(id), method: "subscriptions/listen", wrote: newSignal(),
			body: message(id, "subscriptions/listen", raw), params: readParams(raw),
		}
		c.ctx, c.cancel = context.WithCancelCause(ctx) //nolint:fatcontext // each try has its own, made of the same one
		box := &subscriptionInbox{u: u, l: l, call: c, again: failures > 0}
		began := time.Now()
		fail := u.s.modern.leg.exchange(c, box)
		c.cancel(nil)
		if ctx.Err() != nil {
			return
		}
		if box.acked {
			acks++
			if time.Since(began) > steady {
				failures = 0
			}
		}
		l.fail.Store(fail)
		if fail != nil {
			u.f.log.Debug("the server does not tell of changes", "why", fail.text)
		}
		if acks == 0 && (fail == nil || fail.sure()) { // it will not the next time either
			return
		}
		if failures++; failures > listenTries || !sleepFor(ctx, u.f.listenWait(failures)) {
			return
		}
	}
}

type subscriptionInbox struct {
	u     *subscription
	l     *listening
	call  *call
	again bool // changes may have been missed
	acked bool
	over  bool
}

func (b *subscriptionInbox) satisfied(source) bool { return b.over }

func (b *subscriptionInbox) fromRemote(env *envelope, _ source) {
	f := b.u.f
	switch {
	case env.kind == response:
		b.over = b.over || b.call.answeredBy(env)
	case env.kind != notification:
	case string(env.method) == "notifications/subscriptions/acknowledged":
		b.acked = true
		got := readFilter(env.params)
		select {
		case b.l.acked <- got:
		default:
		}
		if b.again {
			b.again = false
			one := &listen{call: b.call}
			one.honours(got)
			for _, line := range one.all() {
				if e, err := scanEnvelope(line); err == nil {
					f.toHost(unsubscribed(&e))
				}
			}
		}
	default:
		f.toHost(unsubscribed(env))
	}
}

// unsubscribed takes the subscription's id out of a notification.
func unsubscribed(env *envelope) *envelope {
	meta := find(env.params, "_meta")
	if id := find(meta, metaSubscription); id == nil {
		return env
	}
	rest := without(meta, metaSubscription)
	params := env.params
	var err error
	if isEmptyObject(rest) {
		params = without(params, "_meta")
	} else {
		params, err = withMember(params, "_meta", rest)
	}
	if err != nil {
		return env
	}
	if isEmptyObject(params) {
		params = nil
	}
	again, err := scanEnvelope(message(nil, string(env.method), params))
	if err != nil {
		return env
	}
	again.broken = true
	return &again
}
