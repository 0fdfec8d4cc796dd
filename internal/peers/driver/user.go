package main

import (
	"encoding/json"
	"fmt"
)

// answer is the host's user and model: it agrees to every question of a server,
// filling a form with its defaults.
func answer(method string, raw json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "ping":
		return json.RawMessage(`{}`), nil
	case "roots/list":
		return json.RawMessage(`{"roots":[]}`), nil
	case "sampling/createMessage":
		return json.RawMessage(`{"role":"assistant","model":"driver","content":{"type":"text","text":"agreed"}}`), nil
	case "elicitation/create":
		return fillForm(raw)
	}
	return nil, fmt.Errorf("unknown method %q", method)
}

// fillForm accepts a form: defaults where the schema has them, otherwise
// something of the right type for what is required.
func fillForm(raw json.RawMessage) (json.RawMessage, error) {
	var form struct {
		Schema struct {
			Properties map[string]struct {
				Type    string          `json:"type"`
				Default json.RawMessage `json:"default"`
			} `json:"properties"`
			Required []string `json:"required"`
		} `json:"requestedSchema"`
	}
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil, fmt.Errorf("read a form: %w", err)
	}
	content := make(map[string]json.RawMessage)
	for name, field := range form.Schema.Properties {
		if field.Default != nil {
			content[name] = field.Default
		}
	}
	for _, name := range form.Schema.Required {
		if _, ok := content[name]; ok {
			continue
		}
		switch form.Schema.Properties[name].Type {
		case "boolean":
			content[name] = json.RawMessage(`true`)
		case "integer", "number":
			content[name] = json.RawMessage(`1`)
		default:
			content[name] = json.RawMessage(`"agreed"`)
		}
	}
	return json.Marshal(map[string]any{"action": "accept", "content": content})
}
