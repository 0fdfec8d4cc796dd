package front

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bridge/internal/sandbox/rpc"
)

// Members of _meta that the 2026-07-28 revision reserves (basic §_meta).
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaLogLevel     = metaPrefix + "logLevel"
	metaSubscription = metaPrefix + "subscriptionId"
	metaServerInfo   = metaPrefix + "serverInfo"
)

// ParamHeaders is implemented by a Handler whose tools mirror arguments into
// headers (x-mcp-header). It returns, for a tool, header suffix → the path of
// properties to the argument.
type ParamHeaders interface {
	ParamHeaders(tool string) map[string][]string
}

func metaOf(params json.RawMessage) map[string]json.RawMessage {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // unreadable means absent
	return p.Meta
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // anything but a string reads as none
	return s
}

// isModern decides the era of one message: by its own _meta, by a revision in
// the header that only the modern era has, or because the mount has no other.
func (s *Server) isModern(r *http.Request, m *message) bool {
	if s.opts.Era&EraModern == 0 {
		return false
	}
	if s.opts.Era&EraLegacy == 0 || m.method == "server/discover" {
		return true
	}
	return r.Header.Get("MCP-Protocol-Version") >= Modern || text(metaOf(m.params)[metaVersion]) != ""
}

func (s *Server) supported() []string {
	if s.opts.Era&EraLegacy == 0 {
		return []string{Modern}
	}
	return append([]string{Modern}, s.opts.Revisions...)
}

func (s *Server) unsupported(requested string) *refusal {
	e := rpc.Errorf(rpc.CodeRevision, "Unsupported protocol version")
	e.Data = rpc.Marshal(struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{s.supported(), requested})
	return &refusal{status: http.StatusBadRequest, err: e}
}

// checkModern holds a request against the rules of 2026-07-28: _meta, and the
// headers that mirror the body.
func (s *Server) checkModern(r *http.Request, m *message, meta map[string]json.RawMessage) *refusal {
	header, body := r.Header.Get("MCP-Protocol-Version"), text(meta[metaVersion])
	switch {
	case m.method == "initialize" && body == "":
		var p struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(m.params, &p)
		return s.unsupported(p.ProtocolVersion)
	case header == "":
		return refuse(http.StatusBadRequest, rpc.CodeHeaderMismatch, "MCP-Protocol-Version header is required")
	case body == "":
		return refuse(http.StatusBadRequest, rpc.CodeInvalidParams, "missing or invalid _meta field %q", metaVersion)
	case header != body:
		return refuse(http.StatusBadRequest, rpc.CodeHeaderMismatch, "MCP-Protocol-Version header %q does not match _meta %q", header, body)
	case body != Modern:
		return s.unsupported(body)
	}
	if raw := meta[metaCapabilities]; len(raw) == 0 || raw[0] != '{' {
		return refuse(http.StatusBadRequest, rpc.CodeInvalidParams, "missing or invalid _meta field %q", metaCapabilities)
	}
	if raw, ok := meta[metaLogLevel]; ok && severity(text(raw)) < 0 {
		return refuse(http.StatusBadRequest, rpc.CodeInvalidParams, "unknown log level in _meta")
	}
	return s.checkMirrors(r, m)
}

// severity orders the log levels of RFC 5424; -1 is none of them.
func severity(level string) int {
	return slices.Index([]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, level)
}

// wanted reports whether a notification may be sent for a request: a log line
// only when the request asked for its level (2026-07-28 utilities/logging).
func wanted(meta map[string]json.RawMessage, method string, params json.RawMessage) bool {
	if method != "notifications/message" {
		return true
	}
	var p struct {
		Level string `json:"level"`
	}
	_ = json.Unmarshal(params, &p) // no level is below every other
	asked := severity(text(meta[metaLogLevel]))
	return asked >= 0 && severity(p.Level) >= asked
}

func (s *Server) checkMirrors(r *http.Request, m *message) *refusal {
	mismatch := func(name string) *refusal {
		return refuse(http.StatusBadRequest, rpc.CodeHeaderMismatch, "%s header is missing or does not match the body", name)
	}
	if r.Header.Get("Mcp-Method") != m.method {
		return mismatch("Mcp-Method")
	}
	var p struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(m.params, &p) // wrong types are the handler's to refuse
	want, named := p.Name, true
	switch m.method {
	case "tools/call", "prompts/get":
	case "resources/read":
		want = p.URI
	default:
		named = false
	}
	if named {
		if got, ok := decodeHeader(r.Header, "Mcp-Name"); !ok || got != want {
			return mismatch("Mcp-Name")
		}
	}
	ph, ok := s.opts.Handler.(ParamHeaders)
	if !ok || m.method != "tools/call" {
		return nil
	}
	for suffix, path := range ph.ParamHeaders(p.Name) {
		want, present := argumentAt(p.Arguments, path)
		got, ok := decodeHeader(r.Header, "Mcp-Param-"+suffix)
		if ok != present || (present && got != want) {
			return mismatch("Mcp-Param-" + suffix)
		}
	}
	return nil
}

// decodeHeader reads a mirrored value; =?base64?…?= carries what a header
// cannot (streamable-http §Value Encoding).
func decodeHeader(h http.Header, name string) (string, bool) {
	values := h.Values(name)
	if len(values) != 1 {
		return "", false
	}
	v := values[0]
	if enc, ok := strings.CutPrefix(v, "=?base64?"); ok && strings.HasSuffix(enc, "?=") {
		b, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(enc, "?="))
		return string(b), err == nil
	}
	return v, true
}

// argumentAt reads the argument at a path of properties as a header shows it.
func argumentAt(args json.RawMessage, path []string) (string, bool) {
	for _, p := range path {
		var o map[string]json.RawMessage
		if json.Unmarshal(args, &o) != nil {
			return "", false
		}
		args = o[p]
	}
	if len(args) == 0 || string(args) == "null" {
		return "", false
	}
	if args[0] == '"' {
		return text(args), true
	}
	return string(args), true
}

// modernStatus is the HTTP status of an answer (streamable-http §Protocol
// Version Header).
func modernStatus(e *rpc.Error) int {
	if e == nil {
		return http.StatusOK
	}
	switch e.Code {
	case rpc.CodeMethodNotFound:
		return http.StatusNotFound
	case rpc.CodeInvalidParams, rpc.CodeInvalidRequest, rpc.CodeHeaderMismatch, rpc.CodeCapability, rpc.CodeRevision:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// postModern answers a POST of 2026-07-28.
func (s *Server) postModern(w http.ResponseWriter, r *http.Request, m *message, principal any) {
	if m.isResponse() {
		refuse(http.StatusBadRequest, rpc.CodeInvalidRequest, "Invalid Request: a client sends no responses in this revision").write(w)
		return
	}
	if m.isNotification() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	meta := metaOf(m.params)
	if f := s.checkModern(r, m, meta); f != nil {
		f.id = m.id
		f.write(w)
		return
	}
	c := s.newCall(r, m, nil, principal)
	c.Revision, c.Capabilities = Modern, meta[metaCapabilities]
	switch m.method {
	case "subscriptions/listen":
		s.listen(w, r, m)
		return
	case "server/discover":
		writeJSON(w, http.StatusOK, response(m.id, s.complete(m.method, s.discover()), nil))
		return
	case "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		e := rpc.Errorf(rpc.CodeMethodNotFound, "Method not found")
		writeJSON(w, http.StatusNotFound, response(m.id, nil, e))
		return
	}
	if s.opts.Answer == AnswerJSON {
		result, e := s.handle(r.Context(), c)
		writeJSON(w, modernStatus(e), response(m.id, s.complete(m.method, result), e))
		return
	}
	s.streamModern(w, r, m, c, meta)
}

// streamModern answers on an event stream. Closing it cancels the request.
func (s *Server) streamModern(w http.ResponseWriter, r *http.Request, m *message, c *Call, meta map[string]json.RawMessage) {
	st := newStream("")
	// The status line waits for the first message: an error that comes at once
	// keeps its HTTP status.
	first := make(chan struct{})
	begin := sync.OnceFunc(func() { close(first) })
	c.Notify = func(method string, params json.RawMessage) {
		if wanted(meta, method, params) {
			st.send(notification(method, params))
			begin()
		}
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var failed *rpc.Error
	var wg sync.WaitGroup
	wg.Go(func() {
		result, e := s.handle(ctx, c)
		if e != nil && st.empty() {
			failed = e
		} else {
			st.send(response(m.id, s.complete(m.method, result), e))
		}
		st.finish()
		begin()
	})
	<-first
	if st.empty() { // so the handler is done, and failed
		wg.Wait()
		writeJSON(w, modernStatus(failed), response(m.id, nil, failed))
		return
	}
	st.copyTo(ctx, w, 0)
	cancel()
	wg.Wait()
}

func (s *Server) discover() json.RawMessage {
	d := s.opts.Handler.Describe()
	return rpc.Marshal(struct {
		SupportedVersions []string        `json:"supportedVersions"`
		Capabilities      json.RawMessage `json:"capabilities"`
		Instructions      string          `json:"instructions,omitempty"`
	}{s.supported(), d.Capabilities, d.Instructions})
}

// complete adds what every modern result carries, where the handler did not.
func (s *Server) complete(method string, result json.RawMessage) json.RawMessage {
	if result == nil {
		return nil
	}
	var have struct {
		ResultType string          `json:"resultType"`
		Meta       json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(result, &have)
	info := string(rpc.Marshal(metaServerInfo)) + ":" + string(s.opts.Handler.Describe().ServerInfo)
	pairs := []string{"resultType", `"complete"`}
	if have.Meta == nil {
		pairs = append(pairs, "_meta", "{"+info+"}")
	}
	cacheable := slices.Contains([]string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}, method)
	if cacheable && (have.ResultType == "" || have.ResultType == "complete") {
		scope := s.opts.CacheScope
		if scope == "" {
			scope = "private"
		}
		pairs = append(pairs, "ttlMs", strconv.FormatInt(s.opts.TTL.Milliseconds(), 10), "cacheScope", strconv.Quote(scope))
	}
	return with(result, pairs...)
}
