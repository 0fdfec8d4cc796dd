package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeRoom is how much of an answer stdout takes before the host has read any
// of it: what the kernel allows without privileges (pipe(7)).
const pipeRoom = 1 << 20

// widen gives a pipe more room. A large answer is then written while the host
// reads, with a tenth of the changes between the two. It does nothing for what
// is no pipe, or where the kernel has already given the user enough.
func widen(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, pipeRoom) // or it stays as it was
}
