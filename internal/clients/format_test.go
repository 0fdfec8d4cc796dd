package clients

import (
	"errors"
	"strings"
	"testing"
)

// A formatTest edits texts marked as those of TestJSONAdd.
type formatTest struct{ name, text string }

func testAdd(t *testing.T, c *Client, tests []formatTest) {
	t.Helper()
	ed := editorOf(c.Format)
	for _, tt := range tests {
		for _, crlf := range []bool{false, true} {
			text := tt.text
			if crlf {
				text = bom + strings.ReplaceAll(text, "\n", "\r\n")
			}
			before, want := without(text), strings.NewReplacer("⟦", "", "⟧", "").Replace(text)
			if crlf && !strings.Contains(before, "\n") {
				continue
			}
			e := edit{root: c.Root, name: "pacecraft", set: c.members(ours())}
			got, err := e.run(ed, []byte(before))
			if err != nil || string(got) != want {
				t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, want)
				continue
			}
			if again, err := e.run(ed, got); err != nil || string(again) != want {
				t.Errorf("%s, a second time: %v\n%s", tt.name, err, again)
			}
			back, err := edit{root: c.Root, name: "pacecraft"}.run(ed, got)
			if err != nil {
				t.Errorf("%s, taken out: %v", tt.name, err)
			}
			if c.Format == TOML && strings.TrimRight(string(back), "\r\n") != strings.TrimRight(before, "\r\n") {
				t.Errorf("%s, taken out:\n%s\nwant\n%s", tt.name, back, before)
			}
		}
	}
}

func TestTOMLAdd(t *testing.T) {
	testAdd(t, Lookup("codex"), []formatTest{
		{"nothing", `⟦[mcp_servers.pacecraft]
command = "/usr/local/bin/bridge"
args = ["serve", "pacecraft"]
⟧`},
		{"settings and comments", `# mine
model = "o4"   # the model

[mcp_servers.files]
command = "npx"
args = [
  "-y", # yes
  "files",
]
# the end
⟦
[mcp_servers.pacecraft]
command = "/usr/local/bin/bridge"
args = ["serve", "pacecraft"]
⟧`},
		{"text that looks like a table", `note = """
[mcp_servers.pacecraft]
command = "x"
"""
⟦
[mcp_servers.pacecraft]
command = "/usr/local/bin/bridge"
args = ["serve", "pacecraft"]
⟧`},
	})
}

func TestTOMLChangeAndRemove(t *testing.T) {
	const text = `a = 1

# theirs
[mcp_servers.pacecraft]
command = "npx" # runner
args = [
  "-y",
  "mcp-remote", "https://x.example/mcp",
]
startup_timeout_sec = 20

[mcp_servers.pacecraft.env]
TOKEN = "x"

# next
[mcp_servers.other]
url = "https://y.example"
`
	c := Lookup("codex")
	got, err := edit{root: c.Root, name: "pacecraft", set: c.essential(ours()), drop: c.replaced(), env: "env", dropEnv: []string{"TOKEN"}}.run(tomlEditor{}, []byte(text))
	want := `a = 1

# theirs
[mcp_servers.pacecraft]
command = "/usr/local/bin/bridge" # runner
args = ["serve", "pacecraft"]
startup_timeout_sec = 20


# next
[mcp_servers.other]
url = "https://y.example"
`
	if err != nil || string(got) != want {
		t.Errorf("changed: %v\n%s", err, got)
	}
	got, err = edit{root: c.Root, name: "pacecraft"}.run(tomlEditor{}, []byte(text))
	want = "a = 1\n\n# theirs\n\n# next\n[mcp_servers.other]\nurl = \"https://y.example\"\n"
	if err != nil || string(got) != want {
		t.Errorf("removed: %v\n%s", err, got)
	}
	for _, form := range []string{
		"mcp_servers = { pacecraft = { command = \"x\" } }\n",
		"[mcp_servers]\npacecraft.command = \"x\"\n",
		"[mcp_servers]\npacecraft = { command = \"x\" }\n",
		"[mcp_servers.pacecraft]\ncommand = \"x\"\n[a]\nb = 1\n[mcp_servers.pacecraft.env]\nA = \"b\"\n",
	} {
		if _, err := (edit{root: c.Root, name: "pacecraft"}).run(tomlEditor{}, []byte(form)); !errors.Is(err, ErrByHand) {
			t.Errorf("%q: %v, want ErrByHand", form, err)
		}
	}
	for text, want := range map[string]error{
		"a = 1\na = 2\n": ErrSyntax, "a = ": ErrSyntax, "mcp_servers = 3\n": ErrShape,
		"[[mcp_servers]]\nname = \"x\"\n": ErrShape,
	} {
		if _, err := (edit{root: c.Root, name: "pacecraft", set: c.members(ours())}).run(tomlEditor{}, []byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestYAMLAdd(t *testing.T) {
	const entry = `enabled: true
    type: stdio
    name: pacecraft
    cmd: /usr/local/bin/bridge
    args:
    - serve
    - pacecraft
    timeout: 300
`
	testAdd(t, Lookup("goose"), []formatTest{
		{"nothing", "⟦extensions:\n  pacecraft:\n    " + entry + "⟧"},
		{"no extensions", "GOOSE_MODEL: x # mine\n⟦extensions:\n  pacecraft:\n    " + entry + "⟧"},
		{"in the middle", `# goose
extensions:
  developer:
    enabled: true
    args: [a, b]
    envs: {}

    # inside
    timeout: 300
⟦  pacecraft:
    ` + entry + `⟧
# about the model
GOOSE_MODEL: x
`},
		{"text that looks like keys", `extensions:
  a:
    description: |
      extensions:
        pacecraft:
      # no comment
⟦  pacecraft:
    ` + entry + `⟧GOOSE_MODEL: x
`},
	})
	c := Lookup("goose")
	add := edit{root: c.Root, name: "pacecraft", set: c.members(ours())}
	for _, empty := range []string{"extensions: {}\n", "extensions:\n", "extensions: null # none\nb: 1\n"} {
		got, err := add.run(yamlEditor{}, []byte(empty))
		if err != nil || !strings.Contains(string(got), "extensions:") || !strings.Contains(string(got), "\n  pacecraft:\n    "+entry) {
			t.Errorf("%q: %v\n%s", empty, err, got)
		}
		back, err := edit{root: c.Root, name: "pacecraft"}.run(yamlEditor{}, got)
		if err != nil || !strings.Contains(string(back), "extensions:") {
			t.Errorf("%q, taken out: %v\n%s", empty, err, back)
		}
	}
	for text, want := range map[string]error{
		"extensions: {a: {cmd: x}}\n":          ErrByHand,
		"{extensions: {}}\n":                   ErrByHand,
		"extensions: [a]\n":                    ErrShape,
		"- a\n":                                ErrShape,
		"a: [\n":                               ErrSyntax,
		"a: 1\na: 2\n":                         ErrDuplicate,
		"extensions:\n  pacecraft: {cmd: x}\n": ErrByHand,
		"extensions:\n  pacecraft: &p\n    cmd: x\nother: *p\n": ErrByHand,
	} {
		if _, err := add.run(yamlEditor{}, []byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestYAMLChange(t *testing.T) {
	const text = `extensions:
  pacecraft:
    bundled: false # kept
    cmd: npx
    args:
      - mcp-remote
      - https://x.example/mcp
    enabled: false
    envs:
      TOKEN: x
    type: stdio
  z:
    cmd: y
`
	c := Lookup("goose")
	got, err := edit{root: c.Root, name: "pacecraft", set: c.essential(ours()), drop: c.replaced(), env: "envs", dropEnv: []string{"TOKEN"}}.run(yamlEditor{}, []byte(text))
	want := `extensions:
  pacecraft:
    bundled: false # kept
    cmd: /usr/local/bin/bridge
    args:
    - serve
    - pacecraft
    enabled: false
    type: stdio
  z:
    cmd: y
`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestJSONRewrite turns entries of other kinds into ours.
func TestJSONRewrite(t *testing.T) {
	for _, tt := range []struct {
		name, client, text, want string
		dropEnv                  []string
	}{
		{"mcp-remote", "claude-desktop", `{
  "mcpServers": {
    "pc": {
      "command": "npx",
      "args": [
        "-y",
        "mcp-remote", // why
        "https://x.example/mcp"
      ],
      "env": {
        "AUTH": "Bearer x",
        "HTTPS_PROXY": "http://proxy:3128"
      },
      "disabled": true
    }
  }
}`, `{
  "mcpServers": {
    "pc": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"],
      "env": {
        "HTTPS_PROXY": "http://proxy:3128"
      },
      "disabled": true
    }
  }
}`, []string{"AUTH"}},
		{"no variable left", "claude-desktop", `{"mcpServers": {"pc": {"command": "npx", "args": ["mcp-remote"], "env": {"A": "b"}}}}`,
			`{"mcpServers": {"pc": {"command": "/usr/local/bin/bridge", "args": ["serve", "pacecraft"]}}}`, []string{"A"}},
		{"a URL", "cursor", `{
	"mcpServers": {
		"pc": {
			"url": "https://x.example/mcp",
			"headers": {"Authorization": "Bearer x"}
		}
	}
}`, `{
	"mcpServers": {
		"pc": {
			"command": "/usr/local/bin/bridge",
			"args": ["serve", "pacecraft"]
		}
	}
}`, nil},
		{"a URL on one line", "vscode", `{"servers": {"pc": {"type": "http", "url": "https://x.example", "headers": {}}}}`,
			`{"servers": {"pc": {"type": "stdio", "command": "/usr/local/bin/bridge", "args": ["serve", "pacecraft"]}}}`, nil},
		{"opencode", "opencode", `{"mcp": {"pc": {"type": "local", "command": ["npx", "mcp-remote"], "environment": {"A": "b"}, "enabled": false}}}`,
			`{"mcp": {"pc": {"type": "local", "command": ["/usr/local/bin/bridge", "serve", "pacecraft"], "enabled": false}}}`, []string{"A"}},
		{"Zed of early 2025", "zed", `{"context_servers": {"pc": {"command": {"path": "npx", "args": ["mcp-remote"], "env": {}}}}}`,
			`{"context_servers": {"pc": {"command": "/usr/local/bin/bridge", "source": "custom", "args": ["serve", "pacecraft"]}}}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Lookup(tt.client)
			e := edit{root: c.Root, name: "pc", set: c.essential(ours()), drop: c.replaced(), env: c.envKey(), dropEnv: tt.dropEnv}
			got, err := e.run(jsonEditor{}, []byte(tt.text))
			if err != nil || string(got) != tt.want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, tt.want)
			}
		})
	}
}
