package bridge

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"unicode/utf8"
)

// From 2026-07-28 on, headers repeat what the body says, so that gateways need
// not read it (streamable-http §Standard Request Headers, §Custom Headers).
// They are derived here from the body that is sent, never from elsewhere.

// A binding says which argument of a tool goes into which header.
type binding struct {
	header string   // Mcp-Param-<Name>
	path   []string // names of properties, from the arguments down
}

// mirror adds the headers that repeat a message.
func mirror(h http.Header, version, method string, p *params, bound []binding) {
	values := []string{version, headerValue(method), ""}
	h["Mcp-Protocol-Version"], h["Mcp-Method"] = values[0:1:1], values[1:2:2]
	var name []byte
	switch method {
	case "tools/call", "prompts/get":
		name = p.name
	case "resources/read":
		name = p.uri
	case "tasks/get", "tasks/update", "tasks/cancel":
		name = p.task
	}
	if v := unquote(name); v != nil {
		values[2] = headerValue(string(v))
		h["Mcp-Name"] = values[2:]
	}
	for _, b := range bound {
		v := p.args
		for _, property := range b.path {
			if len(v) == 0 || v[0] != '{' {
				v = nil
				break
			}
			v = find(v, property)
		}
		if text, ok := headerText(v); ok {
			h[b.header] = []string{headerValue(text)}
		}
	}
}

// headerText is a primitive JSON value as a header shows it; absent and null
// have none.
func headerText(v []byte) (string, bool) {
	switch {
	case len(v) == 0 || v[0] == 'n' || v[0] == '{' || v[0] == '[':
		return "", false
	case v[0] == '"':
		return string(unquote(v)), true
	case v[0] == 't' || v[0] == 'f':
		return string(v), true
	}
	// 1.0 and 1e3 are integers in JSON Schema; a header shows them as such.
	if strings.ContainsAny(string(v), ".eE") && len(v) < 32 {
		if f, _, err := big.ParseFloat(string(v), 10, 256, big.ToNearestEven); err == nil && f.IsInt() && f.MantExp(nil) < 256 {
			i, _ := f.Int(nil)
			return i.String(), true
		}
	}
	return string(v), true
}

// headerValue encodes a value for a header (§Value Encoding): as it is, unless
// it holds what a header cannot, or would be taken for an encoded one.
func headerValue(v string) string {
	const prefix, suffix = "=?base64?", "?="
	plain := utf8.ValidString(v)
	for i := 0; i < len(v) && plain; i++ {
		plain = v[i] >= 0x20 && v[i] <= 0x7e
	}
	if plain && v == strings.TrimSpace(v) && !(strings.HasPrefix(v, prefix) && strings.HasSuffix(v, suffix)) {
		return v
	}
	return prefix + base64.StdEncoding.EncodeToString([]byte(v)) + suffix
}

// bindings reads which headers a tool's schema asks for. An error says why the
// schema is not valid, and with it the tool (§Schema Extension).
func bindings(tool []byte) ([]binding, error) {
	if !strings.Contains(string(tool), headerKeyword) {
		return nil, nil
	}
	raw := find(tool, "inputSchema")
	if len(raw) > maxSchema {
		return nil, errors.New("the schema is too large")
	}
	var schema any
	if raw == nil || json.Unmarshal(raw, &schema) != nil {
		return nil, nil
	}
	w := schemaWalk{seen: map[string]bool{}}
	w.schema(schema, nil, true)
	return w.found, w.err
}

// maxSchema bounds the schema of a tool that has headers, in bytes: it is taken
// apart, which takes many times as much.
const maxSchema = 1 << 20

const headerKeyword = "x-mcp-header"

type schemaWalk struct {
	found []binding
	seen  map[string]bool // header names in lower case
	err   error
}

// schema walks over a schema. reachable is whether it was come to by nothing
// but properties, so that an argument's place is known.
func (w *schemaWalk) schema(v any, path []string, reachable bool) {
	if w.err != nil || len(path) > 64 {
		return
	}
	switch s := v.(type) {
	case []any:
		for _, e := range s {
			w.schema(e, path, false)
		}
	case map[string]any:
		if name, ok := s[headerKeyword]; ok {
			w.annotation(name, s, path, reachable)
		}
		for key, sub := range s {
			switch key {
			case "properties":
				props, ok := sub.(map[string]any)
				if !ok {
					continue
				}
				for name, prop := range props {
					w.schema(prop, append(path[:len(path):len(path)], name), reachable)
				}
			case headerKeyword, "enum", "const", "default", "examples":
				// values, not schemas
			default:
				w.schema(sub, path, false)
			}
		}
	}
}

func (w *schemaWalk) annotation(v any, schema map[string]any, path []string, reachable bool) {
	name, ok := v.(string)
	switch {
	case !ok || !validFieldName(name):
		w.err = fmt.Errorf("%s %q is no header name", headerKeyword, excerpt(fmt.Append(nil, v)))
	case !reachable || len(path) == 0:
		w.err = fmt.Errorf("%s %q stands where no argument has a fixed place", headerKeyword, name)
	case !primitive(schema["type"]):
		w.err = fmt.Errorf("%s %q stands on a type that is not string, integer or boolean", headerKeyword, name)
	case w.seen[strings.ToLower(name)]:
		w.err = fmt.Errorf("%s %q stands there twice", headerKeyword, name)
	}
	if w.err == nil {
		w.seen[strings.ToLower(name)] = true
		w.found = append(w.found, binding{header: http.CanonicalHeaderKey("Mcp-Param-" + name), path: path})
	}
}

func primitive(t any) bool {
	switch t := t.(type) {
	case string:
		return t == "string" || t == "integer" || t == "boolean"
	case []any: // a primitive or null
		var one any
		for _, e := range t {
			if e == "null" {
				continue
			}
			if one != nil {
				return false
			}
			one = e
		}
		s, ok := one.(string)
		return ok && primitive(s)
	}
	return false
}

// errorCode is the code of a JSON-RPC error object, 0 if it has none.
func errorCode(e []byte) int {
	v := find(e, "code")
	var n int
	if json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}

// The error codes of 2026-07-28 (basic §Error Codes).
const (
	codeHeaderMismatch = -32020
	codeCapability     = -32021
	codeVersion        = -32022
)

var errNotModern = errors.New("the server does not speak 2026-07-28")
