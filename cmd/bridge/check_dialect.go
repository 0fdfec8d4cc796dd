package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// What is read differently from one make of JSON Schema to another. Where a
// schema does not say which it is, arguments that are right by any of them
// pass.

// A schemaDialect is how a document has to be read.
type schemaDialect struct {
	// refAlone: what stands beside a $ref says nothing (draft 7, section 8.3),
	// unless the document says that it is newer.
	refAlone bool
	// unevaluated: there may be unevaluatedProperties (since 2019-09).
	unevaluated bool
	// embedded: a schema within has an $id, so that "#" in it is another
	// document than the whole (2020-12, section 9.2.1).
	embedded bool
}

func dialectOf(root any) schemaDialect {
	s, _ := root.(map[string]any)
	name, _ := s["$schema"].(string)
	newer := strings.Contains(name, "/2019-09/") || strings.Contains(name, "/2020-12/")
	d := schemaDialect{refAlone: !newer, unevaluated: newer || name == ""}
	for _, below := range s {
		d.embedded = d.embedded || hasID(below)
	}
	return d
}

func hasID(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["$id"].(string); ok {
			return true
		}
		for _, below := range v {
			if hasID(below) {
				return true
			}
		}
	case []any:
		for _, below := range v {
			if hasID(below) {
				return true
			}
		}
	}
	return false
}

// closes says whether unevaluatedProperties forbids what properties does not
// name: nothing else in the schema may evaluate a property.
func (d schemaDialect) closes(s map[string]any) bool {
	for _, keyword := range [...]string{"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"} {
		if _, ok := s[keyword]; ok {
			return false
		}
	}
	return d.unevaluated
}

// exactDigits is how many digits of a decimal number float64 always tells
// apart, and largestSafe the one longer number that schemas are full of, which
// it tells apart as well.
const (
	exactDigits = 15
	largestSafe = "9007199254740991"
)

// roughNumbers says whether a JSON text may hold a number that float64 does not
// tell from its neighbours: it has more digits, or an exponent. Text that looks
// like one counts.
func roughNumbers(text []byte) bool {
	for len(text) > 0 {
		n := 0
		for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
			n++
		}
		switch {
		case n > exactDigits+1, n == exactDigits+1 && bytes.IndexByte(text[:n], '.') < 0:
			if string(text[:n]) != largestSafe {
				return true
			}
		case n > 0 && n < len(text) && (text[n] == 'e' || text[n] == 'E'):
			return true
		}
		text = text[max(n, 1):]
	}
	return false
}

// number writes a bound as people write numbers.
func number(f float64) string {
	if f > -1e15 && f < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// pattern compiles an expression once; nil if its judgement is the server's.
func (c *schemaCheck) pattern(text string) *regexp.Regexp {
	re, ok := c.patterns[text]
	if ok {
		return re
	}
	if c.spend(len(text)) && sameInGo(text) {
		re, _ = regexp.Compile(text) // nil when it is none
	}
	if c.patterns == nil {
		c.patterns = map[string]*regexp.Regexp{}
	}
	c.patterns[text] = re
	return re
}

// sameInGo says whether an expression means the same in Go as in ECMA-262,
// which schemas are written for, with and without its flag "u". What Go does
// not compile needs no mention here. What differs: \s (of Unicode there), the
// escapes of letters that Go has for itself (\A, \z, \Q, \a, \C) and those of
// digits, \p (letters, without the flag), flags, and how a class begins and
// nests ([], [^], [[:x:]]).
func sameInGo(expression string) bool {
	inClass, negated := false, false
	for i := 0; i < len(expression); i++ {
		rest := expression[i+1:]
		switch expression[i] {
		case '\\':
			if rest == "" {
				return false
			}
			i++
			switch b := rest[0]; {
			case strings.IndexByte("dDwWbBtnrfv", b) >= 0:
			case b == 's' && inClass && negated, b == 'S' && !inClass: // these forbid less in Go
			case b >= 0x80, b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z':
				return false
			}
		case '[':
			if inClass {
				if strings.HasPrefix(rest, ":") {
					return false
				}
				break
			}
			inClass, negated = true, strings.HasPrefix(rest, "^")
			if negated {
				i++
			}
			if strings.HasPrefix(expression[i+1:], "]") {
				return false
			}
		case ']':
			inClass = false
		case '(':
			if !inClass && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:") && !strings.HasPrefix(rest, "?<") {
				return false
			}
		}
	}
	return true
}
