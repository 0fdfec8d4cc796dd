package front

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"bridge/internal/sandbox/rpc"
)

const defaultBodyLimit = 4 << 20

// Server is one mount. It is an http.Handler, safe for concurrent use; its
// zero value is not useful, call New.
type Server struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup // handlers that outlive their connection

	mu        sync.Mutex
	sessions  map[string]*session
	order     []string
	listeners map[*listener]struct{}
}

// New returns a mount with the given options. Close ends it.
func New(opts Options) *Server {
	if opts.Era == 0 {
		opts.Era = EraLegacy
	}
	if opts.Revisions == nil {
		opts.Revisions = []string{Rev20251125, Rev20250618, Rev20250326, Rev20241105}
	}
	if opts.BodyLimit == 0 {
		opts.BodyLimit = defaultBodyLimit
	}
	s := &Server{opts: opts, sessions: map[string]*session{}, listeners: map[*listener]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close ends every session and subscription and waits for running handlers.
func (s *Server) Close() {
	s.mu.Lock()
	for l := range s.listeners {
		l.end()
	}
	s.mu.Unlock()
	s.Forget()
	s.cancel()
	s.work.Wait()
}

// Forget drops every session, as a server does that was restarted: the next
// request that names one is answered 404. It returns how many there were.
func (s *Server) Forget() int {
	s.mu.Lock()
	old := s.sessions
	s.sessions, s.order = map[string]*session{}, nil
	s.mu.Unlock()
	for _, ss := range old {
		ss.end()
	}
	return len(old)
}

// Broadcast sends a notification to every session's standing stream and to
// every subscription that asked for its kind.
func (s *Server) Broadcast(method string, params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ss := range s.sessions {
		ss.standing.send(notification(method, params))
	}
	for l := range s.listeners {
		l.offer(method, params)
	}
}

// refusal is a request turned down before any handler saw it.
type refusal struct {
	status int
	err    *rpc.Error
	id     json.RawMessage
}

func refuse(status, code int, format string, args ...any) *refusal {
	return &refusal{status: status, err: rpc.Errorf(code, format, args...)}
}

func (f *refusal) write(w http.ResponseWriter) {
	writeJSON(w, f.status, response(f.id, nil, f.err))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// Write answers a request with the denial.
func (d *Denial) Write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	for k, v := range d.Header {
		h[k] = v
	}
	w.WriteHeader(d.Status)
	_, _ = w.Write(d.Body)
}

// WithRequestID gives every response of next an X-Request-Id.
func WithRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", newID())
		next.ServeHTTP(w, r)
	})
}

// ServeHTTP answers one HTTP request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A request ends with its connection, or with the mount.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	r = r.WithContext(ctx)
	if s.opts.MethodFirst && !s.allows(r.Method) {
		s.notAllowed(w)
		return
	}
	var principal any
	if s.opts.Authenticate != nil {
		p, denial := s.opts.Authenticate(r)
		if denial != nil {
			denial.Write(w)
			return
		}
		principal = p
	}
	if !s.allows(r.Method) {
		s.notAllowed(w)
		return
	}
	if f := s.checkPlace(r); f != nil {
		f.write(w)
		return
	}
	if s.opts.Endpoint {
		s.serveEndpoint(w, r, principal)
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r, principal)
	case http.MethodGet:
		s.get(w, r, principal)
	case http.MethodDelete:
		if ss, f := s.session(r, principal); f != nil {
			f.write(w)
		} else {
			s.endSession(ss)
			w.WriteHeader(http.StatusOK)
		}
	}
}

func (s *Server) allows(method string) bool {
	switch method {
	case http.MethodPost:
		return true
	case http.MethodGet:
		return s.opts.Endpoint || s.opts.Stream && s.opts.Sessions
	case http.MethodDelete:
		return s.opts.Sessions
	}
	return false
}

func (s *Server) notAllowed(w http.ResponseWriter) {
	if d := s.opts.NotAllowed; d != nil {
		d.Write(w)
		return
	}
	allow := []string{http.MethodPost}
	for _, m := range []string{http.MethodGet, http.MethodDelete} {
		if s.allows(m) {
			allow = append(allow, m)
		}
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	refuse(http.StatusMethodNotAllowed, rpc.CodeServer, "Method not allowed.").write(w)
}

// checkPlace guards against DNS rebinding (transports §Security Warning).
func (s *Server) checkPlace(r *http.Request) *refusal {
	if s.opts.Host != "" && !strings.EqualFold(r.Host, s.opts.Host) {
		return refuse(http.StatusForbidden, rpc.CodeServer, "Invalid Host header: %s", r.Host)
	}
	if origin := r.Header.Get("Origin"); s.opts.StrictOrigin && origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !loopbackName(u.Hostname()) {
			return refuse(http.StatusForbidden, rpc.CodeServer, "Invalid Origin header: %s", origin)
		}
	}
	return nil
}

func loopbackName(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// checkHeaders is the strictness of a POST ahead of its body.
func (s *Server) checkHeaders(r *http.Request) *refusal {
	if s.opts.StrictAccept && (!accepts(r, "application/json") || !accepts(r, "text/event-stream")) {
		return refuse(http.StatusNotAcceptable, rpc.CodeServer, "Not Acceptable: Client must accept both application/json and text/event-stream")
	}
	if s.opts.StrictContentType {
		if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
			return refuse(http.StatusUnsupportedMediaType, rpc.CodeServer, "Unsupported Media Type: Content-Type must be application/json")
		}
	}
	return nil
}

// accepts reports whether Accept names the media type itself; wildcards do
// not count, as in the servers this is modelled on.
func accepts(r *http.Request, media string) bool {
	for _, line := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(line, ",") {
			t, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(t), media) {
				return true
			}
		}
	}
	return false
}

// checkRevision applies to every legacy message but initialize, which
// negotiates in its body.
func (s *Server) checkRevision(r *http.Request) *refusal {
	v := r.Header.Get("MCP-Protocol-Version")
	if v == "" || !s.opts.StrictRevision || slices.Contains(s.opts.Revisions, v) {
		return nil
	}
	return refuse(http.StatusBadRequest, rpc.CodeServer,
		"Bad Request: Unsupported protocol version: %s (supported versions: %s)", v, strings.Join(s.opts.Revisions, ", "))
}

// post reads the body, decides the era, and hands on.
func (s *Server) post(w http.ResponseWriter, r *http.Request, principal any) {
	if f := s.checkHeaders(r); f != nil {
		f.write(w)
		return
	}
	msgs, batch, f := s.read(w, r)
	if f != nil {
		f.write(w)
		return
	}
	if !batch && s.isModern(r, msgs[0]) {
		s.postModern(w, r, msgs[0], principal)
		return
	}
	s.postLegacy(w, r, msgs, batch, principal)
}

// read takes the messages from a body.
func (s *Server) read(w http.ResponseWriter, r *http.Request) ([]*message, bool, *refusal) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opts.BodyLimit))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, false, refuse(http.StatusRequestEntityTooLarge, rpc.CodeServer, "Payload Too Large: the body exceeds %d bytes", s.opts.BodyLimit)
	}
	if err != nil { // the client is gone; nobody reads this
		return nil, false, refuse(http.StatusBadRequest, rpc.CodeServer, "the body could not be read")
	}
	msgs, batch, err := parseBody(body)
	switch {
	case errors.Is(err, errNotJSON):
		return nil, batch, refuse(http.StatusBadRequest, rpc.CodeParse, "Parse error: Invalid JSON")
	case errors.Is(err, errEmptyBatch):
		return nil, batch, refuse(http.StatusBadRequest, rpc.CodeInvalidRequest, "Invalid Request: empty batch")
	case err != nil:
		// The TypeScript SDK, and so the services, call this a parse error too.
		return nil, batch, refuse(http.StatusBadRequest, rpc.CodeParse, "Parse error: Invalid JSON-RPC message")
	}
	return msgs, batch, nil
}
