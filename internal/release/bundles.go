package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	packageName = "mcp-bridge"
	summary     = "Connect desktop AI clients to remote MCP servers"
	account     = "Give the full address of an MCP server, or the name of one that you have signed in to with \"bridge login\" (pacecraft and nibomo are known by name)."
)

// A release is what lies in goreleaser's folder.
type release struct {
	dist    string
	version string // without v
	repo    string // https://github.com/OWNER/NAME
	root    string // of the source
}

// A target is a binary and where it goes.
type target struct {
	os, arch string // as Go names them; arch "all" is macOS's universal binary
	bundle   string // how a bundle's name ends
	npm      string // name of the npm package in our scope
	node     string // process.platform
	cpu      []string
}

// targets are all systems there are. On Windows the amd64 bundle serves both
// processors: a bundle cannot say for which one it is, and Windows on ARM runs it.
func targets() []target {
	return []target{
		{"darwin", "all", "macos", "darwin", "darwin", []string{"arm64", "x64"}},
		{"linux", "amd64", "linux_amd64", "linux-x64", "linux", []string{"x64"}},
		{"linux", "arm64", "linux_arm64", "linux-arm64", "linux", []string{"arm64"}},
		{"windows", "amd64", "windows", "win32-x64", "win32", []string{"x64"}},
		{"windows", "arm64", "", "win32-arm64", "win32", []string{"arm64"}},
	}
}

func (t target) exe() string {
	if t.os == "windows" {
		return "bridge.exe"
	}
	return "bridge"
}

// binary reads the binary of a target. goreleaser adds the processor's level to
// the folder's name (_v1, _v8.0), and which one it is changes with its releases.
func (r release) binary(t target) ([]byte, error) {
	pattern := filepath.Join(r.dist, "bridge_"+t.os+"_"+t.arch+"*", t.exe())
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d files match %s; there has to be one", len(found), pattern)
	}
	return os.ReadFile(found[0])
}

func (r release) bundleName(t target) string {
	return packageName + "_" + r.version + "_" + t.bundle + ".mcpb"
}

// bundles writes bundles, server.json and npm's packages into the folder.
func (r release) bundles() error {
	if r.version == "" || strings.HasPrefix(r.version, "v") {
		return fmt.Errorf("-version %q is not a version without v", r.version)
	}
	if !strings.HasPrefix(r.repo, "https://github.com/") {
		return errors.New("-repo has to be the repository's address on https://github.com")
	}
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	hashes := map[string]string{} // by the bundle's name
	for _, t := range targets() {
		bin, err := r.binary(t)
		if err != nil {
			return err
		}
		if err := r.npmPlatform(t, bin, license); err != nil {
			return fmt.Errorf("npm package for %s/%s: %w", t.os, t.arch, err)
		}
		if t.bundle == "" {
			continue
		}
		data, err := r.bundle(t, bin, license)
		if err != nil {
			return fmt.Errorf("bundle for %s: %w", t.bundle, err)
		}
		if err := writeFile(filepath.Join(r.dist, r.bundleName(t)), data); err != nil {
			return err
		}
		hashes[r.bundleName(t)] = hash(data)
	}
	if err := r.npmMain(license); err != nil {
		return fmt.Errorf("npm package: %w", err)
	}
	return r.serverJSON(hashes)
}

// encode is JSON as people write it: indented, in the order of the fields.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
