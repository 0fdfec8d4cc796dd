package authz

import (
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"
)

// envelope is the shape of every answer of the agent path.
type envelope struct {
	OK           bool           `json:"ok"`
	Data         any            `json:"data"`
	Actions      []any          `json:"actions"`
	Instructions string         `json:"instructions"`
	Docs         docs           `json:"docs"`
	Error        *envelopeError `json:"error,omitempty"`
	RequestID    string         `json:"requestId,omitempty"`
}

type envelopeError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type docs struct {
	DiscoveryURL string `json:"discoveryUrl"`
}

func (s *Service) succeed(w http.ResponseWriter, data any, instructions string) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, envelope{OK: true, Data: data, Actions: []any{}, Instructions: instructions, Docs: docs{s.opt.API + "/v1/"}})
}

func (s *Service) refuse(w http.ResponseWriter, f *fault) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, f.status, envelope{Data: struct{}{}, Actions: []any{}, Instructions: "Read error.code and error.message.",
		Docs: docs{s.opt.API + "/v1/"}, Error: &envelopeError{f.code, f.message}, RequestID: newUUID()})
}

var badRequest = fault{http.StatusBadRequest, "INVALID_REQUEST", "The body must be JSON with the required fields."}

func (s *Service) sendCode(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Email *string `json:"email"`
	}
	body, ok := readBody(w, r)
	if !ok || json.Unmarshal(body, &in) != nil || in.Email == nil {
		s.refuse(w, &badRequest)
		return
	}
	handle, f := s.requestCode(r.Context(), *in.Email, clientIP(r))
	if f != nil {
		s.refuse(w, f)
		return
	}
	s.succeed(w, map[string]any{"otpSessionToken": handle, "expiresInSeconds": int(otpTTL.Seconds())},
		"Ask the person for the 8-digit code, then call verifyCodeUrl. In the sandbox the code stands in the terminal where it runs.")
}

func (s *Service) verifyCode(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Code  *string `json:"code"`
		Token *string `json:"otpSessionToken"`
		Label string  `json:"label"`
	}
	body, ok := readBody(w, r)
	label := ""
	if ok && json.Unmarshal(body, &in) == nil {
		label = strings.TrimSpace(in.Label)
	}
	if n := utf8.RuneCountInString(label); in.Code == nil || in.Token == nil || n < 1 || n > 120 {
		s.refuse(w, &badRequest)
		return
	}
	userID, f := s.redeem(r.Context(), *in.Token, *in.Code)
	if f != nil {
		s.refuse(w, f)
		return
	}
	key, connection, err := s.NewKey(r.Context(), userID, label)
	if err != nil {
		s.refuse(w, internalFault())
		return
	}
	s.succeed(w, map[string]any{"apiKey": key, "authorizationScheme": "ApiKey", "connection": connection},
		"Keep the key in a safe place: it is shown this once.")
}

// API serves the discovery document and the routes that concern keys. agent,
// when not nil, serves the rest of /v1/agent/ for a caller who has shown a key.
func (s *Service) API(agent func(http.ResponseWriter, *http.Request, Identity)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/{$}", s.discovery)
	mux.HandleFunc("GET /v1/agent", s.discovery)
	keys := func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.apiKey(w, r); ok {
			s.refuse(w, &fault{http.StatusForbidden, "AGENT_API_KEY_HUMAN_SESSION_REQUIRED", "Keys are listed and revoked by a signed-in person in the app's settings."})
		}
	}
	mux.HandleFunc("/v1/agent-api-keys", keys)
	mux.HandleFunc("POST /v1/agent-api-keys/{connection}/revoke", keys)
	mux.HandleFunc("/v1/agent/", func(w http.ResponseWriter, r *http.Request) {
		id, ok := s.apiKey(w, r)
		switch {
		case !ok:
		case r.URL.Path == "/v1/agent/me" && r.Method == http.MethodGet:
			s.succeed(w, map[string]any{"userId": id.UserID, "email": id.Email, "connectionId": id.ConnectionID}, "This is whom the key stands for.")
		case agent != nil:
			agent(w, r, id)
		default:
			s.refuse(w, &fault{http.StatusNotFound, "NOT_FOUND", "There is no such route."})
		}
	})
	return mux
}

// apiKey finds the caller by "Authorization: ApiKey"; Bearer is another kind
// of token on these routes.
func (s *Service) apiKey(w http.ResponseWriter, r *http.Request) (Identity, bool) {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "ApiKey") {
		writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "Authentication is required.", "requestId": newUUID(), "code": "AUTH_UNAUTHORIZED"})
		return Identity{}, false
	}
	if _, ok := normalizeKey(value); ok {
		id, err := s.Authenticate(r.Context(), value)
		if err == nil {
			return id, true
		}
	}
	s.refuse(w, &fault{http.StatusUnauthorized, "AGENT_API_KEY_INVALID", "This key is not valid."})
	return Identity{}, false
}

func (s *Service) discovery(w http.ResponseWriter, _ *http.Request) {
	agent := s.opt.API + "/v1/agent"
	s.succeed(w, map[string]any{
		"service":     map[string]string{"name": "sandbox", "description": "A local stand-in for the flashcard service."},
		"authBaseUrl": s.opt.Issuer,
		"apiBaseUrl":  s.opt.API + "/v1",
		"authentication": map[string]string{
			"type":          "email_otp_then_api_key",
			"sendCodeUrl":   s.opt.Issuer + "/api/agent/send-code",
			"verifyCodeUrl": s.opt.Issuer + "/api/agent/verify-code",
		},
		"surface": map[string]string{
			"accountUrl":    agent + "/me",
			"workspacesUrl": agent + "/workspaces",
			"sqlQueryUrl":   agent + "/sql/query",
			"sqlExecuteUrl": agent + "/sql/execute",
		},
		"mcp": map[string]string{"url": s.opt.Resource, "authorization": "Bearer <agent API key or OAuth access token>"},
	}, "Send a code to an e-mail address, verify it, and keep the key.")
}
