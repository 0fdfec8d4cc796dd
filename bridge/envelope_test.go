package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

var envelopeSeeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":[1,2,{"b":null}]}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":"é\u00e9","result":{"content":[]}}`,
	`{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32601,"message":"no","data":{}}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}`,
	` { "result" : {} , "id" : -7 , "jsonrpc" : "2.0" } `,
	`{"\u0069d":1,"meth\u006fd":"ping","jsonrpc":"2.0"}`,
	`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`,
	`{"jsonrpc":"2.0","id":true,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1,"result": { "a" : [1, {"b":2}] ,"\u0062":"x", "c":{ } } }`,
	`{"jsonrpc":"2.0","id":1,"result":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{}`, `[]`, `null`, `"x"`, `{"a":1`, ``,
}

// What the scanner says of a message is what encoding/json would, and the parts
// it cuts are where they should be.
func FuzzEnvelope(f *testing.F) {
	for _, s := range envelopeSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		translated := source{call: &call{take: func(*envelope, *failure) {}}}
		env, err := scanFor(translated, bytes.Clone(msg))
		plain, plainErr := scanEnvelope(bytes.Clone(msg))
		if plain.noted != 0 || !errors.Is(plainErr, err) {
			t.Fatalf("%q: %v with its members noted, %v without", msg, err, plainErr)
		}
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(msg, &want); err != nil {
			t.Fatalf("%q is a message to the scanner, not to encoding/json: %v", msg, err)
		}
		for name, got := range map[string][]byte{"id": env.id, "params": env.params, "result": env.result} {
			if string(got) != string(want[name]) {
				t.Errorf("%s = %q, want %q", name, got, want[name])
			}
		}
		noted, walked := env.resultSpans(nil), spans(env.result)
		if !slices.EqualFunc(noted, walked, func(a, b span) bool {
			return string(a.name) == string(b.name) && a.at == b.at && a.from == b.from && a.to == b.to
		}) {
			t.Errorf("the members of %q are noted as %+v, walked over as %+v", env.result, noted, walked)
		}
		if env.method != nil {
			var method string
			if err := json.Unmarshal(want["method"], &method); err != nil || method != string(env.method) {
				t.Errorf("method = %q, want %s", env.method, want["method"])
			}
		}
		renamed := env.withID([]byte(`"other"`))
		again, err := scanEnvelope(renamed)
		if err != nil || string(again.id) != `"other"` || string(again.params) != string(env.params) || string(again.result) != string(env.result) {
			t.Errorf("withID made %q of %q: %v", renamed, msg, err)
		}
		if !env.rpc {
			if whole, err := scanEnvelope(env.withRPC()); err != nil || !whole.rpc || string(whole.id) != string(env.id) {
				t.Errorf("withRPC made %q of %q: %v", env.withRPC(), msg, err)
			}
		}
		for i := range msg { // a cut message gives its id or none, never another
			if id := salvageID(msg[:i]); id != nil && string(id) != string(env.id) {
				t.Errorf("salvageID(%q) = %q, want %q", msg[:i], id, env.id)
			}
		}
	})
}

func TestSameID(t *testing.T) {
	for _, tc := range []struct {
		ours, theirs string
		want         bool
	}{
		{`1`, `1`, true}, {`1`, `"1"`, false}, {`"1"`, `"1"`, true}, {`"é"`, `"\u00e9"`, true},
		{`9007199254740993`, `9007199254740992`, true}, {`1`, `2`, false}, {`1`, `1.0`, true},
		{`1`, `null`, false}, {`""`, `""`, true}, {`"a"`, `"b"`, false}, {`0`, `-0`, true},
	} {
		if got := sameID([]byte(tc.ours), []byte(tc.theirs)); got != tc.want {
			t.Errorf("sameID(%s, %s) = %v", tc.ours, tc.theirs, got)
		}
	}
}

// Splicing an object leaves the rest of it as it was.
func FuzzSplice(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, ` { "a" : [1] , "_meta" : {"b":2} } `, `{"_meta":null}`, `{"\u005fmeta":3,"z":"}"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var before map[string]json.RawMessage
		if valid(object) != nil || json.Unmarshal(object, &before) != nil || before == nil {
			return
		}
		names := map[string]bool{}
		dec := json.NewDecoder(bytes.NewReader(object))
		_, _ = dec.Token()
		for dec.More() { // encoding/json keeps the last of two, the scanner may not
			tok, err := dec.Token()
			if err != nil || names[tok.(string)] {
				return
			}
			names[tok.(string)] = true
			var skip json.RawMessage
			if dec.Decode(&skip) != nil {
				return
			}
		}
		with, err := withMember(bytes.TrimSpace(bytes.Clone(object)), "_meta", []byte(`{"x":1}`))
		if err != nil {
			t.Fatal(err)
		}
		var after map[string]json.RawMessage
		if err := json.Unmarshal(with, &after); err != nil || string(after["_meta"]) != `{"x":1}` {
			t.Fatalf("%q: %v", with, err)
		}
		var less map[string]json.RawMessage
		if err := json.Unmarshal(without(with, "_meta"), &less); err != nil {
			t.Fatalf("without: %v", err)
		}
		delete(before, "_meta")
		if len(less) != len(before) {
			t.Fatalf("without(%q) = %q", with, without(with, "_meta"))
		}
		for k, v := range before {
			var a, b any
			if json.Unmarshal(v, &a) != nil || json.Unmarshal(less[k], &b) != nil {
				t.Fatalf("member %q was %s, is %s", k, v, less[k])
			}
		}
	})
}
