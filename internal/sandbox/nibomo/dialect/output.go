package dialect

import (
	"encoding/json"
	"strings"
)

// Output describes one column of a result.
type Output struct {
	Name string
	Type Type
	key  bool // text with its sort key before it
}

// Output lists the columns of the result, for Decode.
func (st *Select) Output() []Output {
	var out []Output
	for _, item := range st.items() {
		o := Output{Name: item.Name}
		switch item.Func {
		case "count":
			o.Type = Integer
		case "avg":
			o.Type = Number
		default:
			o.Type = item.Column.Type
			o.key = item.Func != "" && o.Type == String
		}
		out = append(out, o)
	}
	return out
}

// Decode turns a value that SQLite gave into one of the dialect: string, int64,
// float64, bool, []string, []int64, json.RawMessage or nil.
func (o Output) Decode(v any) any {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	switch x := v.(type) {
	case string:
		if o.key {
			_, x, _ = strings.Cut(x, "\x00")
		}
		switch o.Type {
		case Strings:
			return decodeList[string](x)
		case Integers:
			return decodeList[int64](x)
		case JSON:
			return json.RawMessage(x)
		}
		return x
	case int64:
		switch o.Type {
		case Boolean:
			return x != 0
		case Number:
			return float64(x)
		}
	}
	return v
}

func decodeList[T any](s string) []T {
	out := []T{}
	if s == "[]" {
		return out
	}
	if json.Unmarshal([]byte(s), &out) != nil {
		return []T{}
	}
	return out
}
