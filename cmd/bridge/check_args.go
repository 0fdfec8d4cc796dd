package main

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"bridge/internal/say"
)

// checkArgs holds the arguments against the tool's schema before anything is
// sent. Whether they fit is said by check_schema.go alone; the commonest
// mistakes are then told in our own words, with what was probably meant.
func (t *toolInfo) checkArgs(call string, raw json.RawMessage) (warning string, err error) {
	known := t.arguments()
	var names []string
	for _, a := range known {
		names = append(names, a.Name)
	}
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &given); err != nil {
		return "", usage(say.T("the arguments are not an object"))
	}
	see := say.T("`%s` shows the arguments", call)
	var unknown []string
	eachMember(raw, func(name string, _ json.RawMessage) {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	})
	if err := t.checkSchema(raw, see); err != nil {
		return "", cmp.Or(t.explain(known, names, unknown, given, see), err)
	}
	for _, name := range unknown {
		if near := nearest(name, names); near != "" && given[near] == nil {
			warning = say.T("%s does not name an argument %q; did you mean %q?", t.Name, name, near)
		}
	}
	return warning, nil
}

// explain finds what is commonly wrong with arguments that do not fit; nil if
// it is something else.
func (t *toolInfo) explain(known []argInfo, names, unknown []string, given map[string]json.RawMessage, see string) error {
	if t.closed() && len(unknown) > 0 {
		name := unknown[0]
		switch near := nearest(name, names); {
		case near != "":
			return usage(say.T("%s has no argument %q", t.Name, name)).hint(say.T("did you mean `%s`?", near))
		case len(names) == 0:
			return usage(say.T("%s takes no arguments, and %q was given", t.Name, name)).hint(see)
		}
		return usage(say.T("%s has no argument %q", t.Name, name)).hint(say.T("it has: %s", strings.Join(names, ", ")))
	}
	for _, a := range known {
		value, is := given[a.Name]
		if !is {
			if a.Required {
				return usage(say.T("%s needs the argument %q", t.Name, a.Name)).hint(say.T("add `%s`; %s", a.example(), see))
			}
			continue
		}
		if p := a.check(t.Name, value); p != nil {
			return p
		}
	}
	return nil
}

// closed says whether the schema forbids what its properties do not name.
func (t *toolInfo) closed() bool {
	var schema map[string]any
	if json.Unmarshal(t.InputSchema, &schema) != nil {
		return false
	}
	if _, patterns := schema["patternProperties"]; patterns {
		return false
	}
	return schema["additionalProperties"] == false || schema["unevaluatedProperties"] == false && dialectOf(schema).closes(schema)
}

// check finds text where something else is wanted, and values outside of a
// list.
func (a *argInfo) check(tool string, value json.RawMessage) error {
	if len(a.Enum) > 0 && a.Type == "string" && value[0] == '"' && !a.among(value) {
		var text string
		_ = json.Unmarshal(value, &text) // it is a string
		p := usage(say.T("%s: %q cannot be %q", tool, a.Name, text))
		words := a.words()
		if near := nearest(text, words); near != "" {
			return p.hint(say.T("did you mean `%s`?", a.Name+"="+near))
		}
		return p.hint(say.T("it can be: %s", strings.Join(words, ", ")))
	}
	switch a.Type {
	case "string":
		if value[0] != '"' && string(value) != "null" {
			return usage(say.T("%s: %q has to be text, not %s", tool, a.Name, termCut(string(value)))).
				hint(say.T("write `%s`", a.Name+"="+termCut(string(value))))
		}
	case "integer", "number", "boolean", "array", "object":
		if value[0] != '"' {
			return a.checkRange(tool, value)
		}
		var text string
		_ = json.Unmarshal(value, &text) // it is a string
		if json.Valid([]byte(text)) && fits(a.Type, text) {
			return usage(say.T("%s: %q has to be %s, and %s= makes text of it", tool, a.Name, typeName(a.Type), a.Name)).
				hint(say.T("write `%s`", a.Name+":="+termCut(text)))
		}
		return usage(say.T("%s: %q has to be %s, not text", tool, a.Name, typeName(a.Type))).
			hint(say.T("write it as in `%s`", a.example()))
	}
	return nil
}

// checkRange holds a number against the bounds of the schema.
func (a *argInfo) checkRange(tool string, value json.RawMessage) error {
	var n float64
	if string(value) == "null" || json.Unmarshal(value, &n) != nil {
		return nil
	}
	switch {
	case a.min != nil && n < *a.min:
		return usage(say.T("%s: %q has to be at least %s, not %s", tool, a.Name, number(*a.min), termCut(string(value))))
	case a.max != nil && n > *a.max:
		return usage(say.T("%s: %q has to be at most %s, not %s", tool, a.Name, number(*a.max), termCut(string(value))))
	}
	return nil
}

func (a *argInfo) among(value json.RawMessage) bool {
	return slices.ContainsFunc(a.Enum, func(e string) bool {
		var x, y any
		return json.Unmarshal([]byte(e), &x) == nil && json.Unmarshal(value, &y) == nil && x == y
	})
}

// words are the values of the list as they are typed after "=".
func (a *argInfo) words() []string {
	var out []string
	for _, e := range a.Enum {
		var s string
		if json.Unmarshal([]byte(e), &s) != nil {
			s = e
		}
		out = append(out, s)
	}
	return out
}

// fits says whether JSON text is of a type.
func fits(typ, text string) bool {
	text = strings.TrimSpace(text)
	switch typ {
	case "integer":
		return !strings.ContainsAny(text, `."tfn[{`)
	case "number":
		return !strings.ContainsAny(text, `"tfn[{`)
	case "boolean":
		return text == "true" || text == "false"
	case "array":
		return text[0] == '['
	case "object":
		return text[0] == '{'
	}
	return true
}

func typeName(typ string) string {
	switch typ {
	case "integer":
		return say.T("a whole number")
	case "number":
		return say.T("a number")
	case "boolean":
		return say.T("true or false")
	case "array":
		return say.T("a list")
	case "object":
		return say.T("an object")
	case "null":
		return say.T("null")
	}
	return say.T("text")
}
