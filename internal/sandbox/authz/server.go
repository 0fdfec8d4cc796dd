package authz

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"bridge/internal/sandbox/rpc"
)

// bodyLimit bounds what any endpoint here reads.
const bodyLimit = 64 << 10

// Handler serves the authorization server's origin: metadata, registration,
// sign-in page, tokens, and the two routes of the agent path.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-authorization-server", cors("GET", s.metadata))
	mux.HandleFunc("/register", cors("POST", s.register))
	mux.HandleFunc("/token", cors("POST", s.token))
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /authorize", s.signIn)
	mux.HandleFunc("POST /api/agent/send-code", s.sendCode)
	mux.HandleFunc("POST /api/agent/verify-code", s.verifyCode)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, map[string]string{"status": "ok"}) })
	return mux
}

// ResourceMetadata serves RFC 9728 for the MCP endpoint; the caller mounts it
// at the root path and at the path with the endpoint's own appended.
func (s *Service) ResourceMetadata() http.Handler {
	return cors("GET", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{
			"resource":                 s.opt.Resource,
			"authorization_servers":    []string{s.opt.Issuer},
			"bearer_methods_supported": []string{"header"},
			"scopes_supported":         []string{scopeAll},
		})
	})
}

func (s *Service) metadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                         s.opt.Issuer,
		"authorization_endpoint":                         s.opt.Issuer + "/authorize",
		"token_endpoint":                                 s.opt.Issuer + "/token",
		"registration_endpoint":                          s.opt.Issuer + "/register",
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"scopes_supported":                               []string{scopeAll},
		"authorization_response_iss_parameter_supported": true,
	})
}

const scopeAll = "flashcards"

// cors opens an endpoint to browsers, as the service does for these three.
func cors(method string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch r.Method {
		case method:
			next(w, r)
		case http.MethodOptions:
			h.Set("Access-Control-Allow-Methods", method+", OPTIONS")
			h.Set("Access-Control-Allow-Headers", "Content-Type, MCP-Protocol-Version")
			w.WriteHeader(http.StatusNoContent)
		default:
			h.Set("Allow", method+", OPTIONS")
			http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		}
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(rpc.Marshal(v))
}

// oauthError answers as RFC 6749 §5.2 says.
func oauthError(w http.ResponseWriter, status int, code, description string) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, status, map[string]string{"error": code, "error_description": description})
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	return b, err == nil
}

// register is RFC 7591 without authentication.
func (s *Service) register(w http.ResponseWriter, r *http.Request) {
	var in struct {
		RedirectURIs *[]string `json:"redirect_uris"`
		ClientName   *string   `json:"client_name"`
	}
	body, ok := readBody(w, r)
	if !ok || json.Unmarshal(body, &in) != nil || in.RedirectURIs == nil {
		oauthError(w, http.StatusBadRequest, "invalid_client_metadata", "The body must be JSON with redirect_uris.")
		return
	}
	uris := *in.RedirectURIs
	if len(uris) < 1 || len(uris) > 10 {
		oauthError(w, http.StatusBadRequest, "invalid_redirect_uri", "redirect_uris must have 1 to 10 items.")
		return
	}
	for _, u := range uris {
		if !allowedRedirect(u) {
			oauthError(w, http.StatusBadRequest, "invalid_redirect_uri", "A redirect URI is not allowed.")
			return
		}
	}
	name := ""
	if in.ClientName != nil {
		name = *in.ClientName
	}
	if len([]rune(name)) > 255 {
		oauthError(w, http.StatusBadRequest, "invalid_client_metadata", "client_name must be at most 255 characters.")
		return
	}
	id := "fcc_" + random(alnum, 24)
	_, err := s.db.ExecContext(r.Context(), `INSERT INTO as_clients (client_id, name, redirect_uris, created_at) VALUES (?, ?, ?, ?)`,
		id, name, string(rpc.Marshal(uris)), s.now())
	if err != nil {
		oauthError(w, http.StatusInternalServerError, "server_error", "The client could not be stored.")
		return
	}
	out := map[string]any{
		"client_id": id, "redirect_uris": uris, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
	}
	if in.ClientName != nil {
		out["client_name"] = name
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusCreated, out)
}

// allowedRedirect takes https, http on loopback names, and private schemes
// that contain a dot; never a fragment.
func allowedRedirect(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || len(raw) > 2048 || u.Scheme == "" || strings.Contains(raw, "#") || u.User != nil {
		return false
	}
	switch u.Scheme {
	case "https":
		return u.Host != ""
	case "http":
		h := u.Hostname()
		return h == "localhost" || h == "127.0.0.1" || h == "::1"
	}
	return strings.Contains(u.Scheme, ".")
}

// client is a registered client.
type client struct {
	id, name  string
	redirects []string
}

var errUnknownClient = errors.New("unknown client")

func (s *Service) client(ctx context.Context, id string) (client, error) {
	c := client{id: id}
	var uris string
	if err := s.db.QueryRowContext(ctx, `SELECT name, redirect_uris FROM as_clients WHERE client_id = ?`, id).Scan(&c.name, &uris); err != nil {
		return client{}, errUnknownClient
	}
	if err := json.Unmarshal([]byte(uris), &c.redirects); err != nil {
		return client{}, errUnknownClient
	}
	return c, nil
}
