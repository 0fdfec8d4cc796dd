package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"bridge/internal/fsx"
	"bridge/internal/say"
)

// A clientFile is a config file of an AI client, and the key below which its
// servers stand.
type clientFile struct {
	client, path, key string
}

// clientFiles are the places in which the best-known clients keep the servers
// of a user. They are only read here.
func clientFiles(home string, getenv func(string) string) []clientFile {
	support := filepath.Join(home, ".config")
	switch runtime.GOOS {
	case "darwin":
		support = filepath.Join(home, "Library", "Application Support")
	case "windows":
		support = firstOf(getenv("APPDATA"), filepath.Join(home, "AppData", "Roaming"))
	}
	files := []clientFile{{"Claude Desktop", filepath.Join(support, "Claude", "claude_desktop_config.json"), "mcpServers"}}
	if runtime.GOOS == "windows" {
		// The packaged app has its own copy of AppData.
		local := firstOf(getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
		packages, _ := filepath.Glob(filepath.Join(local, "Packages", "Claude_*", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")) // a fixed pattern
		for _, path := range packages {
			files = append(files, clientFile{"Claude Desktop", path, "mcpServers"})
		}
	}
	return append(files,
		clientFile{"Claude Code", filepath.Join(firstOf(getenv("CLAUDE_CONFIG_DIR"), home), ".claude.json"), "mcpServers"},
		clientFile{"Cursor", filepath.Join(home, ".cursor", "mcp.json"), "mcpServers"},
		clientFile{"VS Code", filepath.Join(support, "Code", "User", "mcp.json"), "servers"},
		clientFile{"Windsurf", filepath.Join(home, ".codeium", "windsurf", "mcp_config.json"), "mcpServers"},
	)
}

// A clientEntry is a server in a client's config.
type clientEntry struct {
	name    string
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// maxClientConfig bounds a client's config, in bytes; Claude Code keeps much
// else in its own.
const maxClientConfig = 64 << 20

// entries reads the servers of a client's config, comments and trailing commas
// allowed.
func (f clientFile) entries() ([]clientEntry, error) {
	text, err := fsx.ReadFile(f.path, maxClientConfig)
	if err != nil {
		return nil, err
	}
	plain, err := hujson.Standardize(text)
	if err != nil {
		return nil, err
	}
	var config map[string]json.RawMessage
	if err := json.Unmarshal(plain, &config); err != nil {
		return nil, err
	}
	var list []clientEntry
	eachMember(config[f.key], func(name string, value json.RawMessage) {
		e := clientEntry{name: name}
		if json.Unmarshal(value, &e) == nil && e.Command != "" {
			list = append(list, e)
		}
	})
	return list, nil
}

// isBridge says whether an entry starts this program, under either of its
// names.
func (e clientEntry) isBridge() bool {
	base := strings.ToLower(filepath.Base(strings.ReplaceAll(e.Command, `\`, "/")))
	base = strings.TrimSuffix(base, ".exe")
	return base == "bridge" || base == "mcp-bridge"
}

func (e clientEntry) isMcpRemote() bool {
	return slices.ContainsFunc(e.Args, func(a string) bool { return a == "mcp-remote" || strings.HasPrefix(a, "mcp-remote@") })
}

// clients checks that what the clients would start is there.
func (d *doctor) clients() {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	found := 0
	for _, f := range clientFiles(home, os.Getenv) {
		list, err := f.entries()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			found++
			d.warn("clients", f.client, say.T("%s cannot be read as JSON, by the client neither", f.path), say.T("look for a missing comma or bracket in it"))
			continue
		}
		for _, e := range list {
			switch {
			case e.isBridge():
				found++
				d.clientEntry(f, e)
			case e.isMcpRemote():
				found++
				d.warn("clients", f.client, say.T("%q still starts mcp-remote", e.name), say.T("put %q in place of npx in %s; the arguments can stay", "bridge", f.path))
			}
		}
	}
	if found == 0 {
		d.ok("clients", say.T("clients"), say.T("none starts bridge yet; `bridge login NAME` says what to put into their configs"))
	}
	d.leftovers(home)
}

func (d *doctor) clientEntry(f clientFile, e clientEntry) {
	path := e.Command
	if !filepath.IsAbs(path) {
		where, err := exec.LookPath(path)
		if err != nil {
			d.bad("clients", f.client, say.T("%q starts %q, which is not in PATH", e.name, path), say.T("write its whole path into %s", f.path), exitFailure)
			return
		}
		d.warn("clients", f.client, say.T("%q starts %q without its path; a desktop app may have another PATH", e.name, path), say.T("write %s into %s", where, f.path))
		return
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		self, _ := stablePath() // a path to suggest, or none
		d.bad("clients", f.client, say.T("%q starts %s, which does not exist", e.name, path), say.T("write %s into %s", self, f.path), exitFailure)
	case info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		d.bad("clients", f.client, say.T("%q starts %s, which is no program", e.name, path), say.T("run `chmod +x %s`", shellQuote(path)), exitFailure)
	default:
		d.ok("clients", f.client, say.T("%q starts %s", e.name, path))
	}
}

// leftovers looks for what mcp-remote keeps in clear text.
func (d *doctor) leftovers(home string) {
	dir := firstOf(os.Getenv("MCP_REMOTE_CONFIG_DIR"), filepath.Join(home, ".mcp-auth"))
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, "_tokens.json") {
			n++
		}
		return nil
	})
	switch {
	case err != nil || n == 0:
		d.ok("mcp_remote", "mcp-remote", say.T("no tokens left behind"))
	default:
		d.warn("mcp_remote", "mcp-remote", say.T("%s holds sign-ins in clear text: %d", dir, n), say.T("when no client starts mcp-remote any more, delete that folder"))
	}
}
