package main

import (
	"encoding/json"
	"testing"
)

// What is no result of a tool is said to be none, and never shown as an empty
// one.
func TestShowCallRefusesWhatIsNoResult(t *testing.T) {
	for _, raw := range []string{`null`, `[]`, `"text"`, `7`, `{"content":7}`} {
		a := testApp(t)
		if err := a.showCall("t", json.RawMessage(raw), &sink{}); exitOf(err) != exitFailure {
			t.Errorf("%s: %v", raw, err)
		}
	}
	a := testApp(t)
	if err := a.showCall("t", json.RawMessage(`{}`), &sink{}); err != nil {
		t.Errorf("an empty result: %v", err)
	}
}
