//go:build unix

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"bridge/internal/sandbox"
)

// The log beside the file holds what the file does, and is for the same eyes,
// whatever is in the path.
func TestDataIsForItsOwnerAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a +&=%20?#ü.db")
	start(t, sandbox.Options{Data: file})
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// A full disk was told in SQLite's words, "disk I/O error", and with a complaint
// about a transaction below. A limit of the process stands for it here, and
// fails at the same calls.
func TestNoRoomForTheDataIsSaid(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) //nolint:errcheck // it was the limit before
	for _, room := range []uint64{0, 4 << 10, 40 << 10, 200 << 10} {
		less := limit
		less.Cur = room
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less); err != nil {
			t.Fatal(err)
		}
		s, err := sandbox.Start(t.Context(), sandbox.Options{Data: filepath.Join(t.TempDir(), "cards.db")})
		if !errors.Is(err, sandbox.ErrNoRoom) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
		if err == nil {
			_ = s.Close() // it has been said that this went wrong
		}
	}
}
