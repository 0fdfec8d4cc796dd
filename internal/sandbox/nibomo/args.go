package nibomo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones are checked also where the system has none

	"bridge/internal/fsrs"
)

// arguments are those of all tools together; a tool has some of them.
type arguments struct {
	sql, workspaceID, deckID, cardID, reviewID, topic, zone string
	tags                                                    []string
	hasTags                                                 bool
	rating                                                  fsrs.Rating
}

// field is one argument: how it is read, and whether it must be there.
type field struct {
	name     string
	required bool
	read     func(a *arguments, v json.RawMessage) (problem string)
}

// fields lists a tool's arguments in the order of its schema.
func fields(tool string) []field {
	ws := field{"workspaceId", false, guid(func(a *arguments, v string) { a.workspaceID = v })}
	card := field{"cardId", true, guid(func(a *arguments, v string) { a.cardID = v })}
	switch tool {
	case "sql_query", "sql_execute":
		return []field{{"sql", true, readSQL}, ws}
	case "get_guide":
		return []field{{"topic", true, option(topics(), func(a *arguments, v string) { a.topic = v })}}
	case "next_review_card":
		return []field{ws, {"tags", false, readTags},
			{"deckId", false, guid(func(a *arguments, v string) { a.deckID = v })}}
	case "reveal_answer":
		return []field{card, ws}
	case "submit_review":
		return []field{card,
			{"reviewId", true, guid(func(a *arguments, v string) { a.reviewID = v })},
			{"rating", true, option([]string{"Again", "Hard", "Good", "Easy"}, func(a *arguments, v string) { a.rating, _ = fsrs.ParseRating(v) })},
			{"reviewedTimeZone", true, readZone}, ws}
	}
	return nil
}

func topics() []string {
	return []string{"sql_dialect", "card_authoring", "bulk_authoring", "review_flow"}
}

// parse reads the arguments of a tool. problems are in the words and the order
// of the validation library that the service uses; none means all is well.
func parse(tool string, raw json.RawMessage) (a arguments, problems []string) {
	given, order := members(raw)
	known := map[string]bool{}
	for _, f := range fields(tool) {
		known[f.name] = true
		v, ok := given[f.name]
		if !ok && !f.required {
			continue
		}
		if p := f.read(&a, v); p != "" {
			if !strings.Contains(p, " at ") {
				p += " at " + f.name
			}
			problems = append(problems, p)
		}
	}
	var strange []string
	for _, name := range order {
		if !known[name] {
			strange = append(strange, quote(name))
		}
	}
	switch len(strange) {
	case 0:
	case 1:
		problems = append(problems, "Unrecognized key: "+strange[0])
	default:
		problems = append(problems, "Unrecognized keys: "+strings.Join(strange, ", "))
	}
	return a, problems
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

// members reads an object, keeping the order of its names.
func members(raw json.RawMessage) (map[string]json.RawMessage, []string) {
	given := map[string]json.RawMessage{}
	var order []string
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return given, nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return given, order
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return given, order
		}
		key, _ := name.(string)
		if _, twice := given[key]; !twice {
			order = append(order, key)
		}
		given[key] = v
	}
	return given, order
}

// typeOf is the name JavaScript's validation gives a value.
func typeOf(v json.RawMessage) string {
	if v = bytes.TrimSpace(v); len(v) == 0 {
		return "undefined"
	}
	switch v[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func str(v json.RawMessage) (s, problem string) {
	if t := typeOf(v); t != "string" {
		return "", "Invalid input: expected string, received " + t
	}
	if json.Unmarshal(v, &s) != nil {
		return "", "Invalid input: expected string, received undefined"
	}
	return s, ""
}

func readSQL(a *arguments, v json.RawMessage) string {
	s, problem := str(v)
	if problem != "" {
		return problem
	}
	if a.sql = strings.TrimSpace(s); a.sql == "" {
		return "Too small: expected string to have >=1 characters"
	}
	return ""
}

func guid(set func(*arguments, string)) func(*arguments, json.RawMessage) string {
	return func(a *arguments, v json.RawMessage) string {
		s, problem := str(v)
		if problem != "" {
			return problem
		}
		s = strings.ToLower(strings.TrimSpace(s))
		if !isGUID(s) {
			return "Invalid GUID"
		}
		set(a, s)
		return ""
	}
}

// isGUID accepts 8-4-4-4-12 hexadecimal digits of any version and variant.
func isGUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !strings.Contains("0123456789abcdef", s[i:i+1]) {
				return false
			}
		}
	}
	return true
}

func option(options []string, set func(*arguments, string)) func(*arguments, json.RawMessage) string {
	return func(a *arguments, v json.RawMessage) string {
		if s, problem := str(v); problem == "" {
			for _, o := range options {
				if s == o {
					set(a, s)
					return ""
				}
			}
		}
		return `Invalid option: expected one of "` + strings.Join(options, `"|"`) + `"`
	}
}

func readZone(a *arguments, v json.RawMessage) string {
	s, problem := str(v)
	if problem != "" {
		return problem
	}
	// "" and "Local" mean something to Go only.
	if s == "" || s == "Local" {
		return "Must be a valid IANA timezone"
	}
	if _, err := time.LoadLocation(s); err != nil {
		return "Must be a valid IANA timezone"
	}
	a.zone = s
	return ""
}

const maxTags = 100

func readTags(a *arguments, v json.RawMessage) string {
	if t := typeOf(v); t != "array" {
		return "Invalid input: expected array, received " + t
	}
	var items []json.RawMessage
	if json.Unmarshal(v, &items) != nil {
		return "Invalid input: expected array, received undefined"
	}
	if len(items) > maxTags {
		return fmt.Sprintf("Too big: expected array to have <=%d items", maxTags)
	}
	a.hasTags = true
	for i, item := range items {
		s, problem := str(item)
		if problem == "" && s == "" {
			problem = "Too small: expected string to have >=1 characters"
		}
		if problem != "" {
			return fmt.Sprintf("%s at tags[%d]", problem, i)
		}
		a.tags = append(a.tags, s)
	}
	return ""
}
