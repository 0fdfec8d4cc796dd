package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/rpc"
)

// mount makes a front that the sandbox forgets sessions of and closes.
func (s *Sandbox) mount(o front.Options) *front.Server {
	f := front.New(o)
	s.fronts = append(s.fronts, f)
	return f
}

// bearer reads the token of an Authorization header; the scheme's name is
// case-insensitive (RFC 9110 §11.1).
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

func denied(challenge string, body any) *front.Denial {
	h := http.Header{}
	if challenge != "" {
		h.Set("WWW-Authenticate", challenge)
	}
	return &front.Denial{Status: http.StatusUnauthorized, Header: h, Body: rpc.Marshal(body)}
}

// variants are the forms of the transport in which every service is served
// besides its own, by name.
func variants() []string {
	return []string{"json", "sse", "session", "session-sse", "resumable", "modern", "modern-sse", "dual", "dual-sse", "http-sse"}
}

func variant(name string, o front.Options) front.Options {
	o.StrictOrigin, o.StrictAccept, o.StrictContentType, o.StrictRevision = true, true, true, true
	o.Batches = true
	switch name {
	case "sse":
		o.Answer = front.AnswerSSE
	case "session":
		o.Sessions, o.Stream = true, true
	case "session-sse":
		o.Sessions, o.Stream, o.Answer = true, true, front.AnswerSSE
	case "resumable":
		o.Sessions, o.Stream, o.Answer, o.EventIDs, o.Priming = true, true, front.AnswerSSE, true, true
		o.Retry = 200 * time.Millisecond
	case "modern", "modern-sse":
		o.Era, o.TTL = front.EraModern, time.Minute
	case "dual", "dual-sse":
		o.Era, o.TTL = front.EraBoth, time.Minute
	case "http-sse":
		o.Endpoint = true
	}
	if strings.HasSuffix(name, "-sse") && !o.Endpoint {
		o.Answer = front.AnswerSSE
	}
	return o
}

// serveVariants mounts a service in every form below /name/.
func (s *Sandbox) serveVariants(mux *http.ServeMux, name string, o front.Options) []*front.Server {
	var out []*front.Server
	for _, v := range variants() {
		f := s.mount(variant(v, o))
		mux.Handle("/"+name+"/"+v, f)
		out = append(out, f)
	}
	return out
}

func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ok"}`))
}

// broadcastAll tells the clients of several mounts at once.
func broadcastAll(fronts []*front.Server) func(method string, params json.RawMessage) {
	fronts = slices.Clone(fronts)
	return func(method string, params json.RawMessage) {
		for _, f := range fronts {
			f.Broadcast(method, params)
		}
	}
}
