package auth

import (
	"reflect"
	"strings"
	"testing"
)

// several headers, several challenges in one, quoted strings with commas
// and escapes, names in any case.
func TestParseChallenges(t *testing.T) {
	type params = map[string]string
	for _, tt := range []struct {
		name   string
		values []string
		want   []Challenge
	}{
		{"none", nil, nil},
		{"empty", []string{"", " , "}, nil},
		{"scheme alone", []string{"Bearer"}, []Challenge{{"bearer", params{}}}},
		{"as MCP servers send it", []string{`Bearer resource_metadata="https://h.example/.well-known/oauth-protected-resource/mcp", scope="a b"`},
			[]Challenge{{"bearer", params{"resource_metadata": "https://h.example/.well-known/oauth-protected-resource/mcp", "scope": "a b"}}}},
		{"case and blanks", []string{`BEARER  Error = "invalid_token" ,ERROR_DESCRIPTION="no"`},
			[]Challenge{{"bearer", params{"error": "invalid_token", "error_description": "no"}}}},
		{"commas and escapes inside quotes", []string{`Bearer realm="a, Basic realm=\"x\\\"", scope="s"`},
			[]Challenge{{"bearer", params{"realm": `a, Basic realm="x\"`, "scope": "s"}}}},
		{"two in one header", []string{`Basic realm="x", Bearer scope="s", error="e", Digest nonce=1`},
			[]Challenge{{"basic", params{"realm": "x"}}, {"bearer", params{"scope": "s", "error": "e"}}, {"digest", params{"nonce": "1"}}}},
		{"two headers", []string{`Negotiate`, `Bearer scope="s"`}, []Challenge{{"negotiate", params{}}, {"bearer", params{"scope": "s"}}}},
		{"token68 between", []string{`Negotiate TlRMTVNTUAA==, Bearer scope=s`},
			[]Challenge{{"negotiate", params{}}, {"bearer", params{"scope": "s"}}}},
		{"unquoted URL", []string{`Bearer resource_metadata=https://h.example/p?q=1, scope=s`},
			[]Challenge{{"bearer", params{"resource_metadata": "https://h.example/p?q=1", "scope": "s"}}}},
		{"quote not closed", []string{`Bearer scope="s`}, []Challenge{{"bearer", params{"scope": "s"}}}},
		{"given twice", []string{`Bearer scope="a", scope="b"`}, []Challenge{{"bearer", params{"scope": "a"}}}},
		{"a parameter without a scheme", []string{`="x", Bearer`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ParseChallenges(tt.values); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBearer(t *testing.T) {
	got := bearer(ParseChallenges([]string{`DPoP resource_metadata="x", Bearer realm="r", Bearer resource_metadata="y"`}))
	if got.Params["resource_metadata"] != "y" {
		t.Errorf("got %v, want the challenge that says most", got)
	}
}

func FuzzParseChallenges(f *testing.F) {
	f.Add(`Bearer resource_metadata="https://h.example/", scope="a b"`)
	f.Add(`Basic realm="x", Bearer error="e\"", Negotiate abc==`)
	f.Add(`a=b`)
	f.Add("Bearer \x00=\x7f")
	f.Add(`Bearer a="`)
	f.Fuzz(func(t *testing.T, value string) {
		total := 0
		for _, c := range ParseChallenges([]string{value}) {
			if c.Scheme == "" || c.Scheme != strings.ToLower(c.Scheme) {
				t.Errorf("scheme %q", c.Scheme)
			}
			total += len(c.Scheme)
			for k, v := range c.Params {
				if k == "" {
					t.Error("a parameter without a name")
				}
				total += len(k) + len(v)
			}
		}
		if total > len(value) {
			t.Errorf("%d bytes out of %d", total, len(value))
		}
	})
}
