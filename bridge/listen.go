package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// A listen is a subscriptions/listen of the host: one request that stays open,
// whose stream brings notifications that name it (patterns/subscriptions).
type listen struct {
	call *call
	acks int
	// what the remote, or the bridge in its place, agreed to bring
	tools, prompts, resources bool
	uris                      []string

	// Before a legacy remote the acknowledgement takes a while, since resources
	// are subscribed to one by one. What changes meanwhile is said after it:
	// the host counts on hearing of everything after its request.
	mu   sync.Mutex
	wait bool
	held []*heldChange
}

// A heldChange is a notification that came before the acknowledgement.
type heldChange struct {
	method, uri string
	params      []byte
}

// filter is the notifications part of a listen request and of its
// acknowledgement.
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

func (f *filter) empty() bool {
	return !f.Tools && !f.Prompts && !f.Resources && len(f.URIs) == 0
}

func (l *listen) honours(f filter) {
	l.tools, l.prompts, l.resources, l.uris = f.Tools, f.Prompts, f.Resources, f.URIs
}

// readFilter reads the notifications member of params.
func readFilter(rawParams []byte) filter {
	var f filter
	const most = 8 << 20 // for maxWatched resources
	if raw := find(rawParams, "notifications"); len(raw) <= most {
		_ = json.Unmarshal(raw, &f) // what is not understood is not asked for
	}
	return f
}

func (m *modern) listenOf(c *call) *listen {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.listens[c]
}

// runListen keeps a subscription of the host alive: when the remote breaks it,
// it is asked for again under another id, and since changes may have been
// missed, each is announced once.
func (m *modern) runListen(c *call) {
	l := &listen{call: c}
	m.mu.Lock()
	m.listens[c] = l
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.listens, c)
		m.wake()
		m.mu.Unlock()
	}()
	failures := 0
	for {
		acks, began := l.acks, time.Now()
		fail := m.leg.exchange(c, &listenInbox{m, l})
		if c.ctx.Err() != nil || m.satisfied(source{call: c}) {
			return
		}
		if l.acks == 0 { // it was never there: the host may know why
			if fail == nil {
				fail = &failure{kind: kindStreamLost, retryable: true, text: "the server closed the subscription"}
			}
			m.fail(c, fail)
			return
		}
		if l.acks > acks && time.Since(began) > steady {
			failures = 0
		}
		if failures++; failures > listenTries {
			// An abrupt end (2026-07-28 cancellation).
			if m.finish(c) {
				m.out.write(cancelledLine(c.id))
			}
			return
		}
		m.log.Debug("a subscription broke; asking for it again", "try", failures)
		if !sleepFor(c.ctx, m.listenWait(failures)) {
			return
		}
		c.wire = m.newID()
		env, err := scanEnvelope(c.body)
		if err != nil {
			return
		}
		c.body = env.withID(c.wire)
	}
}

// steady is how long a subscription has to last for the next try to be the first
// again: a remote that ends each as soon as it has acknowledged it is left alone
// longer and longer, and the host with what it may have missed.
const steady = 10 * time.Second

// listenTries in a row, with waits of up to 30 s, are about five minutes.
const listenTries = 14

// A listenInbox takes the messages of a subscription.
type listenInbox struct {
	*modern
	l *listen
}

func (b *listenInbox) fromRemote(env *envelope, src source) {
	c := b.l.call
	if env.kind == response && c.answeredBy(env) {
		if env.err != nil && b.l.acks > 0 {
			return // asked for again, and refused: try later
		}
		if c.wire != nil {
			env = renamed(env, c.id)
		}
		b.deliver(c, env)
		if env.result != nil { // a graceful end is said twice (N-11)
			b.out.write(cancelledLine(c.id))
		}
		return
	}
	if env.kind != notification || b.satisfied(src) {
		return
	}
	if string(env.method) == "notifications/subscriptions/acknowledged" {
		b.l.acks++
		b.l.honours(readFilter(env.params))
		if b.l.acks > 1 {
			b.missed()
			return
		}
	}
	if c.wire != nil {
		env = renamed(env, c.id)
	}
	b.toHost(env)
}

// missed announces what may have changed while nobody listened.
func (b *listenInbox) missed() {
	for _, n := range b.l.all() {
		b.out.write(n)
	}
}

// all is a notification of each kind that the subscription is for.
func (l *listen) all() [][]byte {
	var out [][]byte
	for _, k := range []struct {
		on   bool
		kind string
	}{{l.tools, "tools"}, {l.prompts, "prompts"}, {l.resources, "resources"}} {
		if k.on {
			out = append(out, l.line("notifications/"+k.kind+"/list_changed", nil))
		}
	}
	for _, uri := range l.uris {
		u, err := json.Marshal(uri)
		if err == nil {
			out = append(out, l.line("notifications/resources/updated", fmt.Appendf(nil, `{"uri":%s}`, u)))
		}
	}
	return out
}

// line is a notification that belongs to the subscription.
func (l *listen) line(method string, rawParams []byte) []byte {
	meta := find(rawParams, "_meta")
	meta, err := withMember(meta, metaSubscription, l.call.id)
	if err != nil {
		return message(nil, method, rawParams)
	}
	rawParams, err = withMember(rawParams, "_meta", meta)
	if err != nil {
		return message(nil, method, rawParams)
	}
	return message(nil, method, rawParams)
}

// end is the graceful end of a subscription by the bridge.
func (l *listen) end(m *modern) {
	l.mu.Lock()
	waits := l.wait
	l.mu.Unlock()
	if waits {
		m.fail(l.call, endingFailure())
		return
	}
	if m.finish(l.call) {
		m.out.write(responseLine(l.call.id, "result", fmt.Appendf(nil, `{"resultType":"complete","_meta":{%q:%s}}`, metaSubscription, l.call.id)))
		m.out.write(cancelledLine(l.call.id))
	}
}

func cancelledLine(id []byte) []byte {
	return message(nil, "notifications/cancelled", fmt.Appendf(nil, `{"requestId":%s}`, id))
}

// renamed gives a notification of a subscription, or its final result, the id the
// host knows it by.
func renamed(env *envelope, id []byte) *envelope {
	part := env.params
	if env.kind == response {
		part = env.result
	}
	meta := find(part, "_meta")
	old := find(meta, metaSubscription)
	if old == nil || bytes.Equal(old, id) {
		return env
	}
	again, err := env.replaced(old, id)
	if err != nil {
		return env
	}
	return again
}
