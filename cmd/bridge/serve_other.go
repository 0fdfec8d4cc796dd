//go:build !unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// hostGone is nil: a process is told of its parent's death by the end of stdin,
// and by nothing else.
func hostGone() func() bool { return nil }

// whenSilent calls do after d, whatever comes from f until then.
func whenSilent(_ *os.File, d time.Duration, do func()) { time.AfterFunc(d, do) }

// notifySignals has got told of what ends serve.
func notifySignals(got chan<- os.Signal) { signal.Notify(got, os.Interrupt, syscall.SIGTERM) }

// apart returns f: no signal comes with a closed pipe.
func apart(f *os.File) *os.File { return f }
