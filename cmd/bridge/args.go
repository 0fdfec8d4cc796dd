package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"bridge/internal/say"
)

// The arguments of a tool, as they are typed:
//
//	key=value      a string
//	key:=json      JSON: a number, true, false, null, a list, an object
//	a.b=value      the member b of the object a; \. is a dot in a name
//	{…}  @file  -  alone: the whole object, from the line, a file, stdin
//
// Numbers keep every digit: what was typed as JSON is sent as it was typed.

// maxArguments bounds a file or a pipe of arguments, in bytes.
const maxArguments = 64 << 20

// An argObject is a JSON object that is being put together. Its members are
// *argObject or json.RawMessage, in the order of names.
type argObject struct {
	names  []string
	values map[string]any
}

func (o *argObject) set(name string, v any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	o.names = append(o.names, name)
	o.values[name] = v
}

// MarshalJSON implements json.Marshaler.
func (o *argObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		b.Write(append(key, ':'))
		switch v := o.values[name].(type) {
		case *argObject:
			inner, err := v.MarshalJSON()
			if err != nil {
				return nil, err
			}
			b.Write(inner)
		case json.RawMessage:
			b.Write(v)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// parseArgs makes the JSON object of the words after the tool's name. known
// are the names of the tool's arguments, so that one with a dot in it is found
// as it is; read fetches @file and -.
func parseArgs(words, known []string, read func(word string) ([]byte, error)) (json.RawMessage, error) {
	root := &argObject{}
	for _, word := range words {
		whole := word == "-" || strings.HasPrefix(word, "@") || strings.HasPrefix(strings.TrimSpace(word), "{")
		switch {
		case whole && len(words) > 1:
			return nil, usage(say.T("%q is the whole of the arguments and stands alone", termCut(word))).
				hint(say.T("put everything into it, or write key=value for each"))
		case whole:
			return wholeArgs(word, read)
		}
		key, text, isJSON, ok := splitArg(word)
		if !ok {
			return nil, notAnArgument(word, known)
		}
		value, err := argValue(key, text, isJSON)
		if err != nil {
			return nil, err
		}
		if err := root.put(key, argPath(key, known), value); err != nil {
			return nil, err
		}
	}
	return root.MarshalJSON()
}

// splitArg cuts a word at its first "=".
func splitArg(word string) (key, text string, isJSON, ok bool) {
	key, text, ok = strings.Cut(word, "=")
	key, isJSON = strings.CutSuffix(key, ":")
	return key, text, isJSON, ok && key != ""
}

func notAnArgument(word string, known []string) error {
	p := usage(say.T("%q is not an argument", termCut(word)))
	if name, rest, ok := strings.Cut(word, ":"); ok && slices.Contains(known, name) {
		return p.hint(say.T("did you mean `%s`?", name+":="+strings.TrimSpace(rest)))
	}
	if near := nearest(word, known); near != "" {
		return p.hint(say.T("did you mean `%s`?", near+"=…"))
	}
	return p.hint(say.T("write key=value for text and key:=json for anything else"))
}

func argValue(key, text string, isJSON bool) (json.RawMessage, error) {
	if !isJSON {
		// Bytes that are no UTF-8 have no place in JSON.
		return json.Marshal(strings.ToValidUTF8(text, "\ufffd"))
	}
	if !json.Valid([]byte(text)) {
		return nil, usage(say.T("the value of %q is not JSON: %s", key, termCut(text))).
			hint(say.T("for text write `%s`, for text within JSON `%s`", key+"="+termCut(text), key+`:='"…"'`))
	}
	return json.RawMessage(strings.TrimSpace(text)), nil
}

// argPath splits a name at its dots, unless the tool has an argument of that
// very name.
func argPath(key string, known []string) []string {
	if slices.Contains(known, key) || !strings.Contains(key, ".") {
		return []string{key}
	}
	var path []string
	part := ""
	for i := 0; i < len(key); i++ {
		switch {
		case key[i] == '\\' && i+1 < len(key) && key[i+1] == '.':
			part += "."
			i++
		case key[i] == '.':
			path, part = append(path, part), ""
		default:
			part += key[i : i+1]
		}
	}
	return append(path, part)
}

func (o *argObject) put(key string, path []string, v json.RawMessage) error {
	for i, name := range path {
		if name == "" {
			return usage(say.T("%q has an empty name in it", key)).hint(say.T("a dot in a name is written as %s", `\.`))
		}
		there, taken := o.values[name]
		if i == len(path)-1 {
			if taken {
				return usage(say.T("%q is given twice", key)).hint(say.T("a list is one argument: `%s`", name+`:='["a","b"]'`))
			}
			o.set(name, v)
			return nil
		}
		inner, isObject := there.(*argObject)
		switch {
		case !taken:
			inner = &argObject{}
			o.set(name, inner)
		case !isObject:
			return usage(say.T("%q is given twice", strings.Join(path[:i+1], ".")))
		}
		o = inner
	}
	return nil
}

func wholeArgs(word string, read func(string) ([]byte, error)) (json.RawMessage, error) {
	text := []byte(word)
	from := say.T("the arguments")
	if !strings.HasPrefix(strings.TrimSpace(word), "{") {
		var err error
		if text, err = read(word); err != nil {
			return nil, err
		}
		from = say.T("the file %s", strings.TrimPrefix(word, "@"))
		if word == "-" {
			from = say.T("stdin")
		}
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if !json.Valid(text) {
		return nil, usage(say.T("%s: this is not JSON", from)).hint(say.T("it has to be one object: %s", `{"key": "value"}`))
	}
	if text[0] != '{' {
		return nil, usage(say.T("%s: this is JSON, but not an object", from)).hint(say.T("it has to be one object: %s", `{"key": "value"}`))
	}
	return text, nil
}

// termCut is a piece of the command line for an error.
func termCut(word string) string {
	const most = 60
	if r := []rune(word); len(r) > most {
		return string(r[:most]) + "…"
	}
	return word
}
