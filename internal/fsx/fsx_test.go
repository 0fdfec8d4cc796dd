package fsx

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestHome(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("BRIDGE_HOME", filepath.Join(dir, "own"))
	home, err := Home()
	if err != nil || home != filepath.Join(dir, "own") {
		t.Fatalf("Home() = %q, %v", home, err)
	}
	state, err := StateDir()
	if err != nil || state != filepath.Join(dir, "own", "state") {
		t.Fatalf("StateDir() = %q, %v", state, err)
	}
	if err := CheckPrivate(state); err != nil {
		t.Errorf("a folder of our own making: %v", err)
	}

	t.Setenv("BRIDGE_HOME", "")
	home, err = Home()
	if err != nil || !filepath.IsAbs(home) || !strings.HasSuffix(home, "bridge") {
		t.Errorf("Home() without BRIDGE_HOME = %q, %v", home, err)
	}
}

func TestReadFileBound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(path, 5); err != nil || string(got) != "12345" {
		t.Errorf("at the bound: %q, %v", got, err)
	}
	if _, err := ReadFile(path, 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over the bound: %v, want ErrTooLarge", err)
	}
	if _, err := ReadFile(filepath.Dir(path), 4); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v, want ErrNotRegular", err)
	}
	if _, err := ReadFile(path+"x", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v, want ErrNotExist", err)
	}
}

func TestWriteFileModes(t *testing.T) {
	dir := t.TempDir()
	fresh := filepath.Join(dir, "fresh")
	if err := WriteFile(fresh, []byte("a")); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		wantMode(t, fresh, 0o600)
		if err := os.Chmod(fresh, 0o640); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(fresh, []byte("b")); err != nil {
			t.Fatal(err)
		}
		wantMode(t, fresh, 0o640)
	}
	if err := os.Chmod(fresh, 0o400); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(fresh)
	if err := WriteFile(fresh, []byte("c")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a read-only file: %v, want ErrReadOnly", err)
	}
	if now, _ := os.ReadFile(fresh); !bytes.Equal(now, before) {
		t.Errorf("a refused write changed %q to %q", before, now)
	}
	if err := WriteFile(dir, []byte("c")); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v, want ErrNotRegular", err)
	}
	if err := WriteFile(filepath.Join(dir, "no", "f"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v, want ErrNotExist", err)
	}
	wantNames(t, dir, "fresh")
}

func TestWriteFileSweepsWhatKilledWritersLeft(t *testing.T) {
	dir := t.TempDir()
	old, young := filepath.Join(dir, ".f"+tempMark+"1"), filepath.Join(dir, ".f"+tempMark+"2")
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * staleAfter)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "f"), nil); err != nil {
		t.Fatal(err)
	}
	wantNames(t, dir, filepath.Base(young), "f")
}

func TestSwap(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, step := range []struct {
		name     string
		old, new []byte
		err      error
		want     string
	}{
		{"absent, but content expected", []byte("x"), []byte("1"), ErrChanged, ""},
		{"absent, and so expected", nil, []byte("1"), nil, "1"},
		{"present, but absence expected", nil, []byte("2"), ErrChanged, "1"},
		{"as read", []byte("1"), []byte("22"), nil, "22"},
		{"longer than read", []byte("2"), []byte("3"), ErrChanged, "22"},
		{"other than read", []byte("23"), []byte("3"), ErrChanged, "22"},
		{"emptied", []byte("22"), nil, nil, ""},
		{"empty is not absent", []byte{}, []byte("4"), nil, "4"},
	} {
		if err := Swap(path, step.old, step.new); !errors.Is(err, step.err) {
			t.Fatalf("%s: error %v, want %v", step.name, err, step.err)
		}
		if got, _ := os.ReadFile(path); string(got) != step.want {
			t.Fatalf("%s: file holds %q, want %q", step.name, got, step.want)
		}
	}
	wantNames(t, dir, "f")
}

func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %04o, want %04o", filepath.Base(path), got, want)
	}
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("folder holds %q, want %q", got, want)
	}
}
