package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// startDemoServer starts a server with two harmless tools, made with the
// official SDK so that the demo does not talk to itself only. stop waits for
// it to end.
func startDemoServer() (url string, stop func(), err error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "demo-server", Version: "1.0"}, nil)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(server, &mcp.Tool{Name: "count_words", Description: "Count the words of a text.", Annotations: readOnly}, countWords)
	mcp.AddTool(server, &mcp.Tool{Name: "days_between", Description: "Count the days from one date to another.", Annotations: readOnly}, daysBetween)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		_ = web.Serve(listener) // always ErrServerClosed
		close(done)
	}()
	return "http://" + listener.Addr().String() + "/mcp", func() {
		web.Close()
		<-done
	}, nil
}

func textResult(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

type countWordsInput struct {
	Text string `json:"text" jsonschema:"the text"`
}

func countWords(_ context.Context, _ *mcp.CallToolRequest, in countWordsInput) (*mcp.CallToolResult, any, error) {
	return textResult("%d words", len(strings.Fields(in.Text))), nil, nil
}

type daysBetweenInput struct {
	From string `json:"from" jsonschema:"a date, as in 2026-01-31"`
	To   string `json:"to" jsonschema:"a date, as in 2026-01-31"`
}

func daysBetween(_ context.Context, _ *mcp.CallToolRequest, in daysBetweenInput) (*mcp.CallToolResult, any, error) {
	from, err1 := time.Parse(time.DateOnly, in.From)
	to, err2 := time.Parse(time.DateOnly, in.To)
	if err := errors.Join(err1, err2); err != nil {
		return nil, nil, err
	}
	return textResult("%d days", int(to.Sub(from).Hours()/24)), nil, nil
}
