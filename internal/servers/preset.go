package servers

import (
	"net/url"
	"strings"
)

// A Preset is a service known by name: what is needed to use it from nothing
// but that name, and what to tell a person who signs in or out.
type Preset struct {
	Name  string
	Title string
	URL   string
	Auth  Auth
	// Workspaces is true when one account can hold several workspaces and the
	// URL names the one to use.
	Workspaces bool
	// TokenPrefix begins every static token of the service.
	TokenPrefix string
	// TokenPage says where in the service a token is made and revoked.
	TokenPage string
}

// LookupPreset returns the preset of that name, or nil.
func LookupPreset(name string) *Preset {
	switch name {
	case "pacecraft":
		return &Preset{
			Name: "pacecraft", Title: "PaceCraft", URL: "https://pacecraft.duckdns.org/api/mcp",
			Auth: AuthToken, Workspaces: true, TokenPrefix: "pc_",
			TokenPage: "PaceCraft → Settings → Personal Access Tokens",
		}
	case "nibomo":
		return &Preset{
			Name: "nibomo", Title: "Nibomo", URL: "https://mcp.nibomo.com/mcp",
			Auth: AuthOAuth, TokenPrefix: "fca_",
			TokenPage: "the settings of the Nibomo app",
		}
	}
	return nil
}

// PresetNames returns the names of all presets, sorted.
func PresetNames() []string { return []string{"nibomo", "pacecraft"} }

// Server returns the entry the preset stands for.
func (p *Preset) Server() Server {
	return Server{Name: p.Name, URL: p.URL, Auth: p.Auth}
}

// presetOf returns the preset that rawURL belongs to, or nil.
func presetOf(rawURL string) *Preset {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil
	}
	for _, name := range PresetNames() {
		p := LookupPreset(name)
		if pu, err := url.Parse(p.URL); err == nil && strings.EqualFold(pu.Host, u.Host) && pu.Path == u.Path {
			return p
		}
	}
	return nil
}

// Public reports whether a URL is at the host of a preset's public service,
// whatever its port and path.
func Public(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil {
		return false
	}
	for _, name := range PresetNames() {
		pu, err := url.Parse(LookupPreset(name).URL)
		if err == nil && strings.EqualFold(pu.Hostname(), strings.TrimSuffix(u.Hostname(), ".")) {
			return true
		}
	}
	return false
}
