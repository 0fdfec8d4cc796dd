package bridge

import (
	"sync"
	"time"
)

// What the era of the remote is costs a request to find out when it is not the
// host's: the host's own is asked for first. So what was found is remembered
// between starts (Config.RecallEra), each era of a host for itself, and it is
// no more than an advice:
//
//	legacy face  asks server/discover first. Does the remote not know it, or does
//	             it name session revisions beside its own, the usual order follows.
//	modern face  makes a session at once. If the remote refuses it, it is asked
//	             with server/discover, and the same request goes on.
//
// A remote that is away, or wants a sign-in, refutes nothing. Only what is sure is
// remembered: not what a remote said that was about to fall over.
type recalledEra struct {
	mu      sync.Mutex
	asked   bool
	crossed bool // it is remembered that the remote is of the other era
}

// hasty is how long a remote of which it is remembered that it is modern may
// take to say so, before it is asked in the usual order.
const hasty = 3 * time.Second

// other is the other era.
func (p Protocol) other() Protocol {
	if p == ProtocolLegacy {
		return ProtocolModern
	}
	return ProtocolLegacy
}

// recall reports whether the remote is remembered to be of the other era, and
// whether it was asked for the first time.
func (e *recalledEra) recall(r *Relay, host Protocol) (crossed, first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	first = !e.asked
	e.asked = true
	if first && r.cfg.Protocol == ProtocolAuto && r.cfg.RecallEra != nil {
		e.crossed = r.cfg.RecallEra(host) == host.other()
	}
	return e.crossed, first
}

// remember tells what was found, if that is news: the host's own era is what is
// supposed without it.
func (e *recalledEra) remember(r *Relay, host, remote Protocol) {
	crossed := remote == host.other()
	e.mu.Lock()
	news := e.crossed != crossed
	e.crossed = crossed
	e.mu.Unlock()
	if news && r.cfg.Protocol == ProtocolAuto && r.cfg.RememberEra != nil {
		r.cfg.RememberEra(host, remote)
	}
}

// sure reports whether a failure to ask in one era says that the remote has not
// got it: not when it may be about the remote's health.
func (f *failure) sure() bool {
	switch f.status {
	case 408, 429:
		return false
	}
	return f.status < 500 && !aboutTheWay(f) && (f.raw == nil || errorCode(f.raw) != codeInternal)
}

// aboutTheWay reports whether a failure is about the way to the remote, the
// credential or the host: it says nothing of the remote's era.
func aboutTheWay(f *failure) bool {
	switch f.kind {
	case kindUnauthorized, kindForbidden:
		return true
	case kindUnreachable, kindShutdown:
		return !f.silent
	}
	return false
}
