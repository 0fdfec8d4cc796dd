package main

import (
	"context"
	"os/signal"
	"syscall"
)

// withSignals ends ctx when the user wants the process to end. A command that
// has not ended by then is still ended by a second signal, since the first one
// gives the signals their usual meaning back. serve has rules of its own: see
// holdSignals.
func withSignals(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
