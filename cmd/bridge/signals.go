package main

import (
	"context"
	"os/signal"
	"syscall"
)

// withSignals ends ctx when the user or the host wants the process to end. A
// command that has not ended by then is still ended by a second signal, since
// the first one gives the signals their usual meaning back; serve, which
// promises status 0, keeps them (see holdSignals).
//
// Each signal costs the runtime two changes of thread, a third of a millisecond
// together, which a client that starts serve need not wait for. Until it is
// done signals have their usual meaning, as they had before main.
func withSignals(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	ready := make(chan context.CancelFunc, 1)
	go func() {
		asked, stop := signal.NotifyContext(parent, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		context.AfterFunc(asked, func() {
			stop()
			cancel(context.Cause(asked))
		})
		ready <- stop
	}()
	return ctx, func() {
		stop := <-ready
		ready <- stop // may be called again
		stop()
		cancel(context.Canceled)
	}
}
