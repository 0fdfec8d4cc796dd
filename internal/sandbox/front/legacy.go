package front

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	"bridge/internal/sandbox/rpc"
)

// postLegacy answers a POST of the revisions up to 2025-11-25.
func (s *Server) postLegacy(w http.ResponseWriter, r *http.Request, msgs []*message, batch bool, principal any) {
	if batch && !s.opts.Batches {
		refuse(http.StatusBadRequest, rpc.CodeInvalidRequest, "Invalid Request: batches are not supported").write(w)
		return
	}
	opening := slices.ContainsFunc(msgs, func(m *message) bool { return m.method == "initialize" && m.isRequest() })
	if opening && len(msgs) > 1 {
		refuse(http.StatusBadRequest, rpc.CodeInvalidRequest, "Invalid Request: Only one initialization request is allowed").write(w)
		return
	}
	var ss *session
	if !opening {
		if s.opts.Sessions {
			found, f := s.session(r, principal)
			if f != nil {
				f.write(w)
				return
			}
			ss = found
		}
		if f := s.checkRevision(r); f != nil {
			f.write(w)
			return
		}
	}

	var calls []*message
	for _, m := range msgs {
		if m.isRequest() {
			calls = append(calls, m)
		} else if ss != nil {
			ss.take(m)
		}
	}
	if len(calls) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if opening {
		revision, result := s.initialize(msgs[0].params)
		if s.opts.Sessions {
			ss = s.newSession(revision, principal)
			w.Header().Set("Mcp-Session-Id", ss.id)
		}
		if s.opts.Answer == AnswerSSE {
			st := s.newStream(ss)
			st.send(response(msgs[0].id, result, nil))
			st.finish()
			st.copyTo(r.Context(), w, 0)
			return
		}
		writeJSON(w, http.StatusOK, response(msgs[0].id, result, nil))
		return
	}
	if s.opts.Answer == AnswerSSE {
		s.answerStream(w, r, calls, ss, principal)
		return
	}
	s.answerJSON(w, r, calls, batch, ss, principal) //nolint:contextcheck // each call derives its own from r
}

func (s *Server) initialize(params json.RawMessage) (revision string, result json.RawMessage) {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &p) // anything unreadable is an unknown revision
	revision = p.ProtocolVersion
	if !slices.Contains(s.opts.Revisions, revision) {
		revision = s.opts.Revisions[0]
	}
	d := s.opts.Handler.Describe()
	return revision, rpc.Marshal(struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      json.RawMessage `json:"serverInfo"`
		Instructions    string          `json:"instructions,omitempty"`
	}{revision, d.Capabilities, d.ServerInfo, d.Instructions})
}

func (s *Server) revision(r *http.Request, ss *session) string {
	if v := r.Header.Get("MCP-Protocol-Version"); v != "" {
		return v
	}
	if ss != nil {
		return ss.revision
	}
	return Rev20250326 // what a server assumes for a client that says nothing (2025-06-18 transports)
}

func (s *Server) newCall(r *http.Request, m *message, ss *session, principal any) *Call {
	c := &Call{
		Method: m.method, Params: m.params, ID: m.id, Principal: principal, Query: r.URL.Query(), Revision: s.revision(r, ss),
		Notify: func(string, json.RawMessage) {}, Hangup: func() {},
		Ask: func(context.Context, string, json.RawMessage) (json.RawMessage, *rpc.Error) {
			return nil, rpc.Errorf(rpc.CodeMethodNotFound, "this connection cannot carry a request to the client")
		},
	}
	if ss != nil {
		c.SessionID = ss.id
	}
	return c
}

// handle runs one call and keeps a faulty handler from taking the server down.
func (s *Server) handle(ctx context.Context, c *Call) (result json.RawMessage, e *rpc.Error) {
	defer func() {
		if p := recover(); p != nil {
			result, e = nil, rpc.Errorf(rpc.CodeInternal, "Internal error")
		}
	}()
	if c.Method == "ping" {
		return json.RawMessage("{}"), nil
	}
	return s.opts.Handler.Handle(ctx, c)
}

// answerJSON runs the calls and answers with one JSON body.
func (s *Server) answerJSON(w http.ResponseWriter, r *http.Request, calls []*message, batch bool, ss *session, principal any) {
	answers := make([][]byte, len(calls))
	var wg sync.WaitGroup
	for i, m := range calls {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			if ss != nil {
				defer context.AfterFunc(ss.ctx, cancel)()
				defer ss.track(m.id, cancel)()
			}
			result, e := s.handle(ctx, s.newCall(r, m, ss, principal))
			if ctx.Err() != nil && r.Context().Err() == nil {
				// Cancelled by the client: HTTP needs some answer, MCP none.
				result, e = nil, rpc.Errorf(rpc.CodeServer, "Request cancelled")
			}
			answers[i] = response(m.id, result, e)
		})
	}
	wg.Wait()
	if !batch {
		writeJSON(w, http.StatusOK, answers[0])
		return
	}
	writeJSON(w, http.StatusOK, append(append([]byte("["), bytes.Join(answers, []byte(","))...), ']'))
}

// answerStream runs the calls and answers on an event stream. With a session
// the work outlives the connection: a disconnect is not a cancellation
// (2025-03-26 and later, transports §Sending Messages).
func (s *Server) answerStream(w http.ResponseWriter, r *http.Request, calls []*message, ss *session, principal any) {
	st := s.newStream(ss)
	parent := r.Context() //nolint:contextcheck // see above: a session's context takes its place
	if ss != nil {
		parent = ss.ctx
	}
	connection, hangup := context.WithCancel(r.Context())
	defer hangup()
	var wg sync.WaitGroup
	for _, m := range calls {
		ctx, cancel := context.WithCancel(parent)
		c := s.newCall(r, m, ss, principal)
		c.Notify = func(method string, params json.RawMessage) { st.send(notification(method, params)) }
		forget := func() {}
		if ss != nil {
			forget = ss.track(m.id, cancel)
			if s.opts.EventIDs && s.opts.Stream {
				c.Hangup = hangup
			}
			c.Ask = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *rpc.Error) {
				return ss.ask(ctx, st, method, params)
			}
		}
		s.work.Add(1)
		wg.Go(func() {
			defer s.work.Done()
			defer cancel()
			defer forget()
			result, e := s.handle(ctx, c)
			if ctx.Err() == nil {
				st.send(response(m.id, result, e))
			}
		})
	}
	s.work.Go(func() {
		wg.Wait()
		st.finish()
	})
	st.attach()
	defer st.detach()
	st.copyTo(connection, w, 0)
	if ss == nil {
		wg.Wait() // the calls belong to this connection
	}
}

// get opens the standing stream, or resumes any stream by its last event.
func (s *Server) get(w http.ResponseWriter, r *http.Request, principal any) {
	if s.opts.StrictAccept && !accepts(r, "text/event-stream") {
		refuse(http.StatusNotAcceptable, rpc.CodeServer, "Not Acceptable: Client must accept text/event-stream").write(w)
		return
	}
	ss, f := s.session(r, principal)
	if f == nil {
		f = s.checkRevision(r)
	}
	if f != nil {
		f.write(w)
		return
	}
	st, from := ss.standing, -1
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		found, n, ok := ss.resume(last)
		if !ok {
			refuse(http.StatusBadRequest, rpc.CodeServer, "Bad Request: unknown Last-Event-ID").write(w)
			return
		}
		st, from = found, n
	} else {
		if !st.attach() {
			refuse(http.StatusConflict, rpc.CodeServer, "Conflict: Only one SSE stream is allowed per session").write(w)
			return
		}
		defer st.detach()
	}
	st.copyTo(r.Context(), w, from)
}
