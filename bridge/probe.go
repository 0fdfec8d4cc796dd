package bridge

import (
	"context"
	"encoding/json"
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
		raw, _ := find(a.result, "supportedVersions")
		var versions []string
		if json.Unmarshal(raw, &versions) != nil {
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
	switch fail := a.fail; {
	case fail == nil:
		return speaksLegacy
	case fail.kind == kindUnauthorized || fail.kind == kindForbidden:
		return cannotTell
	case fail.kind == kindUnreachable && !fail.silent:
		return cannotTell
	case fail.kind == kindShutdown && !fail.silent:
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
	until := time.Now().Add(m.cfg.Timeouts.Initialize)
	for n := 0; ; n++ {
		a, _ := m.leg.discover(c.ctx, c.params.version(), bareMeta(c.params.meta))
		switch judge(a) {
		case speaksModern, refusesModern:
			return eraModern, nil
		case speaksLegacy:
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

// doubt forgets what the probe made of the remote: what followed from it did not
// work, so the next request asks again.
func (m *modern) doubt() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cfg.Protocol == ProtocolAuto && m.era == eraLegacy && !m.down.isReady() {
		m.era = eraUnknown
	}
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
func (f *legacy) discoverForLegacy(ctx context.Context, leg *modernLeg, meta []byte) (result []byte, version string, fail *failure) {
	a, version := leg.discover(ctx, modernRevision, meta)
	switch judge(a) {
	case speaksModern:
		return a.result, version, nil
	case refusesModern:
		return nil, "", &failure{kind: kindBadResponse, text: "the server refused to say what it offers", raw: a.err}
	}
	if a.fail != nil {
		return nil, "", a.fail
	}
	return nil, "", &failure{kind: kindBadResponse, text: "the server does not speak 2026-07-28", err: errNotModern}
}

// metaFor is the _meta that requests on behalf of a legacy host carry: it says
// of the host what the host said of itself.
func metaFor(version string, initialize []byte) []byte {
	env, _ := scanEnvelope(initialize) // it was scanned when it came
	info, _ := find(env.params, "clientInfo")
	if !isObject(info) {
		info = []byte(`{"name":"bridge","version":"1"}`)
	}
	caps, _ := find(env.params, "capabilities")
	asked, _ := find(env.params, "protocolVersion")
	return fmt.Appendf(nil, `{%q:%q,%q:%s,%q:%s}`, metaVersion, version, metaClientInfo, info, metaCapabilities, modernCapabilities(caps, string(unquote(asked))))
}

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
	for _, name := range []string{"roots", "sampling", "elicitation", "experimental", "extensions"} {
		v, _ := find(caps, name)
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
