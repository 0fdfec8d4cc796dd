//go:build peers

package peers

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// legacyRevision is the newest revision with an initialize handshake.
const legacyRevision = "2025-11-25"

// patience bounds every wait for a peer. No test depends on its length.
const patience = 20 * time.Second

// exitTimeout is how long a bridge may take to end after its stdin did.
const exitTimeout = 2 * time.Second

// host is a client of the official Go SDK that keeps what servers tell it.
type host struct {
	*mcp.ClientSession
	progress chan *mcp.ProgressNotificationParams
	logs     chan *mcp.LoggingMessageParams
	updated  chan string   // URIs
	tools    chan struct{} // tools/list_changed
}

// hostRoot is the one root the host has.
const hostRoot = "file:///home/somebody/notes"

// connect opens a session over transport and closes it with the test.
func connect(t *testing.T, transport mcp.Transport) *host {
	t.Helper()
	return connectAt(t, transport, legacyRevision)
}

// connectAt does so in a revision, which says in which era.
func connectAt(t *testing.T, transport mcp.Transport, revision string) *host {
	t.Helper()
	h := &host{
		progress: make(chan *mcp.ProgressNotificationParams, 256),
		logs:     make(chan *mcp.LoggingMessageParams, 256),
		updated:  make(chan string, 256),
		tools:    make(chan struct{}, 256),
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "peers", Version: "1.0.0"}, &mcp.ClientOptions{
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			asked, ok := r.Params.Messages[0].Content.(*mcp.TextContent)
			if !ok {
				return nil, fmt.Errorf("asked with %T", r.Params.Messages[0].Content)
			}
			return &mcp.CreateMessageResult{Model: "echo", Role: "assistant",
				Content: &mcp.TextContent{Text: "the model heard: " + asked.Text}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Wayan 🙂"}}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { h.tools <- struct{}{} },
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { h.updated <- r.Params.URI },
		LoggingMessageHandler:  func(_ context.Context, r *mcp.LoggingMessageRequest) { h.logs <- r.Params },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			h.progress <- r.Params
		},
	})
	client.AddRoots(&mcp.Root{URI: hostRoot, Name: "notes"})
	session, err := client.Connect(bounded(t), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	h.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return h
}

// bridged opens a session through a bridge process. The session's end checks
// that the process ends in time and with status 0.
func bridged(t *testing.T, url string) *host {
	t.Helper()
	cmd := bridgeCommand(t, url)
	t.Cleanup(func() { // runs after connect's own
		if state := cmd.ProcessState; state == nil || state.ExitCode() != 0 {
			t.Errorf("the bridge ended with %v, not within %v of its stdin and with status 0", state, exitTimeout)
		}
	})
	return connect(t, &mcp.CommandTransport{Command: cmd, TerminateDuration: exitTimeout})
}

// bounded is a context that ends with the test or when patience does.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, errors.New("waited too long"))
	t.Cleanup(cancel)
	return ctx
}

// receive waits for the next value that suits.
func receive[T any](t *testing.T, what string, from <-chan T, suits func(T) bool) T {
	t.Helper()
	ctx := bounded(t)
	for {
		select {
		case v := <-from:
			if suits(v) {
				return v
			}
		case <-ctx.Done():
			t.Fatalf("%s did not arrive", what)
		}
	}
}

// call calls a tool and returns its first text.
func (h *host) call(t *testing.T, tool string, arguments any) string {
	t.Helper()
	res, err := h.CallTool(bounded(t), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("call %s: %v", tool, err)
	}
	return textOf(t, tool, res)
}

func textOf(t *testing.T, tool string, res *mcp.CallToolResult) string {
	t.Helper()
	if res.IsError || len(res.Content) == 0 {
		t.Fatalf("call %s: isError %v, %d contents", tool, res.IsError, len(res.Content))
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("call %s: first content is %T", tool, res.Content[0])
	}
	return text.Text
}

// callWithProgress calls a tool and checks that every progress notification came,
// in order.
func (h *host) callWithProgress(t *testing.T, tool string, arguments any, steps int) string {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken("token of " + tool)
	res, err := h.CallTool(bounded(t), params)
	if err != nil {
		t.Fatalf("call %s: %v", tool, err)
	}
	for want := range steps {
		got := receive(t, "progress", h.progress, func(*mcp.ProgressNotificationParams) bool { return true })
		if got.Progress != float64(want+1) || got.ProgressToken != "token of "+tool {
			t.Fatalf("progress %v of %v, want %d of the call's token", got.Progress, got.ProgressToken, want+1)
		}
	}
	return textOf(t, tool, res)
}
