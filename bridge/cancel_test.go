package bridge

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// A cancelled request is let go of after a while though the remote cannot be told:
// what it holds, a connection among others, would be held for good.
func TestCancelledIsLetGoUntold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		relay, err := New(Config{URL: "http://127.0.0.1:1/mcp"})
		if err != nil {
			t.Fatal(err)
		}
		defer relay.crew.dismiss()
		f := newLegacy(context.Background(), relay)
		defer f.wg.Wait()
		defer f.cancel()
		f.phase = phaseUp
		env, err := scanEnvelope([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`))
		if err != nil {
			t.Fatal(err)
		}
		p := readParams(env.params)
		c, fail := f.admit(&env, &p, nil, nil)
		if fail != nil {
			t.Fatal(fail)
		}
		c.wrote.fire()
		f.phase = phaseBroken
		cancelled, err := scanEnvelope([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		if err != nil {
			t.Fatal(err)
		}
		f.cancelFromHost(&cancelled)
		time.Sleep(cancelGrace + time.Millisecond) // of the bubble's clock
		synctest.Wait()
		if c.ctx.Err() == nil {
			t.Error("the request is held on to")
		}
	})
}

// A remote that takes no word of a cancellation does not keep the call of a modern
// host, nor what that holds.
func TestCancelledIsLetGoUnheard(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	remote := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer remote.Close()
	defer close(hang)
	relay, err := New(Config{URL: remote.URL, Protocol: ProtocolLegacy})
	if err != nil {
		t.Fatal(err)
	}
	defer relay.crew.dismiss()
	m := newModern(context.Background(), relay)
	d := m.down
	defer d.up.wg.Wait()
	defer m.cancel()
	u := &call{id: []byte("1"), key: "1", wrote: newSignal(), sess: d.up.newSession(legStreamable)}
	u.ctx, u.cancel = context.WithCancelCause(d.up.ctx)
	u.wrote.fire()
	pc := &downCall{up: u}
	d.calls[u] = pc
	d.giveUp(pc, "")
	select {
	case <-u.ctx.Done():
	case <-time.After(2 * cancelGrace):
		t.Error("the request is held on to")
	}
}
