package bridge_test

import (
	"testing"

	"bridge/bridge"
)

// TestWire runs every conversation against the relay.
func TestWire(t *testing.T) {
	conversations(t, "testdata/wire/*.txtar", func(t *testing.T, name string, s *script) {
		converse(t, name, s, startRelay)
	})
}

func startRelay(cfg bridge.Config) (runner, error) { return bridge.New(cfg) }
