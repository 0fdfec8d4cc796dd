package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/internal/session"
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

// An elicitation is the params of elicitation/create.
type elicitation struct {
	Mode            string          `json:"mode"` // "form", which "" stands for, or "url"
	Message         string          `json:"message"`
	URL             string          `json:"url"`
	RequestedSchema json.RawMessage `json:"requestedSchema"`
}

// An elicited is the user's answer.
type elicited struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content,omitempty"`
}

var (
	declined  = elicited{Action: "decline"}
	cancelled = elicited{Action: "cancel"}
)

// elicit answers elicitation/create.
func (a *app) elicit(ctx context.Context, title string, p elicitation) elicited {
	message := termsafe.Text(strings.TrimSpace(p.Message))
	if !a.interactive() {
		a.note(say.T("%s asks: %s; there is no terminal to answer on, so it is told no", title, oneLine(message)))
		return declined
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
		return declined
	}
	content, err := a.fillForm(ctx, fields)
	switch {
	case errors.Is(err, errDeclined):
		return declined
	case err != nil:
		return cancelled
	}
	return elicited{Action: "accept", Content: content}
}

// mostVisits bounds how often a call is repeated because its server wants one
// more address opened.
const mostVisits = 3

// visited says whether a call was refused until the user has opened addresses
// (-32042; MCP 2025-11-25, Elicitation, URL Elicitation Required Error), and the
// user has. The call may be made again then: with that error the server says
// that it has not begun.
func (a *app) visited(ctx context.Context, c *connection, err error) bool {
	var e *session.Error
	if !errors.As(err, &e) || e.Code != session.CodeURLElicitationRequired {
		return false
	}
	var data struct {
		Elicitations []elicitation `json:"elicitations"`
	}
	if json.Unmarshal(e.Data, &data) != nil || len(data.Elicitations) == 0 || len(data.Elicitations) > mostVisits {
		return false
	}
	for _, q := range data.Elicitations {
		if q.Mode != "url" || a.elicit(ctx, serverTitle(c.server), q).Action != "accept" {
			return false
		}
	}
	return true
}

func (a *app) elicitURL(ctx context.Context, address string) elicited {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !servers.Loopback(u.Hostname())) || u.User != nil {
		a.note(say.T("the address it gives is not one to open: %s", oneLine(address)))
		return declined
	}
	// The address as a browser would show it: what looks like another script
	// is percent-encoded or punycode.
	fmt.Fprintf(a.err, "  %s\n  %s\n", say.T("It wants you to open this address, on the host %s:", a.style(a.errFile, bold, u.Host)), termsafe.Line(u.String()))
	ok, err := a.confirm(ctx, say.T("Have you opened it, and shall the call go on?"))
	switch {
	case err != nil:
		return cancelled
	case !ok:
		return declined
	}
	return elicited{Action: "accept"}
}
