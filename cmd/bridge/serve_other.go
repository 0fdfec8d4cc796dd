//go:build !unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// watchParent waits for ctx: a process is told of its parent's death by the
// end of stdin, and by nothing else.
func watchParent(ctx context.Context, _ func()) { <-ctx.Done() }

// holdSignals keeps a second interruption from ending the process with
// another status than 0.
func holdSignals() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
}
