package main

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWiden(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	widen(w)
	if n, err := unix.FcntlInt(w.Fd(), unix.F_GETPIPE_SZ, 0); err != nil || n != pipeRoom {
		t.Errorf("the pipe takes %d bytes, %v", n, err)
	}
	if _, err := w.Write(make([]byte, pipeRoom)); err != nil { // nobody reads
		t.Error(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	widen(f) // is no pipe, and stays what it is
	if _, err := f.WriteString("x"); err != nil {
		t.Error(err)
	}
}
