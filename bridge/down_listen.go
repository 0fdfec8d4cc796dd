package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// listen answers a subscriptions/listen of the host in place of a legacy
// remote: changes of lists come by themselves, resources are subscribed to one
// by one.
func (d *down) listen(c *call) {
	sess := d.up.sessionOrNil()
	if sess == nil {
		d.m.fail(c, &failure{kind: kindSessionLost, retryable: true, text: "there is no session"})
		return
	}
	got := offered(readFilter(c.params.raw), sess.result)
	wanted := got.URIs
	l := &listen{call: c, wait: true}
	l.honours(got)
	d.m.mu.Lock()
	open := !c.cancelled && !c.answered
	if open {
		d.m.listens[c] = l
	}
	d.m.mu.Unlock()
	if !open {
		return
	}
	got.URIs = nil
	for _, uri := range wanted {
		if len(got.URIs) < maxWatched && d.subscribe(c.ctx, sess, uri) {
			got.URIs = append(got.URIs, uri)
		}
	}
	d.acknowledge(l, got)
	<-c.ctx.Done()
	d.m.mu.Lock()
	delete(d.m.listens, c)
	d.m.wake()
	d.m.mu.Unlock()
	for _, uri := range got.URIs {
		d.mu.Lock()
		s := d.uris[uri]
		d.mu.Unlock()
		if s != nil {
			d.unsubscribe(uri, s)
		}
	}
}

// offered is the part of a filter that the remote of a session can bring.
func offered(asked filter, result []byte) filter {
	got := filter{
		Tools:     asked.Tools && offers(result, "tools", "listChanged"),
		Prompts:   asked.Prompts && offers(result, "prompts", "listChanged"),
		Resources: asked.Resources && offers(result, "resources", "listChanged"),
	}
	if offers(result, "resources", "subscribe") {
		got.URIs = asked.URIs
	}
	return got
}

// acknowledge says what the subscription will bring, and then what it would
// have brought already.
func (d *down) acknowledge(l *listen, got filter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.held
	l.wait, l.held = false, nil
	d.m.mu.Lock()
	open := !l.call.cancelled && !l.call.answered
	l.honours(got)
	d.m.mu.Unlock()
	if !open {
		return
	}
	notifications, err := json.Marshal(got)
	if err != nil {
		notifications = []byte("{}")
	}
	d.m.out.write(l.line("notifications/subscriptions/acknowledged", fmt.Appendf(nil, `{"notifications":%s}`, notifications)))
	for _, h := range held {
		if l.wants(h.method, h.uri) {
			d.m.out.write(flat(l.line(h.method, h.params)))
		}
	}
}

// bring tells the host of a change, or keeps it for after the acknowledgement.
func (l *listen) bring(m *modern, method, uri string, rawParams []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.satisfied(source{call: l.call}) {
		return
	}
	if !l.wait {
		m.out.write(flat(l.line(method, copyOf(rawParams))))
		return
	}
	for _, h := range l.held {
		if h.method == method && h.uri == uri {
			h.params = copyOf(rawParams)
			return
		}
	}
	if len(l.held) < maxWatched {
		l.held = append(l.held, &heldChange{method, uri, copyOf(rawParams)})
	}
}

// A subscribed is a resource that is subscribed to at the remote, or about to be.
type subscribed struct {
	users int     // guarded by down.mu
	over  *signal // the remote has answered
	took  bool    // and agreed; set until over is fired
	left  bool    // the request for it was given up before that
}

// subscribe subscribes to a resource at the remote, once for all that want it.
func (d *down) subscribe(ctx context.Context, sess *session, uri string) bool {
	for {
		d.mu.Lock()
		s := d.uris[uri]
		first := s == nil
		if first {
			s = &subscribed{over: newSignal()}
			d.uris[uri] = s
		}
		s.users++
		d.mu.Unlock()
		if first {
			d.subscribeFirst(ctx, sess, uri, s)
			return s.took
		}
		select {
		case <-s.over.c:
		case <-ctx.Done():
			d.unsubscribe(uri, s)
			return false
		}
		if s.took || !s.left {
			return s.took
		}
	}
}

// subscribeFirst asks the remote for what all that want the resource wait for.
func (d *down) subscribeFirst(ctx context.Context, sess *session, uri string, s *subscribed) {
	params := uriParams(uri)
	s.took = d.up.ask(ctx, sess, "resources/subscribe", params).result != nil
	if s.took {
		d.up.mu.Lock()
		if d.up.watched == nil {
			d.up.watched = map[string][]byte{}
		}
		d.up.watched[uri] = message(d.m.newID(), "resources/subscribe", params)
		d.up.mu.Unlock()
	} else {
		s.left = ctx.Err() != nil
		d.mu.Lock()
		delete(d.uris, uri)
		d.mu.Unlock()
	}
	s.over.fire()
}

// unsubscribe takes one away from those that want a resource.
func (d *down) unsubscribe(uri string, s *subscribed) {
	d.mu.Lock()
	s.users--
	last := s.users == 0 && d.uris[uri] == s
	if last {
		delete(d.uris, uri)
	}
	d.mu.Unlock()
	if !last {
		return
	}
	d.up.mu.Lock()
	delete(d.up.watched, uri)
	d.up.mu.Unlock()
	sess := d.up.sessionOrNil()
	if sess == nil || d.up.isClosed() {
		return
	}
	d.up.spawn("unsubscribe", func() { d.up.ask(d.up.ctx, sess, "resources/unsubscribe", uriParams(uri)) })
}

func uriParams(uri string) []byte {
	b, err := json.Marshal(struct {
		URI string `json:"uri"`
	}{uri})
	if err != nil { // a string always marshals
		return []byte("{}")
	}
	return b
}

// changedAt brings a change to the subscriptions that want it.
func (d *down) changedAt(env *envelope) {
	method := string(env.method)
	var uri string
	if method == "notifications/resources/updated" {
		raw := find(env.params, "uri")
		if json.Unmarshal(raw, &uri) != nil {
			return
		}
	}
	d.m.mu.Lock()
	var to []*listen
	for _, l := range d.m.listens {
		if l.wants(method, uri) {
			to = append(to, l)
		}
	}
	d.m.mu.Unlock()
	for _, l := range to {
		l.bring(d.m, method, uri, env.params)
	}
}

// wants reports whether a notification is for the subscription. A remote may
// name a part of a resource that is subscribed to.
func (l *listen) wants(method, uri string) bool {
	switch method {
	case "notifications/tools/list_changed":
		return l.tools
	case "notifications/prompts/list_changed":
		return l.prompts
	case "notifications/resources/list_changed":
		return l.resources
	}
	for _, u := range l.uris {
		if uri == u || strings.HasPrefix(uri, strings.TrimSuffix(u, "/")+"/") {
			return true
		}
	}
	return false
}

// announceWatched tells a face that speaks for itself that the resources it
// subscribed to may have changed while the session was away.
func (f *legacy) announceWatched() {
	if f.sink == nil {
		return
	}
	f.mu.Lock()
	uris := make([]string, 0, len(f.watched))
	for uri := range f.watched {
		uris = append(uris, uri)
	}
	f.mu.Unlock()
	for _, uri := range uris {
		if env, err := scanEnvelope(message(nil, "notifications/resources/updated", uriParams(uri))); err == nil {
			f.sink(&env, source{to: f})
		}
	}
}
