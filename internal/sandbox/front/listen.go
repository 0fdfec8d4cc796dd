package front

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"bridge/internal/sandbox/rpc"
)

// subscriptions is what a listener may ask for (2026-07-28
// patterns/subscriptions).
type subscriptions struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

// listener is one subscriptions/listen stream.
type listener struct {
	id    json.RawMessage
	agree subscriptions
	st    *stream
}

func (l *listener) offer(method string, params json.RawMessage) {
	wanted := false
	switch method {
	case "notifications/tools/list_changed":
		wanted = l.agree.Tools
	case "notifications/prompts/list_changed":
		wanted = l.agree.Prompts
	case "notifications/resources/list_changed":
		wanted = l.agree.Resources
	case "notifications/resources/updated":
		var p struct {
			URI string `json:"uri"`
		}
		wanted = json.Unmarshal(params, &p) == nil && slices.Contains(l.agree.URIs, p.URI)
	}
	if wanted {
		if params == nil {
			params = json.RawMessage("{}")
		}
		l.st.send(notification(method, with(params, "_meta", l.meta())))
	}
}

func (l *listener) meta() string {
	return "{" + strconv.Quote(metaSubscription) + ":" + string(l.id) + "}"
}

// end closes the subscription gracefully: the result is its last message.
func (l *listener) end() {
	l.st.send(response(l.id, json.RawMessage(`{"resultType":"complete","_meta":`+l.meta()+`}`), nil))
	l.st.finish()
}

func (s *Server) listen(w http.ResponseWriter, r *http.Request, m *message) {
	var p struct {
		Notifications *subscriptions `json:"notifications"`
	}
	if json.Unmarshal(m.params, &p) != nil || p.Notifications == nil {
		f := refuse(http.StatusBadRequest, rpc.CodeInvalidParams, "notifications is required")
		f.id = m.id
		f.write(w)
		return
	}
	var caps struct {
		Tools, Prompts struct {
			ListChanged bool `json:"listChanged"`
		}
		Resources struct {
			ListChanged bool `json:"listChanged"`
			Subscribe   bool `json:"subscribe"`
		}
	}
	_ = json.Unmarshal(s.opts.Handler.Describe().Capabilities, &caps) // what cannot be read is not offered
	l := &listener{id: m.id, agree: *p.Notifications, st: newStream("")}
	l.agree.Tools = l.agree.Tools && caps.Tools.ListChanged
	l.agree.Prompts = l.agree.Prompts && caps.Prompts.ListChanged
	l.agree.Resources = l.agree.Resources && caps.Resources.ListChanged
	if !caps.Resources.Subscribe {
		l.agree.URIs = nil
	}
	l.st.send(notification("notifications/subscriptions/acknowledged",
		json.RawMessage(`{"_meta":`+l.meta()+`,"notifications":`+string(rpc.Marshal(l.agree))+`}`)))
	s.mu.Lock()
	s.listeners[l] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.listeners, l)
		s.mu.Unlock()
	}()
	l.st.copyTo(r.Context(), w, 0)
}
