package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/ncruces/go-sqlite3"
)

// ErrNoRoom is what Start returns where the data cannot grow: the disk is full,
// or a limit that is set for the user is reached.
var ErrNoRoom = errors.New("no room left")

// noRoom adds ErrNoRoom to the reason of a failed start where it applies. SQLite
// says no more than "disk I/O error" then, so a file beside the data is tried
// in its place.
func noRoom(reason error, data string) error {
	full := errors.Is(reason, sqlite3.FULL) || isNoRoom(reason)
	if errors.Is(reason, sqlite3.IOERR) && data != memory {
		full = full || isNoRoom(tryRoom(filepath.Dir(data)))
	}
	if full {
		return fmt.Errorf("%w: %w", ErrNoRoom, reason)
	}
	return reason
}

// tryRoom writes as much as SQLite writes at once, and takes it away again.
func tryRoom(dir string) error {
	f, err := os.CreateTemp(dir, ".room-*")
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{1}, 1<<20))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

// isNoRoom knows the errors of the system, which package fs does not name.
func isNoRoom(err error) bool {
	var n syscall.Errno
	if runtime.GOOS == "windows" && errors.As(err, &n) {
		return n == 39 || n == 112 // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
