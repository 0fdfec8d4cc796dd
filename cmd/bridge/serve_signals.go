package main

import (
	"context"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// An endGuard ends serve when a signal or the death of its host wants it to. To
// take signals costs new threads and changes between them, as much as a tenth
// of a start, so it waits until the first request is on its way, or for longer
// than calm for the host to say something: then there is nothing else to do.
// Nothing is written to the host before: who has been answered may rely on what
// is promised for a signal.
type endGuard struct {
	ctx    context.Context
	cancel func()
	gone   func() bool   // tells whether the host is; nil: nobody can
	rest   func()        // what is left to do when the start is over, and the memory it took can go
	held   chan struct{} // closed when signals are taken

	once  sync.Once // begin, or never
	begun atomic.Bool
	work  sync.WaitGroup
}

const (
	// calm is how long a host is silent until an endGuard begins.
	calm = 3 * time.Millisecond
	// settled is when a start is over, after the signals are taken.
	settled = 200 * time.Millisecond
	// hostEvery is how often serve looks whether its host is still there, and
	// still listens.
	hostEvery = time.Second
)

// newEndGuard returns a guard that calls cancel when serve is to end, and rest
// when its start is over. The caller ends ctx and then calls wait.
func newEndGuard(ctx context.Context, cancel, rest func()) *endGuard {
	return &endGuard{ctx: ctx, cancel: cancel, rest: rest, gone: hostGone(), held: make(chan struct{})}
}

// begin has signals taken and the host watched, once. It does not wait.
func (g *endGuard) begin() {
	g.once.Do(func() {
		g.begun.Store(true)
		g.work.Go(func() {
			got := make(chan os.Signal, 1)
			notifySignals(got)
			close(g.held)
			g.watch(got)
		})
	})
}

// watch returns when ctx ends. Signals are taken until then: a second one must
// not end the process with its own status.
func (g *endGuard) watch(got <-chan os.Signal) {
	var look <-chan time.Time
	if g.gone != nil {
		every := time.NewTicker(hostEvery)
		defer every.Stop()
		look = every.C
	}
	over := time.NewTimer(settled)
	defer over.Stop()
	for {
		select {
		case <-got:
			g.cancel()
		case <-look:
			if g.gone() {
				g.cancel()
			}
		case <-over.C:
			g.rest()
		case <-g.ctx.Done():
			return
		}
	}
}

// wait returns when nothing is guarded any more. A guard that has not begun does
// not begin then, and no write waits for it.
func (g *endGuard) wait() {
	g.once.Do(func() {
		g.begun.Store(true)
		close(g.held)
	})
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

// A guardedReader is stdin, which tells its guard when the host is silent.
type guardedReader struct {
	*os.File
	guard *endGuard
}

// Read implements io.Reader.
func (r guardedReader) Read(p []byte) (int, error) {
	if !r.guard.begun.Load() {
		whenSilent(r.File, calm, r.guard.begin)
	}
	return r.File.Read(p)
}
