package lab

import (
	"encoding/json"
	"fmt"
	"strings"

	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/rpc"
)

// round is what a client brings to a further round (2026-07-28 patterns/mrtr).
type round struct {
	Responses map[string]json.RawMessage `json:"inputResponses"`
	State     string                     `json:"requestState"`
}

func readRound(c *front.Call) round {
	var r round
	_ = json.Unmarshal(c.Params, &r) // absent in the first round
	return r
}

// accepted is a field of an answer that the user gave, or "".
func (r round) accepted(key, field string) string {
	var a struct {
		Action  string                     `json:"action"`
		Content map[string]json.RawMessage `json:"content"`
	}
	if json.Unmarshal(r.Responses[key], &a) != nil || a.Action != "accept" {
		return ""
	}
	var s string
	if json.Unmarshal(a.Content[field], &s) != nil {
		return string(a.Content[field])
	}
	return s
}

// needs is a result that asks. Pairs are key, params; the method follows from
// the params' shape.
func needs(state string, pairs ...string) json.RawMessage {
	var asks []string
	for i := 0; i+1 < len(pairs); i += 2 {
		method := "elicitation/create"
		switch {
		case pairs[i+1] == "":
			asks = append(asks, fmt.Sprintf(`%q:{"method":"roots/list"}`, pairs[i]))
			continue
		case strings.HasPrefix(pairs[i+1], `{"messages"`):
			method = "sampling/createMessage"
		}
		asks = append(asks, fmt.Sprintf(`%q:{"method":%q,"params":%s}`, pairs[i], method, pairs[i+1]))
	}
	out := `{"resultType":"input_required","inputRequests":{` + strings.Join(asks, ",") + `}`
	if state != "" {
		out += `,"requestState":` + string(rpc.Marshal(state))
	}
	return json.RawMessage(out + "}")
}

// inputRequired runs the tools that ask in their result.
func inputRequired(c *front.Call, name string) (json.RawMessage, *rpc.Error) {
	r := readRound(c)
	say := func(format string, args ...any) (json.RawMessage, *rpc.Error) {
		return rpc.Text(fmt.Sprintf(format, args...), false), nil
	}
	askName := form("What is your name?", "name", "string")
	switch strings.TrimPrefix(name, "test_input_required_result_") {
	case "elicitation":
		if v := r.accepted("user_name", "name"); v != "" {
			return say("Hello, %s!", v)
		}
		return needs("", "user_name", askName), nil
	case "sampling":
		if raw := r.Responses["capital_question"]; raw != nil {
			return say("Sampling response: %s", sampled(raw))
		}
		return needs("", "capital_question", sampling("What is the capital of France?")), nil
	case "list_roots":
		if raw := r.Responses["client_roots"]; raw != nil {
			return say("Client exposed %d root(s)", roots(raw))
		}
		return needs("", "client_roots", ""), nil
	case "request_state", "tampered_state":
		const state = "lab-state-1"
		if r.State != "" && r.State != state {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "requestState is not what was handed out")
		}
		if r.accepted("confirm", "ok") != "" && r.State == state {
			return say("state-ok")
		}
		return needs(state, "confirm", form("Please confirm", "ok", "boolean")), nil
	case "multiple_inputs":
		who, greeting, folders := r.accepted("user_name", "name"), r.Responses["greeting"], r.Responses["client_roots"]
		if who != "" && greeting != nil && folders != nil {
			return say("%s %s, %d root(s) visible", sampled(greeting), who, roots(folders))
		}
		return needs("several", "user_name", askName, "greeting", sampling("Generate a greeting"), "client_roots", ""), nil
	case "multi_round":
		switch who, second := strings.CutPrefix(r.State, "round=2;name="); {
		case r.State == "":
			return needs("round=1", "step1", form("Step 1: What is your name?", "name", "string")), nil
		case second:
			return say("Multi-round complete: %s likes %s", who, r.accepted("step2", "color"))
		default:
			return needs("round=2;name="+r.accepted("step1", "name"), "step2", form("Step 2: What is your favorite color?", "color", "string")), nil
		}
	case "capabilities":
		if len(r.Responses) > 0 {
			return say("answered")
		}
		var pairs []string
		if has(c, "elicitation") {
			pairs = append(pairs, "user_name", askName)
		}
		if has(c, "sampling") {
			pairs = append(pairs, "greeting", sampling("Generate a short greeting"))
		}
		if has(c, "roots") {
			pairs = append(pairs, "client_roots", "")
		}
		if pairs == nil {
			return say("the client can be asked nothing")
		}
		return needs("", pairs...), nil
	}
	return nil, rpc.Errorf(rpc.CodeInvalidParams, "Unknown tool: %s", name)
}

func sampled(raw json.RawMessage) string {
	var r struct {
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(raw, &r) // no content reads as empty
	return textOf(r.Content)
}

func roots(raw json.RawMessage) int {
	var r struct {
		Roots []json.RawMessage `json:"roots"`
	}
	_ = json.Unmarshal(raw, &r) // none
	return len(r.Roots)
}
