package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A serverEntry is server.json of the MCP registry, schema 2025-12-11.
type serverEntry struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"` // io.github.OWNER/…, which the registry checks against the publisher
	Title       string            `json:"title"`
	Description string            `json:"description"` // at most 100 letters
	Version     string            `json:"version"`
	Repository  serverRepository  `json:"repository"`
	Packages    []registryPackage `json:"packages"`
}

type serverRepository struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

type registryPackage struct {
	Type       string            `json:"registryType"`
	Identifier string            `json:"identifier"`
	Version    string            `json:"version"`
	FileSHA256 string            `json:"fileSha256,omitempty"` // required for bundles; clients check it
	Transport  registryTransport `json:"transport"`
	// Not for bundles: what they are started with stands in their manifest.
	Arguments []registryArgument `json:"packageArguments,omitempty"`
	Env       []registryVariable `json:"environmentVariables,omitempty"`
}

type registryTransport struct {
	Type string `json:"type"`
}

type registryArgument struct {
	Type        string `json:"type"` // "positional"
	ValueHint   string `json:"valueHint,omitempty"`
	Value       string `json:"value,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"isRequired"`
}

type registryVariable struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Secret      bool   `json:"isSecret"`
}

// registryName is the name under which the registry and npm know us.
func (r release) registryName() string {
	owner, _, _ := strings.Cut(strings.TrimPrefix(r.repo, "https://github.com/"), "/")
	return "io.github." + owner + "/" + packageName
}

// serverJSON writes the entry. goreleaser's own section for the registry cannot
// say a bundle's hash, nor arguments or variables.
func (r release) serverJSON(hashes map[string]string) error {
	entry := serverEntry{
		Schema:      "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		Name:        r.registryName(),
		Title:       "bridge",
		Description: summary + ", with tokens in the system's keychain",
		Version:     r.version,
		Repository:  serverRepository{r.repo, "github"},
	}
	args := []registryArgument{
		{Type: "positional", Value: "serve", Required: true},
		{Type: "positional", ValueHint: "server", Description: account, Required: true},
	}
	env := []registryVariable{{"BRIDGE_TOKEN", "A token for the server, if it wants one and you have not signed in with `bridge login`", true}}
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		entry.Packages = append(entry.Packages, registryPackage{
			Type:       "mcpb",
			Identifier: fmt.Sprintf("%s/releases/download/v%s/%s", r.repo, r.version, name),
			Version:    r.version,
			FileSHA256: hashes[name],
			Transport:  registryTransport{"stdio"},
		})
	}
	entry.Packages = append(entry.Packages, registryPackage{
		Type: "npm", Identifier: packageName, Version: r.version, Transport: registryTransport{"stdio"}, Arguments: args, Env: env,
	})
	data, err := encode(entry)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.dist, "server.json"), data)
}
