package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const openNonblock = 0

const (
	// renameWait is how long a virus scanner or an indexer may hold the file.
	renameWait = 2 * time.Second

	replaceIgnoreMergeErrors = 0x2 // REPLACEFILE_IGNORE_MERGE_ERRORS

	errUnableToRemoveReplaced = windows.Errno(1175)
)

// rename puts tmp in the place of target. ReplaceFile keeps the ACL, the
// attributes and the creation time of the file it replaces; where the file
// system does not offer it, or there is nothing to replace, MoveFileEx.
func rename(tmp, target string) error {
	from, to, err := utf16Paths(tmp, target)
	if err != nil {
		return err
	}
	return retryBusy(func() error {
		if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
			return windows.MoveFileEx(from, to, windows.MOVEFILE_WRITE_THROUGH)
		}
		err := replaceFile(to, from)
		if err == nil || busy(err) {
			return err
		}
		return windows.MoveFileEx(from, to, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
	})
}

// renameNew puts tmp in place only if target does not exist.
func renameNew(tmp, target string) error {
	from, to, err := utf16Paths(tmp, target)
	if err != nil {
		return err
	}
	return retryBusy(func() error {
		return windows.MoveFileEx(from, to, windows.MOVEFILE_WRITE_THROUGH)
	})
}

func utf16Paths(a, b string) (*uint16, *uint16, error) {
	from, err := windows.UTF16PtrFromString(a)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", a, err)
	}
	to, err := windows.UTF16PtrFromString(b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", b, err)
	}
	return from, to, nil
}

func replaceFile(replaced, replacement *uint16) error {
	proc := windows.NewLazySystemDLL("kernel32.dll").NewProc("ReplaceFileW")
	ok, _, err := proc.Call(uintptr(unsafe.Pointer(replaced)), uintptr(unsafe.Pointer(replacement)),
		0, replaceIgnoreMergeErrors, 0, 0)
	if ok == 0 {
		return err
	}
	return nil
}

func busy(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) ||
		errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, errUnableToRemoveReplaced)
}

func retryBusy(try func() error) error {
	deadline := time.Now().Add(renameWait)
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		err := try()
		if err == nil || !busy(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(wait/2 + rand.N(wait/2))
	}
}

// adopt has nothing to do: ReplaceFile keeps the ACL of the replaced file.
func adopt(*os.File, os.FileInfo) error { return nil }

// syncDir has nothing to do: MOVEFILE_WRITE_THROUGH and ReplaceFile flush.
func syncDir(string) {}
