//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hostGone returns what tells whether the host is gone. The process then has
// another parent: the host has died, and somebody else may hold its end of stdin
// open. Or nobody reads stdout any more, which a write would tell, but there may
// be nothing to write for a long time.
func hostGone() func() bool {
	parent := os.Getppid()
	return func() bool { return os.Getppid() != parent || unread(syscall.Stdout) }
}

// unread tells whether the other end of a pipe or socket is closed. It asks and
// does not wait.
func unread(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd)}} // POLLERR and POLLHUP need not be asked for
	n, err := unix.Poll(p, 0)
	return err == nil && n > 0 && p[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// whenSilent waits until f can be read, but not longer than d: then it calls do.
// It waits as the read would. A timer would cost a start another thread, since one
// of those that have nothing to do has to look after it.
func whenSilent(f *os.File, d time.Duration, do func()) {
	readable := false
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(p, int(d/time.Millisecond))
			readable = err == nil && n > 0
		})
	}
	if !readable {
		do()
	}
}

// notifySignals has got told of what ends serve. Children are not concerned,
// since a handled signal has its usual meaning in them.
func notifySignals(got chan<- os.Signal) {
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}

// apart returns f, which is stdout or stderr, under a number of its own that no
// child inherits. On theirs a write to a closed pipe ends a Go program (os/signal,
// SIGPIPE), on others it is an error like others: it is not to end serve, which
// has a session to close. f itself stays as it is.
func apart(f *os.File) *os.File {
	own := -1
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { // Fd would make it block
			own, _ = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, syscall.Stderr+1)
		})
	}
	if own < 0 {
		return f
	}
	return os.NewFile(uintptr(own), f.Name())
}
