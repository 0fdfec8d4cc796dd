package clients

import (
	"strings"
	"testing"
)

// TestDiffShowsNoSecrets: neither those of the entry that changes, nor those
// that stand beside it, in whatever form.
func TestDiffShowsNoSecrets(t *testing.T) {
	const text = `{
  "mcpServers": {
    "a": {"command": "x", "args": ["--api-key", "argkey-s3cret", "--token=joined-s3cret"]},
    "b": {"url": "https://user:pass-s3cret@x.example/mcp?api_key=query-s3cret"},
    "c": {"url": "https://x.example", "headers": {"X-Custom": "header-s3cret", "Authorization": "Bearer bearer-s3cret"}},
    "d": {"command": "x", "env": {"GITHUB_TOKEN": "env-s3cret", "DATABASE": "9f8a7b6c5d4e3f2a1b0c-s3cret"}},
    "e": {"command": "npx", "args": ["mcp-remote", "https://x.example", "--header", "X-Key:", "split-s3cret"]},
    "f": {"command": "x", "env": {"PASSWORD": "with \"quotes\" s3cret"}}
  },
  "oauthToken": "setting-s3cret"
}
`
	p := planOf(t, config(t, text))
	got := p.Diff()
	if strings.Contains(got, "s3cret") {
		t.Errorf("a secret is shown:\n%s", got)
	}
	if !strings.Contains(got, `+      "command": "/usr/local/bin/bridge",`) || !strings.Contains(got, "@@ -") {
		t.Errorf("the change is not shown:\n%s", got)
	}
	m := newMasker(nil, []string{"known-by-the-caller"}, []string{"/tmp/folder-0123456789abcdefghij/bridge"})
	for line, want := range map[string]string{
		"  - known-by-the-caller":                              "  - …ller",
		`"command": "/tmp/folder-0123456789abcdefghij/bridge"`: `"command": "/tmp/folder-0123456789abcdefghij/bridge"`,
		`"Authorization: Bearer ${TOKEN}"`:                     `"Authorization: Bearer ${TOKEN}"`,
		`"keepAlive": true, "timeout": 60000`:                  `"keepAlive": true, "timeout": 60000`,
		`token = "abcdefghijkl"`:                               `token = "…ijkl"`,
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF":         "…-DEF",
		`"args": ["-y", "mcp-remote@0.1.38"]`:                  `"args": ["-y", "mcp-remote@0.1.38"]`,
	} {
		if got := m.line(line); got != want {
			t.Errorf("%s\nis shown as %s\nwant        %s", line, got, want)
		}
	}
}

// TestDiff holds the form of the diff, and what a terminal would obey.
func TestDiff(t *testing.T) {
	same := func(s string) string { return s }
	got := diff("f", []byte("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n"), []byte("a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nK\x1b[31m\u202e\n"), same)
	want := `--- f
+++ f
@@ -1,5 +1,5 @@
 a
-b
+B
 c
 d
 e
@@ -8,4 +8,4 @@
 h
 i
 j
-k
+K[31m
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := diff("f", nil, []byte("x\n"), same); got != "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+x\n" {
		t.Errorf("a new file:\n%s", got)
	}
	if got := diff("f", []byte("x"), []byte("x"), same); got != "" {
		t.Errorf("no change:\n%s", got)
	}
	long := strings.Repeat("ab", 1<<20)
	if got := diff("f", []byte(long), []byte(long+"c"), same); len(got) > 1000 {
		t.Errorf("%d bytes for one long line", len(got))
	}
}

func TestEntriesFormatWithoutSecrets(t *testing.T) {
	e := Entry{Client: Lookup("cursor"), Name: "a", Args: []string{"s3cret"}, Env: map[string]string{"A": "s3cret"}}
	if got := e.String() + e.GoString() + e.LogValue().String(); strings.Contains(got, "s3cret") || !strings.Contains(got, "cursor: a") {
		t.Errorf("%s", got)
	}
}
