package pacecraft

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"bridge/internal/sandbox/rpc"
)

// Call runs a tool for who in the workspace that the URL's parameter names,
// which may be empty. What went wrong with the workspace, the arguments or the
// thing asked for is a result with isError; an Error is left for a tool that
// does not exist and for faults of the service.
func (s *Service) Call(ctx context.Context, who Account, workspace, name string, arguments json.RawMessage) (json.RawMessage, *Error) {
	res, err := s.call(ctx, who, workspace, name, arguments)
	var te toolError
	var re *Error
	switch {
	case err == nil:
		return res, nil
	case errors.As(err, &te):
		return rpc.Text(string(te), true), nil
	case errors.As(err, &re):
		return nil, re
	case ctx.Err() != nil:
		return nil, rpc.Errorf(rpc.CodeInternal, "Panggilan %s dibatalkan.", name)
	default:
		return nil, rpc.Errorf(rpc.CodeInternal, "Kesalahan di dalam PaceCraft saat menjalankan %s. Coba lagi nanti.", name)
	}
}

func (s *Service) call(ctx context.Context, who Account, workspace, name string, arguments json.RawMessage) (json.RawMessage, error) {
	t := findTool(name)
	if t == nil && !internalTool(name) {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "Tool %s tidak dikenal.", quote(name))
	}
	ws, err := s.choose(ctx, who, workspace)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, toolErrorf("Tool \"%s\" tidak tersedia via MCP eksternal.", name) //nolint:gocritic // the page's words
	}
	a, err := t.check(arguments)
	if err != nil {
		return nil, err
	}
	return t.run(s, ctx, scope{who: who, ws: ws}, a)
}

// Handle answers a request other than initialize and ping: tools/list, which
// needs no workspace, and tools/call.
func (s *Service) Handle(ctx context.Context, who Account, workspace, method string, params json.RawMessage) (json.RawMessage, *Error) {
	switch method {
	case "tools/list":
		return rpc.Marshal(map[string]json.RawMessage{"tools": s.Tools()}), nil
	case "tools/call":
		var p struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal(params, &p); err != nil || p.Name == "" {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "tools/call memerlukan name (string) dan arguments (objek).")
		}
		if a := bytes.TrimSpace(p.Arguments); len(a) > 0 && a[0] != '{' && string(a) != "null" {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "arguments dari tools/call harus berupa objek JSON.")
		}
		return s.Call(ctx, who, workspace, p.Name, p.Arguments)
	default:
		return nil, rpc.Errorf(rpc.CodeMethodNotFound, "Metode %s tidak ada.", quote(method))
	}
}

// answer makes a result of v, both as structured content and as text, which is
// what the specification asks of a server that has structured content.
func answer(v any) json.RawMessage {
	b := rpc.Marshal(v)
	return answerText(string(b), b)
}

// answerText is for text that says more to a person than its data would.
func answerText(text string, structured json.RawMessage) json.RawMessage {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	return rpc.Marshal(struct {
		Content    []content       `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}{[]content{{"text", text}}, structured})
}
