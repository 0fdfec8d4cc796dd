//go:build unix

package main

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// A second sandbox on the same port said "listen: listen tcp …: bind: …".
func TestSandboxOnATakenPortSaysWhatToDo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close() //nolint:errcheck // nobody used it
	var out, errs bytes.Buffer
	status := run(t.Context(), []string{"sandbox", "--addr", taken.Addr().String()}, &streams{out: &out, err: &errs})
	if got := errs.String(); status != int(exitConflict) || !strings.Contains(got, "another program listens on") || strings.Contains(got, "bind") || !strings.Contains(got, "bridge: hint: ") {
		t.Errorf("status %d: %s", status, got)
	}
}
