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
func watchParent(ctx context.Context, _ int, _ func()) { <-ctx.Done() }

// notifySignals has got told of what ends serve.
func notifySignals(got chan<- os.Signal) { signal.Notify(got, os.Interrupt, syscall.SIGTERM) }
