//go:build unix

package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// limited says that this is the process whose files may not grow.
const limited = "BRIDGE_TEST_LIMITED"

// A full disk was told in SQLite's words, "disk I/O error", and with a complaint
// about a transaction below. A limit stands for it here, and fails at the same
// calls. It is one of a process, so that has to be another one.
func TestNoRoomForTheDataIsSaid(t *testing.T) {
	if os.Getenv(limited) != "" {
		noRoom(t)
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNoRoomForTheDataIsSaid$", "-test.v")
	c.Env = append(os.Environ(), limited+"=1")
	if out, err := c.CombinedOutput(); err != nil || strings.Count(string(out), "--- PASS") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

func noRoom(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	for _, room := range []uint64{0, 4 << 10, 40 << 10, 200 << 10} {
		limit.Cur = room
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
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
