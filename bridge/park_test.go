package bridge

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
)

// newParked makes the modern face of a remote with sessions, and a call of the
// host that waits in it for the answer to a question. It returns the token.
func newParked(t *testing.T) (*down, *downCall, string) {
	t.Helper()
	relay, err := New(Config{URL: "http://127.0.0.1:1/mcp", Protocol: ProtocolLegacy})
	if err != nil {
		t.Fatal(err)
	}
	relay.out = &lineWriter{w: io.Discard, failed: func(error) {}}
	m := newModern(context.Background(), relay)
	t.Cleanup(func() {
		m.cancel()
		m.down.up.wg.Wait()
	})
	pc := &downCall{
		method: "tools/call", host: hostCall(t, `{"name":"x"}`),
		pending: []*pendingAsk{{key: "q1", method: "roots/list"}},
	}
	m.down.park(pc)
	if pc.state == "" {
		t.Fatal("the call is not parked")
	}
	return m.down, pc, pc.state
}

func hostCall(t *testing.T, raw string) *call {
	t.Helper()
	return &call{id: []byte("1"), method: "tools/call", params: readParams([]byte(raw)), wrote: newSignal(), cancel: func(error) {}}
}

// The time for an answer runs out while the host brings it: it is the host that
// the call belongs to then, and who has to be answered.
func TestTimeIsUpAsTheHostComesBack(t *testing.T) {
	d, pc, state := newParked(t)
	d.comeBack(hostCall(t, fmt.Sprintf(`{"name":"x","requestState":%q}`, state)), logUnset)
	d.giveUp(pc, state) // the timer's, late
	d.mu.Lock()
	if pc.done { // it may be parked again by now, with the same question
		t.Error("the call was given up though the host had come back for it")
	}
	d.mu.Unlock()
	d.giveUp(pc, "")
	d.mu.Lock()
	defer d.mu.Unlock()
	if !pc.done {
		t.Error("the call was not given up when the host did not want it")
	}
}

func TestTimeIsUp(t *testing.T) {
	d, pc, state := newParked(t)
	d.giveUp(pc, state)
	d.mu.Lock()
	defer d.mu.Unlock()
	if !pc.done || len(d.parked) != 0 {
		t.Error("a call whose time is up is still parked")
	}
}

// What is kept by a name that the remote gives is small, whatever the name.
func TestLongNamesAreNotKept(t *testing.T) {
	long := strings.Repeat("x", maxName+1)
	d, _, _ := newParked(t)
	d.m.tools.learn([]Tool{{Name: long}, {Name: "short"}})
	if _, known := d.m.tools.get(long); known {
		t.Error("a tool is kept")
	}
	if _, known := d.m.tools.get("short"); !known {
		t.Error("a tool with a short name is not kept")
	}
	complete := func(id string) bool {
		env, err := scanEnvelope(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":%q}}`, id))
		if err != nil {
			t.Fatal(err)
		}
		d.fromRemote(&env, source{})
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.seen[id]
	}
	if complete(long) || !complete("short") {
		t.Error("elicitations are not kept by the length of their ids")
	}
	s := &modernSession{}
	for range 2 {
		if !s.increases(fmt.Appendf(nil, `{"progressToken":%q,"progress":1}`, long)) {
			t.Error("the progress of a long token does not pass")
		}
	}
	if len(s.progress) != 0 {
		t.Error("a progress token is kept")
	}
	leg := newModernLeg(context.Background(), d.m.Relay)
	env, err := scanEnvelope(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":%q},{"name":"short"}]}}`, long))
	if err != nil {
		t.Fatal(err)
	}
	leg.learn(&env)
	if _, kept := leg.tools[long]; kept || len(leg.tools) != 1 {
		t.Error("the headers of a tool are kept")
	}
}
