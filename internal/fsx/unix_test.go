//go:build unix

package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFIFOAndDeviceDoNotBlock(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, "/dev/zero"} {
		if _, err := ReadFile(path, 10); !errors.Is(err, ErrNotRegular) {
			t.Errorf("ReadFile(%s): %v, want ErrNotRegular", path, err)
		}
		if err := WriteFile(path, nil); !errors.Is(err, ErrNotRegular) {
			t.Errorf("WriteFile(%s): %v, want ErrNotRegular", path, err)
		}
		if _, err := TryLock(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("TryLock(%s): %v, want ErrNotRegular", path, err)
		}
	}
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.MkdirAll(filepath.Join(real, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) string {
		path := filepath.Join(dir, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link(filepath.Join(real, "sub"), "folder")
	// By text, folder/../f is dir/f; on disk it is real/f.
	first := link("folder/../f", "first")
	second := link("first", "second")

	if _, err := ReadFile(second, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading a dangling link: %v, want ErrNotExist", err)
	}
	for _, content := range []string{"made", "replaced"} {
		if err := WriteFile(second, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(real, "f")); err != nil || string(got) != content {
			t.Errorf("target holds %q, %v; want %q", got, err, content)
		}
	}
	for _, path := range []string{first, second} {
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no longer a link", path)
		}
	}

	if err := WriteFile(link("nowhere/f", "dangling"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link into no folder: %v, want ErrNotExist", err)
	}
	if err := WriteFile(link("loop", "loop"), nil); err == nil {
		t.Error("a link to itself was written")
	}
	if err := WriteFile(link(".", "dot"), nil); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a link to a folder: %v, want ErrNotRegular", err)
	}
}

func TestCheckPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CheckPrivate(path); err != nil {
		t.Errorf("mode 0600: %v", err)
	}
	for _, mode := range []os.FileMode{0o644, 0o620, 0o601} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := CheckPrivate(path); !errors.Is(err, ErrTooOpen) {
			t.Errorf("mode %04o: %v, want ErrTooOpen", mode, err)
		}
	}
}
