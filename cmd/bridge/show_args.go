package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"bridge/internal/say"
	"bridge/internal/termsafe"
)

// How an argument looks on a command line. What a server wrote is quoted, so
// that a shell into which it is pasted takes it for text and nothing else.

// usage is the argument in a line of usage: name=TEXT, name:=NUMBER.
func (a *argInfo) usage() string {
	name := shellWord(a.Name)
	switch {
	case len(a.Enum) > 0 && a.Type == "string" && len(a.Enum) <= 6:
		return name + "=" + termsafe.Line(strings.Join(a.words(), "|"))
	case len(a.Enum) > 0 && len(a.Enum) <= 6:
		return name + ":=" + termsafe.Line(strings.Join(a.Enum, "|"))
	}
	switch a.Type {
	case "string":
		return name + "=" + say.T("TEXT")
	case "integer", "number":
		return name + ":=" + say.T("NUMBER")
	case "boolean":
		return name + ":=true|false"
	case "array":
		return name + ":=[…]"
	case "object":
		return name + ":={…}"
	}
	return name + ":=JSON"
}

// example is the argument as it could be typed.
func (a *argInfo) example() string {
	value := ""
	switch {
	case len(a.Enum) > 0:
		value = a.Enum[0]
	case a.Default != "" && a.Default != "null" && a.Default != `""`:
		value = a.Default
	}
	name := a.Name
	if a.Type == "string" {
		text := say.T("TEXT")
		_ = json.Unmarshal([]byte(value), &text) // else the placeholder
		return shellWord(name + "=" + text)
	}
	switch {
	case a.Type == "boolean":
		value = "true" // the default is what need not be typed
	case value != "":
	case a.Type == "integer", a.Type == "number":
		value = "1"
	case a.Type == "array":
		value = `["` + say.T("TEXT") + `"]`
	case a.Type == "object":
		value = `{"` + say.T("key") + `":"` + say.T("TEXT") + `"}`
	default:
		value = `"` + say.T("TEXT") + `"`
	}
	return shellWord(name + ":=" + value)
}

// callUsage is the line of usage of a tool.
func (t *toolInfo) callUsage(server string) string {
	words := []string{"bridge call", shellWord(server), shellWord(t.Name)}
	args := t.arguments()
	for _, required := range []bool{true, false} {
		for _, a := range args {
			if a.Required != required {
				continue
			}
			if required {
				words = append(words, a.usage())
			} else {
				words = append(words, "["+a.usage()+"]")
			}
		}
	}
	return strings.Join(words, " ")
}

// callExample is a command that could be typed: with what is required, or with
// the first argument of a tool that requires none.
func (t *toolInfo) callExample(server string) string {
	words := []string{"bridge call", shellWord(server), shellWord(t.Name)}
	args := t.arguments()
	for _, a := range args {
		if a.Required {
			words = append(words, a.example())
		}
	}
	if len(words) == 3 {
		for _, a := range args {
			if a.Type == "boolean" && a.Name != "confirmed" || len(args) == 1 {
				words = append(words, a.example())
				break
			}
		}
	}
	return strings.Join(words, " ")
}

// shellWord quotes text for a POSIX shell where it has to be.
func shellWord(text string) string {
	text = termsafe.Line(text)
	plain := text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.,/:=@%+", r))
	})
	if plain {
		return text
	}
	return fmt.Sprintf("'%s'", strings.ReplaceAll(text, "'", `'\''`))
}
