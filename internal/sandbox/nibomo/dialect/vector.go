package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// vector is one column of a table, by slot.
type vector struct {
	t     Type
	null  bits
	some  bool // there is a value that is not null
	raw   arena
	low   arena     // String and Strings: raw in lower case
	lines []uint32  // text types: line terminators in raw
	ints  []int64   // Integer, Boolean
	nums  []float64 // Number, whose raw is as asText writes it
	odd   bool      // a value has a character that its type does not have: see usual
	index index
}

// add appends a value as Output.Decode gives it. One of the wrong type is null.
func (v *vector) add(slot int, x any) {
	v.null = v.null.grow(slot + 1)
	var s string
	var ok bool
	switch v.t {
	case Integer, Boolean:
		n, isInt := x.(int64)
		if b, isBool := x.(bool); isBool {
			isInt = true
			if b {
				n = 1
			}
		}
		v.ints = append(v.ints, n)
		v.fill(slot, isInt)
		return
	case Number:
		f, isNum := x.(float64)
		v.nums = append(v.nums, f)
		if ok = isNum; ok {
			s = asText(f)
		}
	case Strings:
		var list []string
		list, ok = x.([]string)
		v.low.add(strings.ToLower(strings.Join(list, " ")))
		for _, tag := range list {
			s += tag + "\x00"
		}
	case Integers:
		var list []int64
		list, ok = x.([]int64)
		for i, n := range list {
			if i > 0 {
				s += " "
			}
			s += strconv.FormatInt(n, 10)
		}
	case JSON:
		var j json.RawMessage
		j, ok = x.(json.RawMessage)
		s = string(j)
	default:
		s, ok = x.(string)
		v.lines = append(v.lines, uint32(terminators(s)))
		if v.t == String {
			if v.low.grams == nil {
				v.low.grams = &grams{}
			}
			v.low.add(strings.ToLower(s))
		}
	}
	v.raw.add(s)
	v.fill(slot, ok)
	if v.t != String && v.t != Strings && !v.odd {
		for i := range len(s) {
			if !usual(v.t, s[i]) {
				v.odd = true
				break
			}
		}
	}
}

func (v *vector) fill(slot int, ok bool) {
	if ok {
		v.some = true
	} else {
		v.null.set(int32(slot))
	}
}

// usual says whether a text of this type may have the character, so that MATCH
// need not look for others there.
func usual(t Type, c byte) bool {
	digit := '0' <= c && c <= '9' || c == '-'
	switch t {
	case UUID:
		return digit || 'a' <= c && c <= 'f'
	case Datetime:
		return digit || c == 'T' || c == 'Z' || c == ':' || c == '.'
	case Number:
		return digit || c == '.'
	case Integer:
		return digit
	}
	return false
}

// value is as Output.Decode gives it, but for tags, which a table knows better.
func (v *vector) value(slot int32) any {
	if v.null.has(slot) {
		return nil
	}
	switch v.t {
	case Integer:
		return v.ints[slot]
	case Boolean:
		return v.ints[slot] != 0
	case Number:
		return v.nums[slot]
	case JSON:
		return json.RawMessage(bytes.Clone(v.raw.at(slot)))
	case Integers:
		out := []int64{}
		for f := range strings.FieldsSeq(string(v.raw.at(slot))) {
			if n, err := strconv.ParseInt(f, 10, 64); err == nil {
				out = append(out, n)
			}
		}
		return out
	}
	return string(v.raw.at(slot))
}

// compare orders two slots: null first, then by value, text by its lower case
// before anything else, so that capitals do not come before everything. It is 0
// for equal values only.
func (v *vector) compare(a, b int32) int {
	x, y := v.null.has(a), v.null.has(b)
	switch {
	case x && y:
		return 0
	case x:
		return -1
	case y:
		return 1
	case v.ints != nil:
		return cmp.Compare(v.ints[a], v.ints[b])
	case v.nums != nil:
		return cmp.Compare(v.nums[a], v.nums[b])
	case v.low.end != nil:
		if c := bytes.Compare(v.low.at(a), v.low.at(b)); c != 0 {
			return c
		}
	}
	return bytes.Compare(v.raw.at(a), v.raw.at(b))
}

// size is the memory it takes, in bytes.
func (v *vector) size() int {
	return 8*cap(v.null) + v.raw.size() + v.low.size() + 4*cap(v.lines) + 8*cap(v.ints) + 8*cap(v.nums) + v.index.size()
}
