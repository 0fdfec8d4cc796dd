package nibomo

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"time"

	"bridge/internal/sandbox/rpc"
)

// timeBudget bounds the work of one call on the database.
const timeBudget = 15 * time.Second

//go:embed tools.json
var toolsJSON []byte

//go:embed instructions.md
var instructions string

// Describe gives what the service says of itself in initialize.
func (s *Service) Describe() rpc.Description {
	return rpc.Description{
		ServerInfo:   rpc.Marshal(serverInfo(s.opts.PublicURL)),
		Capabilities: json.RawMessage(`{"tools":{"listChanged":true}}`),
		Instructions: strings.TrimSpace(instructions),
	}
}

func serverInfo(public string) any {
	type icon struct {
		Src      string   `json:"src"`
		MimeType string   `json:"mimeType"`
		Sizes    []string `json:"sizes"`
	}
	return struct {
		Name       string `json:"name"`
		Version    string `json:"version"`
		Title      string `json:"title"`
		WebsiteURL string `json:"websiteUrl"`
		Icons      []icon `json:"icons"`
	}{"flashcards-open-source-app", "v1", "Nibomo", public, []icon{{public + "/icon.svg", "image/svg+xml", []string{"any"}}}}
}

// Tools is the JSON array of the eight descriptors. The caller must not change it.
func (s *Service) Tools() []byte { return toolsJSON }

// Handle answers tools/list and tools/call for a connection. Other methods are
// not found.
func (s *Service) Handle(ctx context.Context, conn Connection, method string, params json.RawMessage) (json.RawMessage, *rpc.Error) {
	switch method {
	case "tools/list":
		return rpc.Marshal(map[string]json.RawMessage{"tools": toolsJSON}), nil
	case "tools/call":
		var p struct {
			Name      json.RawMessage `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		// A failure leaves name undefined, and the check below says so.
		_ = json.Unmarshal(params, &p)
		if e := callIssues(p.Name, p.Arguments); e != nil {
			return nil, e
		}
		var name string
		_ = json.Unmarshal(p.Name, &name)
		return s.Call(ctx, conn, name, p.Arguments)
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "Method not found")
}

// callIssues is what the SDK under the service answers to a call without a name
// or with arguments that are no object: an internal error that quotes a list.
func callIssues(name, args json.RawMessage) *rpc.Error {
	type problem struct {
		Expected string   `json:"expected"`
		Code     string   `json:"code"`
		Path     []string `json:"path"`
		Message  string   `json:"message"`
	}
	var list []problem
	expect := func(want, member string, v json.RawMessage) {
		list = append(list, problem{want, "invalid_type", []string{"params", member},
			"Invalid input: expected " + want + ", received " + typeOf(v)})
	}
	if typeOf(name) != "string" {
		expect("string", "name", name)
	}
	if t := typeOf(args); t != "undefined" && t != "object" {
		want := "record"
		list = append(list, problem{want, "invalid_type", []string{"params", "arguments"},
			"Invalid input: expected record, received " + t})
	}
	if list == nil {
		return nil
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return rpc.Errorf(rpc.CodeInternal, "Internal error")
	}
	return &rpc.Error{Code: rpc.CodeInternal, Message: string(text)}
}

// Call runs one tool. args is its arguments object; nil means none. The error is
// for calls that are no calls; a tool that refuses gives a result.
func (s *Service) Call(ctx context.Context, conn Connection, name string, args json.RawMessage) (json.RawMessage, *rpc.Error) {
	run := s.tool(name)
	if run == nil {
		return rpc.Text("MCP error -32602: Tool "+name+" not found", true), nil
	}
	if t := typeOf(args); t == "undefined" {
		args = json.RawMessage("{}")
	} else if t != "object" {
		return nil, callIssues(json.RawMessage(`""`), args)
	}
	a, problems := parse(name, args)
	if len(problems) > 0 {
		return rpc.Text("MCP error -32602: Input validation error: Invalid arguments for tool "+name+": "+
			strings.Join(problems, "\n"), true), nil
	}
	budget, cancel := context.WithTimeout(ctx, timeBudget)
	defer cancel()
	data, say, err := run(budget, conn, a)
	s.statements.prepare(ctx)
	if err != nil {
		if ctx.Err() != nil { // nobody is waiting any more
			return nil, rpc.Errorf(rpc.CodeInternal, "Request cancelled")
		}
		if budget.Err() != nil {
			err = budget.Err()
		}
		return s.refuse(name, err), nil
	}
	return s.answer(data, say), nil
}

// runner does a tool's work: it gives data and instructions.
type runner func(context.Context, Connection, arguments) (json.RawMessage, string, error)

func (s *Service) tool(name string) runner {
	switch name {
	case "sql_query":
		return s.sqlQuery
	case "sql_execute":
		return s.sqlExecute
	case "list_workspaces":
		return s.listWorkspaces
	case "get_guide":
		return s.getGuide
	case "next_review_card":
		return s.nextReviewCard
	case "reveal_answer":
		return s.revealAnswer
	case "submit_review":
		return s.submitReview
	case "get_usage_limits":
		return s.usageLimits
	}
	return nil
}
