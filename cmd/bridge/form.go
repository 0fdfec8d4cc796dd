package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bridge/internal/say"
	"bridge/internal/termsafe"
)

// errDeclined is a form that was not sent.
var errDeclined = errors.New("declined")

// A formField is one field of a form. Forms are flat: strings, numbers,
// booleans, and choices of one or of several.
type formField struct {
	name     string
	required bool
	schema   fieldSchema
	values   []string // of a choice
	labels   []string // the same, for people
	several  bool
}

type fieldSchema struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []choice        `json:"oneOf"`
	Items       *struct {
		Enum  []string `json:"enum"`
		AnyOf []choice `json:"anyOf"`
	} `json:"items"`
	MinLength *int     `json:"minLength"`
	MaxLength *int     `json:"maxLength"`
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`
	MinItems  *int     `json:"minItems"`
	MaxItems  *int     `json:"maxItems"`
}

type choice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// formFields reads a requestedSchema. The fields stay in the server's order.
func formFields(schema json.RawMessage) ([]formField, error) {
	var form struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(schema, &form); err != nil {
		return nil, err
	}
	var names []string
	properties := map[string]json.RawMessage{}
	eachMember(form.Properties, func(name string, value json.RawMessage) {
		if properties[name] == nil {
			names = append(names, name)
		}
		properties[name] = value
	})
	var fields []formField
	for _, name := range names {
		f := formField{name: name, required: slices.Contains(form.Required, name)}
		if err := json.Unmarshal(properties[name], &f.schema); err != nil {
			return nil, err
		}
		f.values, f.labels = f.schema.Enum, f.schema.EnumNames
		choices := f.schema.OneOf
		if f.schema.Type == "array" {
			f.several = true
			if f.schema.Items == nil {
				return nil, errors.New("a list of what?")
			}
			f.values, choices = f.schema.Items.Enum, f.schema.Items.AnyOf
		}
		for _, c := range choices {
			f.values, f.labels = append(f.values, c.Const), append(f.labels, c.Title)
		}
		if len(f.labels) != len(f.values) {
			f.labels = f.values
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// fillForm asks field by field. A form without fields is a question for yes
// or no.
func (a *app) fillForm(ctx context.Context, fields []formField) (map[string]any, error) {
	content := map[string]any{}
	for _, f := range fields {
		v, given, err := a.fillField(ctx, f)
		if err != nil {
			return nil, err
		}
		if given {
			content[f.name] = v
		}
	}
	question := say.T("Send this?")
	if len(fields) == 0 {
		question = say.T("Agree?")
	}
	ok, err := a.confirm(ctx, question)
	if err == nil && !ok {
		err = errDeclined
	}
	return content, err
}

func (a *app) fillField(ctx context.Context, f formField) (value any, given bool, err error) {
	label := termsafe.Line(f.schema.Title)
	if label == "" {
		label = termsafe.Line(f.name)
	}
	if about := termsafe.Line(f.schema.Description); about != "" {
		fmt.Fprintf(a.err, "  %s\n", a.style(a.errFile, dim, about))
	}
	for i, v := range f.values {
		fmt.Fprintf(a.err, "  %2d  %s\n", i+1, termsafe.Line(f.labels[i]))
		_ = v
	}
	question := "  " + label + f.expects()
	for {
		line, err := a.ask(ctx, question)
		if err != nil {
			return nil, false, err
		}
		if line == "" {
			if f.schema.Default != nil {
				var v any
				if json.Unmarshal(f.schema.Default, &v) == nil {
					return v, true, nil
				}
			}
			if !f.required {
				return nil, false, nil
			}
			fmt.Fprintf(a.err, "  %s\n", say.T("This has to be answered; ctrl-D leaves."))
			continue
		}
		v, complaint := f.read(line)
		if complaint == "" {
			return v, true, nil
		}
		fmt.Fprintf(a.err, "  %s\n", complaint)
	}
}

// expects is what stands behind the label: the form of the answer and what
// enter means.
func (f *formField) expects() string {
	var parts []string
	switch {
	case f.several:
		parts = append(parts, say.T("numbers, with commas"))
	case len(f.values) > 0:
		parts = append(parts, say.T("a number from 1 to %d", len(f.values)))
	case f.schema.Type == "boolean":
		parts = append(parts, say.T("yes or no"))
	case f.schema.Type == "integer":
		parts = append(parts, say.T("a whole number"))
	case f.schema.Type == "number":
		parts = append(parts, say.T("a number"))
	case f.schema.Format != "":
		parts = append(parts, termsafe.Line(f.schema.Format))
	}
	switch {
	case f.schema.Default != nil:
		parts = append(parts, say.T("enter for %s", oneLine(printable(string(f.schema.Default)))))
	case !f.required:
		parts = append(parts, say.T("enter for none"))
	}
	if parts == nil {
		return ":"
	}
	return " (" + strings.Join(parts, "; ") + "):"
}

// read makes a value of what was typed, or says what is wrong with it.
func (f *formField) read(line string) (value any, complaint string) {
	s := f.schema
	switch {
	case f.several:
		return f.readSeveral(line)
	case len(f.values) > 0:
		if i := f.index(line); i >= 0 {
			return f.values[i], ""
		}
		return nil, say.T("It has to be a number from 1 to %d.", len(f.values))
	case s.Type == "boolean":
		switch strings.ToLower(line) {
		case "y", "yes", "ya", "true":
			return true, ""
		case "n", "no", "tidak", "false":
			return false, ""
		}
		return nil, say.T("It has to be yes or no.")
	case s.Type == "integer" || s.Type == "number":
		line, n, ok := typedNumber(line, say.Language())
		switch {
		case !ok || s.Type == "integer" && n != float64(int64(n)):
			return nil, say.T("It has to be %s.", typeName(s.Type))
		case s.Minimum != nil && n < *s.Minimum:
			return nil, say.T("It has to be at least %g.", *s.Minimum)
		case s.Maximum != nil && n > *s.Maximum:
			return nil, say.T("It has to be at most %g.", *s.Maximum)
		}
		return json.Number(line), ""
	}
	n := len([]rune(line))
	switch {
	case s.MinLength != nil && n < *s.MinLength:
		return nil, say.T("It has to have at least %d letters.", *s.MinLength)
	case s.MaxLength != nil && n > *s.MaxLength:
		return nil, say.T("It has to have at most %d letters.", *s.MaxLength)
	case !formatFits(s.Format, line):
		return nil, say.T("It has to have the form %s.", termsafe.Line(s.Format))
	}
	return line, ""
}

// typedNumber reads a number as people type it, in Indonesian with a comma. It
// is returned as JSON writes it, which knows no +1, .5 or Inf.
func typedNumber(line string, lang say.Lang) (text string, n float64, ok bool) {
	text = line
	if lang == say.Indonesian {
		text = strings.Replace(line, ",", ".", 1)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return "", 0, false
	}
	if !json.Valid([]byte(text)) {
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return text, n, true
}

func (f *formField) index(word string) int {
	word = strings.TrimSpace(word)
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(f.values) {
		return n - 1
	}
	return slices.IndexFunc(f.values, func(v string) bool { return v == word })
}

func (f *formField) readSeveral(line string) (any, string) {
	chosen := []string{}
	for word := range strings.SplitSeq(line, ",") {
		i := f.index(word)
		if i < 0 {
			return nil, say.T("It has to be numbers from 1 to %d, with commas between them.", len(f.values))
		}
		if !slices.Contains(chosen, f.values[i]) {
			chosen = append(chosen, f.values[i])
		}
	}
	switch {
	case f.schema.MinItems != nil && len(chosen) < *f.schema.MinItems:
		return nil, say.T("Choose at least %d.", *f.schema.MinItems)
	case f.schema.MaxItems != nil && len(chosen) > *f.schema.MaxItems:
		return nil, say.T("Choose at most %d.", *f.schema.MaxItems)
	}
	return chosen, ""
}

func formatFits(format, text string) bool {
	switch format {
	case "email":
		at, err := mail.ParseAddress(text)
		return err == nil && at.Address == text
	case "uri":
		u, err := url.Parse(text)
		return err == nil && u.Scheme != ""
	case "date":
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case "date-time":
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	}
	return true
}
