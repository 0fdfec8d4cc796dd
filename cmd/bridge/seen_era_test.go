package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"bridge/bridge"
)

// TestEraMemory holds what is remembered of a server's era to its rules: by
// address, by the client's era, for a week, and never in the way.
func TestEraMemory(t *testing.T) {
	const url = "https://mcp.example.com/mcp?key=SECRET-in-the-address"
	const legacy, modern, unknown = bridge.ProtocolLegacy, bridge.ProtocolModern, bridge.ProtocolAuto
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("BRIDGE_HOME", home)
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) eraMemory {
		return eraMemory{url: url, now: func() time.Time { return start.Add(d) }}
	}
	want := func(what string, m eraMemory, host, era bridge.Protocol) {
		t.Helper()
		if got := m.recall(host); got != era {
			t.Errorf("%s: got %v, want %v", what, got, era)
		}
	}

	want("before anything", at(0), legacy, unknown)
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("to recall made a folder: %v", err)
	}
	at(0).remember(legacy, modern)
	want("at once", at(0), legacy, modern)
	want("for a client of the other era", at(0), modern, unknown)
	want("another address", eraMemory{url: url + "2", now: at(0).now}, legacy, unknown)
	want("within the week", at(eraKept-time.Second), legacy, modern)
	want("after the week", at(eraKept), legacy, unknown)
	want("from a clock that was wrong", at(-time.Second), legacy, unknown)

	at(0).remember(legacy, legacy)
	want("mended", at(0), legacy, unknown)
	path, err := at(0).path(legacy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	at(0).remember(legacy, legacy) // nothing to forget

	for what, text := range map[string]string{
		"empty": "", "not JSON": "\x00\x00", "of another kind": `[]`, "without a time": `{"remote":"modern"}`,
		"of an era to come": `{"remote":"2027-01-01","at":"2026-11-30T12:00:00Z"}`,
		"too large":         `{"remote":"modern","at":"2026-11-30T12:00:00Z"}` + string(make([]byte, maxEra)),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want("a file that is "+what, at(0), legacy, unknown)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	want("a folder in its place", at(0), legacy, unknown)
	at(0).remember(legacy, modern) // cannot, and says nothing
	want("a folder in its place, still", at(0), legacy, unknown)
}

// TestEraMemoryIsSwept takes away what is too old to be believed when something
// is written, and nothing else; an address with a secret in it stays out of the
// names.
func TestEraMemoryIsSwept(t *testing.T) {
	home := t.TempDir()
	t.Setenv("BRIDGE_HOME", home)
	dir := filepath.Join(home, "state", "era")
	now := time.Now()
	age := func(name string, d time.Duration) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), now.Add(-d), now.Add(-d)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	age("old-legacy.json", eraKept)
	age("young-legacy.json", time.Hour)
	age("notes.txt", 2*eraKept)
	m := eraMemory{url: "https://mcp.example.com/SECRET", now: func() time.Time { return now }}
	m.remember(bridge.ProtocolModern, bridge.ProtocolLegacy)
	path, err := m.path(bridge.ProtocolModern)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 3 || names[0] != filepath.Base(path) || names[1] != "notes.txt" || names[2] != "young-legacy.json" {
		t.Errorf("left: %q", names)
	}
}
