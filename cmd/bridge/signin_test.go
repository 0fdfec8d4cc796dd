package main

import (
	"errors"
	"strings"
	"testing"

	"bridge/bridge"
	"bridge/internal/auth"
	"bridge/internal/servers"
)

// A request that wants more than the sign-in was given for is not told to sign
// in just as before: that would end where it began.
func TestSignInForMoreScopes(t *testing.T) {
	x := &signIn{server: servers.Server{Name: "team", URL: "https://mcp.example.com/mcp"}, mode: auth.Never}
	var e *bridge.SignInError
	if err := x.words(&auth.Error{Kind: auth.ErrSignInNeeded, Scope: "read admin"}); !errors.As(err, &e) {
		t.Fatalf("%v", err)
	}
	const command = "`bridge login team --scope 'read admin'`"
	if !strings.Contains(e.Message, command) || e.Waiting {
		t.Errorf("the client reads %q", e.Message)
	}
	var p *problem
	if !errors.As(x.cause(), &p) || !strings.Contains(p.tip, command) || p.exit != exitSignIn {
		t.Errorf("the terminal reads %+v", p)
	}
}
