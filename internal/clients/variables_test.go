package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func withEnv() Launch {
	return Launch{Command: "/usr/local/bin/bridge", Server: "pacecraft", Env: []Variable{
		{"BRIDGE_HOME", `/srv/our "bridge"`}, {"BRIDGE_KEYSTORE", "file"},
	}}
}

// Every client gets the variables in its own shape, and what it gets is read
// back.
func TestVariablesInEachShape(t *testing.T) {
	l := withEnv()
	for id, want := range map[string]string{
		"claude-desktop": "      \"env\": {\n        \"BRIDGE_HOME\": \"/srv/our \\\"bridge\\\"\",\n        \"BRIDGE_KEYSTORE\": \"file\"\n      }\n    }",
		"claude-code":    "\"env\": {",
		"cursor":         "\"env\": {",
		"vscode":         "\"env\": {",
		"windsurf":       "\"env\": {",
		"zed":            "\"env\": {",
		"codex":          "env = { BRIDGE_HOME = \"/srv/our \\\"bridge\\\"\", BRIDGE_KEYSTORE = \"file\" }\n",
		"gemini-cli":     "\"env\": {",
		"lm-studio":      "\"env\": {",
		"goose":          "    envs:\n      BRIDGE_HOME: \"/srv/our \\\"bridge\\\"\"\n      BRIDGE_KEYSTORE: file\n",
		"cline":          "\"env\": {",
		"opencode":       "\"environment\": {",
	} {
		c := Lookup(id)
		got, err := c.Snippet(l)
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v\n%s", id, err, got)
		}
		doc, err := editorOf(c.Format).decode([]byte(got))
		if err != nil {
			t.Fatal(err)
		}
		value, err := entryOf(doc, c.Root, "pacecraft")
		if err != nil {
			t.Fatal(err)
		}
		if e := entryFrom(value); !reflect.DeepEqual(e.Variables(), l.Env) || e.Serves() != "pacecraft" {
			t.Errorf("%s is read back as %v", id, e.Variables())
		}
	}
	if len(All()) != 12 {
		t.Errorf("%d clients; there is one without a test here", len(All()))
	}
	code, codex := Lookup("claude-code").CLIArgs("pc", l), Lookup("codex").CLIArgs("pc", l)
	if want := `"env":{"BRIDGE_HOME":"/srv/our \"bridge\"","BRIDGE_KEYSTORE":"file"}`; !strings.Contains(code[len(code)-1], want) {
		t.Errorf("claude %q", code)
	}
	if want := []string{"mcp", "add", "pc", "--env", `BRIDGE_HOME=/srv/our "bridge"`, "--env", "BRIDGE_KEYSTORE=file", "--", l.Command, "serve", "pacecraft"}; !slices.Equal(codex, want) {
		t.Errorf("codex %q", codex)
	}
}

// No way leads a secret into a client's file.
func TestVariablesAreNoSecrets(t *testing.T) {
	for _, v := range []Variable{
		{"BRIDGE_PASSPHRASE", "/looks/like/a/path"}, {"BRIDGE_TOKEN", "/a"}, {"BRIDGE_TOKEN_PACECRAFT", "/a"}, {"BRIDGE_CLIENT_SECRET", "/a"},
		{"bridge_home", "/a"}, {"PATH", "/a"}, {"", "/a"}, {"NODE_OPTIONS", "/a"},
		{"BRIDGE_HOME", ""}, {"BRIDGE_HOME", "relative"}, {"BRIDGE_HOME", "/a\nb"}, {"BRIDGE_KEY_FILE", "AGE-SECRET-KEY-1XYZ"},
		{"BRIDGE_HOME", "/" + strings.Repeat("a", 5000)}, {"BRIDGE_PASSPHRASE_FILE", "s3cret passphrase"},
		{"BRIDGE_KEYSTORE", "memory"}, {"BRIDGE_KEYSTORE", "s3cret"}, {"BRIDGE_LANG", "s3cret"}, {"BRIDGE_BROWSER", "sh -c x"}, {"BRIDGE_BROWSER", ""},
	} {
		l := withEnv()
		l.Env = []Variable{v}
		for _, c := range All() {
			if text, err := c.Snippet(l); err == nil {
				t.Errorf("%s writes %v: %s", c.ID, v, text)
			}
		}
	}
	for _, v := range []Variable{
		{"BRIDGE_HOME", `C:\Users\Ika\b`}, {"BRIDGE_HOME", `\\server\share`}, {"BRIDGE_BROWSER", "none"}, {"BRIDGE_BROWSER", "/usr/bin/firefox"},
		{"BRIDGE_LANG", "id"}, {"BRIDGE_KEYSTORE", "keychain"}, {"BRIDGE_TOKEN_FILE", "/run/token"},
	} {
		if err := v.Check(); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// In an entry that exists, the variables of others stay, ours are those of now,
// and the rest of the file is what it was.
func TestVariablesOfAnEntryThatExists(t *testing.T) {
	none := withEnv()
	none.Env = nil
	for _, tt := range []struct {
		name, id, before, after string
		l                       Launch
	}{
		{"put beside others", "cursor", `{
  "mcpServers": {
    "pacecraft": {
      "command": "/old/bridge",
      "args": ["serve", "pacecraft"],
      "env": {
        "HTTPS_PROXY": "http://proxy", // ours
        "BRIDGE_KEYSTORE": "keychain"
      }
    }
  }
}`, `{
  "mcpServers": {
    "pacecraft": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"],
      "env": {
        "HTTPS_PROXY": "http://proxy", // ours
        "BRIDGE_KEYSTORE": "file",
        "BRIDGE_HOME": "/srv/our \"bridge\""
      }
    }
  }
}`, withEnv()},
		{"put where there were none", "claude-desktop", `{"mcpServers": {"pacecraft": {"command": "/old/bridge", "args": ["serve", "pacecraft"]}}}`,
			`{"mcpServers": {"pacecraft": {"command": "/usr/local/bin/bridge", "args": ["serve", "pacecraft"], "env": {"BRIDGE_HOME": "/srv/our \"bridge\"", "BRIDGE_KEYSTORE": "file"}}}}`, withEnv()},
		{"in an empty table", "claude-desktop", "{\n  \"mcpServers\": {\n    \"pacecraft\": {\n      \"command\": \"/old/bridge\",\n      \"args\": [\"serve\", \"pacecraft\"],\n      \"env\": {}\n    }\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"pacecraft\": {\n      \"command\": \"/usr/local/bin/bridge\",\n      \"args\": [\"serve\", \"pacecraft\"],\n      \"env\": {\n        \"BRIDGE_HOME\": \"/srv/our \\\"bridge\\\"\",\n        \"BRIDGE_KEYSTORE\": \"file\"\n      }\n    }\n  }\n}\n", withEnv()},
		{"none any more", "opencode", `{"mcp": {"pacecraft": {"type": "local", "command": ["/old/bridge", "serve", "pacecraft"], "environment": {"BRIDGE_HOME": "/srv/x"}, "enabled": false}}}`,
			`{"mcp": {"pacecraft": {"type": "local", "command": ["/usr/local/bin/bridge", "serve", "pacecraft"], "enabled": false}}}`, none},
		{"none any more, beside others", "codex", "[mcp_servers.pacecraft]\ncommand = \"/old/bridge\"\nargs = [\"serve\", \"pacecraft\"]\n\n[mcp_servers.pacecraft.env]\nBRIDGE_HOME = \"/srv/x\"\nA = \"b\"\n",
			"[mcp_servers.pacecraft]\ncommand = \"/usr/local/bin/bridge\"\nargs = [\"serve\", \"pacecraft\"]\n\n[mcp_servers.pacecraft.env]\nA = \"b\"\n", none},
		{"in a table of its own", "codex", "[mcp_servers.pacecraft]\ncommand = \"/old/bridge\"\nargs = [\"serve\", \"pacecraft\"]\n\n[mcp_servers.pacecraft.env]\nA = \"b\" # theirs\n\n[other]\nx = 1\n",
			"[mcp_servers.pacecraft]\ncommand = \"/usr/local/bin/bridge\"\nargs = [\"serve\", \"pacecraft\"]\n\n[mcp_servers.pacecraft.env]\nA = \"b\" # theirs\nBRIDGE_HOME = \"/srv/our \\\"bridge\\\"\"\nBRIDGE_KEYSTORE = \"file\"\n\n[other]\nx = 1\n", withEnv()},
		{"in a table on one line", "codex", "[mcp_servers.pacecraft]\ncommand = \"/old/bridge\"\nargs = [\"serve\", \"pacecraft\"]\nenv = { A = \"b\", BRIDGE_LANG = \"id\" }\n",
			"[mcp_servers.pacecraft]\ncommand = \"/usr/local/bin/bridge\"\nargs = [\"serve\", \"pacecraft\"]\nenv = { BRIDGE_HOME = \"/srv/our \\\"bridge\\\"\", BRIDGE_KEYSTORE = \"file\", A = \"b\" }\n", withEnv()},
		{"in blocks", "goose", "extensions:\n  pacecraft:\n    cmd: /old/bridge\n    args:\n    - serve\n    - pacecraft\n    type: stdio\n    envs:\n      A: b # theirs\n    enabled: true\n",
			"extensions:\n  pacecraft:\n    cmd: /usr/local/bin/bridge\n    args:\n    - serve\n    - pacecraft\n    type: stdio\n    envs:\n      A: b # theirs\n      BRIDGE_HOME: \"/srv/our \\\"bridge\\\"\"\n      BRIDGE_KEYSTORE: file\n    enabled: true\n", withEnv()},
		{"in a flow", "goose", "extensions:\n  pacecraft:\n    cmd: /old/bridge\n    args:\n    - serve\n    - pacecraft\n    type: stdio\n    envs: {A: b}\n",
			"extensions:\n  pacecraft:\n    cmd: /usr/local/bin/bridge\n    args:\n    - serve\n    - pacecraft\n    type: stdio\n    envs:\n      BRIDGE_HOME: \"/srv/our \\\"bridge\\\"\"\n      BRIDGE_KEYSTORE: file\n      A: b\n", withEnv()},
		{"for another's entry", "cursor", `{"mcpServers": {"pacecraft": {"command": "npx", "args": ["x"], "env": {"TOKEN": "s3cret-0123456789"}, "timeout": 5}}}`,
			`{"mcpServers": {"pacecraft": {"command": "/usr/local/bin/bridge", "args": ["serve", "pacecraft"], "env": {"BRIDGE_HOME": "/srv/our \"bridge\"", "BRIDGE_KEYSTORE": "file"}, "timeout": 5}}}`, withEnv()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("BRIDGE_HOME", t.TempDir())
			path := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(path, []byte(tt.before), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := Lookup(tt.id).Plan(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Install("pacecraft", tt.l, true); err != nil {
				t.Fatal(err)
			}
			diff := p.Diff()
			for _, v := range tt.l.Env {
				if !strings.Contains(diff, v.Value) && !strings.Contains(diff, quoteInner(v.Value)) {
					t.Errorf("the diff does not show %s:\n%s", v.Value, diff)
				}
			}
			if strings.Contains(diff, "s3cret") {
				t.Errorf("the diff shows a secret:\n%s", diff)
			}
			if _, err := Apply([]*Plan{p}, time.Now()); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tt.after {
				t.Errorf("%v\n%s\nwant\n%s", err, got, tt.after)
			}
			// Once more changes nothing, and what a client loses is put back
			// with its variables.
			again, err := Lookup(tt.id).Plan(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Install("pacecraft", tt.l, false); err != nil || again.Changed() {
				t.Errorf("again: %v\n%s", err, again.Diff())
			}
			ours, err := ReadMarks()
			if err != nil {
				t.Fatal(err)
			}
			if lost := ours.Lost(nil, nil); len(lost) != 1 || fmt.Sprint(lost[0].Env) != fmt.Sprint(tt.l.Env) {
				t.Errorf("lost: %v", lost)
			}
		})
	}
}
