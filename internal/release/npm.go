package main

import (
	_ "embed" // for the launcher
	"os"
	"path/filepath"
)

//go:embed launch.js
var launcher []byte

// npm's packages are laid out as esbuild's are: a small one that everybody
// names, and one a system with the binary in it, of which npm installs the one
// that fits. No package runs a script when it is installed, so that this
// works with --ignore-scripts, behind proxies and from a cache.
//
//	dist/npm/mcp-bridge
//	dist/npm/@mcp-bridge/{darwin,linux-x64,linux-arm64,win32-x64,win32-arm64}
//
// Its only command is mcp-bridge: a global installation lands in a folder that
// comes before /usr/sbin in PATH, where `bridge` would hide that of iproute2.
type npmPackage struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Repository   npmRepository     `json:"repository"`
	MCPName      string            `json:"mcpName,omitempty"` // proves to the registry whose it is
	Bin          map[string]string `json:"bin,omitempty"`
	Files        []string          `json:"files"`
	Engines      map[string]string `json:"engines,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"` // Yarn: a program cannot run from within a zip
}

type npmRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

func npmName(t target) string { return "@" + packageName + "/" + t.npm }

func (r release) npmPackage(name, description string) npmPackage {
	return npmPackage{
		Name: name, Version: r.version, Description: description, License: "MIT",
		Repository: npmRepository{"git", "git+" + r.repo + ".git"},
	}
}

func (r release) npmPlatform(t target, bin, license []byte) error {
	p := r.npmPackage(npmName(t), "The program of "+packageName+" for "+t.npm+"; install "+packageName+" instead")
	p.Files, p.OS, p.CPU, p.PreferUnplug = []string{"bin"}, []string{t.node}, t.cpu, true
	return r.writePackage(p, packed{"bin/" + t.exe(), 0o755, bin}, packed{"LICENSE", 0o644, license})
}

func (r release) npmMain(license []byte) error {
	readme, err := os.ReadFile(filepath.Join(r.root, "README.md"))
	if err != nil {
		return err
	}
	p := r.npmPackage(packageName, summary)
	p.MCPName = r.registryName()
	p.Bin = map[string]string{packageName: "bin/" + packageName + ".js"}
	p.Files = []string{"bin"}
	p.Engines = map[string]string{"node": ">=14.18"}
	p.Optional = map[string]string{}
	for _, t := range targets() {
		p.Optional[npmName(t)] = r.version
	}
	return r.writePackage(p,
		packed{"bin/" + packageName + ".js", 0o755, launcher},
		packed{"LICENSE", 0o644, license},
		packed{"README.md", 0o644, readme})
}

func (r release) writePackage(p npmPackage, files ...packed) error {
	about, err := encode(p)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dist, "npm", filepath.FromSlash(p.Name))
	for _, f := range append(files, packed{"package.json", 0o644, about}) {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // G301: to be packed, not kept
			return err
		}
		if err := os.WriteFile(path, f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}
