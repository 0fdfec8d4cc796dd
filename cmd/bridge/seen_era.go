package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"bridge/bridge"
	"bridge/internal/fsx"
)

// Which era of MCP a server speaks is remembered between starts, so that it has
// not to be found out with each of them. It is kept by address and by the
// client's era, and only when it is not the client's own, which is asked for
// first anyway: for most servers there is no file.
//
//	state/era/HASH-legacy.json   {"remote":"modern","at":"2026-11-30T12:00:00Z"}
//
// It is advice, and it grows old: a server that has come to speak both eras is
// noticed then at the latest. What cannot be read or written is as good as
// never seen.

const (
	// eraKept is how long it is believed, from when it was found out. Use does
	// not prolong it.
	eraKept = 7 * 24 * time.Hour
	// maxEra bounds a file, in bytes, and eraSweep how many of them are looked
	// through for old ones when one is written.
	maxEra   = 1 << 10
	eraSweep = 1000
)

// A seenEra is the file.
type seenEra struct {
	Remote string    `json:"remote"` // legacy or modern
	At     time.Time `json:"at"`
}

// rememberEra lets cfg remember the era of its server.
func rememberEra(cfg *bridge.Config) {
	if cfg.Protocol != bridge.ProtocolAuto {
		return
	}
	m := eraMemory{url: cfg.URL, now: time.Now}
	cfg.RecallEra, cfg.RememberEra = m.recall, m.remember
}

type eraMemory struct {
	url string
	now func() time.Time
}

func (m eraMemory) path(host bridge.Protocol) (string, error) {
	home, err := fsx.Home()
	sum := sha256.Sum256([]byte(m.url))
	return filepath.Join(home, "state", "era", hex.EncodeToString(sum[:12])+"-"+eraName(host)+".json"), err
}

func eraName(p bridge.Protocol) string {
	switch p {
	case bridge.ProtocolLegacy:
		return "legacy"
	case bridge.ProtocolModern:
		return "modern"
	}
	return ""
}

// recall is for bridge.Config.RecallEra.
func (m eraMemory) recall(host bridge.Protocol) bridge.Protocol {
	path, err := m.path(host)
	if err != nil {
		return bridge.ProtocolAuto
	}
	text, err := fsx.ReadFile(path, maxEra)
	if err != nil {
		return bridge.ProtocolAuto
	}
	var seen seenEra
	if json.Unmarshal(text, &seen) != nil || m.old(seen.At) {
		return bridge.ProtocolAuto
	}
	remote, err := parseProtocol(seen.Remote)
	if err != nil {
		return bridge.ProtocolAuto
	}
	return remote
}

// old reports whether what was seen then counts no more. A time to come is of a
// clock that was wrong.
func (m eraMemory) old(at time.Time) bool {
	age := m.now().Sub(at)
	return age < 0 || age >= eraKept
}

// remember is for bridge.Config.RememberEra.
func (m eraMemory) remember(host, remote bridge.Protocol) {
	path, err := m.path(host)
	if err != nil {
		return
	}
	if host == remote {
		_ = os.Remove(path)
		return
	}
	text, err := json.Marshal(seenEra{eraName(remote), m.now().UTC().Truncate(time.Second)})
	if err != nil {
		return
	}
	if dir, err := fsx.Dir("state", "era"); err == nil {
		m.sweep(dir)
		_ = fsx.WriteFile(path, text)
	}
}

// sweep takes away what nobody will ask for any more: addresses change, and
// those of tests are used once.
func (m eraMemory) sweep(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	entries, _ := f.ReadDir(eraSweep)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ".json" && m.now().Sub(info.ModTime()) >= eraKept {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
