package bridge

import (
	"bytes"
	"fmt"
)

// admitTool asks the gate about a tools/call, and reports whether the call may
// be sent again though it may have been processed: the tool's own annotations
// say so (2025-03-26 §Tool annotations).
func (f *legacy) admitTool(params []byte) (safe bool, fail *failure) {
	raw, folded := find(params, "name")
	name := string(unquote(raw))
	f.mu.Lock()
	t, known := f.tools[name]
	f.mu.Unlock()
	if !known {
		t = Tool{Name: name, Destructive: true}
	}
	if f.cfg.Gate != nil {
		reason := ""
		if folded > 1 {
			// Which of two names counts is up to the remote's parser.
			reason = "the call names its tool more than once"
		} else {
			reason = f.cfg.Gate.Allow(t)
		}
		if reason != "" {
			return false, &failure{code: codeParams, kind: kindNotAllowed, text: reason}
		}
	}
	return known && folded == 1 && (t.ReadOnly || t.Idempotent), nil
}

// passTools learns the tools of a tools/list result and takes those out that
// the gate does not allow. A result of another shape passes untouched.
func (f *legacy) passTools(env *envelope) *envelope {
	list, _ := find(env.result, "tools")
	parts, err := elements(list)
	if err != nil {
		return env
	}
	keep := parts[:0:0]
	learnt := make(map[string]Tool, len(parts))
	for _, p := range parts {
		raw, _ := find(p, "name")
		name := unquote(raw)
		if name == nil {
			keep = append(keep, p)
			continue
		}
		hints, _ := find(p, "annotations")
		t := Tool{
			Name: string(name), Known: true,
			ReadOnly:    flag(hints, "readOnlyHint", false),
			Destructive: flag(hints, "destructiveHint", true),
			Idempotent:  flag(hints, "idempotentHint", false),
		}
		learnt[t.Name] = t
		if f.cfg.Gate == nil || f.cfg.Gate.Allow(t) == "" {
			keep = append(keep, p)
		}
	}
	f.mu.Lock()
	if f.tools == nil {
		f.tools = map[string]Tool{}
	}
	for name, t := range learnt {
		if len(f.tools) < maxTools {
			f.tools[name] = t
		}
	}
	f.mu.Unlock()
	if len(keep) == len(parts) {
		return env
	}
	at := offset(env.body, list)
	msg := make([]byte, 0, len(env.body)+1)
	msg = append(msg, env.body[:at]...)
	msg = fmt.Appendf(msg, "[%s]", bytes.Join(keep, []byte{','}))
	msg = append(msg, env.body[at+len(list):]...)
	again, err := scanEnvelope(msg)
	if err != nil {
		return env // cannot be: it was valid, and is so without an element
	}
	return &again
}

// maxTools bounds what is remembered of a remote's tools.
const maxTools = 10000

func flag(hints []byte, name string, dflt bool) bool {
	switch v, _ := find(hints, name); string(v) {
	case "true":
		return true
	case "false":
		return false
	}
	return dflt
}
