package fsx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

const openNonblock = 0

// renameWait is how long a virus scanner or an indexer may hold the file.
const renameWait = 2 * time.Second

// rename puts tmp in the place of target, which is one step for MoveFileEx. It
// is two renames for ReplaceFile: whoever is killed between them leaves no file,
// and whoever reads between them finds none.
func rename(tmp, target string) error {
	from, to, err := utf16Paths(tmp, target)
	if err != nil {
		return err
	}
	return retryBusy(func() error {
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

func busy(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) ||
		errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

func retryBusy(try func() error) error {
	deadline := time.Now().Add(renameWait)
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 25*time.Millisecond) {
		err := try()
		if err == nil || !busy(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(wait/2 + rand.N(wait/2))
	}
}

// adopt gives f the access list and the attributes of the file it will replace,
// before anything is in it. What is inherited, f has from their folder; a file
// system without access lists has nothing to keep.
func adopt(f *os.File, old os.FileInfo) error {
	target := filepath.Join(filepath.Dir(f.Name()), old.Name())
	if data, ok := old.Sys().(*syscall.Win32FileAttributeData); ok {
		if kept := data.FileAttributes & (windows.FILE_ATTRIBUTE_HIDDEN | windows.FILE_ATTRIBUTE_SYSTEM); kept != 0 {
			name, err := windows.UTF16PtrFromString(f.Name())
			if err != nil {
				return err
			}
			if err := windows.SetFileAttributes(name, kept|windows.FILE_ATTRIBUTE_ARCHIVE); err != nil {
				return err
			}
		}
	}
	sd, err := windows.GetNamedSecurityInfo(target, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil
	}
	control, _, err := sd.Control()
	if err != nil {
		return err
	}
	dacl, _, err := sd.DACL()
	if err != nil || dacl == nil {
		return nil
	}
	what := windows.SECURITY_INFORMATION(windows.DACL_SECURITY_INFORMATION | windows.UNPROTECTED_DACL_SECURITY_INFORMATION)
	closed := control&windows.SE_DACL_PROTECTED != 0
	if closed {
		what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	}
	err = windows.SetNamedSecurityInfo(f.Name(), windows.SE_FILE_OBJECT, what, nil, nil, dacl, nil)
	if err != nil && closed {
		return fmt.Errorf("keep the access list: %w", err)
	}
	return nil // what could not be added to the folder's list gives rights to others
}

// syncDir has nothing to do: MOVEFILE_WRITE_THROUGH flushes.
func syncDir(string) {}
