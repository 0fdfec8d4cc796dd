package bridge

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"
)

// A host may speak both eras of MCP on one pipe, message by message: a
// 2026-07-28 request says so in its _meta, everything else belongs to the
// session revisions, which begin with initialize. There is a face for each era,
// made when it is needed, and each finds out for itself what the remote
// speaks, in its own era first: a remote that speaks both is then never
// translated.
//
//	            remote: session revisions        remote: 2026-07-28
//	legacy face streamable.go, httpsse.go        legacy_modern.go (translates)
//	modern face modern_legacy.go (translates)    modern_leg.go
type faces struct {
	*Relay
	ctx    context.Context
	legacy *legacy

	mu     sync.Mutex
	modern *modern
}

func newFaces(ctx context.Context, r *Relay) *faces {
	return &faces{Relay: r, ctx: ctx, legacy: newLegacy(ctx, r)}
}

// fromHost takes one line of the host.
func (f *faces) fromHost(line []byte) {
	env, err := scanEnvelope(line)
	if err == errBatch {
		f.legacy.batchFromHost(line)
		return
	}
	if err != nil {
		if errors.Is(err, errNotRequest) && env.method == nil && (env.result != nil || env.err != nil) {
			// An answer cannot be answered: the host could take that for the
			// answer to something of its own.
			f.log.Warn("dropped an answer of the host that is no JSON-RPC response")
			return
		}
		id := env.id
		if id == nil && (errors.Is(err, errDepth) || errors.Is(err, errUTF8)) {
			id = salvageID(line) // what came before the fault may name it
		}
		if !validID(id) {
			id = nil
		}
		f.out.write(hostFailure(err).line(id))
		return
	}
	switch env.kind {
	case request:
		f.request(&env)
	case notification:
		f.notification(&env)
	case response:
		f.legacy.responseFromHost(&env)
	}
}

func (f *faces) request(env *envelope) {
	if string(env.method) == "initialize" {
		f.legacy.initialize(env)
		return
	}
	p := readParams(env.params)
	if p.version() != "" {
		f.modernFace().requestFromHost(env, &p)
		return
	}
	if f.legacy.begun() {
		f.legacy.requestFromHost(env, &p)
		return
	}
	// Without a face it is not known what the message means; the versioning
	// page warns of guessing.
	fail := &failure{code: codeInvalid, kind: kindBadRequest, text: "send initialize first, or add the _meta fields of 2026-07-28"}
	switch string(env.method) {
	case "ping": // allowed before initialize
		f.out.write(emptyResult(env.id))
		return
	case "server/discover":
		fail.code, fail.text = codeParams, "the request lacks _meta "+metaVersion
	}
	f.out.write(fail.line(env.id))
}

func (f *faces) notification(env *envelope) {
	m := f.modernOrNil()
	if string(env.method) == "notifications/cancelled" && m != nil {
		p := readParams(env.params)
		if m.cancelFromHost(&p) {
			return
		}
	}
	if f.legacy.begun() || m == nil {
		f.legacy.notificationFromHost(env)
		return
	}
	m.notificationFromHost(env)
}

func (f *faces) modernOrNil() *modern {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.modern
}

func (f *faces) modernFace() *modern {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.modern == nil {
		f.modern = newModern(f.ctx, f.Relay)
	}
	return f.modern
}

func (f *faces) isClosed() bool { return f.legacy.isClosed() }

// drain waits until no request of the host is open, at most d.
func (f *faces) drain(d time.Duration) {
	until := time.Now().Add(d)
	if m := f.modernOrNil(); m != nil {
		m.drain(d)
	}
	f.legacy.drain(max(time.Until(until), 0))
}

// close answers what is open and closes sessions at the remote, within d.
func (f *faces) close(d time.Duration) {
	var both sync.WaitGroup
	if m := f.modernOrNil(); m != nil {
		both.Go(func() { m.close(d) })
	}
	f.legacy.close(d)
	both.Wait()
}

func (f *faces) wait(d time.Duration) {
	until := time.Now().Add(d)
	f.legacy.wait(d)
	if m := f.modernOrNil(); m != nil {
		m.wait(max(time.Until(until), 0))
	}
}

// untilNone waits until nothing is open; false means that ctx ended before.
func untilNone(ctx context.Context, look func() (open int, changed <-chan struct{})) bool {
	for {
		open, changed := look()
		if open <= 0 {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// lastWords is how long answers are written for at the end: the host may have
// stopped reading.
const lastWords = 50 * time.Millisecond

// within runs fn and waits for it, at most d.
func within(d time.Duration, fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// begun reports whether the host has sent initialize.
func (f *legacy) begun() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.phase != phaseIdle
}

// modernRevision is the revision of the second era that this relay speaks by
// itself. Requests in later ones pass as well.
const modernRevision = "2026-07-28"

// isModern reports whether a revision is of the second era: they are dates.
func isModern(version string) bool {
	return len(version) == len(modernRevision) && version >= modernRevision
}

// copyOf is text of a message that has to outlive it.
func copyOf(b []byte) []byte { return bytes.Clone(b) }
