package main

import (
	"encoding/json"
	"slices"
	"strings"

	"bridge/internal/say"
)

// checkArgs holds the arguments against the tool's schema before anything is
// sent. The commonest mistakes are told in our own words, with what was
// probably meant; all else is in check_schema.go.
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
	closed := t.closed()
	var unknown []string
	eachMember(raw, func(name string, _ json.RawMessage) {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	})
	for _, name := range unknown {
		near := nearest(name, names)
		switch {
		case closed && near != "":
			return "", usage(say.T("%s has no argument %q", t.Name, name)).hint(say.T("did you mean `%s`?", near))
		case closed && len(names) == 0:
			return "", usage(say.T("%s takes no arguments, and %q was given", t.Name, name)).hint(see)
		case closed:
			return "", usage(say.T("%s has no argument %q", t.Name, name)).hint(say.T("it has: %s", strings.Join(names, ", ")))
		case near != "" && given[near] == nil:
			warning = say.T("%s does not name an argument %q; did you mean %q?", t.Name, name, near)
		}
	}
	for _, a := range known {
		value, is := given[a.Name]
		if !is {
			if a.Required {
				return "", usage(say.T("%s needs the argument %q", t.Name, a.Name)).hint(say.T("add `%s`; %s", a.example(), see))
			}
			continue
		}
		if p := a.check(t.Name, value); p != nil {
			return "", p
		}
	}
	return warning, t.checkSchema(raw, see)
}

// closed says whether the schema forbids what it does not name.
func (t *toolInfo) closed() bool {
	var schema struct {
		Additional json.RawMessage `json:"additionalProperties"`
		Evaluated  json.RawMessage `json:"unevaluatedProperties"`
	}
	_ = json.Unmarshal(t.InputSchema, &schema) // an open one
	return string(schema.Additional) == "false" || string(schema.Evaluated) == "false"
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
	if json.Unmarshal(value, &n) != nil {
		return nil
	}
	switch {
	case a.min != nil && n < *a.min:
		return usage(say.T("%s: %q has to be at least %g, not %s", tool, a.Name, *a.min, termCut(string(value))))
	case a.max != nil && n > *a.max:
		return usage(say.T("%s: %q has to be at most %g, not %s", tool, a.Name, *a.max, termCut(string(value))))
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
	}
	return say.T("text")
}
