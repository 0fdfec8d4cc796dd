package fsx

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// A reader that comes in the middle of a replacement sees the old content or
// the new one, never that there is no file.
func TestReadersMeetWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	content := [2][]byte{bytes.Repeat([]byte("a"), 4<<10), bytes.Repeat([]byte("b"), 4<<10)}
	if err := WriteFile(path, content[0]); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			// A file that somebody has open all the time cannot be replaced.
			pause := time.NewTicker(10 * time.Millisecond)
			defer pause.Stop()
			for {
				got, err := ReadFile(path, 1<<20)
				if err != nil || !bytes.Equal(got, content[0]) && !bytes.Equal(got, content[1]) {
					t.Errorf("%d bytes, %v", len(got), err)
					return
				}
				select {
				case <-done:
					return
				case <-pause.C:
				}
			}
		})
	}
	for i := range 200 {
		if err := WriteFile(path, content[i%2]); err != nil {
			t.Errorf("write %d: %v", i, err)
			break
		}
	}
	close(done)
	readers.Wait()
}

// Another program holds the file open and shares it with readers alone, as an
// editor or a scanner does.
func TestReplaceAnOpenFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()

	if err := WriteFile(path, []byte("new")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("replaced what another program holds open: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("refused, and yet: %q, %v", got, err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, ".f"+tempMark+"*")); len(names) != 0 {
		t.Errorf("left behind: %q", names)
	}

	// It lets go while we wait.
	go func() {
		<-time.After(renameWait / 4)
		held.Close()
	}()
	if err := WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
}

// Nobody waits for a file that is not there.
func TestAbsentAtOnce(t *testing.T) {
	start := time.Now()
	_, err := ReadFile(filepath.Join(t.TempDir(), "f"), 1)
	if took := time.Since(start); !errors.Is(err, fs.ErrNotExist) || took > readWait/2 {
		t.Errorf("%v after %s", err, took)
	}
}

// A file that another program has to itself is waited for, not for long.
func TestReadWaitsForAnExclusiveWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := WriteFile(path, []byte("text")); err != nil {
		t.Fatal(err)
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path, 10); !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		t.Errorf("read what another program has to itself: %v", err)
	}
	go func() {
		<-time.After(readWait / 4)
		_ = windows.CloseHandle(h)
	}()
	if got, err := ReadFile(path, 10); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
}
