//go:build unix

package fsx

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"syscall"
)

// DefaultHome returns what Home returns while BRIDGE_HOME is not set.
func DefaultHome() (string, error) {
	home := os.Getenv("HOME")
	if home == "" { // a service may be started without it
		if u, err := user.Current(); err == nil {
			home = u.HomeDir
		}
	}
	if !filepath.IsAbs(home) {
		return "", errNoHome
	}
	return filepath.Join(home, ".config", "bridge"), nil
}

// CheckPrivate returns an error that is ErrTooOpen when the file or folder at
// path can be read or written by users other than its owner, or when it
// belongs to another user. It follows links. A path that does not exist is an
// fs.ErrNotExist. On Windows it returns nil: the profile folder's ACL is
// inherited there, and mode bits mean nothing.
func CheckPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		return fmt.Errorf("%s has mode %04o, should be %04o: %w", path, perm, want, ErrTooOpen)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && os.Geteuid() != 0 {
		return fmt.Errorf("%s belongs to another user: %w", path, ErrTooOpen)
	}
	return nil
}
