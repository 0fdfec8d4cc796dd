package bridge

import (
	"fmt"
	"sync"
)

// A crew runs functions on goroutines that it keeps. What net/http calls to send
// a request goes deep, and a new goroutine gets there by copying its stack three
// times: a tenth of the processor time of a small call. The zero value is ready,
// and safe for use by several goroutines.
type crew struct {
	mu     sync.Mutex
	idle   []chan func() // one for each goroutine that waits, the last to begin on top
	closed bool
}

// maxIdle bounds the goroutines that wait, a few kilobytes of stack each.
const maxIdle = 32

// run calls fn on a goroutine.
func (c *crew) run(fn func()) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		next := c.idle[n-1]
		c.idle[n-1], c.idle = nil, c.idle[:n-1]
		c.mu.Unlock()
		next <- fn // it has room
		return
	}
	c.mu.Unlock()
	go c.work(fn)
}

func (c *crew) work(fn func()) {
	next := make(chan func(), 1)
	for ok := true; ok; fn, ok = <-next {
		fn()
		if !c.rest(next) {
			return
		}
	}
}

// rest takes next into the list of those who wait, unless there are enough.
func (c *crew) rest(next chan func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.idle) == maxIdle {
		return false
	}
	c.idle = append(c.idle, next)
	return true
}

// dismiss ends the goroutines that wait, now, and the others when they have
// done what they do.
func (c *crew) dismiss() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, next := range c.idle {
		close(next)
	}
	c.idle = nil
}

// spawn runs fn on a goroutine that wg's owner waits for. A panic in it costs
// what it was about, not the process.
func (r *Relay) spawn(wg *sync.WaitGroup, what string, fn func()) {
	wg.Add(1)
	r.crew.run(func() {
		defer wg.Done()
		defer func() {
			if p := recover(); p != nil {
				r.log.Error("internal error; please report it", "in", what, "panic", fmt.Sprintf("%.200v", p))
			}
		}()
		fn()
	})
}
