//go:build peers

package peers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestGoSDK holds the bridge against servers of the official Go SDK: with and
// without sessions, answering as JSON and as event streams.
func TestGoSDK(t *testing.T) {
	for _, c := range []struct {
		name  string
		opts  mcp.StreamableHTTPOptions
		suite func(*testing.T, *host, *sdkServer)
	}{
		{"stateful/sse", mcp.StreamableHTTPOptions{}, statefulSuite},
		{"stateful/json", mcp.StreamableHTTPOptions{JSONResponse: true}, basicSuite},
		{"stateless/sse", mcp.StreamableHTTPOptions{Stateless: true}, basicSuite},
		{"stateless/json", mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}, basicSuite},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Run("direct", func(t *testing.T) {
				s := newSDKServer(t, c.opts)
				c.suite(t, connect(t, &mcp.StreamableClientTransport{Endpoint: s.url, DisableStandaloneSSE: c.opts.Stateless}), s)
			})
			t.Run("bridged", func(t *testing.T) {
				s := newSDKServer(t, c.opts)
				c.suite(t, bridged(t, s.url), s)
			})
		})
	}
}

// sdkServer is a server of the Go SDK with a tool for each thing to be tried.
type sdkServer struct {
	*mcp.Server
	url      string
	started  chan struct{} // a call of wait has begun
	canceled chan struct{} // … and was canceled
}

const noteURI = "note://today"

func newSDKServer(t *testing.T, opts mcp.StreamableHTTPOptions) *sdkServer {
	t.Helper()
	s := &sdkServer{started: make(chan struct{}, 1), canceled: make(chan struct{}, 1)}
	s.Server = mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1.0.0"}, &mcp.ServerOptions{
		Instructions:       "for tests",
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	s.AddResource(&mcp.Resource{URI: noteURI, Name: "today"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: noteURI, Text: "water the plants"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Om swastiastu"}}}}, nil
	})
	s.addTools()
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, &opts))
	t.Cleanup(func() {
		web.CloseClientConnections() // standing streams would keep Close waiting
		web.Close()
	})
	s.url = web.URL
	return s
}

type message struct {
	Text string `json:"text"`
}

func said(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func (s *sdkServer) addTools() {
	mcp.AddTool(s.Server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in message) (*mcp.CallToolResult, any, error) {
		return said("%s", in.Text), nil, nil
	})
	s.AddTool(&mcp.Tool{Name: "count", InputSchema: emptySchema()}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 5 {
			note := &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 5}
			if err := r.Session.NotifyProgress(ctx, note); err != nil {
				return nil, err
			}
		}
		return said("counted"), nil
	})
	s.AddTool(&mcp.Tool{Name: "wait", InputSchema: emptySchema()}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.started <- struct{}{}
		<-ctx.Done()
		s.canceled <- struct{}{}
		return nil, ctx.Err()
	})
	s.AddTool(&mcp.Tool{Name: "sample", InputSchema: emptySchema()}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10,
			Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "nasi"}}}})
		if err != nil {
			return nil, err
		}
		return said("%s", res.Content.(*mcp.TextContent).Text), nil
	})
	s.AddTool(&mcp.Tool{Name: "elicit", InputSchema: emptySchema()}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who?", RequestedSchema: map[string]any{"type": "object",
			"properties": map[string]any{"name": map[string]any{"type": "string"}}}})
		if err != nil {
			return nil, err
		}
		return said("%s %v", res.Action, res.Content["name"]), nil
	})
	s.AddTool(&mcp.Tool{Name: "roots", InputSchema: emptySchema()}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := r.Session.ListRoots(ctx, nil)
		if err != nil || len(res.Roots) != 1 {
			return nil, fmt.Errorf("%v, %w", res, err)
		}
		return said("%s", res.Roots[0].URI), nil
	})
	s.AddTool(&mcp.Tool{Name: "log", InputSchema: emptySchema()}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, level := range []mcp.LoggingLevel{"debug", "warning"} {
			if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Data: "a " + string(level)}); err != nil {
				return nil, err
			}
		}
		return said("logged"), nil
	})
}

func emptySchema() map[string]any { return map[string]any{"type": "object"} }

// basicSuite is what every server can do: requests and their answers.
func basicSuite(t *testing.T, h *host, _ *sdkServer) {
	if got := h.InitializeResult(); got.ServerInfo.Name != "sdk" || got.Instructions != "for tests" {
		t.Errorf("initialize: %+v", got)
	}
	tools, err := h.ListTools(bounded(t), nil)
	if err != nil || !slices.ContainsFunc(tools.Tools, func(tool *mcp.Tool) bool { return tool.Name == "echo" }) {
		t.Fatalf("list tools: %v, %v", tools, err)
	}
	for _, text := range []string{"", "two\nlines", "\u2028 🙂 </script> \x7f"} {
		if got := h.call(t, "echo", message{text}); got != text {
			t.Errorf("echo %q: %q", text, got)
		}
	}
	read, err := h.ReadResource(bounded(t), &mcp.ReadResourceParams{URI: noteURI})
	if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != "water the plants" {
		t.Errorf("read: %v, %v", read, err)
	}
	prompt, err := h.GetPrompt(bounded(t), &mcp.GetPromptParams{Name: "greet"})
	if err != nil || len(prompt.Messages) != 1 {
		t.Errorf("prompt: %v, %v", prompt, err)
	}
	if res, err := h.CallTool(bounded(t), &mcp.CallToolParams{Name: "none"}); err == nil && !res.IsError {
		t.Error("a tool that does not exist was called")
	}
	// Many at once, each with its own answer.
	answers := make(chan string, 50)
	for i := range cap(answers) {
		go func() {
			res, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: message{fmt.Sprint(i)}})
			if err != nil || len(res.Content) != 1 || res.Content[0].(*mcp.TextContent).Text != fmt.Sprint(i) {
				answers <- fmt.Sprintf("call %d: %v, %v", i, res, err)
				return
			}
			answers <- ""
		}()
	}
	for range cap(answers) {
		if wrong := receive(t, "an answer", answers, func(string) bool { return true }); wrong != "" {
			t.Error(wrong)
		}
	}
}

// statefulSuite adds what needs a session: what a server says and asks on its own.
func statefulSuite(t *testing.T, h *host, s *sdkServer) {
	t.Run("basic", func(t *testing.T) { basicSuite(t, h, s) })
	t.Run("progress", func(t *testing.T) {
		if got := h.callWithProgress(t, "count", struct{}{}, 5); got != "counted" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		failed := make(chan error, 1)
		go func() { _, err := h.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}); failed <- err }()
		receive(t, "the call", s.started, func(struct{}) bool { return true })
		cancel()
		receive(t, "the cancellation", s.canceled, func(struct{}) bool { return true })
		if err := receive(t, "the end of the call", failed, func(error) bool { return true }); err == nil {
			t.Error("a canceled call has a result")
		}
	})
	t.Run("questions", func(t *testing.T) {
		for tool, want := range map[string]string{
			"sample": "the model heard: nasi",
			"elicit": "accept Wayan 🙂",
			"roots":  hostRoot,
		} {
			if got := h.call(t, tool, struct{}{}); got != want {
				t.Errorf("%s: %q, want %q", tool, got, want)
			}
		}
	})
	t.Run("logging", func(t *testing.T) {
		if err := h.SetLoggingLevel(bounded(t), &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil {
			t.Fatal(err)
		}
		h.call(t, "log", struct{}{})
		first := receive(t, "a log message", h.logs, func(*mcp.LoggingMessageParams) bool { return true })
		if first.Level != "warning" || first.Data != "a warning" {
			t.Errorf("first message is %s %v, want the one at the level that was set", first.Level, first.Data)
		}
	})
	t.Run("subscription", func(t *testing.T) {
		if err := h.Subscribe(bounded(t), &mcp.SubscribeParams{URI: noteURI}); err != nil {
			t.Fatal(err)
		}
		if err := s.ResourceUpdated(bounded(t), &mcp.ResourceUpdatedNotificationParams{URI: noteURI}); err != nil {
			t.Fatal(err)
		}
		receive(t, "an update", h.updated, func(uri string) bool { return uri == noteURI })
	})
	t.Run("list changed", func(t *testing.T) {
		s.AddTool(&mcp.Tool{Name: "new", InputSchema: emptySchema()}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return said("new here"), nil
		})
		receive(t, "list_changed", h.tools, func(struct{}) bool { return true })
		if got := h.call(t, "new", struct{}{}); got != "new here" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("session ended", func(t *testing.T) {
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		for session := range s.Sessions() {
			t.Errorf("session %s is still open", session.ID())
		}
	})
}
