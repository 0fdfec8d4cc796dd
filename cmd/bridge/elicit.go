package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"bridge/internal/say"
	"bridge/internal/termsafe"
)

// A server may ask the user something in the middle of a call (2025-11-25,
// Elicitation). It is asked on the terminal:
//
//   - who asks stands before what is asked, and the words are made safe;
//   - every question can be left by ctrl-D (cancel) and the whole by "n";
//   - a URL is shown and never opened: what it is for is the server's word
//     alone;
//   - where there is no terminal the answer is "decline", and a note says so.

// elicit answers elicitation/create.
func (a *app) elicit(ctx context.Context, title string, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	message := termsafe.Text(strings.TrimSpace(p.Message))
	if !a.interactive() {
		a.note(say.T("%s asks: %s; there is no terminal to answer on, so it is told no", title, oneLine(message)))
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	a.endProgress()
	defer func() {
		if ctx.Err() == nil {
			a.working(say.T("waiting for %s", title))
		}
	}()
	fmt.Fprintf(a.err, "\n%s\n", a.style(a.errFile, bold, say.T("%s asks:", title)))
	for line := range strings.SplitSeq(message, "\n") {
		fmt.Fprintf(a.err, "  %s\n", line)
	}
	if p.Mode == "url" {
		return a.elicitURL(ctx, p.URL)
	}
	fields, err := formFields(p.RequestedSchema)
	if err != nil {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	content, err := a.fillForm(ctx, fields)
	switch {
	case errors.Is(err, errDeclined):
		return &mcp.ElicitResult{Action: "decline"}, nil
	case err != nil:
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

func (a *app) elicitURL(ctx context.Context, address string) (*mcp.ElicitResult, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) || u.User != nil {
		a.note(say.T("the address it gives is not one to open: %s", oneLine(address)))
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	// The address as a browser would show it: what looks like another script
	// is percent-encoded or punycode.
	fmt.Fprintf(a.err, "  %s\n  %s\n", say.T("It wants you to open this address, on the host %s:", a.style(a.errFile, bold, u.Host)), termsafe.Line(u.String()))
	ok, err := a.confirm(ctx, say.T("Have you opened it, and shall the call go on?"))
	switch {
	case err != nil:
		return &mcp.ElicitResult{Action: "cancel"}, nil
	case !ok:
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	return &mcp.ElicitResult{Action: "accept"}, nil
}
