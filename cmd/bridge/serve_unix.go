//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// parentEvery is how often serve looks whether its host is still there.
const parentEvery = time.Second

// watchParent calls cancel when the process gets another parent: the host has
// died, and somebody else may hold its end of stdin open. It returns when ctx
// ends.
func watchParent(ctx context.Context, cancel func()) {
	watchParentBy(ctx, os.Getppid, cancel)
}

func watchParentBy(ctx context.Context, parent func() int, cancel func()) {
	first := parent()
	tick := time.NewTicker(parentEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if parent() != first {
				cancel()
				return
			}
		}
	}
}

// holdSignals keeps later signals from ending the process with their own
// status, and a write to a closed pipe from ending it at all: it is an error
// like others, and there is a session to close. Nobody reads the channel.
// Children are not concerned, since a handled signal has its usual meaning in
// them.
func holdSignals() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}
