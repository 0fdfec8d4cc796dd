package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Modern host, legacy remote. A session is made behind the face's back, and
// each request of the host is sent in it under an id of its own:
//
//	server/discover       answered from the result of initialize
//	a request             loses the _meta fields; its result gets what the
//	                      modern era wants
//	a question of the     parks the call: the host gets input_required with a
//	remote                token, and comes back with the answers (park.go)
//	subscriptions/listen  resources/subscribe, and what comes on the streams
//	                      (down_listen.go)
//	logLevel              logging/setLevel
//	cancelled             notifications/cancelled, with the remote's id
//
// The remote sees one session for all conversations that the host may have on
// the pipe: the modern era has nothing to tell them apart by.
type down struct {
	m  *modern
	up *legacy // the session; it reports to take

	mu       sync.Mutex
	starting chan struct{} // closed when the session under way is there
	ready    bool
	info     []byte // the remote's serverInfo
	caps     []byte // what the session was told the host can do
	known    []byte // a host's capabilities that are covered by it
	level    int    // the session's log level; logUnset before one is set
	levelMu  sync.Mutex
	nextID   int64
	seq      int64
	asked    int64
	calls    map[*call]*downCall // by the upstream call
	parked   map[string]*downCall
	seen     map[string]bool // elicitationIds that were completed
	uris     map[string]*subscribed

	answering atomic.Int32 // see aside
}

const logUnset = 99

func newDown(m *modern) *down {
	d := &down{m: m, level: logUnset, calls: map[*call]*downCall{}, parked: map[string]*downCall{}, seen: map[string]bool{}, uris: map[string]*subscribed{}}
	d.up = newLegacy(m.ctx, m.Relay)
	d.up.sink = d.fromRemote
	return d
}

// session makes the session if there is none, with what the request says of
// the host.
func (d *down) session(c *call) *failure {
	caps := find(c.params.meta, metaCapabilities)
	for {
		d.mu.Lock()
		if d.ready && !d.outgrown(caps) {
			d.mu.Unlock()
			return nil
		}
		wait := d.starting
		if wait == nil {
			done := make(chan struct{})
			d.starting = done
			d.mu.Unlock()
			fail := d.begin(c)
			d.mu.Lock()
			d.ready, d.starting = fail == nil, nil
			d.mu.Unlock()
			close(done)
			if fail == nil {
				d.m.settled()
			}
			return fail
		}
		d.mu.Unlock()
		select {
		case <-wait:
		case <-c.ctx.Done():
			return &failure{kind: kindShutdown, text: "the request was ended"}
		}
	}
}

func (d *down) isReady() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ready
}

func (d *down) begin(c *call) *failure {
	got := pick(c.params.meta, metaClientInfo, metaCapabilities)
	info := got[0]
	if !isObject(info) {
		info = []byte(`{"name":"bridge","version":"1"}`)
	}
	old := d.up.sessionOrNil()
	d.mu.Lock()
	caps, _ := union(d.caps, legacyCapabilities(got[1]))
	d.caps, d.known, d.level = caps, copyOf(got[1]), logUnset
	d.mu.Unlock()
	if old != nil {
		d.up.mu.Lock()
		d.up.level = nil
		d.up.mu.Unlock()
		d.up.spawn("hang up", func() { d.up.hangUp(old, closeTime) })
	}
	params := fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`, newestSessionRevision(), caps, info)
	ctx, stop := context.WithTimeout(d.m.ctx, d.m.cfg.Timeouts.Initialize)
	defer stop()
	fail := d.up.begin(ctx, message(d.m.newID(), "initialize", params))
	if fail != nil && ctx.Err() != nil && d.m.ctx.Err() == nil {
		fail = &failure{kind: kindUnreachable, retryable: true, text: d.m.url().Host + " did not answer initialize in time"}
	}
	if fail == nil && d.m.trusting() {
		fail = d.onlyPolite()
	}
	if fail == nil {
		d.up.mu.Lock()
		info := find(d.up.result, "serverInfo")
		d.up.mu.Unlock()
		d.mu.Lock()
		d.info = flat(copyOf(info))
		d.mu.Unlock()
	}
	return fail
}

// onlyPolite ends a session that a remote made which was remembered to be a
// legacy one, if its form shows that it has become a modern one.
func (d *down) onlyPolite() *failure {
	d.up.mu.Lock()
	sess, result := d.up.sess, d.up.result
	d.up.mu.Unlock()
	if !looksModern(result) {
		return nil
	}
	fail := &failure{kind: kindBadResponse, text: "the server speaks 2026-07-28"}
	d.up.change(func() { d.up.phase, d.up.sess, d.up.last = phaseFailed, nil, fail })
	d.up.spawn("hang up", func() { d.up.hangUp(sess, closeTime) })
	return fail
}

// outgrown reports whether the host can do more than the session was told, and
// the session may be made anew for that: capabilities are said with each
// request in one era, and once for all in the other. d.mu is held.
func (d *down) outgrown(caps []byte) bool {
	if bytes.Equal(caps, d.known) || len(d.calls) > 0 || len(d.parked) > 0 || len(d.uris) > 0 {
		return false
	}
	if _, grew := union(d.caps, legacyCapabilities(caps)); grew {
		return true
	}
	d.known = copyOf(caps)
	return false
}

// union adds to capabilities what others have beyond them.
func union(have, more []byte) (all []byte, grew bool) {
	if have == nil {
		return more, len(more) > 2
	}
	all = have
	for _, name := range hostCapabilities {
		extra := find(more, name)
		if extra == nil {
			continue
		}
		old := find(all, name)
		if name == "elicitation" { // {} means by form
			if isEmptyObject(extra) {
				extra = []byte(`{"form":{}}`)
			}
			if isEmptyObject(old) {
				old = []byte(`{"form":{}}`)
			}
		}
		var members map[string]json.RawMessage
		if old == nil {
			old, grew = extra, true
		} else if json.Unmarshal(extra, &members) == nil {
			for key, v := range members {
				if had := find(old, key); had != nil {
					continue
				}
				if next, err := withMember(old, key, v); err == nil {
					old, grew = next, true
				}
			}
		}
		if next, err := withMember(all, name, old); err == nil {
			all = next
		}
	}
	return all, grew
}

// legacyCapabilities are a modern host's capabilities as a legacy remote reads
// them.
func legacyCapabilities(caps []byte) []byte {
	out := []byte("{}")
	for _, name := range hostCapabilities {
		v := find(caps, name)
		if !isObject(v) {
			continue
		}
		if name == "roots" { // there is no way to say that they changed
			v = []byte("{}")
		}
		if next, err := withMember(out, name, v); err == nil {
			out = next
		}
	}
	return out
}

// A downCall is a request of the host at the remote, over all the requests the
// host makes of it.
type downCall struct {
	seq    int64
	method string
	digest string // of the host's request; "" until it is parked
	up     *call  // at the remote; nil while only a link waits for the user

	// Guarded by down.mu.
	host    *call // the host's request that waits; nil while parked
	caps    []byte
	level   int    // of the log messages the host wants; logUnset: none
	token   []byte // the progressToken the remote was given
	pending []*pendingAsk
	state   string // the token the host has to bring back; "" while active
	timer   *time.Timer
	final   *envelope
	fail    *failure
	links   []string // elicitationIds the user has to complete first
	rounds  int      // of links
	done    bool
}

// run takes a request of the host to its answer, or until it is parked and done
// with at the remote; or it says why there is no session to take it to.
func (d *down) run(c *call) *failure {
	if v := c.params.version(); v != modernRevision {
		d.m.fail(c, unsupportedVersion(v))
		return nil
	}
	hidden := c.method == "server/discover" && d.m.cfg.Transparent
	if !hidden || d.m.inDoubt() { // the host will make a session of its own
		if fail := d.session(c); fail != nil {
			return fail
		}
	}
	if hidden {
		d.m.fail(c, &failure{code: codeMethod, kind: kindUnsupported, text: "the server has sessions; send initialize"})
		return nil
	}
	d.take(c)
	return nil
}

// take carries a request of the host in the session.
func (d *down) take(c *call) {
	switch c.method {
	case "server/discover":
		d.m.answer(c, d.discovered())
		return
	case "subscriptions/listen":
		d.listen(c)
		return
	case "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/result", "tasks/list", "tasks/get", "tasks/update", "tasks/cancel":
		d.m.fail(c, &failure{code: codeMethod, kind: kindUnsupported, text: "there is no " + c.method + " here"})
		return
	}
	level := logUnset
	if v := find(c.params.meta, metaLogLevel); v != nil {
		rank, ok := logRank(unquote(v))
		if !ok {
			d.m.fail(c, &failure{code: codeParams, kind: kindBadRequest, text: "there is no such log level"})
			return
		}
		level = rank
	}
	if c.params.state != nil {
		d.comeBack(c, level)
		return
	}
	d.start(c, level, nil)
}

// start sends a request of the host to the remote and returns when that has done
// with it. again is the call it goes on with, or nil for a new one.
func (d *down) start(c *call, level int, again *downCall) {
	raw := c.params.raw
	var err error
	if isObject(c.params.meta) {
		meta := without(c.params.meta, metaVersion, metaClientInfo, metaCapabilities, metaLogLevel)
		if isEmptyObject(meta) {
			raw = without(raw, "_meta")
		} else {
			raw, err = withMember(raw, "_meta", meta)
		}
	}
	raw = without(raw, "inputResponses", "requestState")
	if err != nil {
		d.m.fail(c, &failure{code: codeParams, kind: kindBadRequest, text: "the params cannot be read", err: err})
		return
	}
	if isEmptyObject(raw) {
		raw = nil
	}
	if level != logUnset {
		d.ensureLevel(d.up.ctx, level)
	}
	pc := again
	if pc == nil {
		pc = &downCall{method: c.method}
	}
	d.mu.Lock()
	d.nextID++
	d.seq++
	id := strconv.AppendInt(nil, d.nextID, 10)
	u := &call{id: id, key: idKey(id), method: c.method, body: message(id, c.method, raw), safe: c.safe, wrote: newSignal(), params: readParams(raw)}
	u.ctx, u.cancel = context.WithCancelCause(d.up.ctx)
	u.take = func(env *envelope, fail *failure) { d.finished(pc, u, env, fail) }
	pc.seq, pc.up, pc.host, pc.level = d.seq, u, c, level
	pc.caps = find(c.params.meta, metaCapabilities)
	pc.token = find(c.params.meta, "progressToken")
	pc.state, pc.final, pc.fail, pc.links, pc.done = "", nil, nil, nil, false
	d.calls[u] = pc
	d.mu.Unlock()
	if d.m.satisfied(source{call: c}) {
		// Cancelled while there was no session yet, and nothing to cancel in it.
		d.giveUp(pc, "")
		return
	}
	d.up.mu.Lock()
	if !u.cancelled { // in between: run finds out
		d.up.inflight[u.key] = u
	}
	d.up.mu.Unlock()
	d.up.run(u)
}

// finished takes the remote's answer to a call.
func (d *down) finished(pc *downCall, u *call, env *envelope, fail *failure) {
	d.mu.Lock()
	delete(d.calls, u)
	if pc.up != u {
		d.mu.Unlock()
		return
	}
	host := pc.host
	if host == nil { // parked: the host will come for it
		if env != nil {
			kept, err := scanEnvelope(copyOf(env.body))
			if err != nil {
				fail = &failure{kind: kindBadResponse, text: "the server's answer cannot be read", err: err}
			} else {
				pc.final = &kept
			}
		}
		pc.fail = fail
		d.mu.Unlock()
		return
	}
	if pc.timer != nil {
		pc.timer.Stop()
		pc.timer = nil
	}
	pc.host, pc.pending, pc.done = nil, nil, true
	d.mu.Unlock()
	d.deliver(pc, host, env, fail)
}

// deliver gives the host the remote's answer in the modern form.
func (d *down) deliver(pc *downCall, host *call, env *envelope, fail *failure) {
	switch {
	case fail != nil:
		d.m.fail(host, fail)
	case env.err != nil:
		if errorCode(env.err) == codeURLElicitation {
			d.askLinks(pc, host, env.err)
			return
		}
		d.m.deliver(host, newResponse(host.id, "error", modernError(env.err)))
	case host.method == "tools/list":
		result, hidden := modernTools(env.result)
		if hidden > 0 {
			d.m.log.Info("left out tools that only work as tasks", "tools", hidden)
		}
		result = appendModern(nil, host.method, result, d.serverInfo(), spans(result))
		d.m.deliver(host, newResponse(host.id, "result", result))
	case d.m.finish(host):
		// The one copy that a large result costs: what the modern era wants in
		// front of it is longer than what stood there.
		info := d.serverInfo()
		var few [maxNoted]span
		members := env.resultSpans(few[:0])
		buf := getBuffer(int64(len(env.result) + len(host.id) + len(info) + modernExtra))
		b := append(append(buf.b, `{"jsonrpc":"2.0","id":`...), host.id...)
		b = appendModern(append(b, `,"result":`...), host.method, env.result, info, members)
		b = append(b, '}')
		buf.b = b
		env.oneLine(buf.b)
		d.m.out.write(buf.b)
		putBuffer(buf)
	}
}

// modernExtra is more than a result grows by in appendModern, besides serverInfo.
const modernExtra = 256

// codeURLElicitation is the 2025-11-25 error that asks the user to visit a
// link before the request is repeated.
const codeURLElicitation = -32042

// serverInfo is what the remote said of itself, on one line.
func (d *down) serverInfo() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.info
}

// discovered is the DiscoverResult that stands for the session. It never lists
// the revisions of the session: the host must not be led to fall back.
func (d *down) discovered() []byte {
	d.up.mu.Lock()
	result := d.up.result
	d.up.mu.Unlock()
	got := pick(result, "capabilities", "instructions", "serverInfo")
	caps := got[0]
	if !isObject(caps) {
		caps = []byte("{}")
	}
	out := fmt.Appendf(nil, `{"resultType":"complete","supportedVersions":[%q],"capabilities":%s`, modernRevision, without(caps, "tasks"))
	if got[1] != nil {
		out = fmt.Appendf(out, `,"instructions":%s`, got[1])
	}
	out = append(out, `,"ttlMs":0,"cacheScope":"private"`...)
	if isObject(got[2]) {
		out = fmt.Appendf(out, `,"_meta":{%q:%s}`, metaServerInfo, got[2])
	}
	return append(out, '}')
}

// appendModern appends a result with what the modern era wants in it. members are
// its members.
func appendModern(b []byte, method string, result, serverInfo []byte, members []span) []byte {
	if !isObject(result) {
		return append(b, result...)
	}
	var kind, ttl, scope bool
	var meta *span
	for i := range members {
		switch m := &members[i]; string(m.name) {
		case "resultType":
			kind = true
		case "ttlMs":
			ttl = true
		case "cacheScope":
			scope = true
		case "_meta":
			meta = m
		}
	}
	b = append(b, '{')
	if !kind {
		b = append(b, `"resultType":"complete",`...)
	}
	switch method {
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read":
		if !ttl {
			b = append(b, `"ttlMs":0,`...)
		}
		if !scope {
			b = append(b, `"cacheScope":"private",`...)
		}
	}
	rest := result[1:]
	switch {
	case !isObject(serverInfo):
	case meta == nil:
		b = append(append(b, `"_meta":{"`+metaServerInfo+`":`...), serverInfo...)
		b = append(b, `},`...)
	case isObject(result[meta.from:meta.to]):
		if more, err := withMember(result[meta.from:meta.to], metaServerInfo, serverInfo); err == nil {
			b = append(append(b, result[1:meta.from]...), more...)
			rest = result[meta.to:]
		}
	}
	if len(members) == 0 {
		b = bytes.TrimSuffix(b, []byte{','})
	}
	return append(b, rest...)
}

// modernTools drops what a tool says of tasks, which are not offered here, and
// hides tools that only work as tasks, of which it returns the number.
func modernTools(result []byte) (_ []byte, hidden int) {
	list := find(result, "tools")
	parts, err := elements(list)
	if err != nil {
		return result, 0
	}
	keep := make([][]byte, 0, len(parts))
	changed := false
	for _, tool := range parts {
		execution := find(tool, "execution")
		changed = changed || execution != nil
		support := find(execution, "taskSupport")
		if string(unquote(support)) == "required" {
			hidden++
			continue
		}
		if execution != nil {
			tool = without(tool, "execution")
		}
		keep = append(keep, tool)
	}
	if !changed {
		return result, 0
	}
	out, err := withMember(result, "tools", joinArray(keep))
	if err != nil {
		return result, 0
	}
	return out, hidden
}

// modernError replaces the codes that mean something else, or nothing, in the
// modern era (basic §Error Codes).
func modernError(e []byte) []byte {
	code := errorCode(e)
	switch {
	case code == -32002: // resource not found
		if out, err := withMember(e, "code", fmt.Appendf(nil, "%d", codeParams)); err == nil {
			return out
		}
	case code <= -32020 && code >= -32099:
		data := find(e, "data")
		if !isObject(data) {
			data = nil
		}
		data, err := withMember(data, "originalCode", fmt.Appendf(nil, "%d", code))
		if err != nil {
			return e
		}
		out, err := withMember(e, "data", data)
		if err != nil {
			return e
		}
		if out, err = withMember(out, "code", fmt.Appendf(nil, "%d", codeInternal)); err == nil {
			return out
		}
	}
	return e
}

// ensureLevel makes the session at least as talkative as a request wants it.
func (d *down) ensureLevel(ctx context.Context, level int) {
	d.levelMu.Lock()
	defer d.levelMu.Unlock()
	d.mu.Lock()
	have := d.level
	d.mu.Unlock()
	sess := d.up.sessionOrNil()
	if sess == nil || level >= have || !offers(sess.result, "logging", "") {
		return
	}
	params := fmt.Appendf(nil, `{"level":%q}`, logLevels[level])
	if a := d.up.ask(ctx, sess, "logging/setLevel", params); a.result == nil {
		return
	}
	d.mu.Lock()
	d.level = level
	d.mu.Unlock()
	d.up.mu.Lock()
	d.up.level = message(d.m.newID(), "logging/setLevel", params) // for a new session
	d.up.mu.Unlock()
}

// cancelled stops a request of the host at the remote.
func (d *down) cancelled(c *call) {
	d.mu.Lock()
	var pc *downCall
	for _, p := range d.calls {
		if p.host == c {
			pc = p
		}
	}
	d.mu.Unlock()
	if pc != nil {
		d.giveUp(pc, "")
	}
}

// giveUp ends a call that nobody wants any more. parked, if not empty, is the
// token without which it is wanted still: the host may just have brought it.
func (d *down) giveUp(pc *downCall, parked string) {
	d.mu.Lock()
	if pc.done || parked != "" && d.parked[parked] != pc {
		d.mu.Unlock()
		return
	}
	pc.done = true
	delete(d.parked, pc.state)
	delete(d.calls, pc.up)
	pending, u := pc.pending, pc.up
	pc.pending = nil
	if pc.timer != nil {
		pc.timer.Stop()
	}
	d.mu.Unlock()
	if d.up.isClosed() {
		return
	}
	d.up.spawn("give up", func() {
		ctx, stop := context.WithTimeout(d.up.ctx, cancelGrace) // a remote may take no word of it
		defer stop()
		d.letGo(ctx, u, pending)
	})
}

// letGo tells the remote that nobody waits for a call any more, nor will answer
// what it asked.
func (d *down) letGo(ctx context.Context, u *call, pending []*pendingAsk) {
	for _, q := range pending {
		if q.sess != nil { // a link is no question of the remote
			d.reply(ctx, q, nil)
		}
	}
	if u == nil {
		return
	}
	d.up.mu.Lock()
	open := !u.answered
	u.cancelled = true
	d.up.remove(u)
	sess := u.sess
	d.up.mu.Unlock()
	if open && sess != nil && u.wrote.fired() {
		d.up.tell(ctx, sess, cancelledLine(u.id))
	}
	u.cancel(errEnded)
}

// tell passes on a notification of the host that means nothing to the bridge.
func (d *down) tell(body []byte) {
	if sess := d.up.sessionOrNil(); sess != nil {
		d.up.tell(d.up.ctx, sess, body)
	}
}

// close lets go of what is parked and closes the session, within t.
func (d *down) close(t time.Duration) {
	ctx, stop := context.WithTimeout(d.up.ctx, t/2)
	defer stop()
	var all sync.WaitGroup
	d.mu.Lock()
	for _, pc := range d.parked {
		if pc.timer != nil {
			pc.timer.Stop()
		}
		u, pending := pc.up, pc.pending
		pc.done, pc.pending = true, nil
		all.Go(func() { d.letGo(ctx, u, pending) })
	}
	clear(d.parked)
	d.mu.Unlock()
	all.Wait()
	d.up.close(t / 2)
}
