package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/rpc"
)

// The tools, prompts and resources in this file are those that the official
// conformance suite's server scenarios call by name. With them the suite can be
// run against every form of the transport.

const fixtureTools = `
{"name":"test_simple_text","description":"Answers text.","inputSchema":{"type":"object"}},
{"name":"test_image_content","description":"Answers an image.","inputSchema":{"type":"object"}},
{"name":"test_audio_content","description":"Answers sound.","inputSchema":{"type":"object"}},
{"name":"test_embedded_resource","description":"Answers an embedded resource.","inputSchema":{"type":"object"}},
{"name":"test_multiple_content_types","description":"Answers text, an image and a resource.","inputSchema":{"type":"object"}},
{"name":"test_tool_with_logging","description":"Logs three lines.","inputSchema":{"type":"object"}},
{"name":"test_tool_with_progress","description":"Reports progress three times.","inputSchema":{"type":"object"}},
{"name":"test_error_handling","description":"Fails.","inputSchema":{"type":"object"}},
{"name":"test_sampling","description":"Asks the client's model.","inputSchema":{"type":"object","properties":{"prompt":{"type":"string"}}}},
{"name":"test_elicitation","description":"Asks the user.","inputSchema":{"type":"object","properties":{"message":{"type":"string"}}}},
{"name":"test_elicitation_sep1034_defaults","description":"Asks with defaults of every kind.","inputSchema":{"type":"object"}},
{"name":"test_elicitation_sep1330_enums","description":"Asks with choices of every kind.","inputSchema":{"type":"object"}},
{"name":"test_reconnection","description":"Hangs up before it answers.","inputSchema":{"type":"object"}},
{"name":"test_x_mcp_header","description":"One argument is mirrored into a header.","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}},
{"name":"test_missing_capability","description":"Needs the sampling capability.","inputSchema":{"type":"object"}},
{"name":"test_streaming_elicitation","description":"Answers on a stream.","inputSchema":{"type":"object"}},
{"name":"test_logging_tool","description":"Logs one line.","inputSchema":{"type":"object"}},
{"name":"test_trigger_tool_change","description":"Tells that the tools have changed.","inputSchema":{"type":"object"}},
{"name":"test_trigger_prompt_change","description":"Tells that the prompts have changed.","inputSchema":{"type":"object"}},
{"name":"test_input_required_result_elicitation","description":"Asks in its result.","inputSchema":{"type":"object"}},
{"name":"test_input_required_result_sampling","description":"Asks the model in its result.","inputSchema":{"type":"object"}},
{"name":"test_input_required_result_list_roots","description":"Asks for roots in its result.","inputSchema":{"type":"object"}},
{"name":"test_input_required_result_request_state","description":"Hands out a state.","inputSchema":{"type":"object"}},
{"name":"test_input_required_result_multiple_inputs","description":"Asks three things at once.","inputSchema":{"type":"object"}},
{"name":"test_input_required_result_multi_round","description":"Asks twice.","inputSchema":{"type":"object"}},
{"name":"test_input_required_result_tampered_state","description":"Refuses a state that was changed.","inputSchema":{"type":"object"}},
{"name":"test_input_required_result_capabilities","description":"Asks what the client can answer.","inputSchema":{"type":"object"}},
{"name":"json_schema_2020_12_tool","description":"A schema with much in it.","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}}`

const fixtureResources = `{"uri":"test://static-text","name":"static-text","description":"Some text.","mimeType":"text/plain"},
{"uri":"test://static-binary","name":"static-binary","description":"An image.","mimeType":"image/png"},
{"uri":"test://watched-resource","name":"watched-resource","description":"Can be watched.","mimeType":"text/plain"}`

const fixtureTemplates = `{"uriTemplate":"test://template/{id}/data","name":"template","description":"Data of an id.","mimeType":"application/json"}`

const fixturePrompts = `{"name":"test_simple_prompt","description":"A prompt."},
{"name":"test_prompt_with_arguments","description":"A prompt with two arguments.","arguments":[{"name":"arg1","description":"The first.","required":true},{"name":"arg2","description":"The second.","required":true}]},
{"name":"test_prompt_with_embedded_resource","description":"A prompt with a resource.","arguments":[{"name":"resourceUri","description":"Which one.","required":true}]},
{"name":"test_prompt_with_image","description":"A prompt with an image."},
{"name":"test_input_required_result_prompt","description":"Asks in its result."}`

const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==" // a red one, PNG
	silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="                                     // one sample, WAV

	imageItem = `{"type":"image","mimeType":"image/png","data":"` + pixel + `"}`
	audioItem = `{"type":"audio","mimeType":"audio/wav","data":"` + silence + `"}`
)

func textItem(s string) string { return `{"type":"text","text":` + string(rpc.Marshal(s)) + `}` }

func resourceItem(uri, text string) string {
	return `{"type":"resource","resource":{"uri":` + string(rpc.Marshal(uri)) + `,"mimeType":"text/plain","text":` + string(rpc.Marshal(text)) + `}}`
}

func content(items ...string) json.RawMessage {
	return json.RawMessage(`{"content":[` + strings.Join(items, ",") + `]}`)
}

// message is a prompt's result: one message of the user for each item.
func message(description string, items ...string) json.RawMessage {
	for i, item := range items {
		items[i] = `{"role":"user","content":` + item + `}`
	}
	return json.RawMessage(`{"description":` + string(rpc.Marshal(description)) + `,"messages":[` + strings.Join(items, ",") + `]}`)
}

func fixtureResource(uri string) (content string, ok bool) {
	text := func(media, s string) (string, bool) {
		return `{"uri":` + string(rpc.Marshal(uri)) + `,"mimeType":"` + media + `","text":` + string(rpc.Marshal(s)) + `}`, true
	}
	switch uri {
	case "test://static-text":
		return text("text/plain", "This is the content of the static text resource.")
	case "test://watched-resource":
		return text("text/plain", "Watched resource content")
	case "test://static-binary":
		return `{"uri":"test://static-binary","mimeType":"image/png","blob":"` + pixel + `"}`, true
	}
	id, found := strings.CutPrefix(uri, "test://template/")
	if id, found2 := strings.CutSuffix(id, "/data"); found && found2 && !strings.Contains(id, "/") {
		return text("application/json", string(rpc.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})))
	}
	return "", false
}

func fixturePrompt(c *front.Call, name string, args map[string]string) (json.RawMessage, *rpc.Error) {
	switch name {
	case "test_simple_prompt":
		return message("A prompt.", textItem("This is a simple prompt for testing.")), nil
	case "test_prompt_with_arguments":
		return message("A prompt with two arguments.", textItem(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))), nil
	case "test_prompt_with_embedded_resource":
		return message("A prompt with a resource.", resourceItem(args["resourceUri"], "Embedded resource content for testing."), textItem("Please process the embedded resource above.")), nil
	case "test_prompt_with_image":
		return message("A prompt with an image.", imageItem, textItem("Please analyze the image above.")), nil
	case "test_input_required_result_prompt":
		r := readRound(c)
		if v := r.accepted("user_context", "context"); v != "" {
			return message("A prompt with what was said.", textItem("Context: "+v)), nil
		}
		return needs("", "user_context", form("Please provide context for the prompt", "context", "string")), nil
	}
	return nil, rpc.Errorf(rpc.CodeInvalidParams, "Prompt not found")
}

// fixture runs a tool of the suite.
func (l *Lab) fixture(ctx context.Context, c *front.Call, name string, args, token json.RawMessage) (json.RawMessage, *rpc.Error) {
	if strings.HasPrefix(name, "test_input_required_result_") {
		return inputRequired(c, name)
	}
	switch name {
	case "test_simple_text":
		return content(textItem("This is a simple text response for testing.")), nil
	case "test_image_content":
		return content(imageItem), nil
	case "test_audio_content":
		return content(audioItem), nil
	case "test_embedded_resource":
		return content(resourceItem("test://embedded-resource", "This is an embedded resource")), nil
	case "test_multiple_content_types":
		return content(textItem("This is text content"), imageItem, resourceItem("test://embedded-in-multiple", "This is an embedded resource")), nil
	case "test_tool_with_logging":
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			logLine(c, line)
		}
		return rpc.Text("Tool with logging executed successfully", false), nil
	case "test_logging_tool":
		logLine(c, "test_logging_tool executed")
		return rpc.Text("a line was logged, if it was asked for", false), nil
	case "test_tool_with_progress":
		for _, p := range []int{0, 50, 100} {
			if token != nil {
				c.Notify("notifications/progress", rpc.Marshal(map[string]any{"progressToken": token, "progress": p, "total": 100, "message": fmt.Sprintf("Completed step %d of 100", p)}))
			}
		}
		return rpc.Text(string(token), false), nil
	case "test_error_handling":
		return rpc.Text("this tool intentionally returns an error for testing", true), nil
	case "test_sampling", "test_elicitation", "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums":
		return askClient(ctx, c, name, args)
	case "test_reconnection":
		c.Hangup()
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond): // the client comes back in the meantime
		}
		return rpc.Text("Reconnection test completed successfully.", false), nil
	case "test_x_mcp_header", "json_schema_2020_12_tool":
		return rpc.Text(string(args), false), nil
	case "test_missing_capability":
		if has(c, "sampling") {
			return rpc.Text("the client can sample", false), nil
		}
		e := rpc.Errorf(rpc.CodeCapability, "sampling capability required but not declared by client")
		e.Data = json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`)
		return nil, e
	case "test_streaming_elicitation":
		return rpc.Text("answered without a question", false), nil
	case "test_trigger_tool_change", "test_trigger_prompt_change":
		kind := strings.TrimSuffix(strings.TrimPrefix(name, "test_trigger_"), "_change")
		if l.Broadcast != nil {
			l.Broadcast("notifications/"+kind+"s/list_changed", nil)
		}
		return rpc.Text("announced", false), nil
	}
	return nil, rpc.Errorf(rpc.CodeInvalidParams, "Unknown tool: %s", name)
}

func logLine(c *front.Call, text string) {
	c.Notify("notifications/message", rpc.Marshal(map[string]any{"level": "info", "logger": "lab", "data": text}))
}

// has reports whether the client declared a capability with this request.
func has(c *front.Call, name string) bool {
	var caps map[string]json.RawMessage
	_ = json.Unmarshal(c.Capabilities, &caps) // none declared
	return caps[name] != nil
}

// askClient asks in the way of the legacy era.
func askClient(ctx context.Context, c *front.Call, name string, args json.RawMessage) (json.RawMessage, *rpc.Error) {
	var a struct{ Prompt, Message string }
	_ = json.Unmarshal(args, &a) // both may be missing
	method, params := "elicitation/create", ""
	switch name {
	case "test_sampling":
		method, params = "sampling/createMessage", sampling(a.Prompt)
	case "test_elicitation":
		params = form(a.Message, "username", "string")
	case "test_elicitation_sep1034_defaults":
		params = `{"message":"Test defaults for primitives","requestedSchema":{"type":"object","properties":{
"name":{"type":"string","description":"User name","default":"John Doe"},"age":{"type":"integer","description":"User age","default":30},
"score":{"type":"number","description":"User score","default":95.5},"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
"verified":{"type":"boolean","description":"Verification status","default":true}}}}`
	case "test_elicitation_sep1330_enums":
		params = `{"message":"Test enum schemas","requestedSchema":{"type":"object","properties":{
"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}}`
	}
	result, e := c.Ask(ctx, method, json.RawMessage(params))
	if e != nil {
		return rpc.Text("could not ask: "+e.Message, true), nil
	}
	var r struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(result, &r) // what is missing reads as empty
	if name == "test_sampling" {
		return rpc.Text("LLM response: "+textOf(r.Content), false), nil
	}
	return rpc.Text("Elicitation result: action="+r.Action+", content="+string(bytes.TrimSpace(r.Content)), false), nil
}

func form(text, field, kind string) string {
	return `{"mode":"form","message":` + string(rpc.Marshal(text)) + `,"requestedSchema":{"type":"object","properties":{"` + field + `":{"type":"` + kind + `"}},"required":["` + field + `"]}}`
}

func sampling(prompt string) string {
	return `{"messages":[{"role":"user","content":` + textItem(prompt) + `}],"maxTokens":100}`
}

// textOf is the text of one content item, or of the first of several.
func textOf(raw json.RawMessage) string {
	var one struct {
		Text string `json:"text"`
	}
	var many []json.RawMessage
	if json.Unmarshal(raw, &many) == nil && len(many) > 0 {
		raw = many[0]
	}
	_ = json.Unmarshal(raw, &one) // no text reads as empty
	return one.Text
}
