package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A host gives up when initialize is not answered within a minute or so, and a
// remote may be down, or a person may have to sign in first. The host then
// gets a truthful interim answer: what the bridge itself offers. When the
// remote is there, list_changed notifications follow and everything passes,
// without a restart of the host.

// The names of the bridge's own tools. They are offered only while the remote
// cannot be used.
const (
	toolStatus = "bridge_status"
	toolSignIn = "bridge_sign_in"
)

// giveInterim answers initialize in the remote's place, if nothing else has.
func (f *legacy) giveInterim(c *call) {
	wanted := func() bool {
		return !f.closed && f.ctx.Err() == nil && f.phase == phaseConnecting && f.initCall == c && !c.answered
	}
	f.mu.Lock()
	ask := wanted()
	f.mu.Unlock()
	if !ask {
		return
	}
	var seen []byte
	if f.cfg.Recall != nil {
		seen = f.cfg.Recall()
	}
	result := interimResult(c.body, seen)
	// The remote may have answered in the meantime.
	f.mu.Lock()
	given := wanted()
	if given {
		f.interimGiven, f.result, c.answered = true, result, true
		f.remove(c)
		f.wakeAll()
	}
	f.mu.Unlock()
	if !given {
		return
	}
	f.log.Warn("the host got an interim answer; it will be told when the server is there", "why", f.lastText())
	f.out.write(responseLine(c.id, "result", result))
}

func (f *legacy) lastText() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil {
		return ""
	}
	return f.last.text
}

func (f *legacy) isInterim() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.interimGiven && f.phase == phaseConnecting
}

// interimResult is an InitializeResult that declares what the bridge provides,
// and beside it what the remote was last seen to have.
func interimResult(initialize, seen []byte) []byte {
	env, _ := scanEnvelope(initialize) // it was scanned when it came
	asked := find(env.params, "protocolVersion")
	version := string(unquote(asked))
	if !isSessionRevision(version) {
		version = newestSessionRevision()
	}
	caps := map[string]json.RawMessage{}
	info := json.RawMessage(`{"name":"bridge","version":"1"}`)
	var instructions json.RawMessage
	if seen != nil {
		var last struct {
			Capabilities map[string]json.RawMessage `json:"capabilities"`
			ServerInfo   json.RawMessage            `json:"serverInfo"`
			Instructions json.RawMessage            `json:"instructions"`
		}
		if json.Unmarshal(seen, &last) == nil {
			for k, v := range last.Capabilities {
				caps[k] = v
			}
			if last.ServerInfo != nil {
				info = last.ServerInfo
			}
			instructions = last.Instructions
		}
	}
	for _, kind := range []string{"tools", "prompts", "resources"} {
		caps[kind] = withListChanged(caps[kind])
	}
	out, err := json.Marshal(struct {
		Version      string                     `json:"protocolVersion"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
		ServerInfo   json.RawMessage            `json:"serverInfo"`
		Instructions json.RawMessage            `json:"instructions,omitempty"`
	}{version, caps, info, instructions})
	if err != nil { // only text that was valid JSON went in
		return []byte(`{"protocolVersion":"` + newestSessionRevision() + `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"bridge","version":"1"}}`)
	}
	return out
}

func withListChanged(capability json.RawMessage) json.RawMessage {
	members := map[string]json.RawMessage{}
	if capability != nil && json.Unmarshal(capability, &members) != nil {
		members = map[string]json.RawMessage{}
	}
	members["listChanged"] = json.RawMessage("true")
	out, err := json.Marshal(members)
	if err != nil {
		return json.RawMessage(`{"listChanged":true}`)
	}
	return out
}

// answerInterim answers a request while there is no remote to ask: the lists
// hold what the bridge offers, everything else gets the reason.
func (f *legacy) answerInterim(c *call, why *failure) {
	result := ""
	switch c.method {
	case "tools/list":
		result = fmt.Sprintf(`{"tools":[%s]}`, f.ownTool())
	case "prompts/list":
		result = `{"prompts":[]}`
	case "resources/list":
		result = `{"resources":[]}`
	case "resources/templates/list":
		result = `{"resourceTemplates":[]}`
	case "tools/call":
		if env, err := scanEnvelope(c.body); err == nil {
			name := find(env.params, "name")
			switch string(unquote(name)) {
			case toolStatus, toolSignIn:
				result = f.callOwnTool(c, why)
			}
		}
	}
	if result == "" {
		f.fail(c, why)
		return
	}
	f.answer(c, []byte(result))
}

// ownTool is the descriptor of the tool that says what to do.
func (f *legacy) ownTool() string {
	name, title, text := toolStatus, "Connection status",
		"Says why the remote server cannot be reached at the moment and what to do. Its real tools appear by themselves once it is there."
	if f.signsIn() {
		name, title, text = toolSignIn, "Sign in",
			"The remote server wants the user to sign in. Call this to get the link or the command for it, and show that to the user. The server's real tools appear by themselves afterwards."
	}
	return fmt.Sprintf(`{"name":%q,"title":%q,"description":%q,"inputSchema":{"type":"object","properties":{},"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`, name, title, text)
}

func (f *legacy) signsIn() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cfg.SignIn != nil && f.last != nil && f.last.wait
}

func (f *legacy) callOwnTool(c *call, why *failure) string {
	text := "The server is not available: " + why.text + "."
	if f.signsIn() {
		said, err := f.cfg.SignIn(c.ctx)
		if err == nil {
			text = said
		}
	}
	return textResult(text)
}

func textResult(text string) string {
	b, err := json.Marshal(text)
	if err != nil { // a string always marshals
		b = []byte(`""`)
	}
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"isError":false}`, bytes.TrimSpace(b))
}
