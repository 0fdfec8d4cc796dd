package bridge

import (
	"io"
	"sync"
)

// A lineWriter is the one owner of stdout: a message is one line and one Write,
// whoever sends it.
type lineWriter struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool
	failed func(error) // told once that stdout is gone
	trace  *tracer
}

// write sends one message, which must hold no line break. The bytes may be
// used as scratch space after their end, and are the caller's again on return.
// Once a write has failed, messages are dropped: nobody is there to read them.
func (l *lineWriter) write(msg []byte) {
	l.trace.message("→ host", msg)
	msg = append(msg, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if _, err := l.w.Write(msg); err != nil {
		l.closed = true
		l.failed(err)
	}
}

// close makes later messages vanish. It does not wait for a blocked Write.
func (l *lineWriter) close() {
	if l.mu.TryLock() {
		l.closed = true
		l.mu.Unlock()
	}
}
