package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"bridge/internal/say"
)

// What a command adds to the SDK's session: the bytes of each result as the
// server sent them, since the SDK's types keep only what they know, and the
// answers to what a server may ask or tell in the middle of a call.
//
//	SDK ── Write ──▶ tap ──▶ pipe to the relay     id → method
//	SDK ◀── Read ─── tap ◀── pipe from the relay   method → result

// A tap is a transport that remembers the last result of every method.
type tap struct {
	mcp.Transport

	mu        sync.Mutex
	asked     map[any]string // id → method of the requests under way
	results   map[string]json.RawMessage
	cancelled chan struct{} // closed when a cancellation went out
	gone      bool
}

func newTap(t mcp.Transport) *tap {
	return &tap{Transport: t, asked: map[any]string{}, results: map[string]json.RawMessage{}, cancelled: make(chan struct{})}
}

// Connect implements mcp.Transport.
func (t *tap) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return tapped{c, t}, err
}

type tapped struct {
	mcp.Connection
	tap *tap
}

// Read implements mcp.Connection.
func (c tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok && err == nil {
		c.tap.mu.Lock()
		if method, known := c.tap.asked[r.ID.Raw()]; known {
			delete(c.tap.asked, r.ID.Raw())
			c.tap.results[method] = r.Result
		}
		c.tap.mu.Unlock()
	}
	return m, err
}

// Write implements mcp.Connection.
func (c tapped) Write(ctx context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Request)
	if ok && r.IsCall() {
		c.tap.mu.Lock()
		c.tap.asked[r.ID.Raw()] = r.Method
		c.tap.mu.Unlock()
	}
	err := c.Connection.Write(ctx, m)
	if ok && r.Method == "notifications/cancelled" {
		c.tap.mu.Lock()
		if !c.tap.gone {
			c.tap.gone = true
			close(c.tap.cancelled)
		}
		c.tap.mu.Unlock()
	}
	return err
}

// take returns the last result of a method, and forgets it. It is nil when the
// answer was an error or has not come.
func (t *tap) take(method string) json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	raw := t.results[method]
	delete(t.results, method)
	return raw
}

// cancelWait is how long an interrupted command waits until the server has
// been told, before it says goodbye.
const cancelWait = 500 * time.Millisecond

// result turns what a call of the session returned into the bytes of the
// server's result. What the SDK cannot read (a kind of content newer than it)
// is a result all the same. The error is ready to be returned by a command.
func (c *connection) result(ctx context.Context, method string, err error) (json.RawMessage, error) {
	raw := c.tap.take(method)
	var rpc *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		t := time.NewTimer(cancelWait)
		defer t.Stop()
		select {
		case <-c.tap.cancelled:
		case <-t.C:
		case <-c.done:
		}
		return nil, ctx.Err()
	case err == nil, len(raw) > 0 && !errors.As(err, &rpc):
		return raw, nil
	}
	return nil, c.problem(err)
}

// clientOptions is what a server may do to us in the middle of a session. It
// may report progress and ask the user; it may not use a model of ours, since
// there is none, and sees no folders.
func (a *app) clientOptions(title string) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
		},
		ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return a.elicit(ctx, title, r.Params)
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			a.showProgress(progressText(title, r.Params))
		},
	}
}

// progressText is the line that stands on the terminal while a call runs.
func progressText(title string, p *mcp.ProgressNotificationParams) string {
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
