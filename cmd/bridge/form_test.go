package main

import (
	"encoding/json"
	"reflect"
	"testing"

	"bridge/internal/say"
)

// TestFormField reads what a person may type into each kind of field.
func TestFormField(t *testing.T) {
	for _, tt := range []struct {
		schema, typed string
		want          any // nil: refused
	}{
		{`{"type":"string"}`, "Ani", "Ani"},
		{`{"type":"string","minLength":3}`, "ab", nil},
		{`{"type":"string","maxLength":3}`, "日本語", "日本語"},
		{`{"type":"string","maxLength":3}`, "abcd", nil},
		{`{"type":"string","format":"email"}`, "a@b.example", "a@b.example"},
		{`{"type":"string","format":"email"}`, "Ani <a@b.example>", nil},
		{`{"type":"string","format":"date"}`, "2026-02-30", nil},
		{`{"type":"string","format":"date-time"}`, "2026-02-28T09:00:00Z", "2026-02-28T09:00:00Z"},
		{`{"type":"string","format":"uri"}`, "not a uri", nil},
		{`{"type":"boolean"}`, "ya", true},
		{`{"type":"boolean"}`, "No", false},
		{`{"type":"boolean"}`, "perhaps", nil},
		{`{"type":"integer"}`, "1.5", nil},
		{`{"type":"integer","minimum":2}`, "1", nil},
		{`{"type":"number","maximum":2}`, "1.5", json.Number("1.5")},
		{`{"type":"number"}`, "much", nil},
		{`{"type":"number"}`, "1,500", nil}, // one and a half, or fifteen hundred
		{`{"type":"number"}`, "inf", nil},
		{`{"type":"number"}`, "+.5", json.Number("0.5")}, // as JSON has it
		{`{"type":"string","enum":["a","b"]}`, "2", "b"},
		{`{"type":"string","enum":["a","b"]}`, "a", "a"},
		{`{"type":"string","enum":["a","b"]}`, "3", nil},
		{`{"type":"string","oneOf":[{"const":"x","title":"The X"}]}`, "1", "x"},
		{`{"type":"array","items":{"enum":["a","b","c"]}}`, "3, a", []string{"c", "a"}},
		{`{"type":"array","items":{"enum":["a","b"]},"maxItems":1}`, "1,2", nil},
		{`{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]},"minItems":1}`, "1,1", []string{"x"}},
	} {
		fields, err := formFields(json.RawMessage(`{"type":"object","properties":{"f":` + tt.schema + `}}`))
		if err != nil || len(fields) != 1 {
			t.Fatalf("%s: %v", tt.schema, err)
		}
		got, complaint := fields[0].read(tt.typed)
		if (complaint == "") == (tt.want == nil) || tt.want != nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %q gives %v, %q", tt.schema, tt.typed, got, complaint)
		}
	}
}

// Who reads that it has to be at least 1,5 types it like that.
func TestNumbersAreTypedWithAComma(t *testing.T) {
	for typed, want := range map[string]string{"1,5": "1.5", "1.5": "1.5", "2": "2", "1,5,0": "", "12,": "12"} {
		if got, _, ok := typedNumber(typed, say.Indonesian); got != want || ok != (want != "") {
			t.Errorf("%s gives %q, %t", typed, got, ok)
		}
	}
}

// FuzzArgs: whatever is typed, what comes out is one JSON object, or a usage
// error.
func FuzzArgs(f *testing.F) {
	for _, seed := range []string{"a=b", "a.b:=1", `{"x":1}`, "a:=", "=", "a..b=1", `a\.b=c`, "a=1", "-", "@x", "\xff=\xff", "a:=[1"} {
		f.Add(seed, "a.c=2")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		read := func(word string) ([]byte, error) { return []byte(word), nil }
		for _, words := range [][]string{{one}, {one, two}} {
			raw, err := parseArgs(words, []string{"a", "x.y"}, read)
			var object map[string]json.RawMessage
			switch {
			case err != nil && exitOf(err) != exitUsage:
				t.Fatalf("%q ends with %v", words, err)
			case err == nil && json.Unmarshal(raw, &object) != nil:
				t.Fatalf("%q became %s", words, raw)
			}
		}
	})
}
