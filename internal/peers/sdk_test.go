//go:build peers

package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const modernRevision = "2026-07-28"

// TestSDKs puts every client of the official SDKs before every server of them:
// both eras, both major versions of the TypeScript SDK. Each pair lists, calls,
// shows progress, elicits, samples, subscribes and cancels.
func TestSDKs(t *testing.T) {
	servers := []struct {
		name  string
		start func(*testing.T) string
		// deaf is a server that goes on when its stream is closed, which is how
		// it should learn of a cancellation: v1.8.0 of the Go SDK does so
		// without a bridge as well.
		deaf bool
	}{
		{"go sessions", func(t *testing.T) string { return startGo(t, legacyRevision) }, false},
		{"go 2026-07-28", func(t *testing.T) string { return startGo(t, modernRevision) }, true},
		{"ts v1 sessions", func(t *testing.T) string { return startTS(t, "v1", "legacy") }, false},
		{"ts v2 sessions", func(t *testing.T) string { return startTS(t, "v2", "legacy") }, false},
		{"ts v2 2026-07-28", func(t *testing.T) string { return startTS(t, "v2", "modern") }, false},
	}
	clients := []struct {
		name string
		use  func(t *testing.T, url string, deaf bool)
	}{
		{"go sessions", func(t *testing.T, url string, deaf bool) { useGo(t, url, legacyRevision, deaf) }},
		{"go 2026-07-28", func(t *testing.T, url string, deaf bool) { useGo(t, url, modernRevision, deaf) }},
		{"ts v1 sessions", func(t *testing.T, url string, deaf bool) { useTS(t, url, "v1", "legacy", deaf) }},
		{"ts v2 sessions", func(t *testing.T, url string, deaf bool) { useTS(t, url, "v2", "legacy", deaf) }},
		{"ts v2 2026-07-28", func(t *testing.T, url string, deaf bool) { useTS(t, url, "v2", "modern", deaf) }},
	}
	for _, s := range servers {
		for _, c := range clients {
			t.Run(c.name+" before "+s.name, func(t *testing.T) { c.use(t, s.start(t), s.deaf) })
		}
	}
}

// startGo is a server of the Go SDK that speaks one era only.
func startGo(t *testing.T, revision string) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1.0.0"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	server.AddResource(&mcp.Resource{URI: noteURI, Name: "today"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{}, nil
	})
	canceled, over := make(chan struct{}, 1), make(chan struct{})
	add := func(name string, use func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: emptySchema()}, use)
	}
	add("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in message
		err := json.Unmarshal(r.Params.Arguments, &in)
		return said("%s", in.Text), err
	})
	add("count", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 5 {
			note := &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 5}
			if err := r.Session.NotifyProgress(ctx, note); err != nil {
				return nil, err
			}
			// The TypeScript SDK loses progress that comes with the result.
			select {
			case <-time.After(30 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		return said("counted"), nil
	})
	add("wait", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		// So that the client knows that it waits.
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1}); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			canceled <- struct{}{}
			return nil, ctx.Err()
		case <-over:
			return nil, errors.New("the test is over")
		}
	})
	add("canceled", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-canceled:
			return said("1 canceled"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	add("elicit", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got, ok := r.Params.InputResponses["q"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "who?",
				RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}}}}, nil
		}
		return said("%s %v", got.Action, got.Content["name"]), nil
	})
	add("sample", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		switch got := r.Params.InputResponses["q"].(type) {
		case *mcp.CreateMessageResult:
			return said("%s", got.Content.(*mcp.TextContent).Text), nil
		case *mcp.CreateMessageWithToolsResult:
			return said("%s", got.Content[0].(*mcp.TextContent).Text), nil
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": &mcp.CreateMessageParams{MaxTokens: 10,
			Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "nasi"}}}}}}, nil
	})
	add("touch", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said("touched"), server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: noteURI})
	})
	var handler http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: revision == modernRevision})
	if revision == modernRevision {
		handler = withoutInitialize(handler)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(func() {
		close(over)
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

// withoutInitialize refuses initialize as a server of 2026-07-28 alone does: the
// SDK's answers it as well.
func withoutInitialize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(body, &m) == nil && m.Method == "initialize" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"unsupported","data":{"supported":[%q]}}}`, m.ID, modernRevision)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// startTS is a server of the TypeScript SDK.
func startTS(t *testing.T, version, era string) string {
	t.Helper()
	cmd := exec.Command(npmCommand(t, "node"), filepath.Join("sdk", "server.cjs"), version, era)
	cmd.Env = append(npmEnv(t, homeEnv(t)), "PEERS_MODULES="+modules(t))
	log := startServer(t, cmd, "/mcp")
	return regexp.MustCompile(`http://\S+`).FindString(log.String())
}

// modules is the folder whose node_modules hold the SDKs.
func modules(t *testing.T) string {
	t.Helper()
	return filepath.Dir(filepath.Dir(filepath.Dir(npmCommand(t, "node"))))
}

// useTS has a client of the TypeScript SDK use the server through a bridge.
func useTS(t *testing.T, url, version, era string, deaf bool) {
	t.Helper()
	argv := append([]string{npmCommand(t, "node"), filepath.Join("sdk", "client.cjs"), version, era}, bridgeArgs(url)...)
	out, log, err := run(t, time.Minute, append(npmEnv(t, homeEnv(t)), "PEERS_MODULES="+modules(t), fmt.Sprintf("PEERS_DEAF=%v", deaf)), argv...)
	want := "list: 7\necho: true\ncount: counted\nprogress: true\nelicit: accept Wayan\nsample: heard nasi\n" +
		"updated: " + noteURI + "\nwait: ended\n"
	if !deaf {
		want += "canceled: 1 canceled\n"
	}
	if err != nil || string(out) != want {
		t.Errorf("%v\ngot\n%s\nwant\n%s\n%s", err, out, want, log)
	}
}

// useGo does the same with a client of the Go SDK.
func useGo(t *testing.T, url, revision string, deaf bool) {
	t.Helper()
	cmd := bridgeCommand(t, url)
	h := connectAt(t, &mcp.CommandTransport{Command: cmd, TerminateDuration: exitTimeout}, revision)
	list, err := h.ListTools(bounded(t), nil)
	if err != nil || len(list.Tools) != 7 {
		t.Fatalf("list: %v, %v", list, err)
	}
	if got := h.call(t, "echo", message{"two\nlines é"}); got != "two\nlines é" {
		t.Errorf("echo: %q", got)
	}
	if got := h.callWithProgress(t, "count", struct{}{}, 5); got != "counted" {
		t.Errorf("count: %q", got)
	}
	if got := h.call(t, "elicit", struct{}{}); got != "accept Wayan 🙂" {
		t.Errorf("elicit: %q", got)
	}
	if got := h.call(t, "sample", struct{}{}); got != "the model heard: nasi" {
		t.Errorf("sample: %q", got)
	}
	if err := h.Subscribe(bounded(t), &mcp.SubscribeParams{URI: noteURI}); err != nil {
		t.Fatalf("subscribe: %v", err)
	}
	// A subscription of 2026-07-28 is acknowledged after Subscribe returns.
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	end := bounded(t)
	for seen := false; !seen; {
		h.call(t, "touch", struct{}{})
		select {
		case uri := <-h.updated:
			if seen = true; uri != noteURI {
				t.Errorf("updated: %q", uri)
			}
		case <-tick.C:
		case <-end.Done():
			t.Fatal("no update arrived")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	wait := &mcp.CallToolParams{Name: "wait"}
	wait.SetProgressToken("wait")
	go func() { _, err := h.CallTool(ctx, wait); failed <- err }()
	receive(t, "progress", h.progress, func(*mcp.ProgressNotificationParams) bool { return true })
	cancel()
	if err := receive(t, "the end of the call", failed, func(error) bool { return true }); err == nil {
		t.Error("a canceled call has a result")
	}
	if deaf {
		return
	}
	if got := h.call(t, "canceled", struct{}{}); !strings.HasSuffix(got, "1 canceled") {
		t.Errorf("canceled: %q", got)
	}
}
