package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Legacy host, modern remote. To the host this is a session like any other; to
// the remote every request stands for itself. What each side says to the other
// is in the order of the message's way:
//
//	initialize            server/discover; the result is made of its answer
//	initialized           swallowed; one subscriptions/listen is opened
//	a request             gets the _meta fields, and the headers; its result
//	                      loses what only the modern era has
//	input_required        becomes requests to the host (rounds.go)
//	logging/setLevel      kept, and sent along with each request
//	resources/subscribe   part of the listen request (subscribe.go)
//	ping, tasks/*         answered here
//	cancelled             closes the stream
type modernSession struct {
	leg  *modernLeg
	meta []byte // the _meta of requests, without what the host adds
	both bool   // the remote names session revisions as well

	mu       sync.Mutex
	logLevel []byte // JSON string; nil until the host sets one
	progress map[string]float64
	sub      *subscription
}

// handshakeModern makes a session of the answer to server/discover.
func (f *legacy) handshakeModern(ctx context.Context, initialize []byte) (*session, []byte, *failure) {
	s, line, _, fail := f.askModern(ctx, initialize)
	return s, line, fail
}

// askModern does so, and says what the answer means. A remote that names session
// revisions as well is worth to be asked for a session.
func (f *legacy) askModern(ctx context.Context, initialize []byte) (*session, []byte, verdict, *failure) {
	s := f.newSession(legModern)
	m := &modernSession{leg: newModernLeg(f.ctx, f.Relay)}
	s.modern = m
	discovered, version, v, fail := f.discoverForLegacy(ctx, m.leg, metaFor(modernRevision, initialize))
	if fail != nil {
		s.cancel()
		return nil, nil, v, fail
	}
	m.both = namesSessions(discovered)
	m.meta = metaFor(version, initialize)
	env, _ := scanEnvelope(initialize) // it was scanned when it came
	result := initializeResult(discovered, env.params, f.url())
	f.settle(s, result)
	m.sub = newSubscription(f, s)
	return s, responseLine(env.id, "result", s.result), v, nil
}

// namesSessions reports whether a DiscoverResult lists a session revision.
func namesSessions(discovered []byte) bool {
	raw := find(discovered, "supportedVersions")
	versions, _ := readVersions(raw)
	return slices.ContainsFunc(versions, isSessionRevision)
}

// initializeResult makes the answer to initialize of a DiscoverResult.
func initializeResult(discovered, params []byte, u *url.URL) []byte {
	asked := find(params, "protocolVersion")
	version := string(unquote(asked))
	if !isSessionRevision(version) {
		version = newestSessionRevision()
	}
	caps := find(discovered, "capabilities")
	if !isObject(caps) {
		caps = []byte("{}")
	}
	caps = without(caps, "tasks")
	if ext := find(caps, "extensions"); isObject(ext) {
		if next, err := withMember(caps, "extensions", without(ext, "io.modelcontextprotocol/tasks")); err == nil {
			caps = next
		}
	}
	meta := find(discovered, "_meta")
	info := find(meta, metaServerInfo)
	if !isObject(info) {
		info = find(discovered, "serverInfo") // as older servers have it
	}
	if !isObject(info) {
		name, err := json.Marshal(u.Hostname())
		if err != nil {
			name = []byte(`"server"`)
		}
		info = fmt.Appendf(nil, `{"name":%s,"version":"unknown"}`, name)
	}
	out := fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"serverInfo":%s`, version, caps, info)
	if text := find(discovered, "instructions"); text != nil {
		out = fmt.Appendf(out, `,"instructions":%s`, text)
	}
	return flat(append(out, '}'))
}

// exchangeModern carries a call of the host.
func (f *legacy) exchangeModern(s *session, c *call) *failure {
	noSuch := &failure{code: codeMethod, kind: kindUnsupported, text: "the server does not offer " + excerpt([]byte(c.method))}
	switch c.method {
	case "ping":
		f.answer(c, []byte("{}"))
		return nil
	case "logging/setLevel":
		return f.setLevel(s, c)
	case "resources/subscribe", "resources/unsubscribe":
		if !offers(s.result, "resources", "subscribe") {
			return noSuch
		}
		var uri string
		if json.Unmarshal(c.params.uri, &uri) != nil {
			return &failure{code: codeParams, kind: kindBadRequest, text: "the request lacks a uri"}
		}
		if fail := s.modern.sub.watch(c.ctx, uri, c.method == "resources/subscribe"); fail != nil {
			return fail
		}
		f.answer(c, []byte("{}"))
		return nil
	}
	if strings.HasPrefix(c.method, "tasks/") {
		return noSuch
	}
	return f.rounds(s, c)
}

// answer gives the host a result of the bridge's own making.
func (f *legacy) answer(c *call, result []byte) {
	if f.finish(c) {
		f.write(c, responseLine(c.id, "result", result))
	}
}

// offers reports whether an InitializeResult has a capability, and a flag of it
// if one is named.
func offers(result []byte, capability, flagName string) bool {
	caps := find(result, "capabilities")
	one := find(caps, capability)
	if flagName == "" {
		return isObject(one)
	}
	return flag(one, flagName, false)
}

// setLevel keeps the level, which then goes with every request. Without one the
// remote sends no log messages, as legacy leaves that to it.
func (f *legacy) setLevel(s *session, c *call) *failure {
	if !offers(s.result, "logging", "") {
		return &failure{code: codeMethod, kind: kindUnsupported, text: "the server does not offer logging"}
	}
	level := find(c.params.raw, "level")
	if _, ok := logRank(unquote(level)); !ok {
		return &failure{code: codeParams, kind: kindBadRequest, text: "there is no such log level"}
	}
	s.modern.mu.Lock()
	s.modern.logLevel = copyOf(level)
	s.modern.mu.Unlock()
	f.answer(c, []byte("{}"))
	return nil
}

// logLevels are the levels of RFC 5424 as MCP names them, the least first.
var logLevels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// logRank is the place of a level among them.
func logRank(level []byte) (int, bool) {
	for i, l := range logLevels {
		if string(level) == l {
			return i, true
		}
	}
	return 0, false
}

// paramsFor are a request's params with what every modern request carries.
func (m *modernSession) paramsFor(raw []byte) ([]byte, error) {
	if !isObject(raw) {
		raw = []byte("{}")
	}
	raw = without(raw, "task") // a receiver without tasks ignores it
	m.mu.Lock()
	level := m.logLevel
	m.mu.Unlock()
	meta := find(raw, "_meta")
	if meta != nil {
		return m.joinMeta(raw, meta, level)
	}
	// At the end, in one piece.
	head := bytes.TrimRight(raw, " \t\r\n")
	head = bytes.TrimRight(head[:len(head)-1], " \t\r\n")
	b := make([]byte, 0, len(head)+len(m.meta)+len(metaLogLevel)+len(level)+24)
	b = append(b, head...)
	if len(head) > 1 {
		b = append(b, ',')
	}
	b = append(append(b, `"_meta":`...), m.meta...)
	if level != nil {
		b = append(b[:len(b)-1], `,"`+metaLogLevel+`":`...)
		b = append(append(b, level...), '}')
	}
	return append(b, '}'), nil
}

// joinMeta does so for params that have a _meta already.
func (m *modernSession) joinMeta(raw, meta, level []byte) (_ []byte, err error) {
	if !isObject(meta) {
		meta = []byte("{}")
	}
	var got [3][]byte
	keys := [...]string{metaVersion, metaClientInfo, metaCapabilities}
	pickInto(got[:], m.meta, keys[:]...)
	for i, key := range keys {
		if meta, err = withMember(meta, key, got[i]); err != nil {
			return nil, err
		}
	}
	if level != nil {
		if meta, err = withMember(meta, metaLogLevel, level); err != nil {
			return nil, err
		}
	}
	return withMember(raw, "_meta", meta)
}

// tellModern carries a notification of the host, unless it means nothing to a
// modern remote.
func (f *legacy) tellModern(ctx context.Context, s *session, body []byte) bool {
	env, err := scanEnvelope(body)
	if err == errBatch { // of notifications, which go one by one
		parts, err := elements(body)
		for _, p := range parts {
			f.tellModern(ctx, s, p)
		}
		return err == nil
	}
	if err != nil || env.kind != notification {
		return false // answers of the host are taken before they come here
	}
	switch string(env.method) {
	case "notifications/initialized", "notifications/roots/list_changed", "notifications/progress", "notifications/cancelled":
		return true
	}
	raw, err := s.modern.paramsFor(env.params)
	if err != nil {
		return false
	}
	p := readParams(raw)
	s.modern.leg.tell(ctx, p.version(), string(env.method), message(nil, string(env.method), raw), &p)
	return true
}

// beginProgress forgets what an earlier request showed under the token of a new
// one: a token is unique among open requests only (progress §Progress Flow).
func (m *modernSession) beginProgress(meta []byte) {
	token := find(meta, "progressToken")
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.progress, string(token))
}

// increases reports whether a progress notification goes on from the last one
// of its token: a round that was repeated may start anew, and the host must
// not see that (progress §Behavior).
func (m *modernSession) increases(rawParams []byte) bool {
	token := find(rawParams, "progressToken")
	raw := find(rawParams, "progress")
	var v float64
	if token == nil || len(token) > maxName || json.Unmarshal(raw, &v) != nil {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if last, seen := m.progress[string(token)]; seen && v <= last {
		return false
	}
	if m.progress == nil || len(m.progress) > 1000 {
		m.progress = map[string]float64{}
	}
	m.progress[string(token)] = v
	return true
}

// legacyResult takes from a result what only the modern era has, and what the
// host's revision does not know.
func legacyResult(method, version string, result []byte) []byte {
	result = without(result, "resultType", "ttlMs", "cacheScope")
	switch method {
	case "tools/list":
		return legacyTools(result)
	case "tools/call":
		return legacyCallResult(version, result)
	}
	return result
}

// legacyTools drops output schemas that are no objects, which the older schema
// demands: strict hosts refuse the whole list for one.
func legacyTools(result []byte) []byte {
	list := find(result, "tools")
	parts, err := elements(list)
	if err != nil {
		return result
	}
	changed := false
	for i, tool := range parts {
		schema := find(tool, "outputSchema")
		if schema == nil {
			continue
		}
		if t := find(schema, "type"); string(t) != `"object"` {
			parts[i] = without(tool, "outputSchema")
			changed = true
		}
	}
	if !changed {
		return result
	}
	out, err := withMember(result, "tools", joinArray(parts))
	if err != nil {
		return result
	}
	return out
}

// legacyCallResult puts structured content that is no object, and content of
// kinds that came later, as text.
func legacyCallResult(version string, result []byte) []byte {
	structured := find(result, "structuredContent")
	list := find(result, "content")
	odd := structured != nil && !isObject(structured)
	old := version < "2025-06-18"
	if !odd && !old {
		return result
	}
	parts, err := elements(list)
	if err != nil {
		parts = nil
	}
	hasText := false
	for i, p := range parts {
		t := find(p, "type")
		switch string(unquote(t)) {
		case "text":
			hasText = true
		case "resource_link":
			if old {
				uri := find(p, "uri")
				name := find(p, "name")
				parts[i] = textItem(fmt.Sprintf("[%s](%s)", unquote(name), unquote(uri)))
			}
		case "audio":
			if version < batchRevision {
				kind := find(p, "mimeType")
				parts[i] = textItem(fmt.Sprintf("[audio, %s]", unquote(kind)))
			}
		}
	}
	if odd {
		result = without(result, "structuredContent")
		if !hasText {
			parts = append(parts, textItem(string(structured)))
		}
	}
	out, err := withMember(result, "content", joinArray(parts))
	if err != nil {
		return result
	}
	return out
}

func textItem(text string) []byte {
	b, err := json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
	if err != nil { // strings always marshal
		return []byte(`{"type":"text","text":""}`)
	}
	return b
}

// newResponse is an envelope of a response the bridge puts together.
func newResponse(id []byte, part string, value []byte) *envelope {
	body := responseLine(id, part, value)
	at := len(body) - 1 - len(value)
	env := &envelope{kind: response, body: body, open: 1, rpc: true, broken: true, idAt: len(`{"jsonrpc":"2.0","id":`)}
	env.id = body[env.idAt : env.idAt+len(id)]
	if part == "error" {
		env.err = body[at : at+len(value)]
	} else {
		env.result = body[at : at+len(value)]
	}
	return env
}

// pollWait is how long a remote that wants to be asked again is left alone:
// 0.2 s, doubling up to 3 s.
func pollWait(n int) time.Duration {
	d := 200 * time.Millisecond
	for range min(n, 8) {
		d *= 2
	}
	return min(d, 3*time.Second)
}
