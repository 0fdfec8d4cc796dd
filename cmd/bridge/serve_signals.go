package main

import (
	"context"
	"io"
	"os"
)

// A heldWriter is stdout once the signals are held. Taking them costs changes of
// thread, which happen while the relay is being made; but who has been answered
// may rely on what is promised for a signal.
type heldWriter struct {
	io.Writer
	held <-chan struct{}
}

// Write implements io.Writer.
func (w heldWriter) Write(p []byte) (int, error) {
	<-w.held
	return w.Writer.Write(p)
}

// holdSignals calls cancel when a signal wants serve to end, until ctx does, and
// keeps later ones from ending the process with their own status. It closes held
// when it has the signals.
func holdSignals(ctx context.Context, cancel func(), held chan<- struct{}) {
	got := make(chan os.Signal, 1)
	notifySignals(got)
	close(held)
	select {
	case <-got:
		cancel()
	case <-ctx.Done():
	}
}
