//go:build unix

package fsx

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const openNonblock = syscall.O_NONBLOCK

func rename(tmp, target string) error { return os.Rename(tmp, target) }

// renameNew puts tmp in place only if target does not exist. A link is the one
// portable call that refuses to replace; file systems without links get a
// check and a rename.
func renameNew(tmp, target string) error {
	err := os.Link(tmp, target)
	if err == nil {
		return os.Remove(tmp)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(target); err == nil {
		return fs.ErrExist
	}
	return os.Rename(tmp, target)
}

// adopt gives f the owner and mode of the file it will replace. If the group
// cannot be kept, its rights are not handed to another group.
func adopt(f *os.File, old os.FileInfo) error {
	mode := old.Mode().Perm()
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		mine, ok := info.Sys().(*syscall.Stat_t)
		if ok && (mine.Uid != st.Uid || mine.Gid != st.Gid) {
			if f.Chown(int(st.Uid), int(st.Gid)) != nil && f.Chown(-1, int(st.Gid)) != nil {
				mode &^= 0o070
			}
		}
	}
	return f.Chmod(mode)
}

// syncDir makes the rename itself durable. Some file systems refuse to sync a
// folder; the content is safe by then, so that is no error.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
