// Package lab is a service with nothing but odd corners: progress, log lines,
// questions to the user, large answers, arguments mirrored into headers,
// resources and prompts. The sandbox mounts it in every form of the transport,
// so that a relay can be tried against what the two real services never do.
//
// It refuses to keep anything: every answer follows from its arguments.
package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/rpc"
)

// codeVisitFirst is URLElicitationRequiredError (MCP 2025-11-25, Elicitation).
const codeVisitFirst = -32042

// Bounds of what one call may ask for.
const (
	maxBytes = 64 << 20
	maxSteps = 1000
	maxWait  = time.Minute
)

// Lab is the service. The zero value works; Broadcast, when set, is how the
// tool "announce" reaches every client.
type Lab struct {
	Broadcast func(method string, params json.RawMessage)

	visits atomic.Int64 // calls of the tool "visit"
}

// Describe implements front.Handler.
func (*Lab) Describe() rpc.Description {
	return rpc.Description{
		ServerInfo:   json.RawMessage(`{"name":"sandbox-lab","version":"v1","title":"Lab"}`),
		Capabilities: json.RawMessage(`{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},"logging":{},"completions":{}}`),
		Instructions: "Tools with odd corners, for trying a client or a relay.",
	}
}

// ParamHeaders implements front.ParamHeaders.
func (*Lab) ParamHeaders(tool string) map[string][]string {
	switch tool {
	case "mirror":
		return map[string][]string{"Region": {"region"}, "Depth": {"options", "depth"}}
	case "test_x_mcp_header":
		return map[string][]string{"Region": {"region"}}
	}
	return nil
}

const tools = `{"name":"echo","title":"Echo","description":"Answers its arguments as text.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"idempotentHint":true}},
{"name":"count","title":"Count","description":"Reports progress steps times, waitMs apart.","inputSchema":{"type":"object","properties":{"steps":{"type":"integer"},"waitMs":{"type":"integer"}}},"annotations":{"readOnlyHint":true}},
{"name":"log","title":"Log","description":"Sends one log line at the given level.","inputSchema":{"type":"object","properties":{"level":{"type":"string"},"text":{"type":"string"}}},"annotations":{"readOnlyHint":true}},
{"name":"ask","title":"Ask","description":"Asks the user for a name.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"visit","title":"Visit","description":"Wants an address opened before every second call.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"large","title":"Large","description":"Answers text of the given size.","inputSchema":{"type":"object","properties":{"bytes":{"type":"integer"}}},"annotations":{"readOnlyHint":true}},
{"name":"fail","title":"Fail","description":"Answers isError, or the given JSON-RPC code.","inputSchema":{"type":"object","properties":{"code":{"type":"integer"}}}},
{"name":"announce","title":"Announce","description":"Tells every client that the tools have changed.","inputSchema":{"type":"object"}},
{"name":"mirror","title":"Mirror","description":"Two arguments are mirrored into headers.","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"options":{"type":"object","properties":{"depth":{"type":"integer","x-mcp-header":"Depth"}}}}},"annotations":{"readOnlyHint":true}}`

// Handle implements front.Handler.
func (l *Lab) Handle(ctx context.Context, c *front.Call) (json.RawMessage, *rpc.Error) {
	switch c.Method {
	case "tools/list":
		return json.RawMessage(`{"tools":[` + tools + `,` + fixtureTools + `]}`), nil
	case "tools/call":
		return l.call(ctx, c)
	case "resources/list":
		return json.RawMessage(`{"resources":[{"uri":"lab://note","name":"note","mimeType":"text/plain"},` + fixtureResources + `]}`), nil
	case "resources/templates/list":
		return json.RawMessage(`{"resourceTemplates":[` + fixtureTemplates + `]}`), nil
	case "resources/read":
		return readResource(c.Params)
	case "resources/subscribe", "resources/unsubscribe", "logging/setLevel":
		return json.RawMessage(`{}`), nil
	case "prompts/list":
		return json.RawMessage(`{"prompts":[{"name":"greet","description":"Greets somebody.","arguments":[{"name":"who","description":"Whom to greet.","required":true}]},` + fixturePrompts + `]}`), nil
	case "prompts/get":
		return getPrompt(c)
	case "completion/complete":
		return json.RawMessage(`{"completion":{"values":["Ani","Budi"],"total":2,"hasMore":false}}`), nil
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "Method not found")
}

func readResource(params json.RawMessage) (json.RawMessage, *rpc.Error) {
	var p struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(params, &p) // an unreadable one is found nowhere
	if p.URI == "lab://note" {
		return json.RawMessage(`{"contents":[{"uri":"lab://note","mimeType":"text/plain","text":"A note from the lab."}]}`), nil
	}
	if content, ok := fixtureResource(p.URI); ok {
		return json.RawMessage(`{"contents":[` + content + `]}`), nil
	}
	e := rpc.Errorf(rpc.CodeInvalidParams, "Resource not found")
	e.Data = rpc.Marshal(map[string]string{"uri": p.URI})
	return nil, e
}

func getPrompt(c *front.Call) (json.RawMessage, *rpc.Error) {
	var p struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if json.Unmarshal(c.Params, &p) != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "Invalid params")
	}
	if p.Name == "greet" {
		return message("Greets somebody.", textItem("Greet "+p.Arguments["who"]+".")), nil
	}
	return fixturePrompt(c, p.Name, p.Arguments)
}

func (l *Lab) call(ctx context.Context, c *front.Call) (json.RawMessage, *rpc.Error) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	var a struct {
		Steps, WaitMs, Bytes, Code int
		Level, Text                string
	}
	if json.Unmarshal(c.Params, &p) != nil || (p.Arguments != nil && json.Unmarshal(p.Arguments, &a) != nil) {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "Invalid arguments")
	}
	switch p.Name {
	case "echo", "mirror":
		return rpc.Text(string(p.Arguments), false), nil
	case "count":
		return count(ctx, c, a.Steps, time.Duration(a.WaitMs)*time.Millisecond, p.Meta.ProgressToken)
	case "log":
		c.Notify("notifications/message", rpc.Marshal(map[string]any{"level": a.Level, "logger": "lab", "data": a.Text}))
		return rpc.Text("logged", false), nil
	case "ask":
		return ask(ctx, c)
	case "visit":
		n := l.visits.Add(1)
		if n%2 == 0 {
			return rpc.Text("welcome back", false), nil
		}
		refused := rpc.Errorf(codeVisitFirst, "Open an address first")
		refused.Data = rpc.Marshal(map[string]any{"elicitations": []any{map[string]any{
			"mode": "url", "message": "Please agree to the terms", "url": "https://lab.example/terms", "elicitationId": strconv.FormatInt(n, 10),
		}}})
		return nil, refused
	case "large":
		if a.Bytes < 0 || a.Bytes > maxBytes {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "bytes must be between 0 and %d", maxBytes)
		}
		return rpc.Text(strings.Repeat("x", a.Bytes), false), nil
	case "fail":
		if a.Code != 0 {
			return nil, rpc.Errorf(a.Code, "failed as asked")
		}
		return rpc.Text("failed as asked", true), nil
	case "announce":
		if l.Broadcast != nil {
			l.Broadcast("notifications/tools/list_changed", nil)
		}
		return rpc.Text("announced", false), nil
	}
	return l.fixture(ctx, c, p.Name, p.Arguments, p.Meta.ProgressToken)
}

func count(ctx context.Context, c *front.Call, steps int, wait time.Duration, token json.RawMessage) (json.RawMessage, *rpc.Error) {
	if steps < 0 || steps > maxSteps || wait < 0 || wait > maxWait {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "steps must be at most %d and waitMs at most %d", maxSteps, maxWait.Milliseconds())
	}
	for i := range steps {
		if token != nil {
			c.Notify("notifications/progress", rpc.Marshal(map[string]any{"progressToken": token, "progress": i + 1, "total": steps}))
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return nil, rpc.Errorf(rpc.CodeInternal, "cancelled")
		case <-t.C:
		}
	}
	return rpc.Text(fmt.Sprintf("counted to %d", steps), false), nil
}

const question = `{"message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`

// ask asks in the way of the era: a request of its own, or an input_required
// result that the client answers by calling again.
func ask(ctx context.Context, c *front.Call) (json.RawMessage, *rpc.Error) {
	var answer json.RawMessage
	if c.Revision == front.Modern {
		var p struct {
			InputResponses map[string]json.RawMessage `json:"inputResponses"`
			RequestState   string                     `json:"requestState"`
		}
		_ = json.Unmarshal(c.Params, &p) // absent on the first round
		var can struct {
			Elicitation *struct{} `json:"elicitation"`
		}
		if json.Unmarshal(c.Capabilities, &can) != nil || can.Elicitation == nil {
			e := rpc.Errorf(rpc.CodeCapability, "the client cannot be asked")
			e.Data = json.RawMessage(`{"requiredCapabilities":{"elicitation":{}}}`)
			return nil, e
		}
		if answer = p.InputResponses["name"]; answer == nil {
			return json.RawMessage(`{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create","params":` + question + `}},"requestState":"lab \"1\""}`), nil
		}
		if p.RequestState != `lab "1"` {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "requestState is not what was handed out")
		}
	} else {
		result, e := c.Ask(ctx, "elicitation/create", json.RawMessage(question))
		if e != nil {
			return rpc.Text("could not ask: "+e.Message, true), nil
		}
		answer = result
	}
	var r struct {
		Action  string `json:"action"`
		Content struct {
			Name string `json:"name"`
		} `json:"content"`
	}
	if json.Unmarshal(answer, &r) != nil || r.Action != "accept" {
		return rpc.Text("no name given", true), nil
	}
	return rpc.Text("Hello, "+r.Content.Name, false), nil
}
