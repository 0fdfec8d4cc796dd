//go:build unix

package sandbox_test

import (
	"os"
	"path/filepath"
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
