package dialect

import (
	"bytes"
	"slices"
	"strings"
)

// match looks into every column, but not where the text cannot be because of
// what it is made of.
func (t *Table) match(e *Match, in bits) bits {
	needle := query(e)
	open, out := slices.Clone(in), make(bits, len(in))
	for i := range t.columns {
		v := &t.columns[i]
		if !v.some {
			continue
		}
		var got bits
		switch {
		case v.low.end != nil:
			got = v.low.containing([]byte(needle), open)
		case v.t == Integer || v.t == Boolean || v.t == JSON:
			if v.t == Integer && !v.fits(needle) {
				continue
			}
			got = v.whose(t.index(i), open, func(slot int32) bool {
				return strings.Contains(strings.ToLower(v.plain(slot)), needle)
			})
		case v.odd || v.t == Integers:
			got = open.pick(func(slot int32) bool {
				var buf [64]byte
				return !v.null.has(slot) && bytes.Contains(lower(buf[:0], v.raw.at(slot)), []byte(needle))
			})
		case v.t == Datetime && v.fits(strings.ToUpper(needle)):
			got = v.raw.containing([]byte(strings.ToUpper(needle)), open)
		case v.fits(needle):
			got = v.raw.containing([]byte(needle), open)
		default:
			continue
		}
		out.or(got)
		open.minus(got)
	}
	return out
}

// plain is a value as text.
func (v *vector) plain(slot int32) string {
	if v.t == JSON {
		return string(v.raw.at(slot))
	}
	return asText(v.value(slot))
}

// fits says whether a text of v can have needle in it.
func (v *vector) fits(needle string) bool {
	for i := range len(needle) {
		if !usual(v.t, needle[i]) {
			return false
		}
	}
	return true
}
