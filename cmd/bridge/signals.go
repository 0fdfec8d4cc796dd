package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// withSignals ends ctx when the user wants the process to end. A command that
// has not ended by then is still ended by a second signal, since the first one
// gives the signals their usual meaning back. serve has rules of its own: see
// endGuard. A hangup that is ignored, as under nohup, stays so.
func withSignals(ctx context.Context) (context.Context, context.CancelFunc) {
	wanted := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		wanted = append(wanted, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, wanted...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
