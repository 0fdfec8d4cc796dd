package bridge

import (
	"bytes"
	"context"
	"sync"
)

// One revision lets a host put several messages into one array (2025-03-26
// §Batching). Their answers are one line as well, in any order. The array goes on
// as one body, in the hands of a carrier: a call that the host knows nothing of,
// and that is over when each request in the array is answered or given up.

// A batch gathers the answers to the requests of one array.
type batch struct {
	mu      sync.Mutex
	open    int // answers to come, and one more while the array is read
	answers [][]byte
}

// expect says that one more answer will come.
func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

// settle takes an answer, or nil for one that will not come, and sends all of
// them with the last.
func (b *batch) settle(f *legacy, msg []byte) {
	b.mu.Lock()
	if msg != nil {
		b.answers = append(b.answers, bytes.Clone(msg))
	}
	b.open--
	whole := b.open == 0 && len(b.answers) > 0
	b.mu.Unlock()
	if whole {
		f.out.write(joinArray(b.answers))
	}
}

// newCarrier makes the call that takes an array to the remote. Until the array
// has been read it counts as a request of its own.
func (f *legacy) newCarrier() *call {
	c := &call{method: "batch", wrote: newSignal(), open: 1}
	c.ctx, c.cancel = context.WithCancelCause(f.ctx)
	return c
}

// leave takes away a request that a carrier is for; legacy.mu is held.
func (c *call) leave() {
	if c.open--; c.open == 0 {
		c.answered = true
	}
}

// batchFromHost takes a JSON array. Elsewhere than in the one revision it is no
// message (2025-06-18 changelog).
func (f *legacy) batchFromHost(line []byte) {
	parts, err := elements(line)
	if err != nil {
		f.out.write(hostFailure(err).line(nil))
		return
	}
	sess := f.sessionOrNil()
	if text := refusesBatch(sess, parts); text != "" {
		f.out.write((&failure{code: codeInvalid, kind: kindBadRequest, text: text}).line(nil))
		return
	}
	many := &batch{open: 1}
	defer many.settle(f, nil)
	var carrier *call
	if sess.kind != legModern { // which has no batches: each goes by itself
		carrier = f.newCarrier()
	}
	var (
		calls []*call
		pass  [][]byte // what goes on, in its order
		tells [][]byte // the notifications in it
	)
	for _, p := range parts {
		env, err := scanEnvelope(p)
		if err != nil {
			id := env.id
			if !validID(id) {
				id = nil
			}
			many.expect()
			many.settle(f, hostFailure(errNotRequest).line(id))
			continue
		}
		switch env.kind {
		case request:
			many.expect()
			view := readParams(env.params)
			c, fail := f.admit(&env, &view, many, carrier)
			if fail != nil {
				many.settle(f, fail.line(env.id))
				continue
			}
			calls, pass = append(calls, c), append(pass, p)
		case notification:
			if string(env.method) == "notifications/cancelled" {
				f.cancelFromHost(&env)
				continue
			}
			pass, tells = append(pass, p), append(tells, p)
		case response:
			f.responseFromHost(&env)
		}
	}
	if carrier != nil && f.carry(carrier, calls, pass, len(tells) == 0) {
		return
	}
	if len(tells) > 0 {
		f.inLane(joinArray(tells), nil, nil)
	}
	if carrier == nil {
		for _, c := range calls {
			f.spawn(c.method, func() { f.run(c) })
		}
	}
}

// refusesBatch says why an array is no message in a session, if it is none.
func refusesBatch(sess *session, parts [][]byte) string {
	switch {
	case sess == nil || sess.version != batchRevision:
		return "a JSON array is no message in the revision in use"
	case len(parts) == 0:
		return "the array is empty"
	}
	for _, p := range parts {
		if env, err := scanEnvelope(p); err == nil && string(env.method) == "initialize" {
			return "initialize cannot stand in an array"
		}
	}
	return ""
}

// carry sends an array on, unless no request in it waits for an answer. It may be
// sent again if each request may, and alone says that there is nothing else in it.
func (f *legacy) carry(c *call, calls []*call, pass [][]byte, alone bool) bool {
	c.carries, c.body, c.lane, c.safe = calls, joinArray(pass), f.tail, alone
	for _, one := range calls {
		c.safe = c.safe && one.safe
	}
	f.mu.Lock()
	c.leave()
	over := c.answered
	f.mu.Unlock()
	if over {
		c.cancel(nil)
		return false
	}
	f.spawn(c.method, func() { f.run(c) })
	return true
}

func joinArray(parts [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(parts, []byte{','})...), ']')
}
