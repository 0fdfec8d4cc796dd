package dialect

import (
	"cmp"
	"strconv"
)

// sameType says whether = can ever hold.
func sameType(t Type, v any) bool {
	switch v.(type) {
	case string:
		return t.text()
	case int64, float64:
		return t.numeric()
	case bool:
		return t == Boolean
	}
	return false
}

// asText is JavaScript's String(v).
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// compareNumbers orders numbers of either kind, and booleans.
func compareNumbers(a, b any) int {
	x, xi := a.(int64)
	y, yi := b.(int64)
	if xi && yi {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(asFloat(a), asFloat(b))
}

func asFloat(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
	}
	return 0
}
