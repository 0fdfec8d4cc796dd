package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Client is one program that starts MCP servers.
type Client struct {
	ID    string // what is typed: claude-desktop
	Title string // what is shown: Claude Desktop
	// Format is that of its configuration file.
	Format Format
	// Root is the way to the table of servers.
	Root []string
	// Strict: the client's own parser takes no comments and no trailing commas.
	Strict bool
	// Rewrites: the client writes the file from memory while it runs, so that
	// a change made meanwhile is lost.
	Rewrites bool
	// CLI is the program of the client that can add a server, or "".
	CLI string

	shape shape
	// files lists the places where its file may be.
	files func(System) []place
}

// A shape is how a client writes the start of a server.
type shape int

const (
	shapePlain    shape = iota // command, args
	shapeTyped                 // type = stdio, command, args
	shapeZed                   // source = custom, command, args
	shapeGoose                 // type = stdio, cmd, args, and what its own dialogue writes
	shapeOpencode              // type = local, command = [program, args…]
)

// A place is a file, and the folder whose presence says that the client is
// installed. A place that is not usual is used only if it is there, one aside
// is read and not installed into.
type place struct {
	file   string
	marker string
	usual  bool
	aside  bool
}

// All returns the clients, in the order in which they are listed. Where the
// vendors' documents and the installers of others disagree, the documents have
// been followed.
func All() []*Client {
	mcpServers := []string{"mcpServers"}
	return []*Client{
		{ID: "claude-desktop", Title: "Claude Desktop", Root: mcpServers, Strict: true, Rewrites: true, files: claudeDesktop},
		{ID: "claude-code", Title: "Claude Code", Root: mcpServers, Strict: true, CLI: "claude", shape: shapeTyped, files: claudeCode},
		{ID: "cursor", Title: "Cursor", Root: mcpServers, Strict: true, files: func(s System) []place {
			return []place{{file: s.home(".cursor", "mcp.json"), marker: s.home(".cursor"), usual: true}}
		}},
		{ID: "vscode", Title: "VS Code", Root: []string{"servers"}, shape: shapeTyped, files: vscode},
		{ID: "windsurf", Title: "Windsurf", Root: mcpServers, Strict: true, files: func(s System) []place {
			return []place{
				{file: s.home(".codeium", "windsurf", "mcp_config.json"), marker: s.home(".codeium", "windsurf"), usual: true},
				{file: s.home(".codeium", "mcp_config.json"), aside: true}, // its plug-in for JetBrains
			}
		}},
		{ID: "zed", Title: "Zed", Root: []string{"context_servers"}, shape: shapeZed, files: func(s System) []place {
			dir := filepath.Join(s.config(), "zed") // on macOS too
			if s.GOOS == "windows" {
				dir = filepath.Join(s.appSupport(), "Zed")
			}
			return []place{{file: filepath.Join(dir, "settings.json"), marker: dir, usual: true}}
		}},
		{ID: "codex", Title: "Codex", Format: TOML, Root: []string{"mcp_servers"}, CLI: "codex", files: func(s System) []place {
			dir := s.env("CODEX_HOME", s.home(".codex"))
			return []place{{file: filepath.Join(dir, "config.toml"), marker: dir, usual: true}}
		}},
		{ID: "gemini-cli", Title: "Gemini CLI", Root: mcpServers, files: func(s System) []place {
			return []place{{file: s.home(".gemini", "settings.json"), marker: s.home(".gemini"), usual: true}}
		}},
		{ID: "lm-studio", Title: "LM Studio", Root: mcpServers, Strict: true, files: func(s System) []place {
			old := s.home(".cache", "lm-studio")
			return []place{
				{file: s.home(".lmstudio", "mcp.json"), marker: s.home(".lmstudio"), usual: true},
				{file: filepath.Join(old, "mcp.json"), marker: old},
			}
		}},
		{ID: "goose", Title: "Goose", Format: YAML, Root: []string{"extensions"}, shape: shapeGoose, files: func(s System) []place {
			dir := filepath.Join(s.config(), "goose")
			if s.GOOS == "windows" {
				dir = filepath.Join(s.appSupport(), "Block", "goose", "config")
			}
			return []place{{file: filepath.Join(dir, "config.yaml"), marker: dir, usual: true}}
		}},
		{ID: "cline", Title: "Cline", Root: mcpServers, Strict: true, files: cline},
		{ID: "opencode", Title: "opencode", Root: []string{"mcp"}, shape: shapeOpencode, files: func(s System) []place {
			dir := filepath.Join(s.config(), "opencode")
			return []place{
				{file: filepath.Join(dir, "opencode.json"), marker: dir, usual: true},
				{file: filepath.Join(dir, "opencode.jsonc")},
			}
		}},
	}
}

// Lookup returns the client of that id, or nil.
func Lookup(id string) *Client {
	for _, c := range All() {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// claudeDesktop: the packaged build on Windows (MSIX, the only one offered since
// 2026) reads a private copy of AppData\Roaming. Its publisher's id is
// discovered, not known by heart, and each installation gets the entry.
func claudeDesktop(s System) []place {
	const name = "claude_desktop_config.json"
	var out []place
	if s.GOOS == "windows" {
		packages := filepath.Join(s.localAppData(), "Packages")
		for _, dir := range entriesOf(packages, "Claude_") {
			dir = filepath.Join(dir, "LocalCache", "Roaming", "Claude")
			out = append(out, place{file: filepath.Join(dir, name), marker: dir})
		}
	}
	dir := filepath.Join(s.appSupport(), "Claude")
	return append(out, place{file: filepath.Join(dir, name), marker: dir, usual: true})
}

func claudeCode(s System) []place {
	if dir := s.env("CLAUDE_CONFIG_DIR", ""); dir != "" {
		return []place{{file: filepath.Join(dir, ".claude.json"), marker: dir, usual: true}}
	}
	return []place{{file: s.home(".claude.json"), marker: s.home(".claude"), usual: true}}
}

func vscode(s System) []place {
	var out []place
	for _, name := range []string{"Code", "Code - Insiders", "VSCodium"} {
		user := filepath.Join(s.appSupport(), name, "User")
		out = append(out, place{file: filepath.Join(user, "mcp.json"), marker: user, usual: name == "Code"})
		for _, profile := range entriesOf(filepath.Join(user, "profiles"), "") {
			out = append(out, place{file: filepath.Join(profile, "mcp.json"), aside: true})
		}
	}
	return out
}

func cline(s System) []place {
	const id, name = "saoudrizwan.claude-dev", "cline_mcp_settings.json"
	var out []place
	for _, editor := range []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		dir := filepath.Join(s.appSupport(), editor, "User", "globalStorage", id)
		out = append(out, place{file: filepath.Join(dir, "settings", name), marker: dir, usual: editor == "Code"})
	}
	data := s.home(".cline", "data")
	return append(out, place{file: filepath.Join(data, "settings", name), marker: data})
}

// entriesOf lists the folders in dir whose names begin with prefix. It does not
// use patterns: a folder's name may hold what a pattern would read as one.
func entriesOf(dir, prefix string) (out []string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range list {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// A Location is a configuration file of a client.
type Location struct {
	Path string
	// Exists: the file is there.
	Exists bool
	// Installed: the file, or the folder that the client makes, is there.
	Installed bool
	// Aside: the file is another one of the client's, such as a profile of
	// VS Code. It is read; installing leaves it alone.
	Aside bool
}

// Locations returns the files of the client that belong to an installation,
// or else the one that it would read, marked as not installed.
func (c *Client) Locations(s System) []Location {
	var found []Location
	var usual Location
	for _, p := range c.files(s) {
		l := Location{Path: p.file, Exists: exists(p.file), Aside: p.aside}
		l.Installed = l.Exists || p.marker != "" && exists(p.marker)
		if l.Installed {
			found = append(found, l)
		}
		if p.usual {
			usual = l
		}
	}
	if c.ID == "opencode" && len(found) == 2 && !found[0].Exists {
		found = found[1:] // one of the two forms, never both
	}
	if !slices.ContainsFunc(found, func(l Location) bool { return !l.Aside }) {
		found = append(found, usual)
	}
	return found
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
