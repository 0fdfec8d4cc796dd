package main

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// patience is how long serve waits for a line to be taken.
const patience = 100 * time.Millisecond

// A patientWriter is stderr while serve runs, or a trace that somebody watches
// through a pipe. Some hosts open stderr and never read it: once the pipe is full,
// a write would wait forever, and with it the answer of whoever has something to
// say. It waits for no line longer than patience, and leaves out what comes until
// that line has been taken after all.
type patientWriter struct {
	w io.Writer

	mu   sync.Mutex
	last chan written // the latest write, until its outcome is known; nil: none
}

type written struct {
	n   int
	err error
}

// Write implements io.Writer. What is left out counts as written: nobody could be
// told.
func (p *patientWriter) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil {
		select {
		case <-p.last:
		default:
			return len(b), nil
		}
	}
	line := bytes.Clone(b) // which is read for longer than b is there
	done := make(chan written, 1)
	go func() {
		n, err := p.w.Write(line)
		done <- written{n, err}
	}()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case is := <-done:
		p.last = nil
		return is.n, is.err
	case <-t.C:
		p.last = done
		return len(b), nil
	}
}
