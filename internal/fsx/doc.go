// Package fsx is how bridge touches the file system: where its own folders
// are, bounded reads, atomic writes, compare-and-swap for files other programs
// own, and a lock between processes.
//
// It refuses what turns a small mistake into a hang or a loss: reading
// anything but a regular file, reading without a bound, writing through a
// device or a FIFO, replacing a file that was marked read-only, waiting for a
// lock without a deadline. It never unlinks a lock file, because a process that
// still waits on the old inode would then share the lock with one that made a
// new one.
//
// It is a leaf: it imports nothing else of this module. All functions may be
// called from many goroutines at once.
package fsx

import "errors"

var (
	// ErrNotRegular: the path is a folder, a FIFO, a socket or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: the file is longer than the caller's bound.
	ErrTooLarge = errors.New("file is too large")
	// ErrChanged: the file is no longer what the caller read.
	ErrChanged = errors.New("file was changed by another program")
	// ErrReadOnly: the file has no write permission for its owner. An atomic
	// write would replace it all the same, against what its owner asked for.
	ErrReadOnly = errors.New("file is marked read-only")
	// ErrLocked: another process or goroutine held the lock until the deadline.
	ErrLocked = errors.New("locked by another process")
	// ErrTooOpen: other users of the machine may read or write the path.
	ErrTooOpen = errors.New("readable or writable by other users")
)
