package main

import (
	"context"
	"encoding/json"
	"errors"

	"bridge/internal/say"
	"bridge/internal/session"
)

// What a command adds to the session of package session: errors in words for
// people, the tools' results, and the answers to what a server may ask or tell
// in the middle of a call.

// request asks the server, and returns its result as it was sent. The error is
// ready to be returned by a command.
func (c *connection) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw, err := c.Call(ctx, method, params)
	if err != nil {
		return nil, c.problem(err)
	}
	return raw, nil
}

// A callParams is the params of tools/call. Arguments is an object.
type callParams struct {
	Name      string    `json:"name"`
	Arguments any       `json:"arguments"`
	Meta      *callMeta `json:"_meta,omitempty"`
}

type callMeta struct {
	ProgressToken string `json:"progressToken,omitempty"`
}

// A toolResult is what tools/call gives.
type toolResult struct {
	Content    []contentBlock  `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// callTool calls a tool. The error is the session's.
func (c *connection) callTool(ctx context.Context, name string, args any) (toolResult, error) {
	var r toolResult
	raw, err := c.Call(ctx, "tools/call", callParams{Name: name, Arguments: args})
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	return r, err
}

// lacks says whether the server has not declared a capability. A question it
// never offered to answer is not worth an error.
func (c *connection) lacks(capability string) bool {
	value, ok := c.Hello().Capabilities[capability]
	return !ok || string(value) == "null"
}

// sessionOptions is what a server may do to us in the middle of a session. It
// may report progress and ask the user; it may not use a model of ours, since
// there is none, and sees no folders.
func (a *app) sessionOptions(title string) session.Options {
	return session.Options{
		Name: "bridge", Version: build().Version,
		Capabilities: json.RawMessage(`{"elicitation":{"form":{},"url":{}}}`),
		Answer: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			if method != "elicitation/create" {
				return nil, &session.Error{Code: session.CodeMethodNotFound, Message: "method not found: " + method}
			}
			var q elicitation
			if err := json.Unmarshal(params, &q); err != nil {
				return nil, &session.Error{Code: session.CodeInvalidParams, Message: "the params of elicitation/create cannot be read"}
			}
			return a.elicit(ctx, title, q), nil
		},
		Notify: func(method string, params json.RawMessage) {
			var p progressReport
			if method == "notifications/progress" && json.Unmarshal(params, &p) == nil {
				a.showProgress(p.text(title))
			}
		},
	}
}

// A progressReport is the params of notifications/progress.
type progressReport struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// text is the line that stands on the terminal while a call runs.
func (p progressReport) text(title string) string {
	text := oneLine(p.Message)
	if text == "" {
		text = say.T("waiting for %s", title)
	}
	switch {
	case p.Total > 0:
		return say.T("%s (%g of %g)", text, p.Progress, p.Total)
	case p.Progress > 0:
		return say.T("%s (%g)", text, p.Progress)
	}
	return text
}

// noSuchMethod says whether the server answered that it does not know the
// method, which is an answer too.
func noSuchMethod(err error) bool {
	var e *session.Error
	return errors.As(err, &e) && e.Code == session.CodeMethodNotFound
}
