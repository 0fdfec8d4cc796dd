package main

import (
	"errors"
	"runtime"
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

// An address that was typed with a key in it is not repeated to a client, whose
// conversation is kept, nor to a terminal; one without is fit to be pasted.
func TestAddressesInCommandsToType(t *testing.T) {
	kinds := []error{auth.ErrSignInNeeded, auth.ErrRefused, auth.ErrDenied, auth.ErrTimeout, auth.ErrUnreachable, auth.ErrNoOAuth, auth.ErrNoClient, auth.ErrUnsafe}
	for address, want := range map[string]string{
		"https://mcp.example.com/mcp?api_key=0123456789abcdefghij": "",
		"https://mcp.example.com/mcp?a=1&b=2":                      "'https://mcp.example.com/mcp?a=1&b=2'",
	} {
		named := 0
		for _, kind := range kinds {
			s := servers.Server{URL: address}
			x := &signIn{server: s, mode: auth.Auto, session: &auth.Session{}}
			texts := []string{x.words(&auth.Error{Kind: kind}).Error()}
			var e *bridge.SignInError
			if errors.As(x.words(&auth.Error{Kind: kind}), &e) {
				texts = append(texts, e.Message)
			}
			var p *problem
			if errors.As(signInProblem(&auth.Error{Kind: kind}, s), &p) {
				texts = append(texts, p.text, p.tip)
			}
			for _, text := range texts {
				if strings.Contains(text, "0123456789") || strings.Contains(strings.ReplaceAll(text, "'"+address+"'", ""), address) {
					t.Errorf("%v: %q", kind, text)
				}
				if want != "" && strings.Contains(text, want) {
					named++
				}
			}
		}
		if want != "" && named < 5 {
			t.Errorf("%s is named in %d texts only", address, named)
		}
	}
}

// A port that is taken is named with the command that tells by whom; what is no
// port gets into no command.
func TestPortTakenTellsHowToFindOut(t *testing.T) {
	for detail, want := range map[string]string{"3334": ":3334", "1; rm -r ~": ":PORT"} {
		var p *problem
		err := signInProblem(&auth.Error{Kind: auth.ErrPortTaken, Detail: detail}, servers.Server{Name: "team"})
		if !errors.As(err, &p) || p.exit != exitConflict || strings.Contains(p.tip, "rm -r") || runtime.GOOS != "windows" && !strings.Contains(p.tip, want) {
			t.Errorf("%q: %+v", detail, p)
		}
	}
}
