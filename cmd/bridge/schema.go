package main

import (
	"bytes"
	"encoding/json"
	"slices"
)

// A toolInfo is a tool of tools/list, as far as it is looked at here.
type toolInfo struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations *struct {
		Title       string `json:"title"`
		ReadOnly    *bool  `json:"readOnlyHint"`
		Destructive *bool  `json:"destructiveHint"`
		Idempotent  *bool  `json:"idempotentHint"`
	} `json:"annotations"`
}

func (t *toolInfo) title() string {
	switch {
	case t.Title != "":
		return t.Title
	case t.Annotations != nil:
		return t.Annotations.Title
	}
	return ""
}

func (t *toolInfo) readOnly() bool {
	return t.Annotations != nil && t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly
}

// destructive says whether the server marks the tool so. A server that marks a
// tool as writing and says no more means destructive, by the specification's
// defaults (2025-11-25, ToolAnnotations); one that marks nothing has said
// nothing, and whoever typed the tool's name knows more.
func (t *toolInfo) destructive() bool {
	if t.Annotations == nil || t.readOnly() {
		return false
	}
	if t.Annotations.Destructive != nil {
		return *t.Annotations.Destructive
	}
	return t.Annotations.ReadOnly != nil
}

// An argInfo is one argument of a tool.
type argInfo struct {
	Name        string
	Type        string // of JSON Schema; "" for any or several
	Description string
	Enum        []string // JSON values
	Default     string   // JSON, or ""
	Required    bool
	min, max    *float64
}

// arguments are the properties of the tool's schema in the order in which the
// server wrote them, which is how it wants them read.
func (t *toolInfo) arguments() []argInfo {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(t.InputSchema, &schema) != nil {
		return nil
	}
	var args []argInfo
	eachMember(schema.Properties, func(name string, value json.RawMessage) {
		arg := argInfo{Name: name, Required: slices.Contains(schema.Required, name)}
		var p struct {
			Type        json.RawMessage   `json:"type"`
			Description string            `json:"description"`
			Enum        []json.RawMessage `json:"enum"`
			Const       json.RawMessage   `json:"const"`
			Default     json.RawMessage   `json:"default"`
			Minimum     *float64          `json:"minimum"`
			Maximum     *float64          `json:"maximum"`
		}
		if json.Unmarshal(value, &p) == nil {
			arg.Type, arg.Description, arg.Default = schemaType(p.Type), p.Description, string(p.Default)
			arg.min, arg.max = p.Minimum, p.Maximum
			if p.Const != nil {
				p.Enum = append(p.Enum, p.Const)
			}
			for _, e := range p.Enum {
				arg.Enum = append(arg.Enum, string(e))
			}
			if arg.Type == "" && len(p.Enum) > 0 && p.Enum[0][0] == '"' {
				arg.Type = "string"
			}
		}
		args = append(args, arg)
	})
	return args
}

// schemaType is the one type of a schema; "null" beside another says no more
// than that it can be left out.
func schemaType(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var several []string
	_ = json.Unmarshal(raw, &several) // none is any
	several = slices.DeleteFunc(several, func(t string) bool { return t == "null" })
	if len(several) == 1 {
		return several[0]
	}
	return ""
}

// eachMember goes through an object in the order of its text.
func eachMember(object json.RawMessage, member func(name string, value json.RawMessage)) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return
	}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return
		}
		member(name, value)
	}
}
