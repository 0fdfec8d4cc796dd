package bridge

import (
	"context"
	"testing"
)

// A countingContext counts what hangs on it until it ends.
type countingContext struct {
	context.Context
	done chan struct{}
	open int
}

func (c *countingContext) Done() <-chan struct{} { return c.done }

func (c *countingContext) AfterFunc(func()) (stop func() bool) {
	c.open++
	return func() bool { c.open--; return true }
}

// A host may go on with an id that is in use for as long as the relay runs.
func TestRefusedRequestsLeaveNothing(t *testing.T) {
	relay, err := New(Config{URL: "http://127.0.0.1:1/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	f := newLegacy(context.Background(), relay)
	defer f.cancel()
	held := &countingContext{Context: context.Background(), done: make(chan struct{})}
	f.ctx, f.phase = held, phaseUp
	env, err := scanEnvelope([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	p := readParams(env.params)
	c, fail := f.admit(&env, &p, nil, nil)
	if fail != nil {
		t.Fatal(fail)
	}
	if held.open != 1 {
		t.Fatalf("%d contexts for one request", held.open)
	}
	for range 3 {
		if _, fail := f.admit(&env, &p, nil, nil); fail == nil {
			t.Fatal("an id that is in use was taken")
		}
	}
	c.cancel(nil)
	if held.open != 0 {
		t.Errorf("%d contexts are left of refused requests", held.open)
	}
}
