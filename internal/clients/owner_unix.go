//go:build unix

package clients

import (
	"io/fs"
	"os"
	"syscall"
)

// checkOwner refuses a file that belongs to another user: an edit would leave
// it with ours, or its owner has a reason to keep us out. Root edits for whom
// it likes, and the owner is kept.
func checkOwner(path string, uid int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != uid && uid != 0 {
		return ErrForeign
	}
	return nil
}

// openToOthers reports whether every user may write the file.
func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }
