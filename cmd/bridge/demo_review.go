package main

import (
	"context"
	"os"

	"bridge/bridge"
	"bridge/internal/sandbox"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// A fixedAuth is the key of the sandbox that the demo itself has started.
type fixedAuth string

// Authorization implements bridge.Authorizer.
func (f fixedAuth) Authorization(context.Context) (string, error) { return "Bearer " + string(f), nil }

// Challenge implements bridge.Authorizer.
func (f fixedAuth) Challenge(context.Context, bridge.Challenge) error {
	return &bridge.SignInError{Refused: true}
}

// runDemoReview reviews the sandbox's sample cards. The sandbox is in memory
// and the outbox in a folder that is removed: nothing stays.
func runDemoReview(ctx context.Context, a *app, o reviewOptions) error {
	if err := checkReview(o); err != nil {
		return err
	}
	s, err := sandbox.Start(ctx, sandbox.Options{})
	if err != nil {
		return fail(exitFailure, say.T("the sandbox cannot start: %s", err.Error())).because(err)
	}
	defer func() { _ = s.Close() }() //nolint:contextcheck // it was in memory
	dir, err := os.MkdirTemp("", "bridge-demo-")
	if err != nil {
		return fail(exitFailure, err.Error()).because(err)
	}
	defer os.RemoveAll(dir)
	info := s.Info()
	c, err := a.dial(ctx, servers.Server{URL: info.Nibomo.URL, Preset: "nibomo", Auth: servers.AuthToken}, fixedAuth(info.Nibomo.Key))
	if err != nil {
		return err
	}
	defer c.close()
	if o.workspace == "" {
		o.workspace = "Bahasa"
	}
	return a.review(ctx, c, openCardsHome(dir), o)
}
