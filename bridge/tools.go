package bridge

import "sync"

// admitTool asks the gate about a tools/call, and reports whether the call may
// be sent again though it may have been processed: the tool's own annotations
// say so (2025-03-26 §Tool annotations).
func (r *Relay) admitTool(p *params) (safe bool, fail *failure) {
	name := string(unquote(p.name))
	t, known := r.tools.get(name)
	if !known {
		t = Tool{Name: name, Destructive: true}
	}
	if r.cfg.Gate != nil {
		reason := ""
		if p.twice {
			// Which of two names counts is up to the remote's parser.
			reason = "the call names its tool more than once"
		} else {
			reason = r.cfg.Gate.Allow(t)
		}
		if reason != "" {
			return false, &failure{code: codeParams, kind: kindNotAllowed, text: reason}
		}
	}
	return known && !p.twice && (t.ReadOnly || t.Idempotent), nil
}

// passTools learns the tools of a tools/list result and takes those out that
// the gate does not allow. A result of another shape passes untouched.
func (r *Relay) passTools(env *envelope) *envelope {
	list := find(env.result, "tools")
	parts, err := elements(list)
	if err == errMany {
		return newResponse(env.id, "error", r.tooMany(0).object())
	}
	if err != nil {
		return env
	}
	keep := parts[:0:0]
	learnt := make([]Tool, 0, len(parts))
	for _, p := range parts {
		raw := find(p, "name")
		name := unquote(raw)
		if name == nil {
			keep = append(keep, p)
			continue
		}
		hints := find(p, "annotations")
		t := Tool{
			Name: string(name), Known: true,
			ReadOnly:    flag(hints, "readOnlyHint", false),
			Destructive: flag(hints, "destructiveHint", true),
			Idempotent:  flag(hints, "idempotentHint", false),
		}
		learnt = append(learnt, t)
		if r.cfg.Gate == nil || r.cfg.Gate.Allow(t) == "" {
			keep = append(keep, p)
		}
	}
	r.tools.learn(learnt)
	if len(keep) == len(parts) {
		return env
	}
	again, err := env.replaced(list, joinArray(keep))
	if err != nil {
		return env // cannot be: it was valid, and is so without an element
	}
	return again
}

// A toolTable holds the tools that lists named. All faces share it: it is about
// the remote, not about a conversation.
type toolTable struct {
	mu sync.RWMutex
	m  map[string]Tool
}

func (t *toolTable) get(name string) (Tool, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	tool, ok := t.m[name]
	return tool, ok
}

func (t *toolTable) learn(tools []Tool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.m == nil {
		t.m = map[string]Tool{}
	}
	for _, tool := range tools {
		if _, known := t.m[tool.Name]; known || len(t.m) < maxTools && len(tool.Name) <= maxName {
			t.m[tool.Name] = tool
		}
	}
}

// What is remembered by a name that the remote gives has bounds: the number of
// tools, and the length of a name in bytes.
const (
	maxTools = 10000
	maxName  = 1 << 10
)

func flag(hints []byte, name string, dflt bool) bool {
	switch v := find(hints, name); string(v) {
	case "true":
		return true
	case "false":
		return false
	}
	return dflt
}
