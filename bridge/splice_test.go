package bridge

import (
	"strings"
	"testing"
)

// TestCutMembers takes members out of results of every shape: first, last,
// alone, twice, with white space, before and after the id.
func TestCutMembers(t *testing.T) {
	big := strings.Repeat("x", 300)
	for _, tt := range []struct{ in, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","a":1}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		{`{"jsonrpc":"2.0","id":1,"result":{"a":1,"resultType":"complete"}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		{`{"id":1,"result":{"ttlMs":1,"a":"` + big + `","resultType":"complete","b":2,"cacheScope":"x"},"jsonrpc":"2.0"}`,
			`{"id":1,"result":{"a":"` + big + `","b":2},"jsonrpc":"2.0"}`},
		{`{"result":{"ttlMs":1,"cacheScope":"x","resultType":"complete","a":"` + big + `"},"id":77,"jsonrpc":"2.0"}`,
			`{"result":{"a":"` + big + `"},"id":77,"jsonrpc":"2.0"}`},
		{`{"result":{"a":"` + big + `","ttlMs":1,"cacheScope":"x","resultType":"complete"},"id":"é","jsonrpc":"2.0"}`,
			`{"result":{"a":"` + big + `"},"id":"é","jsonrpc":"2.0"}`},
		{`{"id":1,"result":{ "ttlMs" : 1 , "a" : 1 , "ttl\u004ds" : 2 },"jsonrpc":"2.0"}`, `{"id":1,"result":{ "a" : 1 },"jsonrpc":"2.0"}`},
		{`{"id":1,"result":{"b":{"ttlMs":1}},"jsonrpc":"2.0"}`, `{"id":1,"result":{"b":{"ttlMs":1}},"jsonrpc":"2.0"}`},
		{`{"id":1,"result":{},"jsonrpc":"2.0"}`, `{"id":1,"result":{},"jsonrpc":"2.0"}`},
	} {
		env, err := scanEnvelope([]byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		id := string(env.id)
		env.cutMembers(spans(env.result), func(name []byte) bool {
			return string(name) == "resultType" || string(name) == "ttlMs" || string(name) == "cacheScope"
		})
		if string(env.body) != tt.want || string(env.id) != id {
			t.Errorf("%s\n got %s (id %s)\nwant %s", tt.in, env.body, env.id, tt.want)
		}
		again, err := scanEnvelope(env.body)
		if err != nil || string(again.result) != string(env.result) || again.idAt != env.idAt {
			t.Errorf("%s: the envelope no longer fits: %v, %s, %d", tt.in, err, env.result, env.idAt)
		}
	}
}
