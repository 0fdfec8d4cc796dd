//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// guarding returns a guard that watches a host, which is gone when gone says so.
func guarding(t *testing.T, gone func() bool) *endGuard {
	ctx, cancel := context.WithCancel(t.Context())
	return &endGuard{ctx: ctx, cancel: cancel, gone: gone, rest: func() {}}
}

func TestGuardWatchesTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gone atomic.Bool
		g := guarding(t, gone.Load)
		done := make(chan struct{})
		go func() {
			g.watch(nil)
			close(done)
		}()
		time.Sleep(time.Hour) // of the bubble's clock
		synctest.Wait()
		if g.ctx.Err() != nil {
			t.Fatal("ended though the host lives")
		}
		gone.Store(true)
		died := time.Now()
		<-done
		if took := time.Since(died); g.ctx.Err() == nil || took > hostEvery {
			t.Errorf("noticed after %v, ctx %v", took, g.ctx.Err())
		}
	})
}

func TestGuardEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guarding(t, func() bool { return false })
		g.cancel()
		g.watch(nil)
	})
}

// What is left for later comes once, when the start is over.
func TestGuardKnowsWhenTheStartIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rested []time.Duration
		began := time.Now()
		g := guarding(t, nil)
		g.rest = func() { rested = append(rested, time.Since(began)) }
		time.AfterFunc(time.Minute, g.cancel)
		g.watch(nil)
		if len(rested) != 1 || rested[0] != settled {
			t.Errorf("rested after %v", rested)
		}
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
}

// What is written to the host is written by a process that has taken the
// signals, however soon after its start.
func TestWriteWaitsForTheSignals(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := newEndGuard(ctx, cancel, func() {})
	defer signal.Reset(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) // who runs the tests may end them
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
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // it was only read
	ctx, cancel := context.WithCancel(t.Context())
	g := newEndGuard(ctx, cancel, func() {})
	defer signal.Reset(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer g.wait()
	defer cancel()
	read := make(chan string)
	go func() {
		said, _ := io.ReadAll(guardedReader{r, g})
		read <- string(said)
	}()
	<-g.held
	if _, err := w.WriteString("late"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if said := <-read; said != "late" {
		t.Errorf("read %q", said)
	}
}

// A host that has spoken already is heard first.
func TestGuardWaitsWhileTheHostSpeaks(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // all was written
	defer r.Close() //nolint:errcheck // it was only read
	if _, err := w.WriteString("early"); err != nil {
		t.Fatal(err)
	}
	g := guarding(t, nil)
	if n, err := (guardedReader{r, g}).Read(make([]byte, 10)); n != 5 || err != nil || g.begun.Load() {
		t.Errorf("read %d, %v, begun %v", n, err, g.begun.Load())
	}
}

// A start that fails at once takes no signals, and leaves nothing behind.
func TestGuardThatNeverBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := newEndGuard(ctx, cancel, func() {})
	cancel()
	g.wait()
	if _, err := (guardedWriter{io.Discard, g}).Write([]byte("{}")); err != nil {
		t.Error(err)
	}
	g.begin() // a request may be late
}

// A reader of stdout or stderr that has gone is an error, and not the end of serve.
func TestStreamsAreSetApart(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // nothing was written
	own := apart(w)
	defer own.Close() //nolint:errcheck // likewise
	if own == w || own.Fd() <= uintptr(syscall.Stderr) {
		t.Fatalf("number %d", own.Fd())
	}
	if flags, err := unix.FcntlInt(own.Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %x, %v: a child inherits it", flags, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := own.WriteString("{}"); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v", err)
	}
}

// A trace can be watched through a pipe. Whoever stopped watching stopped the
// conversation, and the end of stdin was not seen.
func TestTraceThatNobodyReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // nothing was written
	o := serveOptions{target: "https://mcp.example.com/mcp", trace: path}
	cfg, closeTrace, err := o.config(&app{streams: newStreams(os.Stdin, os.Stdout, os.Stderr)})
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range 10 {
			_, _ = cfg.Trace.Write(make([]byte, 1<<18))
		}
	}()
	select {
	case <-written:
	case <-time.After(10 * time.Second):
		t.Error("it waits for the trace")
	}
	closeTrace()
}
