package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed" // for the shim
	"encoding/hex"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

//go:embed shim.js
var shim []byte

// A manifest is manifest.json of an MCP bundle, version 0.3
// (modelcontextprotocol/mcpb, MANIFEST.md). The schema is strict: a field it
// does not know fails validation.
type manifest struct {
	ManifestVersion string                `json:"manifest_version"`
	Name            string                `json:"name"`
	DisplayName     string                `json:"display_name"`
	Version         string                `json:"version"`
	Description     string                `json:"description"`
	LongDescription string                `json:"long_description"`
	Author          manifestAuthor        `json:"author"`
	Repository      manifestRepository    `json:"repository"`
	Documentation   string                `json:"documentation"`
	Support         string                `json:"support"`
	Server          manifestServer        `json:"server"`
	ToolsGenerated  bool                  `json:"tools_generated"`
	PromptsGen      bool                  `json:"prompts_generated"`
	Keywords        []string              `json:"keywords"`
	License         string                `json:"license"`
	PrivacyPolicies []string              `json:"privacy_policies"`
	Compatibility   manifestCompatibility `json:"compatibility"`
	UserConfig      manifestUserConfig    `json:"user_config"`
}

type manifestAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type manifestRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type manifestServer struct {
	Type       string         `json:"type"` // "binary" or "node"
	EntryPoint string         `json:"entry_point"`
	Config     manifestLaunch `json:"mcp_config"`
}

type manifestLaunch struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

type manifestCompatibility struct {
	Platforms []string `json:"platforms"`
}

// manifestUserConfig is what the host asks the user for. A value without a
// default stays as ${user_config.…} in the command, so each one has a default or
// is required.
type manifestUserConfig struct {
	Server manifestOption `json:"server"`
	Token  manifestOption `json:"access_token"`
}

type manifestOption struct {
	Type        string  `json:"type"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Sensitive   bool    `json:"sensitive,omitempty"`
	Default     *string `json:"default,omitempty"`
}

func (r release) manifest(t target) manifest {
	none := ""
	m := manifest{
		ManifestVersion: "0.3",
		Name:            packageName,
		DisplayName:     "bridge",
		Version:         r.version,
		Description:     summary,
		LongDescription: "Lets Claude Desktop use a remote MCP server. " + account + "\n\nThe tools are those of the server. A token is only needed for servers that want one and that you have not signed in to on this computer; otherwise bridge opens the server's sign-in page, or takes the token from the keychain.",
		Author:          manifestAuthor{"The bridge authors", r.repo},
		Repository:      manifestRepository{"git", r.repo + ".git"},
		Documentation:   r.repo + "#readme",
		Support:         r.repo + "/issues",
		ToolsGenerated:  true,
		PromptsGen:      true,
		Keywords:        []string{"mcp", "remote", "bridge", "proxy", "oauth", "keychain"},
		License:         "MIT",
		PrivacyPolicies: []string{r.repo + "/blob/main/SECURITY.md#privacy"},
		Compatibility:   manifestCompatibility{[]string{t.node}},
		UserConfig: manifestUserConfig{
			Server: manifestOption{Type: "string", Title: "Server", Description: account, Required: true},
			Token:  manifestOption{Type: "string", Title: "Access token", Description: "Only for a server that wants a token and that you have not signed in to with \"bridge login\". It is kept by the desktop app, in its secure storage.", Sensitive: true, Default: &none},
		},
	}
	m.Server = manifestServer{"binary", "server/" + t.exe(), manifestLaunch{
		Command: "${__dirname}/server/" + t.exe(),
		Args:    []string{"serve", "${user_config.server}"},
		Env:     map[string]string{"BRIDGE_TOKEN": "${user_config.access_token}"},
	}}
	if t.os == "darwin" {
		m.Server.Type, m.Server.EntryPoint = "node", "server/index.js"
		m.Server.Config.Command = "node"
		m.Server.Config.Args = append([]string{"${__dirname}/server/index.js"}, m.Server.Config.Args...)
	}
	return m
}

// bundle makes the zip. It is not signed: the signature that `mcpb sign` adds
// after the end of the archive makes strict readers, Claude Desktop's among
// them, refuse the file. Its hash is in checksums.txt, which is signed.
func (r release) bundle(t target, bin, license []byte) ([]byte, error) {
	m, err := encode(r.manifest(t))
	if err != nil {
		return nil, err
	}
	files := []packed{
		{"LICENSE", 0o644, license},
		{"manifest.json", 0o644, m},
		{"server/" + t.exe(), 0o755, bin},
	}
	if t.os == "darwin" {
		files = append(files, packed{"server/index.js", 0o644, shim})
	}
	return zipped(files)
}

// A packed file is one in an archive.
type packed struct {
	name string
	mode fs.FileMode
	data []byte
}

// zipped makes an archive that is the same for the same files: sorted, all of
// one time, the earliest that the format knows, with the modes of Unix.
func zipped(files []packed) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	slices.SortFunc(files, func(a, b packed) int { return strings.Compare(a.name, b.name) })
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(f.mode)
		into, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := into.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
