package bridge

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// A legacy remote that asks the host something keeps the call open and waits
// for the answer. A modern host cannot be asked: it must get a final answer to
// its request, input_required, and comes back with a new request that brings
// the answers. So the call is parked: it stays open at the remote, and the
// requestState is a token for it. The token means nothing outside this process;
// after a restart the host repeats the call without it.

const (
	coalesce   = 30 * time.Millisecond // questions that come together are put together
	maxParked  = 64
	linkWait   = 30 * time.Second // for the remote to see that a link was visited
	maxPending = 32
)

// A pendingAsk is a question of the remote that is not answered yet.
type pendingAsk struct {
	key    string
	id     []byte // the remote's id of it
	sess   *session
	method string
	params []byte
}

// fromRemote takes what the remote says by itself.
func (d *down) fromRemote(env *envelope, src source) {
	if env.kind == request {
		d.question(env, src)
		return
	}
	switch string(env.method) {
	case "notifications/progress":
		d.progress(env, src)
	case "notifications/message":
		d.log(env, src)
	case "notifications/cancelled":
		d.withdrawn(env, src)
	case "notifications/elicitation/complete":
		id := find(env.params, "elicitationId")
		d.mu.Lock()
		if len(d.seen) > 1000 {
			clear(d.seen)
		}
		if len(id) <= maxName {
			d.seen[string(unquote(id))] = true
		}
		d.mu.Unlock()
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated":
		d.changedAt(env)
	default:
		d.m.toHost(env)
	}
}

// owner is the call a message belongs to: the one whose answer's stream it came
// on, or, on the standing stream, the latest that fits. d.mu is held.
func (d *down) owner(src source, fits func(*downCall) bool) *downCall {
	if src.call != nil {
		if pc := d.calls[src.call]; pc != nil && fits(pc) {
			return pc
		}
		return nil
	}
	var latest *downCall
	fit := 0
	for _, pc := range d.calls {
		if !fits(pc) {
			continue
		}
		if fit++; latest == nil || pc.seq > latest.seq {
			latest = pc
		}
	}
	if fit > 1 {
		d.m.log.Debug("a message on the standing stream may belong to any of several calls; the latest gets it", "calls", fit)
	}
	return latest
}

// question parks the call that a question of the remote belongs to.
func (d *down) question(env *envelope, src source) {
	q := &pendingAsk{id: copyOf(env.id), sess: src.sess, method: string(env.method), params: copyOf(env.params)}
	if q.method == "ping" {
		d.aside("ping", func() { d.up.respond(d.up.ctx, q.sess, emptyResult(q.id)) })
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	pc := d.owner(src, func(pc *downCall) bool {
		switch pc.method {
		case "tools/call", "prompts/get", "resources/read":
			return !pc.done && lacks(pc.caps, q.method, q.params) == "" && len(pc.pending) < maxPending
		}
		return false
	})
	if pc == nil {
		d.aside("refuse", func() { d.refuse(q) })
		return
	}
	d.asked++
	q.key = fmt.Sprintf("q%d", d.asked)
	pc.pending = append(pc.pending, q)
	if pc.host != nil && pc.timer == nil {
		pc.timer = time.AfterFunc(coalesce, func() { d.park(pc) })
	}
}

// maxAside bounds the answers under way to what the remote asks for itself: one
// that asks faster than it takes answers gets no more of them.
const maxAside = 32

// aside answers the remote on a goroutine of its own.
func (d *down) aside(what string, answer func()) {
	if d.answering.Add(1) > maxAside {
		d.answering.Add(-1)
		d.m.log.Debug("dropped a request of the server: it takes no answers", "kind", what)
		return
	}
	d.up.spawn(what, func() {
		defer d.answering.Add(-1)
		answer()
	})
}

// park answers the host's request with the questions.
func (d *down) park(pc *downCall) {
	d.mu.Lock()
	pc.timer = nil
	host := pc.host
	if host == nil || pc.done || len(pc.pending) == 0 && pc.links == nil {
		d.mu.Unlock()
		return
	}
	if len(d.parked) >= maxParked {
		d.mu.Unlock()
		d.giveUp(pc, "")
		d.m.fail(host, &failure{kind: kindUnsupported, text: "too many calls wait for answers"})
		return
	}
	requests := []byte("{}")
	for _, q := range pc.pending {
		requests = putQuestion(requests, q)
	}
	if pc.digest == "" {
		pc.digest = digest(host.method, &host.params)
	}
	pc.state = newState()
	pc.host = nil
	d.parked[pc.state] = pc
	state := pc.state
	pc.timer = time.AfterFunc(d.m.cfg.Timeouts.Input, func() { d.giveUp(pc, state) })
	d.mu.Unlock()
	if !d.m.answer(host, fmt.Appendf(nil, `{"resultType":"input_required","inputRequests":%s,"requestState":%q}`, requests, state)) {
		d.giveUp(pc, state) // cancelled in the meantime
	}
}

// putQuestion adds a question to inputRequests, without what only the legacy
// era knows.
func putQuestion(requests []byte, q *pendingAsk) []byte {
	one := fmt.Appendf(nil, `{"method":%q`, q.method)
	if isObject(q.params) {
		p := without(q.params, "task", "elicitationId")
		if meta := find(p, "_meta"); meta != nil {
			if rest := without(meta, "progressToken"); isEmptyObject(rest) {
				p = without(p, "_meta")
			} else if next, err := withMember(p, "_meta", rest); err == nil {
				p = next
			}
		}
		one = fmt.Appendf(one, `,"params":%s`, p)
	}
	out, err := withMember(requests, q.key, append(one, '}'))
	if err != nil {
		return requests
	}
	return out
}

func newState() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it does not fail (crypto/rand)
	return hex.EncodeToString(b[:])
}

// comeBack takes a request that brings a token, and the answers with it.
func (d *down) comeBack(c *call, level int) {
	state := string(unquote(c.params.state))
	responses := find(c.params.raw, "inputResponses")
	d.mu.Lock()
	pc := d.parked[state]
	if pc == nil || pc.method != c.method || pc.digest != digest(c.method, &c.params) {
		d.mu.Unlock()
		d.m.fail(c, &failure{code: codeParams, kind: kindBadRequest, text: "unknown or expired requestState; repeat the call without it"})
		return
	}
	delete(d.parked, state)
	pc.timer.Stop()
	pc.timer = nil
	pc.state, pc.host, pc.level = "", c, level
	pc.caps = find(c.params.meta, metaCapabilities)
	if pc.links != nil {
		links := pc.links
		d.mu.Unlock()
		d.visited(pc, c, level, links, responses)
		return
	}
	type settled struct {
		q      *pendingAsk
		answer []byte
	}
	var answered []settled
	rest := pc.pending[:0:0]
	for _, q := range pc.pending {
		if a := find(responses, q.key); a != nil {
			answered = append(answered, settled{q, copyOf(a)})
		} else {
			rest = append(rest, q)
		}
	}
	pc.pending = rest
	final, fail := pc.final, pc.fail
	pc.final, pc.fail = nil, nil
	if len(rest) > 0 && final == nil && fail == nil {
		pc.timer = time.AfterFunc(coalesce, func() { d.park(pc) }) // ask again
	}
	d.mu.Unlock()
	for _, s := range answered {
		d.reply(d.up.ctx, s.q, s.answer)
	}
	if final != nil || fail != nil {
		d.deliver(pc, c, final, fail)
	}
}

// reply answers a question of the remote; nil is the answer of somebody who
// went away.
func (d *down) reply(ctx context.Context, q *pendingAsk, result []byte) {
	if result == nil {
		switch q.method {
		case "elicitation/create":
			result = []byte(`{"action":"cancel"}`)
		case "sampling/createMessage":
			d.up.respond(ctx, q.sess, responseLine(q.id, "error", []byte(`{"code":-1,"message":"rejected"}`)))
			return
		default:
			d.up.respond(ctx, q.sess, responseLine(q.id, "error", []byte(`{"code":-32603,"message":"the client went away"}`)))
			return
		}
	}
	d.up.respond(ctx, q.sess, responseLine(q.id, "result", result))
}

// refuse answers a question that belongs to no request, or that the host cannot
// be asked.
func (d *down) refuse(q *pendingAsk) {
	switch q.method {
	case "elicitation/create":
		d.up.respond(d.up.ctx, q.sess, responseLine(q.id, "result", []byte(`{"action":"decline"}`)))
	case "sampling/createMessage":
		d.up.respond(d.up.ctx, q.sess, responseLine(q.id, "error", []byte(`{"code":-1,"message":"rejected"}`)))
	default:
		d.up.respond(d.up.ctx, q.sess, responseLine(q.id, "error", []byte(`{"code":-32601,"message":"method not found"}`)))
	}
}

// withdrawn drops a question that the remote takes back.
func (d *down) withdrawn(env *envelope, src source) {
	id := find(env.params, "requestId")
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, pc := range d.calls {
		for i, q := range pc.pending {
			if q.sess == src.sess && sameID(q.id, id) {
				pc.pending = append(pc.pending[:i:i], pc.pending[i+1:]...)
				return
			}
		}
	}
}

// progress passes on the progress of a request that is open, under the token
// the host used last.
func (d *down) progress(env *envelope, src source) {
	token := find(env.params, "progressToken")
	var host *call
	d.mu.Lock()
	if pc := d.owner(src, func(pc *downCall) bool {
		return pc.host != nil && pc.token != nil && bytes.Equal(pc.token, token)
	}); pc != nil {
		host = pc.host
	}
	d.mu.Unlock()
	if host == nil {
		return
	}
	now := find(host.params.meta, "progressToken")
	switch {
	case now == nil:
		return
	case !bytes.Equal(now, token):
		again, err := env.replaced(token, now)
		if err != nil {
			return
		}
		env = again
	}
	d.m.toHost(env)
}

// log passes on a log message if it is clear which request wants it.
func (d *down) log(env *envelope, src source) {
	raw := find(env.params, "level")
	rank, ok := logRank(unquote(raw))
	if !ok {
		return
	}
	d.mu.Lock()
	var wants []*downCall
	for u, pc := range d.calls {
		if pc.host != nil && pc.level != logUnset && (src.call == nil || src.call == u) {
			wants = append(wants, pc)
		}
	}
	d.mu.Unlock()
	if len(wants) == 1 && rank >= wants[0].level {
		d.m.toHost(env)
	}
}

// askLinks turns the demand to visit links first into input_required.
func (d *down) askLinks(pc *downCall, host *call, e []byte) {
	data := find(e, "data")
	list := find(data, "elicitations")
	parts, err := elements(list)
	if err != nil || len(parts) == 0 || len(parts) > maxPending {
		d.m.fail(host, &failure{kind: kindBadResponse, text: "the server wants the user to visit a link, but names none"})
		return
	}
	caps := find(host.params.meta, metaCapabilities)
	elicitation := find(caps, "elicitation")
	if link := find(elicitation, "url"); link == nil {
		d.m.fail(host, &failure{raw: fmt.Appendf(nil, `{"code":%d,"message":"bridge: the server wants the user to visit a link","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}}`, codeCapability)})
		return
	}
	d.mu.Lock()
	pc.rounds++
	if pc.rounds > maxLinkRounds {
		d.mu.Unlock()
		d.m.fail(host, &failure{kind: kindBadResponse, text: "the server asks for the same again and again"})
		return
	}
	pc.up, pc.host, pc.pending, pc.links, pc.done = nil, host, nil, []string{}, false
	for _, p := range parts {
		got := pick(p, "message", "url", "elicitationId")
		if unquote(got[1]) == nil {
			continue
		}
		params := fmt.Appendf(nil, `{"mode":"url","url":%s`, got[1])
		if got[0] != nil {
			params = fmt.Appendf(params, `,"message":%s`, got[0])
		}
		d.asked++
		pc.pending = append(pc.pending, &pendingAsk{key: fmt.Sprintf("q%d", d.asked), method: "elicitation/create", params: append(params, '}')})
		pc.links = append(pc.links, string(unquote(got[2])))
	}
	d.mu.Unlock()
	d.park(pc)
}

const maxLinkRounds = 8

// visited goes on after the user was sent to links.
func (d *down) visited(pc *downCall, c *call, level int, links []string, responses []byte) {
	d.mu.Lock()
	pending := pc.pending
	pc.pending, pc.links = nil, nil
	d.mu.Unlock()
	for _, q := range pending {
		a := find(responses, q.key)
		action := find(a, "action")
		if string(unquote(action)) == "accept" {
			continue
		}
		const text = "the user did not follow the server's link"
		if c.method == "tools/call" {
			d.m.answer(c, []byte(`{"resultType":"complete","content":[{"type":"text","text":"`+text+`"}],"isError":true}`))
		} else {
			d.m.fail(c, &failure{kind: kindBadResponse, text: text})
		}
		return
	}
	d.up.spawn("links", func() {
		until := time.Now().Add(linkWait)
		for _, id := range links {
			for {
				d.mu.Lock()
				done := d.seen[id]
				d.mu.Unlock()
				if done || id == "" || time.Now().After(until) || d.m.satisfied(source{call: c}) || !sleepFor(d.up.ctx, 50*time.Millisecond) {
					break
				}
			}
		}
		if !d.m.satisfied(source{call: c}) {
			d.start(c, level, pc)
		}
	})
}

// digest tells whether a request is the same as one before: method and params,
// without what changes from round to round. Member order does not count.
func digest(method string, p *params) string {
	raw := without(p.raw, "_meta", "inputResponses", "requestState")
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return method + string(raw)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return method + string(raw)
	}
	return method + string(b)
}
