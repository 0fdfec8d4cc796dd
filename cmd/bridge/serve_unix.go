//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// parentEvery is how often serve looks whether its host is still there, and
// still listens.
const parentEvery = time.Second

// watchParent calls cancel when the process has another parent than first: the
// host has died, and somebody else may hold its end of stdin open. It does the same when
// nobody reads stdout any more, which a write would tell, but there may be
// nothing to write for a long time. It returns when ctx ends.
func watchParent(ctx context.Context, first int, cancel func()) {
	watchParentBy(ctx, first, os.Getppid, func() bool { return unread(syscall.Stdout) }, cancel)
}

// unread tells whether the other end of a pipe or socket is closed. It asks and
// does not wait.
func unread(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd)}} // POLLERR and POLLHUP need not be asked for
	n, err := unix.Poll(p, 0)
	return err == nil && n > 0 && p[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

func watchParentBy(ctx context.Context, first int, parent func() int, unread func() bool, cancel func()) {
	tick := time.NewTicker(parentEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if parent() != first || unread() {
				cancel()
				return
			}
		}
	}
}

// notifySignals has got told of what ends serve. A write to a closed pipe is not
// to end it at all: it is an error like others, and there is a session to close.
// Children are not concerned, since a handled signal has its usual meaning in
// them.
func notifySignals(got chan<- os.Signal) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // which nobody reads
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}
