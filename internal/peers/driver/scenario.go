package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// script plays one scenario once the conversation is open.
type script func(ctx context.Context, h *host, suite json.RawMessage) error

// scenario returns the script of a scenario of the suite.
func scenario(name string) (script, bool) {
	switch name {
	case "initialize", "request-metadata", "json-schema-ref-no-deref":
		return listing, true
	case "tools_call":
		return calling(toolCall{"add_numbers", params{"a": 5, "b": 3}}), true
	case "elicitation-sep1034-client-defaults":
		return calling(toolCall{"test_client_elicitation_defaults", params{}}), true
	case "sse-retry":
		return calling(toolCall{"test_reconnection", params{}}), true
	case "json-schema-2020-12-preservation":
		return echoSchema, true
	case "sep-2322-client-request-state":
		return calling(
			toolCall{"test_mrtr_echo_state", params{}}, toolCall{"test_mrtr_no_state", params{}},
			toolCall{"test_mrtr_unrelated", params{}}, toolCall{"test_mrtr_no_result_type", params{}}), true
	case "http-standard-headers":
		return everyHeader, true
	case "http-custom-headers":
		return callsOfContext, true
	case "http-invalid-tool-headers":
		return callWhatIsListed, true
	}
	if strings.HasPrefix(name, "auth/") {
		return calling(toolCall{"test-tool", params{}}), true
	}
	return nil, false
}

type tool struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

type toolCall struct {
	Name      string `json:"name"`
	Arguments any    `json:"arguments"`
}

func listTools(ctx context.Context, h *host) ([]tool, error) {
	raw, err := h.call(ctx, "tools/list", nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Tools []tool `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("tools/list: %w", err)
	}
	return list.Tools, nil
}

// callTool calls a tool; a result with isError is an error.
func callTool(ctx context.Context, h *host, c toolCall) error {
	raw, err := h.era.request(ctx, h, "tools/call", params{"name": c.Name, "arguments": c.Arguments})
	if err != nil {
		return err
	}
	var result struct {
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("tools/call %s: %w", c.Name, err)
	}
	if result.IsError {
		return fmt.Errorf("tools/call %s: isError: %.300s", c.Name, raw)
	}
	return nil
}

func listing(ctx context.Context, h *host, _ json.RawMessage) error {
	_, err := listTools(ctx, h)
	return err
}

// calling lists the tools, because a bridge has to have seen a tool to call it
// rightly, and makes the calls one after another.
func calling(calls ...toolCall) script {
	return func(ctx context.Context, h *host, _ json.RawMessage) error {
		if _, err := listTools(ctx, h); err != nil {
			return err
		}
		for _, c := range calls {
			if err := callTool(ctx, h, c); err != nil {
				return err
			}
		}
		return nil
	}
}

// echoSchema sends a tool's schema back as it arrived, so that the mock can see
// whether a keyword was lost on the way.
func echoSchema(ctx context.Context, h *host, _ json.RawMessage) error {
	tools, err := listTools(ctx, h)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if t.Name == "json_schema_2020_12_tool" {
			return callTool(ctx, h, toolCall{"json_schema_echo", map[string]json.RawMessage{"schema": t.InputSchema}})
		}
	}
	return errors.New("the tool whose schema is to be echoed is not listed")
}

func everyHeader(ctx context.Context, h *host, _ json.RawMessage) error {
	if _, err := listTools(ctx, h); err != nil {
		return err
	}
	for _, name := range []string{"test_headers", "my-hyphenated-tool"} {
		if err := callTool(ctx, h, toolCall{name, params{}}); err != nil {
			return err
		}
	}
	if _, err := h.call(ctx, "resources/list", nil); err != nil {
		return err
	}
	if _, err := h.era.request(ctx, h, "resources/read", params{"uri": "file:///path/to/file%20name.txt"}); err != nil {
		return err
	}
	if _, err := h.call(ctx, "prompts/list", nil); err != nil {
		return err
	}
	_, err := h.era.request(ctx, h, "prompts/get", params{"name": "test_prompt"})
	return err
}

func callsOfContext(ctx context.Context, h *host, suite json.RawMessage) error {
	var told struct {
		Calls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if err := json.Unmarshal(suite, &told); err != nil || len(told.Calls) == 0 {
		return fmt.Errorf("no tool calls in the context %.200q: %w", suite, err)
	}
	if _, err := listTools(ctx, h); err != nil {
		return err
	}
	for _, c := range told.Calls {
		if err := callTool(ctx, h, toolCall{c.Name, c.Arguments}); err != nil {
			return err
		}
	}
	return nil
}

// callWhatIsListed calls every tool that reached the host. Some must not have.
func callWhatIsListed(ctx context.Context, h *host, _ json.RawMessage) error {
	tools, err := listTools(ctx, h)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if err := callTool(ctx, h, toolCall{t.Name, params{"region": "r", "value": "v", "field1": "a", "field2": "b"}}); err != nil {
			return err
		}
	}
	return nil
}
