package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"bridge/internal/say"
)

// What a schema says of lists and objects, and of values that may have one of
// several forms. See check_schema.go.

func (c *schemaCheck) judgeList(s map[string]any, list []any, place string, depth int) (where, complaint string) {
	n := float64(len(list))
	if least, ok := s["minItems"].(float64); ok && n < least {
		return place, say.T("needs at least %s items", number(least))
	}
	if most, ok := s["maxItems"].(float64); ok && n > most {
		return place, say.T("takes at most %s items", number(most))
	}
	items, ok := s["items"]
	if _, tuple := s["prefixItems"]; !ok || tuple {
		return "", ""
	}
	for i, v := range list {
		if where, complaint = c.judge(items, v, place+"["+strconv.Itoa(i)+"]", depth+1); complaint != "" {
			return where, complaint
		}
	}
	return "", ""
}

func (c *schemaCheck) judgeObject(s map[string]any, object map[string]any, place string, depth int) (where, complaint string) {
	required, _ := s["required"].([]any)
	for _, r := range required {
		name, ok := r.(string)
		if _, given := object[name]; ok && !given {
			return place, say.T("needs %q", name)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	_, patterns := s["patternProperties"]
	rest, closed := s["additionalProperties"]
	if !closed && c.dialect.closes(s) {
		rest, closed = s["unevaluatedProperties"]
	}
	closed = closed && !patterns
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare[string]) // the same complaint every time
	for _, name := range names {
		below := strings.TrimPrefix(place+"."+name, ".")
		schema, known := properties[name]
		switch {
		case known:
		case closed && rest == false:
			return place, say.T("has no %q", name)
		case closed:
			schema = rest
		default:
			continue
		}
		if where, complaint = c.judge(schema, object[name], below, depth+1); complaint != "" {
			return where, complaint
		}
	}
	return "", ""
}

// judgeBranches is for allOf, anyOf and oneOf. Of oneOf it asks no more than of
// anyOf: that no two fit can only be said by who knows every keyword.
func (c *schemaCheck) judgeBranches(s map[string]any, value any, place string, depth int) (where, complaint string) {
	all, _ := s["allOf"].([]any)
	for _, branch := range all {
		if where, complaint = c.judge(branch, value, place, depth+1); complaint != "" {
			return where, complaint
		}
	}
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		branches, _ := s[keyword].([]any)
		for i, branch := range branches {
			if where, complaint = c.judge(branch, value, place, depth+1); complaint == "" {
				break
			}
			if i == len(branches)-1 {
				if len(branches) > 1 {
					return place, say.T("none of the allowed forms fits")
				}
				return where, complaint
			}
		}
	}
	return "", ""
}
