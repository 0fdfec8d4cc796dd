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
	ctx    context.Context
	cancel func()
	parent int           // the process that started this one
	held   chan struct{} // closed when signals are taken

	once  sync.Once // begin, or never
	timer *time.Timer
	work  sync.WaitGroup
}

// calm is when an endGuard begins by itself, after its making.
const calm = 3 * time.Millisecond

// newEndGuard returns a guard that calls cancel when serve is to end. The caller
// ends ctx and then calls wait.
func newEndGuard(ctx context.Context, cancel func()) *endGuard {
	g := &endGuard{ctx: ctx, cancel: cancel, parent: os.Getppid(), held: make(chan struct{})}
	g.timer = time.AfterFunc(calm, g.begin)
	return g
}

// begin has signals taken and the parent watched, once. It does not wait.
func (g *endGuard) begin() {
	g.once.Do(func() {
		g.work.Go(func() {
			got := make(chan os.Signal, 1)
			notifySignals(got)
			close(g.held)
			g.work.Go(func() { watchParent(g.ctx, g.parent, g.cancel) })
			select { // later signals must not end the process with their own status
			case <-got:
				g.cancel()
			case <-g.ctx.Done():
			}
		})
	})
}

// wait returns when nothing is guarded any more. A guard that has not begun does
// not begin then, and no write waits for it.
func (g *endGuard) wait() {
	g.timer.Stop()
	g.once.Do(func() { close(g.held) })
	g.work.Wait()
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
