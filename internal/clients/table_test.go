package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machine is a system of any kind below a folder of the test's, with the files
// given (a trailing slash makes a folder).
func machine(t *testing.T, goos string, env map[string]string, files ...string) System {
	t.Helper()
	home := t.TempDir()
	s := System{GOOS: goos, Home: home, Getenv: func(name string) string {
		if v := env[name]; v != "" {
			return filepath.Join(home, filepath.FromSlash(v))
		}
		return ""
	}}
	for _, f := range files {
		path := filepath.Join(home, filepath.FromSlash(f))
		if strings.HasSuffix(f, "/") {
			f = ""
		}
		dir := path
		if f != "" {
			dir = filepath.Dir(path)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if f != "" {
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// where lists the locations relative to the home folder, marked ? if the
// client is not there and ~ if the file is another one of it.
func where(t *testing.T, s System, id string) []string {
	t.Helper()
	var out []string
	for _, l := range Lookup(id).Locations(s) {
		rel, err := filepath.Rel(s.Home, l.Path)
		if err != nil {
			t.Fatal(err)
		}
		rel = filepath.ToSlash(rel)
		switch {
		case !l.Installed:
			rel = "?" + rel
		case l.Aside:
			rel = "~" + rel
		}
		out = append(out, rel)
	}
	return out
}

func TestUsualPlaces(t *testing.T) {
	const mac, win = "Library/Application Support/", "AppData/Roaming/"
	for _, tt := range []struct{ id, linux, darwin, windows string }{
		{"claude-desktop", ".config/Claude/claude_desktop_config.json", mac + "Claude/claude_desktop_config.json", win + "Claude/claude_desktop_config.json"},
		{"claude-code", ".claude.json", ".claude.json", ".claude.json"},
		{"cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"},
		{"vscode", ".config/Code/User/mcp.json", mac + "Code/User/mcp.json", win + "Code/User/mcp.json"},
		{"windsurf", ".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json"},
		{"zed", ".config/zed/settings.json", ".config/zed/settings.json", win + "Zed/settings.json"},
		{"codex", ".codex/config.toml", ".codex/config.toml", ".codex/config.toml"},
		{"gemini-cli", ".gemini/settings.json", ".gemini/settings.json", ".gemini/settings.json"},
		{"lm-studio", ".lmstudio/mcp.json", ".lmstudio/mcp.json", ".lmstudio/mcp.json"},
		{"goose", ".config/goose/config.yaml", ".config/goose/config.yaml", win + "Block/goose/config/config.yaml"},
		{"cline", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
			mac + "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
			win + "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
		{"opencode", ".config/opencode/opencode.json", ".config/opencode/opencode.json", ".config/opencode/opencode.json"},
	} {
		for goos, want := range map[string]string{"linux": tt.linux, "darwin": tt.darwin, "windows": tt.windows} {
			// Nothing is there.
			if got := where(t, machine(t, goos, nil), tt.id); !slices.Equal(got, []string{"?" + want}) {
				t.Errorf("%s on %s: %q, want ?%s", tt.id, goos, got, want)
			}
			// The file is there.
			if got := where(t, machine(t, goos, nil, want), tt.id); !slices.Equal(got, []string{want}) {
				t.Errorf("%s on %s, there: %q, want %s", tt.id, goos, got, want)
			}
		}
	}
	if n := len(All()); n != 12 {
		t.Errorf("the table of this test has 12 clients, that of the package %d", n)
	}
}

func TestOtherPlaces(t *testing.T) {
	for _, tt := range []struct {
		name, id, goos string
		env            map[string]string
		files          []string
		want           []string
	}{
		{"the packaged build and the old one", "claude-desktop", "windows", nil,
			[]string{"AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/", "AppData/Local/Packages/Claude[1]_x/LocalCache/Roaming/Claude/",
				"AppData/Local/Packages/Other_1/LocalCache/Roaming/Claude/", "AppData/Roaming/Claude/"},
			[]string{"AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json", "AppData/Roaming/Claude/claude_desktop_config.json"}},
		{"the packaged build alone", "claude-desktop", "windows", map[string]string{"LOCALAPPDATA": "L"},
			[]string{"L/Packages/Claude_a/LocalCache/Roaming/Claude/claude_desktop_config.json"},
			[]string{"L/Packages/Claude_a/LocalCache/Roaming/Claude/claude_desktop_config.json"}},
		{"APPDATA elsewhere", "vscode", "windows", map[string]string{"APPDATA": "R"}, []string{"R/Code/User/"}, []string{"R/Code/User/mcp.json"}},
		{"XDG_CONFIG_HOME", "zed", "linux", map[string]string{"XDG_CONFIG_HOME": "x"}, []string{"x/zed/"}, []string{"x/zed/settings.json"}},
		{"XDG_CONFIG_HOME means nothing on macOS", "zed", "darwin", map[string]string{"XDG_CONFIG_HOME": "x"}, nil, []string{"?.config/zed/settings.json"}},
		{"CODEX_HOME", "codex", "linux", map[string]string{"CODEX_HOME": "c"}, []string{"c/"}, []string{"c/config.toml"}},
		{"CLAUDE_CONFIG_DIR", "claude-code", "linux", map[string]string{"CLAUDE_CONFIG_DIR": "cc"}, []string{"cc/"}, []string{"cc/.claude.json"}},
		{"two editors and a profile", "vscode", "linux", nil,
			[]string{".config/Code/User/profiles/p1/mcp.json", ".config/Code/User/profiles/p2/", ".config/Code - Insiders/User/"},
			[]string{".config/Code/User/mcp.json", "~.config/Code/User/profiles/p1/mcp.json", ".config/Code - Insiders/User/mcp.json"}},
		{"LM Studio as it was", "lm-studio", "linux", nil, []string{".cache/lm-studio/"}, []string{".cache/lm-studio/mcp.json"}},
		{"opencode with comments", "opencode", "linux", nil, []string{".config/opencode/opencode.jsonc"}, []string{".config/opencode/opencode.jsonc"}},
		{"Cline in Cursor", "cline", "linux", nil, []string{".config/Cursor/User/globalStorage/saoudrizwan.claude-dev/"},
			[]string{".config/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"}},
		{"the plug-in of Windsurf alone", "windsurf", "linux", nil, []string{".codeium/mcp_config.json"},
			[]string{"~.codeium/mcp_config.json", "?.codeium/windsurf/mcp_config.json"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := where(t, machine(t, tt.goos, tt.env, tt.files...), tt.id); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestShapes(t *testing.T) {
	l := Launch{Command: `C:\Program Files\bridge\bridge.exe`, Server: "pacecraft"}
	for id, want := range map[string]string{
		"claude-desktop": `"command": "C:\\Program Files\\bridge\\bridge.exe",`,
		"claude-code":    `"type": "stdio",`,
		"vscode":         `"servers": {`,
		"zed":            `"source": "custom",`,
		"codex":          "command = \"C:\\\\Program Files\\\\bridge\\\\bridge.exe\"\nargs = [\"serve\", \"pacecraft\"]\n",
		"goose":          "    cmd: \"C:\\\\Program Files\\\\bridge\\\\bridge.exe\"\n",
		"opencode":       `"command": ["C:\\Program Files\\bridge\\bridge.exe", "serve", "pacecraft"],`,
	} {
		got, err := Lookup(id).Snippet(l)
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v\n%s", id, err, got)
		}
		doc, err := editorOf(Lookup(id).Format).decode([]byte(got))
		if err != nil {
			t.Fatal(err)
		}
		value, err := entryOf(doc, Lookup(id).Root, "pacecraft")
		if e := entryFrom(value); err != nil || e.Command != l.Command || e.Serves() != "pacecraft" {
			t.Errorf("%s is read back as %q %q, %v", id, e.Command, e.Args, err)
		}
	}
}

// TestLaunchHoldsNothingElse: there is no way to have a secret written.
func TestLaunchHoldsNothingElse(t *testing.T) {
	for _, l := range []Launch{
		{}, {"bridge", "pacecraft", nil}, {"./bridge", "pacecraft", nil}, {"/bin/bridge", "", nil}, {"/bin/bridge", "https://x.example/?key=1", nil},
		{"/bin/bridge", "pc_0123456789", nil}, {"/bin/bridge", "a b", nil}, {"/bin/bridge --header X", "--header", nil}, {"/bin/\nbridge", "a", nil}, {"C:bridge", "a", nil},
	} {
		if _, err := Lookup("cursor").Snippet(l); err == nil {
			t.Errorf("%q is written", l)
		}
	}
}

func TestClaudeDesktopIsTold(t *testing.T) {
	for p, want := range map[process]bool{
		"/Applications/Claude.app/Contents/MacOS/Claude": true, "Claude": true, "/usr/lib/claude-desktop/claude-desktop": true,
		`C:\Users\Ika\AppData\Local\AnthropicClaude\app-1.0\claude.exe`:                 true,
		`C:\Program Files\WindowsApps\Claude_1.1.0.0_x64__pzs8sxrjxfjjc\app\Claude.exe`: true,
		"Claude.exe": true,
		"claude":     false, "/home/ika/.local/bin/claude": false, `C:\Users\Ika\.local\bin\claude.exe`: false, "claude.exe": false,
		"Claude Helper": false, "node": false, "": false,
	} {
		if got := isClaudeDesktop(p); got != want {
			t.Errorf("%s: %v", p, got)
		}
	}
	for _, c := range All() {
		if c.Rewrites != (c.ID == "claude-desktop") {
			t.Errorf("%s: rewrites is %v", c.ID, c.Rewrites)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(self)
	if !slices.ContainsFunc(processes(), func(p process) bool {
		return strings.HasPrefix(name, filepath.Base(string(p))) || filepath.Base(string(p)) == name // macOS cuts names
	}) {
		t.Errorf("%s runs, and is not seen", name)
	}
}
