package bridge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// bindings are the values a conversation captured with "$name".
type bindings map[string]json.RawMessage

// expand puts captured values and fixed texts into a line of a conversation:
// "$name" (with its quotes) becomes the captured JSON value, and $REMOTE,
// $OTHER become base URLs.
func (b bindings) expand(s string, fixed map[string]string) string {
	for k, v := range fixed {
		s = strings.ReplaceAll(s, k, v)
	}
	for k, v := range b {
		s = strings.ReplaceAll(s, `"$`+k+`"`, string(v))
	}
	return s
}

// match compares a JSON text with a pattern. In a pattern,
//
//	"*"          is any value
//	"a*b"        is a string with that shape
//	"/regexp/"   is a value whose text (a string's content, else raw JSON) matches
//	"$name"      is any value, captured on first use and compared afterwards
//	{…,"*":"*"}  is an object that may have more members
//
// and everything else is itself. The top-level id is compared as raw text, so
// that 1, 1.0 and "1" stay different.
func match(pattern string, got []byte, vars bindings) error {
	if !json.Valid([]byte(pattern)) {
		return fmt.Errorf("the pattern is not JSON: %s", pattern)
	}
	if !json.Valid(got) {
		return fmt.Errorf("not JSON: %s", clip(got))
	}
	captured := maps.Clone(vars)
	if captured == nil {
		captured = bindings{}
	}
	if err := matchValue("", json.RawMessage(pattern), json.RawMessage(got), captured); err != nil {
		return err
	}
	maps.Copy(vars, captured)
	return nil
}

func matchValue(path string, pattern, got json.RawMessage, vars bindings) error {
	pattern, got = bytes.TrimSpace(pattern), bytes.TrimSpace(got)
	if len(pattern) == 0 || len(got) == 0 {
		return fmt.Errorf("%s: empty value", path)
	}
	switch pattern[0] {
	case '{':
		return matchObject(path, pattern, got, vars)
	case '[':
		return matchArray(path, pattern, got, vars)
	case '"':
		var p string
		if err := json.Unmarshal(pattern, &p); err != nil {
			return fmt.Errorf("%s: pattern: %w", path, err)
		}
		if ok, err := matchWildcard(path, p, got, vars); ok || err != nil {
			return err
		}
	}
	if path == ".id" || got[0] != '"' || pattern[0] != '"' {
		if !bytes.Equal(pattern, got) {
			return fmt.Errorf("%s: got %s, want %s", path, clip(got), clip(pattern))
		}
		return nil
	}
	var p, g string
	if err := json.Unmarshal(pattern, &p); err != nil {
		return err
	}
	if err := json.Unmarshal(got, &g); err != nil {
		return err
	}
	if p != g {
		return fmt.Errorf("%s: got %q, want %q", path, clip([]byte(g)), clip([]byte(p)))
	}
	return nil
}

// matchWildcard reports whether p is a wildcard that took the value.
func matchWildcard(path, p string, got json.RawMessage, vars bindings) (bool, error) {
	text := string(got)
	isString := got[0] == '"'
	if isString {
		if err := json.Unmarshal(got, &text); err != nil {
			return false, err
		}
	}
	switch {
	case p == "*":
		return true, nil
	case len(p) > 1 && p[0] == '$':
		name := p[1:]
		if old, ok := vars[name]; ok {
			if !bytes.Equal(old, got) {
				return false, fmt.Errorf("%s: got %s, want the earlier $%s = %s", path, clip(got), name, clip(old))
			}
			return true, nil
		}
		vars[name] = slices.Clone(got)
		return true, nil
	case len(p) > 2 && p[0] == '/' && p[len(p)-1] == '/':
		re, err := regexp.Compile(p[1 : len(p)-1])
		if err != nil {
			return false, err
		}
		if !re.MatchString(text) {
			return false, fmt.Errorf("%s: %q does not match %s", path, clip([]byte(text)), p)
		}
		return true, nil
	case strings.Contains(p, "*"):
		if !isString || !glob(p, text) {
			return false, fmt.Errorf("%s: got %s, want the shape %q", path, clip(got), p)
		}
		return true, nil
	}
	return false, nil
}

func matchObject(path string, pattern, got json.RawMessage, vars bindings) error {
	var p, g map[string]json.RawMessage
	if err := json.Unmarshal(pattern, &p); err != nil {
		return fmt.Errorf("%s: pattern: %w", path, err)
	}
	if err := json.Unmarshal(got, &g); err != nil {
		return fmt.Errorf("%s: got %s, want an object", path, clip(got))
	}
	_, open := p["*"]
	for _, k := range slices.Sorted(maps.Keys(p)) {
		if k == "*" {
			continue
		}
		v, ok := g[k]
		if !ok {
			return fmt.Errorf("%s.%s is missing in %s", path, k, clip(got))
		}
		if err := matchValue(path+"."+k, p[k], v, vars); err != nil {
			return err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(g)) {
		if _, ok := p[k]; !ok && !open {
			return fmt.Errorf("%s.%s = %s is not expected", path, k, clip(g[k]))
		}
	}
	return nil
}

func matchArray(path string, pattern, got json.RawMessage, vars bindings) error {
	var p, g []json.RawMessage
	if err := json.Unmarshal(pattern, &p); err != nil {
		return fmt.Errorf("%s: pattern: %w", path, err)
	}
	if err := json.Unmarshal(got, &g); err != nil {
		return fmt.Errorf("%s: got %s, want an array", path, clip(got))
	}
	if len(p) != len(g) {
		return fmt.Errorf("%s: %d elements, want %d: %s", path, len(g), len(p), clip(got))
	}
	for i := range p {
		if err := matchValue(fmt.Sprintf("%s[%d]", path, i), p[i], g[i], vars); err != nil {
			return err
		}
	}
	return nil
}

// glob matches s against p, in which * stands for any text.
func glob(p, s string) bool {
	parts := strings.Split(p, "*")
	if len(parts) == 1 {
		return p == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, last)
}

func clip(b []byte) string {
	if len(b) > 400 {
		return fmt.Sprintf("%s… (%d bytes)", b[:400], len(b))
	}
	return string(b)
}

// rpcName is how a conversation names a body: its method, "response" for an
// answer, "batch" for an array, "" for no JSON at all.
func rpcName(body []byte) string {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		return "batch"
	}
	var m struct{ Method *string }
	if json.Unmarshal(body, &m) != nil {
		return ""
	}
	if m.Method == nil {
		return "response"
	}
	return *m.Method
}
