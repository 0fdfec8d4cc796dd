package main

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"bridge/internal/say"
)

// How arguments are held against a tool's schema (JSON Schema 2020-12 and
// draft 7).
//
// The server judges in the end; what is judged here saves a journey and gives
// better words. So a keyword that is not known here forbids nothing, and
// nothing is fetched: a reference elsewhere forbids nothing either.

// schemaDepth bounds how deep a schema and its references are followed.
const schemaDepth = 48

// A schemaCheck judges values by the schemas of one document.
type schemaCheck struct {
	root     any
	left     int // steps that may still be taken
	dialect  schemaDialect
	rough    bool // a number may be nearer to a bound than can be told
	patterns map[string]*regexp.Regexp
}

// schemaNodes bounds the work on one call, in schemas looked at and in what
// takes about as long. Schemas that refer to themselves from several branches
// grow without it.
const schemaNodes = 100_000

// spend takes n steps, and says whether they are left.
func (c *schemaCheck) spend(n int) bool {
	c.left -= n
	return c.left >= 0
}

// checkSchema is the full judgement.
func (t *toolInfo) checkSchema(raw json.RawMessage, see string) error {
	var root, value any
	if json.Unmarshal(t.InputSchema, &root) != nil || json.Unmarshal(raw, &value) != nil {
		return nil
	}
	c := schemaCheck{root: root, left: schemaNodes, dialect: dialectOf(root), rough: roughNumbers(t.InputSchema) || roughNumbers(raw)}
	place, complaint := c.judge(root, value, "", 0)
	if complaint == "" {
		return nil
	}
	if place != "" {
		complaint = fmt.Sprintf("%q: %s", place, complaint)
	}
	return usage(say.T("these arguments do not fit %s: %s", t.Name, complaint)).hint(see)
}

// judge returns the first thing that is wrong with a value, and where, as in
// "address.lines[2]"; or nothing.
func (c *schemaCheck) judge(schema, value any, place string, depth int) (where, complaint string) {
	if depth > schemaDepth || !c.spend(1) {
		return "", ""
	}
	s, ok := schema.(map[string]any)
	if !ok {
		if schema == false {
			return place, say.T("is not allowed")
		}
		return "", ""
	}
	if ref, ok := s["$ref"].(string); ok {
		if where, complaint := c.judge(c.resolve(ref), value, place, depth+1); complaint != "" || c.dialect.refAlone {
			return where, complaint
		}
	}
	if complaint := c.judgeAny(s, value); complaint != "" {
		return place, complaint
	}
	switch v := value.(type) {
	case string:
		complaint = c.judgeText(s, v)
	case float64:
		complaint = c.judgeNumber(s, v)
	case []any:
		if where, complaint := c.judgeList(s, v, place, depth); complaint != "" {
			return where, complaint
		}
	case map[string]any:
		if where, complaint := c.judgeObject(s, v, place, depth); complaint != "" {
			return where, complaint
		}
	}
	if complaint != "" {
		return place, complaint
	}
	return c.judgeBranches(s, value, place, depth)
}

// resolve follows a JSON pointer within the document (RFC 6901). What it does
// not find is true, which allows everything.
func (c *schemaCheck) resolve(ref string) any {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' || c.dialect.embedded {
		return true
	}
	at := c.root
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		object, ok := at.(map[string]any)
		if !ok {
			return true
		}
		if at, ok = object[unescape.Replace(part)]; !ok {
			return true
		}
	}
	return at
}

func (c *schemaCheck) judgeAny(s map[string]any, value any) string {
	var types []string
	switch t := s["type"].(type) {
	case string:
		types = []string{t}
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok {
				types = append(types, name)
			}
		}
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(t, value) }) {
		var names []string
		for _, t := range types {
			if t != "null" || len(types) == 1 {
				names = append(names, typeName(t))
			}
		}
		return say.T("has to be %s", strings.Join(names, say.T(" or ")))
	}
	list, ok := s["enum"].([]any)
	if !ok || !c.spend(len(list)/16) {
		list = nil
	} else if len(list) == 0 {
		return say.T("is not allowed")
	}
	if len(list) > 0 && !slices.ContainsFunc(list, func(e any) bool { return reflect.DeepEqual(e, value) }) {
		return say.T("has to be one of %s", strings.TrimSuffix(strings.TrimPrefix(schemaText(list), "["), "]"))
	}
	if want, ok := s["const"]; ok && !reflect.DeepEqual(want, value) {
		return say.T("has to be %s", schemaText(want))
	}
	return ""
}

// isType says whether a value is of a type; a name that is no type's fits all.
func isType(name string, value any) bool {
	var ok bool
	switch name {
	case "string":
		_, ok = value.(string)
	case "number":
		_, ok = value.(float64)
	case "integer":
		f, is := value.(float64)
		ok = is && f == math.Trunc(f)
	case "boolean":
		_, ok = value.(bool)
	case "array":
		_, ok = value.([]any)
	case "object":
		_, ok = value.(map[string]any)
	case "null":
		ok = value == nil
	default:
		ok = true
	}
	return ok
}

func (c *schemaCheck) judgeText(s map[string]any, text string) string {
	n := float64(utf8.RuneCountInString(text))
	if least, ok := s["minLength"].(float64); ok && n < least {
		return say.T("is shorter than %s characters", number(least))
	}
	if most, ok := s["maxLength"].(float64); ok && n > most {
		return say.T("is longer than %s characters", number(most))
	}
	pattern, ok := s["pattern"].(string)
	if !ok || !c.spend(len(text)/64) {
		return ""
	}
	if re := c.pattern(pattern); re != nil && !re.MatchString(text) {
		return say.T("does not match the pattern %s", oneLine(pattern))
	}
	return ""
}

func (c *schemaCheck) judgeNumber(s map[string]any, n float64) string {
	if bound, ok := s["minimum"].(float64); ok && n < bound {
		return say.T("has to be at least %s", number(bound))
	}
	if bound, ok := s["maximum"].(float64); ok && n > bound {
		return say.T("has to be at most %s", number(bound))
	}
	if bound, ok := s["exclusiveMinimum"].(float64); ok && (n < bound || n == bound && !c.rough) {
		return say.T("has to be more than %s", number(bound))
	}
	if bound, ok := s["exclusiveMaximum"].(float64); ok && (n > bound || n == bound && !c.rough) {
		return say.T("has to be less than %s", number(bound))
	}
	return ""
}

// schemaText is a value of a schema as it can stand in an error.
func schemaText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return oneLine(string(text))
}
