package fsx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// WriteFile replaces the content of the file at path in one step: after a
// crash or a kill at any point, the file holds the old content or the new one.
//
// Links are followed and stay links; a dangling one is filled in if its
// target's folder exists. A target that is not a regular file is an
// ErrNotRegular, one without write permission an ErrReadOnly. The mode (and,
// where permitted, the owner) of an existing file is kept; a new file has mode
// 0600. Hard links are broken, as every atomic write breaks them. The folder
// must exist.
func WriteFile(path string, data []byte) error {
	target, old, err := writeTarget(path)
	if err != nil {
		return err
	}
	return replace(target, old, data, func(tmp string) error {
		return rename(tmp, target)
	})
}

// swapWait bounds how long Swap waits for another of our processes that is
// just swapping the same file.
const swapWait = 5 * time.Second

// Swap writes data to path as WriteFile does, but only if the file still holds
// old; a nil old means that it must not exist yet. Otherwise it changes nothing
// and returns an error that is ErrChanged.
//
// Among processes that use Swap the comparison and the write are one step. A
// foreign program takes no part in our lock; against it the window is the time
// between a read and a rename.
func Swap(path string, old, data []byte) error {
	target, info, err := writeTarget(path)
	if err != nil {
		return err
	}
	lock, err := swapLock(target)
	if err != nil {
		return err
	}
	late := make(chan struct{})
	timer := time.AfterFunc(swapWait, func() { close(late) })
	defer timer.Stop()
	held, err := acquire(lock, late)
	if errors.Is(err, errBusy) {
		err = fmt.Errorf("write %s: %w", target, ErrLocked)
	}
	if err != nil {
		return err
	}
	defer held.Unlock()

	return replace(target, info, data, func(tmp string) error {
		if old == nil {
			err := renameNew(tmp, target)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s: %w", target, ErrChanged)
			}
			return err
		}
		now, err := ReadFile(target, int64(len(old)))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrTooLarge), err == nil && !bytes.Equal(now, old):
			return fmt.Errorf("%s: %w", target, ErrChanged)
		case err != nil:
			return err
		}
		return rename(tmp, target)
	})
}

// swapLock names the lock of one file. It lies with our own state, so that
// nothing of ours is left lying beside another program's file.
func swapLock(target string) (string, error) {
	dir, err := Dir("state", "locks")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(target))
	return filepath.Join(dir, "swap-"+hex.EncodeToString(sum[:8])+".lock"), nil
}

// writeTarget resolves path and checks that what is there may be replaced. The
// FileInfo is nil if nothing is there.
func writeTarget(path string) (string, os.FileInfo, error) {
	target, err := resolve(path)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return target, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	if err := regular(target, info); err != nil {
		return "", nil, err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return "", nil, fmt.Errorf("%s: %w", target, ErrReadOnly)
	}
	return target, info, nil
}

// resolve follows links to the absolute path of the file to be written, which
// need not exist; filepath.EvalSymlinks would refuse a dangling link. Folders
// are resolved by walking, not by cleaning the text: "link/../x" is not "x".
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range 40 {
		dir, base := filepath.Split(abs)
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return "", err
		}
		abs = filepath.Join(dir, base)
		info, err := os.Lstat(abs)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return abs, nil // absent: the caller finds out
		}
		link, err := os.Readlink(abs)
		if err != nil {
			return "", err
		}
		switch filepath.Base(link) {
		case ".", "..", string(filepath.Separator):
			return "", fmt.Errorf("%s is a folder: %w", path, ErrNotRegular)
		}
		if filepath.IsAbs(link) {
			abs = link
		} else {
			abs = dir + string(filepath.Separator) + link
		}
	}
	return "", fmt.Errorf("%s: too many links", path)
}

const tempMark = ".bridge-tmp-"

// replace writes data into a new file beside target and calls commit to put it
// in place. Mode and owner are set before the content is there.
func replace(target string, old os.FileInfo, data []byte, commit func(tmp string) error) (err error) {
	dir, base := filepath.Split(target)
	sweep(dir, base)
	f, err := os.CreateTemp(dir, "."+base+tempMark+"*")
	if err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	tmp := f.Name()
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(tmp)
		}
	}()
	if old != nil {
		if err := adopt(f, old); err != nil {
			return fmt.Errorf("write %s: %w", target, err)
		}
	}
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	if err := commit(tmp); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// staleAfter is far beyond the life of a temporary file whose writer lives.
const staleAfter = time.Hour

// sweep removes temporary files that a killed writer of the same file left.
func sweep(dir, base string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "."+base+tempMark) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
