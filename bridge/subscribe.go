package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A subscription stands for everything a legacy host hears of by itself from a
// modern remote: one subscriptions/listen with the list changes it may be told
// of and the resources it watches. What is listened to is part of the request,
// so each change of it is a new request; the old one is given up when the new
// one is acknowledged.
type subscription struct {
	f *legacy
	s *session

	turn sync.Mutex // one change at a time
	mu   sync.Mutex
	want filter
	run  *listening
}

// A listening is one listen request and its repetitions.
type listening struct {
	cancel context.CancelFunc
	acked  chan filter // takes the first acknowledgement
	ended  chan struct{}
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
	if !want.Tools && !want.Prompts && !want.Resources {
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

// watch adds a resource, or takes it out, and returns when the remote has
// acknowledged that.
func (u *subscription) watch(ctx context.Context, uri string, on bool) *failure {
	u.turn.Lock()
	defer u.turn.Unlock()
	u.mu.Lock()
	want := u.want
	want.URIs = nil
	for _, have := range u.want.URIs {
		if have != uri {
			want.URIs = append(want.URIs, have)
		}
	}
	if on {
		if len(want.URIs) >= maxWatched {
			u.mu.Unlock()
			return &failure{kind: kindBadRequest, text: "too many resources are watched"}
		}
		want.URIs = append(want.URIs, uri)
	}
	u.mu.Unlock()
	if !want.Tools && !want.Prompts && !want.Resources && len(want.URIs) == 0 {
		u.mu.Lock()
		u.want = want
		u.mu.Unlock()
		u.replace(nil)
		return nil
	}
	next := u.start(want)
	t := time.NewTimer(u.f.cfg.Timeouts.Probe)
	defer t.Stop()
	refused := &failure{kind: kindBadResponse, text: "the server does not tell of changes of this resource"}
	select {
	case got := <-next.acked:
		if on && !slices.Contains(got.URIs, uri) {
			next.cancel()
			return refused
		}
	case <-next.ended:
		next.cancel()
		return refused
	case <-t.C:
		next.cancel()
		return refused
	case <-ctx.Done():
		next.cancel()
		return &failure{kind: kindShutdown, text: "the request was ended"}
	}
	u.mu.Lock()
	u.want = want
	u.mu.Unlock()
	u.replace(next)
	return nil
}

const maxWatched = 1000

// start begins to listen.
func (u *subscription) start(want filter) *listening {
	ctx, cancel := context.WithCancel(u.s.ctx)
	l := &listening{cancel: cancel, acked: make(chan filter, 1), ended: make(chan struct{})}
	u.f.spawn("listen", func() {
		defer close(l.ended)
		defer cancel()
		u.listen(ctx, l, want)
	})
	return l
}

// listen keeps one listen request alive.
func (u *subscription) listen(ctx context.Context, l *listening, want filter) {
	notifications, err := json.Marshal(want)
	if err != nil {
		return
	}
	raw, err := u.s.modern.paramsFor(fmt.Appendf(nil, `{"notifications":%s}`, notifications))
	if err != nil {
		return
	}
	acks := 0
	for failures := 0; ; {
		id := u.f.newID()
		c := &call{
			id: id, key: idKey(id), method: "subscriptions/listen", wrote: newSignal(),
			body: message(id, "subscriptions/listen", raw), params: readParams(raw),
		}
		c.ctx, c.cancel = context.WithCancelCause(ctx) //nolint:fatcontext // each try has its own, made of the same one
		box := &subscriptionInbox{u: u, l: l, call: c, again: acks > 0, want: want}
		fail := u.s.modern.leg.exchange(c, box)
		c.cancel(nil)
		if ctx.Err() != nil {
			return
		}
		if box.acked {
			acks++
			failures = 0
		}
		if acks == 0 {
			if fail != nil {
				u.f.log.Debug("the server does not tell of changes", "why", fail.text)
			}
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
	want  filter
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
	meta, _ := find(env.params, "_meta")
	if id, _ := find(meta, metaSubscription); id == nil {
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
