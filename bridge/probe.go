package bridge

import (
	"context"
	"fmt"
	"time"
)

// Finding out what the remote speaks. Each face asks in its own era first; the
// other era is tried when the answer says that this one is not spoken there,
// and never because of one error code alone: servers in the wild answer
// server/discover with 200 {}, with only legacy revisions, with -32022 naming
// only legacy revisions, with 404 in plain text, with 400 -32000, with 500, and
// with silence.

// verdict is what an answer to server/discover says.
type verdict uint8

const (
	speaksModern  verdict = iota
	speaksLegacy          // or does not know the method
	cannotTell            // no answer of MCP: a network failure, a sign-in
	refusesModern         // it is modern and did not like the request
)

// judge reads an answer to server/discover.
func judge(a answer) verdict {
	switch {
	case a.result != nil:
		raw := find(a.result, "supportedVersions")
		versions, ok := readVersions(raw)
		if !ok {
			return speaksLegacy
		}
		if mutualVersion(versions) != "" {
			return speaksModern
		}
		for _, v := range versions {
			if isModern(v) {
				return speaksModern // not ours, but it will say what it wants
			}
		}
		return speaksLegacy
	case a.err != nil:
		switch errorCode(a.err) {
		case codeVersion:
			for _, v := range supported(a.err) {
				if isModern(v) {
					return refusesModern
				}
			}
		case codeHeaderMismatch, codeCapability:
			return refusesModern
		}
		return speaksLegacy
	}
	if a.fail != nil && aboutTheWay(a.fail) {
		return cannotTell
	}
	return speaksLegacy
}

// findOut settles the remote's era with the first request, whatever that is;
// others wait for it.
func (m *modern) findOut(c *call) (era, *failure) {
	for {
		m.mu.Lock()
		if m.era != eraUnknown {
			e := m.era
			m.mu.Unlock()
			return e, nil
		}
		if !m.probing {
			m.probing = true
			m.mu.Unlock()
			break
		}
		changed := m.changed
		m.mu.Unlock()
		select {
		case <-changed:
		case <-c.ctx.Done():
			return eraUnknown, &failure{kind: kindShutdown, text: "the request was ended"}
		}
	}
	e, fail := m.probe(c)
	m.mu.Lock()
	m.probing = false
	m.era = e
	if e == eraLegacy {
		m.becomeLegacy()
	}
	m.wake()
	m.mu.Unlock()
	return e, fail
}

// probe asks for server/discover. A remote that is not there is tried again
// for a while, as at the start of a session.
func (m *modern) probe(c *call) (era, *failure) {
	if m.takeRecalled() {
		return eraLegacy, nil // unless it refuses a session: reconsider
	}
	until := time.Now().Add(m.cfg.Timeouts.Initialize)
	for n := 0; ; n++ {
		a, _ := m.leg.discover(c.ctx, c.params.version(), bareMeta(c.params.meta))
		switch judge(a) {
		case speaksModern, refusesModern:
			m.remember(ProtocolModern)
			return eraModern, nil
		case speaksLegacy: // to be remembered when it has shown it: settled
			m.mu.Lock()
			m.unsure = a.fail != nil && !a.fail.sure()
			m.mu.Unlock()
			return eraLegacy, nil
		}
		wait := min(jitter(firstWait*time.Duration(pow3(n))), connectPause)
		if !a.fail.retryable && !a.fail.wait || time.Now().Add(wait).After(until) {
			return eraUnknown, a.fail
		}
		if !sleepFor(c.ctx, wait) {
			return eraUnknown, &failure{kind: kindShutdown, text: "the request was ended"}
		}
	}
}

// takeRecalled reports whether the remote is remembered to be a legacy one, once.
func (m *modern) takeRecalled() bool {
	if m.cfg.Transparent {
		return false // a host is sent back to sessions by evidence only
	}
	crossed, first := m.recalled.recall(m.Relay, ProtocolModern)
	if !crossed || !first {
		return false
	}
	m.mu.Lock()
	m.fromMemory = true
	m.mu.Unlock()
	return true
}

// reconsider forgets what the probe, or the memory, made of the remote: what
// followed from it did not work, so the next request asks. It reports whether
// that may be the same request, because nobody asked when it came.
func (m *modern) reconsider() (again bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cfg.Protocol == ProtocolAuto && m.era == eraLegacy && !m.down.isReady() {
		m.era, m.doubted = eraUnknown, true
	}
	return m.fromMemory
}

// trusting reports whether the remote counts as a legacy one by memory alone.
func (m *modern) trusting() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fromMemory && !m.doubted
}

// settled keeps for the next start that the remote made a session, unless it is
// in doubt that it could not have done without.
func (m *modern) settled() {
	if !m.inDoubt() {
		m.remember(ProtocolLegacy)
	}
}

// inDoubt reports whether the remote was taken for a legacy one by an answer that
// may have been about its health.
func (m *modern) inDoubt() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unsure
}

func (m *modern) remember(remote Protocol) {
	m.spawn("remember", func() { m.recalled.remember(m.Relay, ProtocolModern, remote) })
}

// becomeLegacy makes the translator; m.mu is held, or m is not shared yet.
func (m *modern) becomeLegacy() {
	m.era = eraLegacy
	if m.down == nil {
		m.down = newDown(m)
	}
}

// discoverForLegacy asks a remote that refused initialize whether it is a
// modern one. It returns the DiscoverResult and the revision to speak.
func (f *legacy) discoverForLegacy(ctx context.Context, leg *modernLeg, meta []byte) (result []byte, version string, v verdict, fail *failure) {
	a, version := leg.discover(ctx, modernRevision, meta)
	switch v = judge(a); {
	case v == speaksModern:
		return a.result, version, v, nil
	case v == refusesModern:
		fail = &failure{kind: kindBadResponse, text: "the server refused to say what it offers", raw: a.err}
	case a.fail != nil:
		fail = a.fail
	default:
		fail = &failure{kind: kindBadResponse, text: "the server does not speak 2026-07-28", err: errNotModern}
	}
	return nil, "", v, fail
}

// handshakeRecalled asks a remote first that is remembered to be a modern one.
// It returns nothing when it is not, is no longer, or is not only that.
func (f *legacy) handshakeRecalled(ctx context.Context, body []byte) (*session, []byte, *failure) {
	if crossed, _ := f.recalled.recall(f.Relay, ProtocolLegacy); !crossed {
		return nil, nil, nil
	}
	soon, stop := context.WithTimeout(ctx, hasty)
	defer stop()
	sess, line, v, fail := f.askModern(soon, body)
	switch {
	case fail == nil && !sess.modern.both:
		return sess, line, nil
	case fail == nil:
		sess.cancel()
	case v == cannotTell && soon.Err() == nil:
		return nil, nil, fail
	}
	return nil, nil, nil
}

// learn takes note of a modern remote: that it refused a session for the reason,
// if there was one, and made do without. One that names session revisions
// nevertheless, or may have been about to fall over, is asked again next time.
func (s *session) learn(refused *failure) {
	if !s.modern.both && (refused == nil || refused.sure()) {
		s.learned = ProtocolModern
	}
}

// metaFor is the _meta that requests on behalf of a legacy host carry: it says
// of the host what the host said of itself.
func metaFor(version string, initialize []byte) []byte {
	env, _ := scanEnvelope(initialize) // it was scanned when it came
	info := find(env.params, "clientInfo")
	if !isObject(info) {
		info = []byte(`{"name":"bridge","version":"1"}`)
	}
	caps := find(env.params, "capabilities")
	asked := find(env.params, "protocolVersion")
	return fmt.Appendf(nil, `{%q:%q,%q:%s,%q:%s}`, metaVersion, version, metaClientInfo, info, metaCapabilities, modernCapabilities(caps, string(unquote(asked))))
}

// hostCapabilities are those that a host may have in both eras.
var hostCapabilities = [...]string{"roots", "sampling", "elicitation", "experimental", "extensions"}

// modernCapabilities are a legacy host's capabilities as a modern remote reads
// them.
func modernCapabilities(caps []byte, version string) []byte {
	if !isObject(caps) {
		return []byte("{}")
	}
	out := []byte("{}")
	set := func(name string, v []byte) {
		if next, err := withMember(out, name, v); err == nil {
			out = next
		}
	}
	for _, name := range hostCapabilities {
		v := find(caps, name)
		if !isObject(v) {
			continue
		}
		switch {
		case name == "roots", name == "elicitation" && version <= "2025-06-18":
			v = []byte("{}")
		case name == "extensions":
			v = without(v, "io.modelcontextprotocol/tasks")
		}
		set(name, v)
	}
	return out
}

// sleepFor waits d; false means that ctx ended first.
func sleepFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
