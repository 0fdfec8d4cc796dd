package main

import (
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdFill is `fill FROM TO`: it copies a file and puts what the script knows
// into it: $BRIDGE is the program's path, the others are the names of servers
// and tokens below. Variables in braces stay.
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill FROM TO")
	}
	bridge, err := exec.LookPath("bridge")
	ts.Check(err)
	pairs := []string{"$BRIDGE", bridge}
	for _, name := range []string{"PACECRAFT_TOKEN", "PACECRAFT", "NIBOMO_KEY", "NIBOMO", "GOOD", "BAD", "DOWN", "WORK"} {
		pairs = append(pairs, "$"+name, ts.Getenv(name))
	}
	text := strings.NewReplacer(pairs...).Replace(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
