//go:build peers

package peers

import (
	"bytes"
	"context"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestEverything holds the bridge against the project's reference server in both
// HTTP transports it speaks.
func TestEverything(t *testing.T) {
	t.Run("streamableHttp", func(t *testing.T) {
		base, log := startEverything(t, "streamableHttp")
		t.Run("direct", func(t *testing.T) {
			everything(t, connect(t, &mcp.StreamableClientTransport{Endpoint: base + "/mcp"}))
		})
		t.Run("bridged", func(t *testing.T) {
			h := bridged(t, base+"/mcp")
			everything(t, h)
			const ending = "session termination request"
			ended := strings.Count(log.String(), ending)
			if err := h.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			if err := log.waitFor(bounded(t), ending, ended+1); err != nil {
				t.Errorf("the session was not ended on the server: %v", err)
			}
		})
	})
	t.Run("sse", func(t *testing.T) {
		base, log := startEverything(t, "sse")
		t.Run("direct", func(t *testing.T) {
			everything(t, connect(t, &mcp.SSEClientTransport{Endpoint: base + "/sse"}))
		})
		t.Run("bridged", func(t *testing.T) {
			h := bridged(t, base+"/sse")
			everything(t, h)
			if strings.Contains(log.String(), "No transport found") {
				t.Error("the server got a message outside of a session")
			}
		})
	})
}

// startEverything starts the server on a free port and returns its origin and
// what it logs.
func startEverything(t *testing.T, transport string) (string, *syncBuffer) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	_ = l.Close()

	cmd := exec.Command(npmCommand(t, "node"), npmCommand(t, "mcp-server-everything"), transport)
	cmd.Env = append(npmEnv(t, homeEnv(t)), "PORT="+port)
	log := startServer(t, cmd, "on port "+port)
	return "http://127.0.0.1:" + port, log
}

// startServer starts a server, waits until it logs that it is ready, and ends it
// with the test.
func startServer(t *testing.T, cmd *exec.Cmd, ready string) *syncBuffer {
	t.Helper()
	log := &syncBuffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()
	go func() { _ = cmd.Wait(); close(ended); cancel() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("the server's log:\n%s", log)
		}
	})
	if err := log.waitFor(ctx, ready, 1); err != nil {
		t.Fatalf("start the server: %v\n%s", err, log)
	}
	return log
}

// everything uses each feature of the reference server once.
func everything(t *testing.T, h *host) {
	ctx := t.Context()

	t.Run("initialize", func(t *testing.T) {
		got := h.InitializeResult()
		if got.ServerInfo.Name != "mcp-servers/everything" || got.ProtocolVersion != legacyRevision || got.Instructions == "" {
			t.Errorf("%+v at %s with %d bytes of instructions", got.ServerInfo, got.ProtocolVersion, len(got.Instructions))
		}
		if err := h.Ping(bounded(t), nil); err != nil {
			t.Errorf("ping: %v", err)
		}
	})
	t.Run("tools", func(t *testing.T) {
		list, err := h.ListTools(bounded(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		// The last three are offered only to a host whose capabilities got through.
		for _, want := range []string{"echo", "get-sum", "trigger-long-running-operation", "get-roots-list",
			"trigger-sampling-request", "trigger-elicitation-request"} {
			if !slices.Contains(names, want) {
				t.Errorf("%s is not among %v", want, names)
			}
		}
		const message = "two\nlines, \"quotes\", \u2028 and 🙂"
		if got := h.call(t, "echo", map[string]any{"message": message}); got != "Echo: "+message {
			t.Errorf("echo: %q", got)
		}
		if got := h.call(t, "get-sum", map[string]any{"a": 20, "b": 22}); !strings.Contains(got, "42") {
			t.Errorf("get-sum: %q", got)
		}
	})
	t.Run("content", func(t *testing.T) {
		res, err := h.CallTool(bounded(t), &mcp.CallToolParams{Name: "get-structured-content", Arguments: map[string]any{"location": "Chicago"}})
		if err != nil {
			t.Fatal(err)
		}
		if weather, ok := res.StructuredContent.(map[string]any); !ok || weather["temperature"] != 36.0 {
			t.Errorf("structured content: %v", res.StructuredContent)
		}
		if res, err = h.CallTool(bounded(t), &mcp.CallToolParams{Name: "get-tiny-image"}); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(res.Content, func(c mcp.Content) bool {
			image, ok := c.(*mcp.ImageContent)
			return ok && bytes.HasPrefix(image.Data, []byte("\x89PNG"))
		}) {
			t.Error("the image is no PNG")
		}
	})
	t.Run("errors", func(t *testing.T) {
		res, err := h.CallTool(bounded(t), &mcp.CallToolParams{Name: "no-such-tool"})
		if err == nil && !res.IsError {
			t.Error("a tool that does not exist was called")
		}
		if _, err := h.ReadResource(bounded(t), &mcp.ReadResourceParams{URI: "demo://resource/none"}); err == nil {
			t.Error("a resource that does not exist was read")
		}
	})
	t.Run("progress", func(t *testing.T) {
		got := h.callWithProgress(t, "trigger-long-running-operation", map[string]any{"duration": 0.5, "steps": 5}, 5)
		if !strings.Contains(got, "completed") {
			t.Errorf("got %q", got)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		params := &mcp.CallToolParams{Name: "trigger-long-running-operation", Arguments: map[string]any{"duration": 60, "steps": 600}}
		params.SetProgressToken("to be canceled")
		failed := make(chan error, 1)
		go func() { _, err := h.CallTool(ctx, params); failed <- err }()
		receive(t, "progress", h.progress, func(*mcp.ProgressNotificationParams) bool { return true })
		cancel()
		if err := receive(t, "the end of the call", failed, func(error) bool { return true }); err == nil {
			t.Error("a canceled call has a result")
		}
		if got := h.call(t, "echo", map[string]any{"message": "still here"}); got != "Echo: still here" {
			t.Errorf("echo afterwards: %q", got)
		}
	})
	t.Run("resources", func(t *testing.T) {
		list, err := h.ListResources(bounded(t), nil)
		if err != nil || len(list.Resources) == 0 {
			t.Fatalf("list: %d resources, %v", len(list.Resources), err)
		}
		templates, err := h.ListResourceTemplates(bounded(t), nil)
		if err != nil || len(templates.ResourceTemplates) < 2 {
			t.Fatalf("list templates: %v, %v", templates, err)
		}
		read, err := h.ReadResource(bounded(t), &mcp.ReadResourceParams{URI: list.Resources[0].URI})
		if err != nil || len(read.Contents) == 0 || read.Contents[0].Text == "" {
			t.Errorf("read %s: %v, %v", list.Resources[0].URI, read, err)
		}
		read, err = h.ReadResource(bounded(t), &mcp.ReadResourceParams{URI: "demo://resource/dynamic/blob/2"})
		if err != nil || len(read.Contents) == 0 || len(read.Contents[0].Blob) == 0 {
			t.Errorf("read a blob: %v, %v", read, err)
		}
	})
	t.Run("logging and subscription", func(t *testing.T) {
		if err := h.SetLoggingLevel(bounded(t), &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
			t.Fatalf("set the level: %v", err)
		}
		const uri = "demo://resource/dynamic/text/1"
		if err := h.Subscribe(bounded(t), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatalf("subscribe: %v", err)
		}
		receive(t, "the log of the subscription", h.logs, func(m *mcp.LoggingMessageParams) bool {
			text, _ := m.Data.(string)
			return m.Level == "info" && strings.Contains(text, "Subscribe Resource request for URI: "+uri)
		})
		h.call(t, "toggle-subscriber-updates", map[string]any{})
		receive(t, "an update", h.updated, func(got string) bool { return got == uri })
		h.call(t, "toggle-subscriber-updates", map[string]any{})
		if err := h.Unsubscribe(bounded(t), &mcp.UnsubscribeParams{URI: uri}); err != nil {
			t.Errorf("unsubscribe: %v", err)
		}
	})
	t.Run("prompts", func(t *testing.T) {
		list, err := h.ListPrompts(bounded(t), nil)
		if err != nil || len(list.Prompts) < 4 {
			t.Fatalf("list: %v, %v", list, err)
		}
		got, err := h.GetPrompt(bounded(t), &mcp.GetPromptParams{Name: "args-prompt", Arguments: map[string]string{"city": "Denpasar"}})
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("get: %v, %v", got, err)
		}
		if text, ok := got.Messages[0].Content.(*mcp.TextContent); !ok || text.Text != "What's weather in Denpasar?" {
			t.Errorf("get: %v", got.Messages[0].Content)
		}
		complete, err := h.Complete(bounded(t), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "completable-prompt"},
			Argument: mcp.CompleteParamsArgument{Name: "department", Value: "E"},
		})
		if err != nil || !slices.Equal(complete.Completion.Values, []string{"Engineering"}) {
			t.Errorf("complete: %v, %v", complete, err)
		}
	})
	t.Run("questions of the server", func(t *testing.T) {
		if got := h.call(t, "trigger-sampling-request", map[string]any{"prompt": "ubud", "maxTokens": 10}); !strings.Contains(got, "the model heard:") || !strings.Contains(got, "ubud") {
			t.Errorf("sampling: %q", got)
		}
		if got := h.call(t, "trigger-elicitation-request", map[string]any{}); !strings.Contains(got, "User provided") {
			t.Errorf("elicitation: %q", got)
		}
		if got := h.call(t, "get-roots-list", map[string]any{}); !strings.Contains(got, hostRoot) {
			t.Errorf("roots: %q", got)
		}
	})
}
