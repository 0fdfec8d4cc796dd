package main

import (
	"testing"

	"bridge/bridge"
	"bridge/internal/servers"
)

// TestProtocol follows the era from the flag, or from config.toml, to the
// relay. The flag decides, also when it says auto.
func TestProtocol(t *testing.T) {
	const url = "https://mcp.example.com/mcp"
	for _, tt := range []struct {
		flag, entry string
		want        bridge.Protocol
	}{
		{"", "", bridge.ProtocolAuto},
		{"auto", "", bridge.ProtocolAuto},
		{"legacy", "", bridge.ProtocolLegacy},
		{"modern", "", bridge.ProtocolModern},
		{"2026-07-28", "", bridge.ProtocolModern},
		{"", servers.ProtocolModern, bridge.ProtocolModern},
		{"", servers.ProtocolLegacy, bridge.ProtocolLegacy},
		{"auto", servers.ProtocolModern, bridge.ProtocolAuto},
		{"legacy", servers.ProtocolModern, bridge.ProtocolLegacy},
	} {
		args := []string{url}
		if tt.flag != "" {
			args = append(args, "--protocol", tt.flag)
		}
		o, err := parseServe(args)
		if err != nil {
			t.Fatal(err)
		}
		cfg := bridge.Config{Protocol: o.protocol}
		if tt.entry != "" {
			o.entry = &servers.Server{Name: "team", URL: url, Protocol: tt.entry}
			if err := o.overEntry(&cfg); err != nil {
				t.Fatal(err)
			}
		}
		if cfg.Protocol != tt.want {
			t.Errorf("--protocol %q over protocol = %q: %v, want %v", tt.flag, tt.entry, cfg.Protocol, tt.want)
		}
	}
	if _, err := parseServe([]string{url, "--protocol", "2025-13-01"}); err == nil {
		t.Error("a protocol that does not exist was taken")
	}
}
