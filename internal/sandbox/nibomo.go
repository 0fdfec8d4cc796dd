package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"bridge/internal/sandbox/authz"
	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/nibomo"
	"bridge/internal/sandbox/rpc"
)

// Learner is the e-mail address of the sample account that owns the flashcards.
const Learner = nibomo.DefaultUser

// cards puts the flashcard service behind a front.
type cards struct{ *nibomo.Service }

// Handle implements front.Handler.
func (c cards) Handle(ctx context.Context, call *front.Call) (json.RawMessage, *rpc.Error) {
	who, _ := call.Principal.(authz.Identity)
	return c.Service.Handle(ctx, nibomo.Connection{ID: who.ConnectionID, User: who.Email}, call.Method, call.Params)
}

func (s *Sandbox) buildNibomo(ctx context.Context, opt Options, at *origin, labMux *http.ServeMux) (http.Handler, error) {
	userID, err := s.authz.AddUser(ctx, Learner)
	if err != nil {
		return nil, err
	}
	svc, err := nibomo.Open(ctx, s.db, nibomo.Options{Now: opt.Now, PublicURL: at.url()})
	if err != nil {
		return nil, err
	}
	if err := svc.Seed(ctx, sampleSeed); err != nil {
		return nil, err
	}
	// What a query would have to wait for is read meanwhile. A failure shows in the
	// query itself, which then reads for itself.
	s.work.Go(func() { _ = svc.Warm(s.ctx) })
	s.info.Nibomo.Key, err = sample(ctx, s.db, "nibomo key", func() (string, error) {
		key, _, err := s.authz.NewKey(ctx, userID, "sandbox")
		return key, err
	})
	if err != nil {
		return nil, fmt.Errorf("make the sample key: %w", err)
	}
	s.revokers = append(s.revokers, func() error {
		_, err := s.authz.RevokeAll(s.ctx)
		return err
	})

	authenticate := func(challenge string) func(*http.Request) (any, *front.Denial) {
		return func(r *http.Request) (any, *front.Denial) {
			who, err := s.authz.Authenticate(r.Context(), bearer(r))
			if err != nil {
				return nil, denied(challenge, map[string]string{"error": "invalid_token", "error_description": "A valid OAuth Bearer token is required to access the MCP resource."})
			}
			return who, nil
		}
	}
	o := front.Options{Handler: cards{svc}, Authenticate: authenticate("Bearer"),
		Revisions: []string{front.Rev20251125, front.Rev20250618, front.Rev20250326, front.Rev20241105, front.Rev20241007}}
	s.serveVariants(labMux, "nibomo", o)

	o.Authenticate = authenticate(`Bearer resource_metadata="` + at.url() + `/.well-known/oauth-protected-resource/mcp"`)
	o.StrictAccept, o.StrictContentType, o.StrictRevision, o.Batches, o.Host = true, true, true, true, at.addr
	o.NotAllowed = &front.Denial{Status: http.StatusMethodNotAllowed, Header: http.Header{"Allow": {"POST"}},
		Body: []byte(`{"error":"method_not_allowed","error_description":"Only POST is allowed on the MCP resource."}`)}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.mount(o))
	mux.HandleFunc("GET /health", health)
	mux.HandleFunc("GET /icon.svg", icon)
	mux.Handle("/.well-known/oauth-protected-resource", s.authz.ResourceMetadata())
	mux.Handle("/.well-known/oauth-protected-resource/mcp", s.authz.ResourceMetadata())
	mux.Handle("/v1/", s.authz.API(cards{svc}.agent))
	return front.WithRequestID(mux), nil
}

// icon is the one that serverInfo names.
func icon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="5" y="3" width="22" height="26" rx="3" fill="#1f5fbf"/><path d="M10 11h12M10 16h12M10 21h7" stroke="#fff" stroke-width="2"/></svg>`))
}
