package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCheckSchema(t *testing.T) {
	const tree = `{"$defs":{"node":{"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":1},"below":{"type":"array","items":{"$ref":"#/$defs/node"}}}}},"properties":{"root":{"$ref":"#/$defs/node"}}}`
	for _, tt := range []struct{ schema, args, want string }{
		{`{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer"}}}}}`, `{"a":{"b":1.5}}`, `"a.b": has to be a whole number`},
		{`{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer"}}}}}`, `{"a":{"b":1.0}}`, ""},
		{`{"properties":{"a":{"type":["string","null"]}}}`, `{"a":null}`, ""},
		{`{"properties":{"a":{"type":["string","number"]}}}`, `{"a":true}`, `"a": has to be text or a number`},
		{`{"properties":{"a":{"items":{"enum":["x","y"]}}}}`, `{"a":["x","z"]}`, `"a[1]": has to be one of "x","y"`},
		{`{"properties":{"a":{"const":{"k":[1]}}}}`, `{"a":{"k":[1]}}`, ""},
		{`{"properties":{"a":{"const":1}}}`, `{"a":2}`, `"a": has to be 1`},
		{`{"properties":{"a":{"minLength":2}}}`, `{"a":"é"}`, `"a": is shorter than 2 characters`},
		{`{"properties":{"a":{"maxLength":2}}}`, `{"a":"日本"}`, ""},
		{`{"properties":{"a":{"pattern":"^x+$"}}}`, `{"a":"xy"}`, `does not match the pattern ^x+$`},
		{`{"properties":{"a":{"pattern":"^(?!x)"}}}`, `{"a":"xy"}`, ""}, // not for Go: the server judges
		{`{"properties":{"a":{"exclusiveMinimum":0}}}`, `{"a":0}`, `has to be more than 0`},
		{`{"properties":{"a":{"minimum":0,"exclusiveMinimum":true}}}`, `{"a":0}`, ""}, // draft 4
		{`{"properties":{"a":{"maximum":3}}}`, `{"a":4}`, `has to be at most 3`},
		{`{"properties":{"a":{"minItems":1}}}`, `{"a":[]}`, `needs at least 1 items`},
		{`{"properties":{"a":{"prefixItems":[{"type":"string"}],"items":false}}}`, `{"a":["x"]}`, ""},
		{`{"properties":{"a":{"items":[{"type":"string"},{"type":"number"}]}}}`, `{"a":["x",1]}`, ""}, // draft 7's tuple
		{`{"properties":{"a":{"additionalProperties":false}}}`, `{"a":{"b":1}}`, `"a": has no "b"`},
		{`{"properties":{"a":{"additionalProperties":{"type":"string"}}}}`, `{"a":{"b":1}}`, `"a.b": has to be text`},
		{`{"properties":{"a":{"additionalProperties":false,"patternProperties":{"^b":{}}}}}`, `{"a":{"b":1}}`, ""},
		{`{"required":["x"]}`, `{}`, `fit t: needs "x"`},
		{`{"anyOf":[{"required":["x"]},{"required":["y"]}]}`, `{}`, `none of the allowed forms fits`},
		{`{"anyOf":[{"required":["x"]},{"required":["y"]}]}`, `{"y":1}`, ""},
		{`{"oneOf":[{"required":["x"]}]}`, `{}`, `needs "x"`},
		{`{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"maxLength":1}}}]}`, `{"a":"xx"}`, `"a": is longer than 1 characters`},
		{`{"properties":{"a":false}}`, `{"a":1}`, `"a": is not allowed`},
		{`{"properties":{"a":{"$ref":"https://example.com/schema"}}}`, `{"a":1}`, ""},
		{`{"properties":{"a":{"$ref":"#/nowhere"}}}`, `{"a":1}`, ""},
		{`{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"a":1}`, ""},
		{`{"properties":{"a/b":{"type":"string"},"c":{"$ref":"#/properties/a~1b"}}}`, `{"c":1}`, `"c": has to be text`},
		{tree, `{"root":{"name":"a","below":[{"name":"b"},{"name":""}]}}`, `"root.below[1].name": is shorter`},
		{tree, `{"root":{"name":"a","below":[{}]}}`, `"root.below[0]": needs "name"`},
		{`{"type":"no such type","format":"date","properties":3,"required":"x","anyOf":{}}`, `{"a":1}`, ""},
		{`[]`, `{"a":1}`, ""},
		{`not JSON`, `{"a":1}`, ""},
	} {
		tool := toolInfo{Name: "t", InputSchema: json.RawMessage(tt.schema)}
		err := tool.checkSchema(json.RawMessage(tt.args), "see")
		switch {
		case err == nil && tt.want != "", err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s against %s: %v, want %q", tt.args, tt.schema, err, tt.want)
		}
	}
}

// What is right by draft 7 or 2020-12, whichever the schema does not exclude, is
// never refused here, whatever was written to explain a refusal.
func TestCheckArgsRefusesNothingValid(t *testing.T) {
	const draft7, newer = `"$schema":"http://json-schema.org/draft-07/schema#",`, `"$schema":"https://json-schema.org/draft/2020-12/schema",`
	for _, tt := range []struct{ schema, args string }{
		// Several kinds of value in one list, and null beside a bound.
		{`{"properties":{"a":{"enum":["x",1,null]}}}`, `{"a":1}`},
		{`{"properties":{"a":{"enum":["x",{"k":1.0}]}}}`, `{"a":{"k":1}}`},
		{`{"properties":{"a":{"type":["integer","null"],"minimum":1}}}`, `{"a":null}`},
		{`{"properties":{"a":{"type":"null"}}}`, `{"a":null}`},
		// Numbers, however they are written.
		{`{"properties":{"a":{"type":"integer","maximum":1000,"enum":[1000]}}}`, `{"a":1e3}`},
		{`{"properties":{"a":{"type":"integer","const":9007199254740993}}}`, `{"a":9007199254740993}`},
		{`{"properties":{"a":{"exclusiveMinimum":9007199254740992}}}`, `{"a":9007199254740993}`},
		{`{"properties":{"a":{"exclusiveMaximum":5}}}`, `{"a":4.99999999999999999999}`},
		{`{"properties":{"a":{"exclusiveMinimum":0}}}`, `{"a":1e-400}`},
		{`{"properties":{"a":{"type":"number"}}}`, `{"a":1e999}`},
		// Names that other keywords allow.
		{`{"additionalProperties":false,"patternProperties":{"^x-":{}}}`, `{"x-a":1}`},
		{`{"unevaluatedProperties":false,"patternProperties":{"^x-":{}}}`, `{"x-a":1}`},
		{`{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{}}}]}`, `{"a":1}`},
		{`{"unevaluatedProperties":false,"$ref":"#/$defs/d","$defs":{"d":{"properties":{"a":{}}}}}`, `{"a":1}`},
		{`{"unevaluatedProperties":false,"dependentSchemas":{"b":{"properties":{"a":{}}}},"properties":{"b":{}}}`, `{"a":1,"b":1}`},
		{`{"unevaluatedProperties":false,"additionalProperties":true}`, `{"a":1}`},
		{`{` + draft7 + `"unevaluatedProperties":false}`, `{"a":1}`}, // no keyword there
		{`{"required":[1],"additionalProperties":false,"properties":{"a":{}}}`, `{"a":1}`},
		{`{"required":true,"additionalProperties":false,"properties":{"a":{}}}`, `{"a":1}`},
		// References.
		{`{` + draft7 + `"properties":{"a":{"$ref":"#/definitions/n","type":"string"}},"definitions":{"n":{"type":"number"}}}`, `{"a":1}`},
		{`{` + draft7 + `"$ref":"#/definitions/n","required":["b"],"properties":{"b":{}},"additionalProperties":false,"definitions":{"n":{}}}`, `{"a":1}`},
		{`{"properties":{"a":{"$ref":"#/$defs/e"}},"$defs":{"n":{"type":"string"},"e":{"$id":"https://example.com/e","$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}}}`, `{"a":1}`},
		{`{` + newer + `"properties":{"a":{"$dynamicRef":"#n"}},"$defs":{"n":{"$dynamicAnchor":"n","type":"number"}}}`, `{"a":"x"}`},
		// Expressions that Go reads in another way.
		{`{"properties":{"a":{"pattern":"^a\\sb$"}}}`, `{"a":"a\u00a0b"}`},
		{`{"properties":{"a":{"pattern":"^a[\\s]b$"}}}`, `{"a":"a\ufeffb"}`},
		{`{"properties":{"a":{"pattern":"^[^\\S]$"}}}`, `{"a":"\u3000"}`},
		{`{"properties":{"a":{"pattern":"^\\A\\z$"}}}`, `{"a":"Az"}`},
		{`{"properties":{"a":{"pattern":"^[[:alpha:]]$"}}}`, `{"a":":]"}`},
		{`{"properties":{"a":{"pattern":"^[^]x]$"}}}`, `{"a":"ax]"}`},
		{`{"properties":{"a":{"pattern":"^\\p{L}$"}}}`, `{"a":"p{L}"}`},
		{`{"properties":{"a":{"pattern":"^(a)\\12$"}}}`, `{"a":"aa2"}`},
		{`{"properties":{"a":{"pattern":"^(?<year>\\d{4})$"}}}`, `{"a":"2026"}`},
		{`{"properties":{"a":{"pattern":"^(?=x)x"}}}`, `{"a":"x"}`},
	} {
		tool := toolInfo{Name: "t", InputSchema: json.RawMessage(tt.schema)}
		if _, err := tool.checkArgs("call", json.RawMessage(tt.args)); err != nil {
			t.Errorf("%s against %s: %v", tt.args, tt.schema, err)
		}
	}
}

// And what is wrong by all of them is said.
func TestCheckArgsRefuses(t *testing.T) {
	const newer = `"$schema":"https://json-schema.org/draft/2020-12/schema",`
	for _, tt := range []struct{ schema, args, want string }{
		{`{"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"zz":1}`, `no argument "zz"`},
		{`{` + newer + `"properties":{"a":{"$ref":"#/$defs/n","maximum":1}},"$defs":{"n":{"type":"number"}}}`, `{"a":2}`, `at most 1`},
		{`{"properties":{"a":{"type":"null"}}}`, `{"a":1}`, `has to be null`},
		{`{"properties":{"a":{"enum":[]}}}`, `{"a":1}`, `is not allowed`},
		{`{"properties":{"a":{"const":[1]}}}`, `{"a":1}`, `has to be [1]`},
		{`{"properties":{"a":{"maximum":1000000}}}`, `{"a":1000001}`, `at most 1000000`},
		{`{"properties":{"a":{"exclusiveMinimum":0,"maximum":9007199254740991}}}`, `{"a":0}`, `more than 0`},
		{`{"properties":{"a":{"pattern":"^\\S+@[^\\s@]+$"}}}`, `{"a":"x"}`, `does not match`},
	} {
		tool := toolInfo{Name: "t", InputSchema: json.RawMessage(tt.schema)}
		if _, err := tool.checkArgs("call", json.RawMessage(tt.args)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s against %s: %v, want %q", tt.args, tt.schema, err, tt.want)
		}
	}
}

// A list as long as the schema is, judged again and again, ends too.
func TestCheckSchemaBoundsEachStep(t *testing.T) {
	long := strings.Repeat(`"x",`, 20_000)
	again := strings.Repeat(`{"$ref":"#/$defs/e"},`, 20_000)
	c := schemaCheck{left: schemaNodes}
	var root any
	if err := json.Unmarshal([]byte(`{"$defs":{"e":{"enum":[`+long+`{}]}},"allOf":[`+again+`true]}`), &root); err != nil {
		t.Fatal(err)
	}
	c.root = root
	if _, complaint := c.judge(root, map[string]any{}, "", 0); complaint != "" || c.left > 0 {
		t.Errorf("complaint %q, %d steps left", complaint, c.left)
	}
}

// A schema that refers to itself from several branches ends all the same.
func TestCheckSchemaIsBounded(t *testing.T) {
	tool := toolInfo{Name: "t", InputSchema: json.RawMessage(`{"allOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}`)}
	if err := tool.checkSchema(json.RawMessage(`{"a":1}`), "see"); err != nil {
		t.Error(err)
	}
}
