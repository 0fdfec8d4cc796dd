package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"bridge/internal/fsx"
	"bridge/internal/servers"
)

// maxSeen bounds what is remembered of a server, in bytes.
const maxSeen = 256 << 10

// A seen remembers what a server said of itself in its last handshake, so that
// a host which asks while the server is away gets a truthful answer. It is a
// convenience: what cannot be read or written is as good as never seen.
type seen struct{ path string }

// seenOf returns where the last handshake of s is remembered. The address is
// part of the name: what another server said is no answer.
func seenOf(s servers.Server) (seen, error) {
	home, err := fsx.Home()
	if err != nil {
		return seen{}, err
	}
	sum := sha256.Sum256([]byte(s.Endpoint()))
	return seen{filepath.Join(home, "state", "seen", s.Name+"-"+hex.EncodeToString(sum[:8])+".json")}, nil
}

// recall is for bridge.Config.Recall.
func (s seen) recall() []byte {
	text, err := fsx.ReadFile(s.path, maxSeen)
	if err != nil || !json.Valid(text) {
		return nil
	}
	return text
}

// remember is for bridge.Config.Remember. The file is left alone when it says
// the same already, as it does nearly every time.
func (s seen) remember(result []byte) {
	if len(result) > maxSeen || bytes.Equal(s.recall(), result) {
		return
	}
	if _, err := fsx.Dir("state", "seen"); err == nil {
		_ = fsx.WriteFile(s.path, result)
	}
}
