package front

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bridge/internal/sandbox/rpc"
)

// maxSessions and maxStreams bound what clients that never say goodbye can
// hold; beyond them the oldest goes.
const (
	maxSessions = 1024
	maxStreams  = 256
)

// session is one client's conversation on a mount with sessions.
type session struct {
	id        string
	revision  string
	principal any
	ctx       context.Context
	cancel    context.CancelFunc

	mu       sync.Mutex
	streams  map[string]*stream // by stream id, for resuming
	order    []string
	standing *stream
	inflight map[string]context.CancelFunc // by raw request id
	pending  map[string]chan *message      // our requests to the client, by raw id
	next     int
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b[:])
}

func (s *Server) newSession(revision string, principal any) *session {
	ctx, cancel := context.WithCancel(s.ctx)
	ss := &session{
		id: newID(), revision: revision, principal: principal, ctx: ctx, cancel: cancel,
		streams: map[string]*stream{}, inflight: map[string]context.CancelFunc{}, pending: map[string]chan *message{},
	}
	ss.standing = s.newStream(ss)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[ss.id] = ss
	s.order = append(s.order, ss.id)
	for len(s.order) > maxSessions {
		if old := s.sessions[s.order[0]]; old != nil {
			old.end()
			delete(s.sessions, old.id)
		}
		s.order = s.order[1:]
	}
	return ss
}

// session finds the session a request names. A session belongs to who opened
// it: to anybody else it does not exist.
func (s *Server) session(r *http.Request, principal any) (*session, *refusal) {
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" {
		return nil, &refusal{status: http.StatusBadRequest, err: rpc.Errorf(rpc.CodeServer, "Bad Request: Mcp-Session-Id header is required")}
	}
	s.mu.Lock()
	ss := s.sessions[id]
	s.mu.Unlock()
	if ss == nil || ss.principal != principal {
		return nil, &refusal{status: http.StatusNotFound, err: rpc.Errorf(rpc.CodeSessionNotFound, "Session not found")}
	}
	return ss, nil
}

func (s *Server) endSession(ss *session) {
	s.mu.Lock()
	delete(s.sessions, ss.id)
	s.order = slices.DeleteFunc(s.order, func(id string) bool { return id == ss.id })
	s.mu.Unlock()
	ss.end()
}

// end stops everything the session has running and finishes its streams.
func (ss *session) end() {
	ss.cancel()
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.standing.finish()
	for _, st := range ss.streams {
		st.finish()
	}
}

// newStream opens a stream; with event ids it can be found again by them.
func (s *Server) newStream(ss *session) *stream {
	st := newStream("")
	st.retry = s.opts.Retry.Milliseconds()
	if ss == nil || !s.opts.EventIDs {
		return st
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.next++
	st.id, st.prime = strconv.Itoa(ss.next)+"-"+ss.id[:8], s.opts.Priming
	ss.streams[st.id] = st
	ss.order = append(ss.order, st.id)
	for len(ss.order) > maxStreams {
		if old := ss.order[0]; ss.streams[old] != ss.standing {
			delete(ss.streams, old)
		}
		ss.order = ss.order[1:]
	}
	return st
}

// resume finds the stream and the number that a Last-Event-ID names.
func (ss *session) resume(last string) (*stream, int, bool) {
	id, num, ok := strings.Cut(last, "_")
	n, err := strconv.Atoi(num)
	if !ok || err != nil || n < 0 {
		return nil, 0, false
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	st := ss.streams[id]
	return st, n, st != nil
}

// track remembers how to cancel a request that is running.
func (ss *session) track(id json.RawMessage, cancel context.CancelFunc) (forget func()) {
	key := string(id)
	ss.mu.Lock()
	ss.inflight[key] = cancel
	ss.mu.Unlock()
	return func() {
		ss.mu.Lock()
		delete(ss.inflight, key)
		ss.mu.Unlock()
	}
}

// take handles what a client sends that is no request.
func (ss *session) take(m *message) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	switch {
	case m.isResponse():
		if ch := ss.pending[string(m.id)]; ch != nil {
			delete(ss.pending, string(m.id))
			ch <- m // buffered: one answer a request
		}
	case m.method == "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.params, &p) == nil {
			if cancel := ss.inflight[string(p.RequestID)]; cancel != nil {
				cancel()
			}
		}
	}
}

// ask sends a request to the client on st and waits for the answer, which
// arrives as a POST of its own.
func (ss *session) ask(ctx context.Context, st *stream, method string, params json.RawMessage) (json.RawMessage, *rpc.Error) {
	ch := make(chan *message, 1)
	ss.mu.Lock()
	ss.next++
	id := rpc.Marshal("ask-" + strconv.Itoa(ss.next))
	ss.pending[string(id)] = ch
	ss.mu.Unlock()
	defer func() {
		ss.mu.Lock()
		delete(ss.pending, string(id))
		ss.mu.Unlock()
	}()
	if !st.send(request(id, method, params)) {
		return nil, rpc.Errorf(rpc.CodeInternal, "the stream to the client is gone")
	}
	select {
	case <-ctx.Done():
		return nil, rpc.Errorf(rpc.CodeInternal, "the request ended before the client answered")
	case m := <-ch:
		return m.result, m.err
	}
}
