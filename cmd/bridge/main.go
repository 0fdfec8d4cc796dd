// Command bridge connects desktop AI clients that speak MCP on stdio to MCP
// servers on HTTP.
//
// It exists as one binary so that a client's config names one program and
// nothing else. It refuses to keep a secret anywhere but in the keychain, and
// to print anything but MCP messages on stdout while it serves.
//
// Go's own search for a limit of processor time in cgroups is left out: it reads
// the list of mounts at each start, for a program that hardly ever needs two
// processors.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], newStreams(os.Stdin, os.Stdout, os.Stderr)))
}
