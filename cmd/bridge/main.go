// Command bridge connects desktop AI clients that speak MCP on stdio to MCP
// servers on HTTP.
//
// It exists as one binary so that a client's config names one program and
// nothing else. It refuses to keep a secret anywhere but in the keychain, and
// to print anything but MCP messages on stdout while it serves.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], newStreams(os.Stdin, os.Stdout, os.Stderr)))
}
