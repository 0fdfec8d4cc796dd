package main

import (
	"strings"

	"bridge/bridge"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// An entryGate is the policy of a server's entry. It implements bridge.Gate.
type entryGate struct {
	name        string
	allow, deny []string // in lower case
	readOnly    bool
}

// newEntryGate returns nil when the entry allows everything.
func newEntryGate(s servers.Server) bridge.Gate {
	if len(s.Allow) == 0 && len(s.Deny) == 0 && !s.ReadOnly {
		return nil
	}
	return &entryGate{name: s.Name, allow: lowered(s.Allow), deny: lowered(s.Deny), readOnly: s.ReadOnly}
}

func lowered(globs []string) []string {
	out := make([]string, len(globs))
	for i, g := range globs {
		out[i] = strings.ToLower(g)
	}
	return out
}

// Allow implements bridge.Gate. A tool no list has named yet is not known to be
// read-only, so read_only holds it back.
func (g *entryGate) Allow(t bridge.Tool) string {
	name := strings.ToLower(t.Name)
	for _, glob := range g.deny {
		if matchGlob(glob, name) {
			return say.T("The tool %q is denied by the entry %s of config.toml.", t.Name, g.name)
		}
	}
	allowed := len(g.allow) == 0
	for _, glob := range g.allow {
		allowed = allowed || matchGlob(glob, name)
	}
	switch {
	case !allowed:
		return say.T("The tool %q is not among those the entry %s of config.toml allows.", t.Name, g.name)
	case g.readOnly && !(t.Known && t.ReadOnly):
		return say.T("The entry %s of config.toml is read-only, and the server does not say that the tool %q only reads.", g.name, t.Name)
	}
	return ""
}

// gates asks one gate after the other.
type gates []bridge.Gate

// and adds a gate that may be nil.
func (g gates) and(gate bridge.Gate) gates {
	if gate == nil {
		return g
	}
	return append(g, gate)
}

// Allow implements bridge.Gate.
func (g gates) Allow(t bridge.Tool) string {
	for _, gate := range g {
		if reason := gate.Allow(t); reason != "" {
			return reason
		}
	}
	return ""
}
