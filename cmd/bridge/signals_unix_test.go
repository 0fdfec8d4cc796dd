//go:build unix

package main

import (
	"context"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Under nohup a hangup ends nothing. It is sent before the signal that does,
// and is the first to be delivered.
func TestNohup(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	ctx, stop := withSignals(t.Context())
	defer stop()
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("SIGTERM was not taken")
	}
	if why := context.Cause(ctx).Error(); !strings.Contains(why, "terminated") {
		t.Errorf("ended by %q", why)
	}
}
