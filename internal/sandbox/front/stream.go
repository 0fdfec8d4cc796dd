package front

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// maxStreamEvents bounds what one stream keeps for a client that is away.
const maxStreamEvents = 8192

// stream is the log of one event stream. Writers append, a reader copies the
// log to a connection; when the connection is lost the log stays, so a client
// that comes back with Last-Event-ID gets the rest. Safe for concurrent use.
type stream struct {
	id    string // of the stream, part of every event's id; empty when events carry none
	prime bool   // starts with an event of an id and no data
	retry int64  // milliseconds, 0 for none
	hello string // raw bytes ahead of everything else

	mu        sync.Mutex
	events    [][]byte // events[i] has sequence number i+1
	delivered int      // the highest number written to a connection
	attached  bool
	done      bool
	wake      chan struct{}
}

func newStream(id string) *stream { return &stream{id: id, wake: make(chan struct{})} }

// send appends one message. It reports false when the stream is over or full.
func (s *stream) send(data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done || len(s.events)-s.delivered >= maxStreamEvents {
		return false
	}
	s.events = append(s.events, data)
	s.signal()
	return true
}

// finish says that nothing more will come.
func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done {
		s.done = true
		s.signal()
	}
}

func (s *stream) signal() {
	close(s.wake)
	s.wake = make(chan struct{})
}

// attach claims the stream for one reader. It reports false when there is one.
func (s *stream) attach() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attached {
		return false
	}
	s.attached = true
	return true
}

func (s *stream) detach() {
	s.mu.Lock()
	s.attached = false
	s.mu.Unlock()
}

// copyTo writes the events after number from, and those to come, until the
// stream is finished or ctx ends. from -1 means after what was delivered last.
func (s *stream) copyTo(ctx context.Context, w http.ResponseWriter, from int) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	_, _ = io.WriteString(w, s.hello)
	if s.retry > 0 {
		_, _ = io.WriteString(w, "retry: "+strconv.FormatInt(s.retry, 10)+"\n\n")
	}
	if from < 0 {
		s.mu.Lock()
		from = s.delivered
		s.mu.Unlock()
	}
	if s.prime {
		_, _ = io.WriteString(w, "id: "+s.id+"_"+strconv.Itoa(from)+"\ndata:\n\n")
	}
	if flush() != nil {
		return
	}
	for {
		s.mu.Lock()
		batch, done, wake := s.events[min(from, len(s.events)):], s.done, s.wake
		s.mu.Unlock()
		for _, e := range batch {
			if e != nil {
				if _, err := w.Write(s.frame(from+1, e)); err != nil || flush() != nil {
					return
				}
			}
			from++
			s.forget(from)
		}
		if len(batch) > 0 {
			continue
		}
		if done {
			return
		}
		select {
		case <-ctx.Done():
			if !s.finished() {
				return
			}
			// What was sent before the end still goes out, if it can.
		case <-wake:
		}
	}
}

// empty reports whether nothing was ever sent.
func (s *stream) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events) == 0
}

func (s *stream) finished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// forget notes that event n was delivered and frees what nobody can ask for
// again.
func (s *stream) forget(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivered = max(s.delivered, n)
	if s.id != "" {
		n -= maxStreamEvents
	}
	if n > 0 {
		s.events[n-1] = nil
	}
}

// frame makes one event of a message, which is one line.
func (s *stream) frame(n int, data []byte) []byte {
	var b bytes.Buffer
	if s.id != "" {
		b.WriteString("id: " + s.id + "_" + strconv.Itoa(n) + "\n")
	}
	b.WriteString("event: message\n")
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString("\n\n")
	return b.Bytes()
}
