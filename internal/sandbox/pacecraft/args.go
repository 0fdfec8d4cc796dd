package pacecraft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// toolError is a failure that the caller's assistant should read and act on:
// it becomes a result with isError, not a JSON-RPC error.
type toolError string

func (e toolError) Error() string { return string(e) }

func toolErrorf(format string, a ...any) error { return toolError(fmt.Sprintf(format, a...)) }

type paramType uint8

const (
	pString paramType = iota
	pBool
	pInt
	pTime // a string: a date or a date with time
)

// param is one argument of a tool. Its schema and its check both come from
// here, so a client is told exactly what is enforced.
type param struct {
	name, desc string
	typ        paramType
	required   bool
	enum       []string
	def        any
	min, max   int // pInt: the range; pString: max is the length in characters, 0 any
}

func (p param) schema() map[string]any {
	m := map[string]any{"description": p.desc}
	switch p.typ {
	case pString:
		m["type"] = "string"
		if p.max > 0 {
			m["maxLength"] = p.max
		}
		if p.required {
			m["minLength"] = 1
		}
	case pBool:
		m["type"] = "boolean"
	case pInt:
		m["type"], m["minimum"], m["maximum"] = "integer", p.min, p.max
	case pTime:
		m["type"] = "string"
	}
	if p.enum != nil {
		m["enum"] = p.enum
	}
	if p.def != nil {
		m["default"] = p.def
	}
	return m
}

// args are checked arguments; absent ones have their zero value or default.
type args struct{ values map[string]any }

func (a args) str(name string) string { s, _ := a.values[name].(string); return s }
func (a args) is(name string) bool    { b, _ := a.values[name].(bool); return b }
func (a args) int(name string) int    { n, _ := a.values[name].(int); return n }

func (a args) time(name string) (t time.Time, given bool) {
	t, given = a.values[name].(time.Time)
	return t, given
}

// check reads raw against the tool's parameters. A null counts as absent:
// assistants send it for what they leave out.
func (t *tool) check(raw json.RawMessage) (args, error) {
	a := args{values: map[string]any{}}
	given := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return a, toolErrorf("Argumen %s harus berupa objek JSON, misalnya {}.", t.name)
		}
	}
	for _, p := range t.params {
		v, ok := given[p.name]
		delete(given, p.name)
		if !ok || string(bytes.TrimSpace(v)) == "null" {
			if p.required {
				return a, toolErrorf("Argumen %q wajib diisi untuk %s.", p.name, t.name)
			}
			if p.def != nil {
				a.values[p.name] = p.def
			}
			continue
		}
		val, err := p.value(v)
		if err != nil {
			return a, err
		}
		a.values[p.name] = val
	}
	var unknown string
	for name := range given {
		if unknown == "" || name < unknown {
			unknown = name
		}
	}
	if len(given) > 0 {
		return a, toolErrorf("Argumen %s tidak dikenal oleh %s. %s", quote(unknown), t.name, t.known())
	}
	return a, nil
}

func (t *tool) known() string {
	if len(t.params) == 0 {
		return "Tool ini tidak memakai argumen."
	}
	names := make([]string, len(t.params))
	for i, p := range t.params {
		names[i] = p.name
	}
	return "Argumen yang ada: " + strings.Join(names, ", ") + "."
}

func (p param) value(raw json.RawMessage) (any, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	switch p.typ {
	case pBool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, toolErrorf("Argumen %q harus berupa boolean (true atau false), bukan %s.", p.name, typeName(v))
	case pInt:
		f, ok := v.(float64)
		if !ok || f != math.Trunc(f) {
			return nil, toolErrorf("Argumen %q harus berupa bilangan bulat, bukan %s.", p.name, typeName(v))
		}
		if f < float64(p.min) || f > float64(p.max) {
			return nil, toolErrorf("Argumen %q harus antara %d dan %d.", p.name, p.min, p.max)
		}
		return int(f), nil
	}
	s, ok := v.(string)
	if !ok {
		return nil, toolErrorf("Argumen %q harus berupa string, bukan %s.", p.name, typeName(v))
	}
	return p.text(s)
}

func (p param) text(s string) (any, error) {
	if p.typ == pTime {
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if t, err := time.Parse(layout, s); err == nil {
				return t, nil
			}
		}
		return nil, toolErrorf("Argumen %q harus berupa tanggal, misalnya 2026-12-31 atau 2026-12-31T17:00:00Z, bukan %s.", p.name, quote(s))
	}
	if p.required && strings.TrimSpace(s) == "" {
		return nil, toolErrorf("Argumen %q tidak boleh kosong.", p.name)
	}
	if n := len([]rune(s)); p.max > 0 && n > p.max {
		return nil, toolErrorf("Argumen %q terlalu panjang: %d karakter, paling banyak %d.", p.name, n, p.max)
	}
	if p.enum == nil {
		return s, nil
	}
	quoted := make([]string, len(p.enum))
	for i, e := range p.enum {
		if e == s {
			return s, nil
		}
		quoted[i] = quote(e)
	}
	return nil, toolErrorf("Argumen %q harus salah satu dari %s, bukan %s.", p.name, strings.Join(quoted, ", "), quote(s))
}

func typeName(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v != math.Trunc(v) {
			return "bilangan pecahan"
		}
		return "angka"
	case []any:
		return "array"
	default:
		return "objek"
	}
}
