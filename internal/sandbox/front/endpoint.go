package front

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"bridge/internal/sandbox/rpc"
)

// serveEndpoint is the HTTP+SSE transport of 2024-11-05: one GET stream whose
// first event names where to POST, and on which every answer comes. The stream
// is the session; when it ends, the session ends.
//
//nolint:contextcheck // the answer to a POST comes on the stream, so its work is bound to the session
func (s *Server) serveEndpoint(w http.ResponseWriter, r *http.Request, principal any) {
	if r.Method == http.MethodGet {
		ss := s.newSession(Rev20241105, principal)
		defer s.endSession(ss)
		ss.standing.hello = "event: endpoint\ndata: " + r.URL.Path + "?sessionId=" + ss.id + "\n\n"
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(ss.ctx, cancel)()
		ss.standing.copyTo(ctx, w, 0)
		return
	}
	if !r.URL.Query().Has("sessionId") {
		// As servers of that time do: a client finds out by this that it is
		// no Streamable HTTP.
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	s.mu.Lock()
	ss := s.sessions[r.URL.Query().Get("sessionId")]
	s.mu.Unlock()
	if ss == nil || ss.principal != principal {
		refuse(http.StatusNotFound, rpc.CodeSessionNotFound, "Session not found").write(w)
		return
	}
	msgs, _, f := s.read(w, r)
	if f != nil {
		f.write(w)
		return
	}
	for _, m := range msgs {
		if !m.isRequest() {
			ss.take(m)
			continue
		}
		if m.method == "initialize" {
			_, result := s.initialize(m.params)
			ss.standing.send(response(m.id, result, nil))
			continue
		}
		ctx, cancel := context.WithCancel(ss.ctx)
		forget := ss.track(m.id, cancel)
		c := s.newCall(r, m, ss, principal)
		c.Notify = func(method string, params json.RawMessage) { ss.standing.send(notification(method, params)) }
		c.Ask = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *rpc.Error) {
			return ss.ask(ctx, ss.standing, method, params)
		}
		s.work.Go(func() {
			defer cancel()
			defer forget()
			result, e := s.handle(ctx, c)
			if ctx.Err() == nil {
				ss.standing.send(response(m.id, result, e))
			}
		})
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "Accepted")
}
