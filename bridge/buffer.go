package bridge

import (
	"runtime/debug"
	"sync"
	"time"
)

// A buffer holds a message while it is read and written. Buffers are used
// again: clearing 10 MB takes as long as moving them.
type buffer struct{ b []byte }

const (
	smallBuffer = 4 << 10
	// A large buffer is kept apart, one at a time and for a while only: the
	// memory a process needs is set by its largest message, and a desktop has
	// many bridges.
	largeBuffer = 1 << 20
	spareTime   = 10 * time.Second
)

var buffers = sync.Pool{New: func() any { return &buffer{b: make([]byte, 0, smallBuffer)} }}

var spare struct {
	mu    sync.Mutex
	b     []byte
	timer *time.Timer
}

// getBuffer returns an empty buffer with room for n bytes and a line feed. n
// may be negative when it is not known.
func getBuffer(n int64) *buffer {
	if n+2 > largeBuffer {
		return &buffer{b: largeBytes(int(n) + 2)}
	}
	buf, _ := buffers.Get().(*buffer)
	if need := int(n) + 2; need > cap(buf.b) {
		buf.b = make([]byte, 0, need)
	}
	return buf
}

func putBuffer(buf *buffer) {
	if cap(buf.b) <= largeBuffer {
		buf.b = buf.b[:0]
		buffers.Put(buf)
		return
	}
	spare.mu.Lock()
	defer spare.mu.Unlock()
	if cap(buf.b) >= cap(spare.b) {
		spare.b = buf.b[:0]
	}
	if spare.timer == nil {
		spare.timer = time.AfterFunc(spareTime, dropSpare)
	} else {
		spare.timer.Reset(spareTime)
	}
}

func dropSpare() {
	spare.mu.Lock()
	spare.b = nil
	spare.mu.Unlock()
	debug.FreeOSMemory()
}

// largeBytes returns an empty slice with a capacity of at least n, the spare
// one if it is large enough.
func largeBytes(n int) []byte {
	spare.mu.Lock()
	b := spare.b
	if cap(b) >= n {
		spare.b = nil
		spare.mu.Unlock()
		return b[:0]
	}
	spare.b = nil // it is too small to be of use
	spare.mu.Unlock()
	return make([]byte, 0, n)
}

// room returns b with space for n more bytes and a line feed. It grows by
// doubling, or at once to hint if that is larger and the message has proved
// to be large.
func room(b []byte, n int, hint int64) []byte {
	need := len(b) + n + 2
	if need <= cap(b) {
		return b
	}
	size := max(need, 2*cap(b), smallBuffer)
	if size > 2*eventBuffer && int64(size) < hint {
		size = int(hint) + 2
	}
	var grown []byte
	if size > largeBuffer {
		grown = largeBytes(size)
	} else {
		grown = make([]byte, 0, size)
	}
	return append(grown, b...)
}
