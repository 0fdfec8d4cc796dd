//go:build unix

package servers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestNotAFile(t *testing.T) {
	for name, tt := range map[string]struct {
		make func(path string) error
		say  string
	}{
		"folder":        {func(p string) error { return os.Mkdir(p, 0o700) }, "a folder"},
		"FIFO":          {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "a FIFO"},
		"dangling link": {func(p string) error { return os.Symlink(filepath.Join(filepath.Dir(p), "gone"), p) }, "a link to a file that does not exist"},
		"too large":     {func(p string) error { return os.WriteFile(p, make([]byte, MaxFile+1), 0o600) }, "larger than"},
		"world-writable": {func(p string) error {
			if err := os.WriteFile(p, []byte(sample), 0o600); err != nil {
				return err
			}
			return os.Chmod(p, 0o606)
		}, "may change it"},
	} {
		t.Run(name, func(t *testing.T) {
			path := home(t, "")
			if err := tt.make(path); err != nil {
				t.Fatal(err)
			}
			_, err := Load()
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(e.Error(), tt.say) || !strings.HasPrefix(e.Error(), path) {
				t.Errorf("Load = %v, want %q", err, tt.say)
			}
		})
	}
}

func TestWorldReadableIsWarnedOf(t *testing.T) {
	path := home(t, sample)
	if f := load(t); len(f.Warnings) != 0 {
		t.Errorf("a private file is warned of: %v", f.Warnings)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	f := load(t)
	if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0].Advice, "chmod 600") {
		t.Errorf("warnings = %v", f.Warnings)
	}
}

func TestLinksStayLinks(t *testing.T) {
	path := home(t, "")
	real := filepath.Join(t.TempDir(), "dotfiles.toml")
	if err := os.WriteFile(real, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Fatal(err)
	}
	f := load(t)
	if _, err := f.Remove("zeta"); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if got, _ := os.ReadFile(real); string(got) != f.Text() {
		t.Errorf("the file behind the link holds\n%s", got)
	}
}
