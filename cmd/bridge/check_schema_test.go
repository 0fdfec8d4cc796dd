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

// A schema that refers to itself from several branches ends all the same.
func TestCheckSchemaIsBounded(t *testing.T) {
	tool := toolInfo{Name: "t", InputSchema: json.RawMessage(`{"allOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}`)}
	if err := tool.checkSchema(json.RawMessage(`{"a":1}`), "see"); err != nil {
		t.Error(err)
	}
}
