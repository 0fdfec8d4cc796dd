package bridge

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// At the end of stdin a call is waited for whatever subscriptions there are: one that
// has just ended does not stand for it.
func TestDrainWaitsBesideEndedSubscriptions(t *testing.T) {
	relay, err := New(Config{URL: "http://127.0.0.1:1/mcp", Protocol: ProtocolModern})
	if err != nil {
		t.Fatal(err)
	}
	m := newModern(context.Background(), relay)
	defer m.cancel()
	c, over := &call{key: "1"}, &call{key: "2"}
	m.inflight[c.key] = c
	m.listens[over] = &listen{call: over}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		m.drain(10 * time.Second)
	}()
	select {
	case <-drained:
		t.Fatal("a call is open, and was not waited for")
	case <-time.After(50 * time.Millisecond):
	}
	m.finish(c)
	select {
	case <-drained:
	case <-time.After(5 * time.Second):
		t.Error("nothing is open, and it is waited for")
	}
}

// An initialize that comes while the relay ends is answered like any other request.
func TestInitializeAtTheEndIsAnswered(t *testing.T) {
	relay, err := New(Config{URL: "http://127.0.0.1:1/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	relay.out = &lineWriter{w: out, failed: func(error) {}}
	face := newFaces(context.Background(), relay)
	face.close(0)
	face.fromHost([]byte(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`))
	if got := out.String(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"i","error":`) {
		t.Errorf("got %q", got)
	}
}
