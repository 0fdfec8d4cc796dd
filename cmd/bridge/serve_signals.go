package main

import (
	"context"
	"io"
	"os"
	"sync"
	"time"
)

// An endGuard ends serve when a signal or the death of its host wants it to. To
// take signals costs new threads and changes between them, as much as a tenth
// of a start, so it waits until the first request is on its way and there is
// nothing else to do; but not longer than calm, and nothing is written to the
// host before: who has been answered may rely on what is promised for a signal.
type endGuard struct {
	parent int           // the process that started this one
	begun  chan struct{} // closed by begin
	begin  func()
	held   chan struct{} // closed when signals are taken
}

// calm is when an endGuard begins by itself, after its making.
const calm = 5 * time.Millisecond

func newEndGuard() *endGuard {
	g := &endGuard{parent: os.Getppid(), begun: make(chan struct{}), held: make(chan struct{})}
	g.begin = sync.OnceFunc(func() { close(g.begun) })
	return g
}

// run calls cancel when serve is to end, and returns when ctx ends.
func (g *endGuard) run(ctx context.Context, cancel func()) {
	late := time.NewTimer(calm)
	defer late.Stop()
	select {
	case <-g.begun:
	case <-late.C:
	case <-ctx.Done(): // what is still written then must not wait
	}
	var parent sync.WaitGroup
	defer parent.Wait()
	parent.Go(func() { watchParent(ctx, g.parent, cancel) })
	holdSignals(ctx, cancel, g.held)
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

// A guardedWriter is stdout once its guard has taken the signals.
type guardedWriter struct {
	io.Writer
	guard *endGuard
}

// Write implements io.Writer.
func (w guardedWriter) Write(p []byte) (int, error) {
	select {
	case <-w.guard.held:
	default:
		w.guard.begin()
		<-w.guard.held
	}
	return w.Writer.Write(p)
}
