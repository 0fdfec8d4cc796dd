package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/pacecraft"
	"bridge/internal/sandbox/rpc"
)

// sampleSeed is the seed of all sample data.
const sampleSeed = 1

// paceCraft puts the service behind a front: the principal is the account, the
// workspace a parameter of the URL.
type paceCraft struct{ *pacecraft.Service }

// Handle implements front.Handler.
func (p paceCraft) Handle(ctx context.Context, c *front.Call) (json.RawMessage, *rpc.Error) {
	who, _ := c.Principal.(pacecraft.Account)
	return p.Service.Handle(ctx, who, c.Query.Get("workspace"), c.Method, c.Params)
}

func (s *Sandbox) buildPaceCraft(ctx context.Context, opt Options, labMux *http.ServeMux) (http.Handler, error) {
	svc, err := pacecraft.Open(ctx, s.db, pacecraft.Options{Now: opt.Now})
	if err != nil {
		return nil, err
	}
	who, err := svc.Seed(ctx, sampleSeed)
	if err != nil {
		return nil, err
	}
	workspaces, err := svc.Workspaces(ctx, who.ID)
	if err != nil {
		return nil, fmt.Errorf("read the sample workspaces: %w", err)
	}
	for _, w := range workspaces {
		s.info.PaceCraft.Workspaces = append(s.info.PaceCraft.Workspaces, w.Name)
	}
	s.info.PaceCraft.Token, err = sample(ctx, s.db, "pacecraft token", func() (string, error) {
		_, secret, err := svc.CreateToken(ctx, who.ID, "sandbox")
		return secret, err
	})
	if err != nil {
		return nil, fmt.Errorf("make the sample token: %w", err)
	}
	s.revokers = append(s.revokers, func() error {
		tokens, err := svc.Tokens(s.ctx, who.ID)
		for _, t := range tokens {
			if err == nil && t.RevokedAt.IsZero() {
				err = svc.RevokeToken(s.ctx, t.ID)
			}
		}
		return err
	})
	o := front.Options{
		Handler: paceCraft{svc}, Revisions: pacecraft.Revisions(), MethodFirst: true,
		Authenticate: func(r *http.Request) (any, *front.Denial) {
			who, err := svc.Authenticate(r.Context(), bearer(r))
			if err != nil {
				// No OAuth here: nothing that would start a browser.
				return nil, denied("", map[string]string{"error": pacecraft.ErrUnauthorized.Error()})
			}
			return who, nil
		},
	}
	s.serveVariants(labMux, "pacecraft", o)
	mux := http.NewServeMux()
	mux.Handle("/api/mcp", s.mount(o))
	return mux, nil
}
