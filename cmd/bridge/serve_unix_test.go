//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync/atomic"
	"syscall"
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
			watchParentBy(ctx, 42, func() int { return int(parent.Load()) }, func() bool { return false }, cancel)
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
			watchParentBy(ctx, 42, func() int { return 42 }, func() bool { return false }, func() { t.Error("cancelled") })
			close(done)
		}()
		cancel()
		<-done
	})
}

// A host that had stopped reading was noticed only when there was something to
// write: after the interim answer, up to 20 seconds later.
func TestClosedStdoutIsNoticedWithoutWriting(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // nothing was written
	fd := int(w.Fd())
	if unread(fd) {
		t.Error("unread though somebody may read")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if !unread(fd) {
		t.Error("nobody can read, and it was not noticed")
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		watchParentBy(ctx, 42, func() int { return 42 }, func() bool { return true }, cancel)
		if ctx.Err() == nil {
			t.Error("not ended")
		}
	})
}

// What is written to the host is written by a process that has taken the
// signals, however soon after its start.
func TestWriteWaitsForTheSignals(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := newEndGuard(ctx, cancel)
	defer g.wait()
	defer cancel()
	var out bytes.Buffer
	if _, err := (guardedWriter{&out, g}).Write([]byte("{}")); err != nil || out.String() != "{}" {
		t.Fatalf("wrote %q, %v", &out, err)
	}
	// This ends the test's own process if it is not taken.
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}

// Nobody may ever ask or be answered.
func TestSignalsAreTakenWithoutARequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := newEndGuard(ctx, cancel)
	defer g.wait()
	defer cancel()
	<-g.held
}

// A start that fails at once takes no signals, and leaves nothing behind.
func TestGuardThatNeverBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := newEndGuard(ctx, cancel)
	cancel()
	g.wait()
	if _, err := (guardedWriter{io.Discard, g}).Write([]byte("{}")); err != nil {
		t.Error(err)
	}
	g.begin() // the timer may be late
}
