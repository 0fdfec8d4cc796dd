//go:build unix

package main

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatchParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var parent atomic.Int64
		parent.Store(42)
		done := make(chan struct{})
		go func() {
			watchParentBy(ctx, func() int { return int(parent.Load()) }, cancel)
			close(done)
		}()
		time.Sleep(time.Hour) // of the bubble's clock
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("ended though the parent lives")
		}
		parent.Store(1)
		died := time.Now()
		<-done
		if took := time.Since(died); ctx.Err() == nil || took > parentEvery {
			t.Errorf("noticed after %v, ctx %v", took, ctx.Err())
		}
	})
}

func TestWatchParentEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			watchParentBy(ctx, func() int { return 42 }, func() { t.Error("cancelled") })
			close(done)
		}()
		cancel()
		<-done
	})
}
