package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// stablePath is the absolute path by which a client should start this binary:
// the link in PATH if it leads here, because that one survives an upgrade and
// the versioned folder behind it does not.
func stablePath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(self)
	if err != nil {
		return self, nil
	}
	if found, err := exec.LookPath("bridge"); err == nil {
		if abs, err := filepath.Abs(found); err == nil {
			if target, err := filepath.EvalSymlinks(abs); err == nil && target == real {
				return abs, nil
			}
		}
	}
	return self, nil
}

// clientSnippet is an entry for Claude Desktop's config. It holds a name and no
// secret, so it never changes when the sign-in does.
func clientSnippet(name, command string) string {
	type entry struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(map[string]map[string]entry{"mcpServers": {name: {command, []string{"serve", name}}}}) // strings always encode
	return strings.TrimSpace(b.String())
}

// shellQuote makes a path fit to be pasted into a shell.
func shellQuote(path string) string {
	if strings.ContainsAny(path, " \t\"'$&()") {
		return `"` + path + `"`
	}
	return path
}
