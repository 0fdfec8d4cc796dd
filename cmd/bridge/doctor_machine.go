package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// machine checks what all servers share.
func (d *doctor) machine(ctx context.Context, name string) {
	if !d.app.asJSON {
		d.app.printf("%s  bridge %s, %s\n", d.app.paint(bold, say.T("This machine")), build().Version, build().Platform)
	}
	d.binary()
	d.config()
	d.keystore(ctx, name)
}

// binary checks where the program is: a client starts it by its path, for
// months.
func (d *doctor) binary() {
	label := say.T("program")
	path, err := stablePath()
	if err != nil {
		d.warn("binary", label, say.T("its own path cannot be found: %s", err.Error()), "")
		return
	}
	if quarantined(path) {
		d.bad("binary", label, say.T("%s is in quarantine: macOS will not let a client start it", path),
			say.T("run `xattr -d com.apple.quarantine %s`", shellQuote(path)), exitFailure)
		return
	}
	if where := fleeting(path); where != "" {
		d.warn("binary", label, say.T("%s is in %s, and may be gone tomorrow; a client's config needs a path that stays", path, where),
			say.T("move it into a folder of PATH, such as %s", binFolder()))
		return
	}
	found, err := exec.LookPath("bridge")
	switch {
	case err != nil:
		d.warn("binary", label, say.T("%s, which is not in PATH", path), say.T("add %s to PATH, to type `bridge` anywhere", filepath.Dir(path)))
	case !sameFile(found, path):
		d.warn("binary", label, say.T("%s, but `bridge` in PATH is another program: %s", path, found),
			say.T("put %s before it in PATH, or type the whole path", filepath.Dir(path)))
	default:
		d.ok("binary", label, say.T("%s, in PATH", path))
	}
}

// fleeting names a place where files do not stay, or is "".
func fleeting(path string) string {
	clean := func(p string) string {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			p = real
		}
		return filepath.Clean(p) + string(filepath.Separator)
	}
	in := clean(filepath.Dir(path))
	switch {
	case strings.Contains(in, string(filepath.Separator)+"go-build"):
		return say.T("the build cache of Go")
	case strings.HasPrefix(in, clean(os.TempDir())):
		return say.T("a folder for temporary files")
	}
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(in, clean(filepath.Join(home, "Downloads"))) {
		return say.T("the downloads folder")
	}
	return ""
}

func binFolder() string {
	if runtime.GOOS == "windows" {
		return `%LOCALAPPDATA%\Programs\bridge`
	}
	return "/usr/local/bin"
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// config checks that config.toml can be read, and by nobody else.
func (d *doctor) config() {
	label := say.T("config")
	f, err := servers.Load()
	if err != nil {
		err = configProblem(err)
		var p *problem
		errors.As(err, &p)
		d.bad("config", label, p.text, p.tip, exitFailure)
		return
	}
	if !f.Exists() {
		d.ok("config", label, say.T("%s is not there yet, which is no fault", f.Path))
		return
	}
	said := false
	for path, mode := range map[string]fs.FileMode{f.Path: 0o600, filepath.Dir(f.Path): 0o700} {
		if !errors.Is(fsx.CheckPrivate(path), fsx.ErrTooOpen) {
			continue
		}
		said = true
		if d.fix && os.Chmod(path, mode) == nil && fsx.CheckPrivate(path) == nil {
			d.ok("config", label, say.T("%s was open to other users, and is private now", path))
			continue
		}
		d.warn("config", label, say.T("other users of this machine may read %s", path), say.T("run `chmod %o %s`, or `bridge doctor --fix`", mode, shellQuote(path)))
	}
	if said {
		return
	}
	d.ok("config", label, say.T("%s; servers: %d", f.Path, len(f.Servers())))
}

// keystoreLimit is how long the keychain may take where nobody sits at it,
// as in `bridge serve`.
const keystoreLimit = 4 * time.Second

// keystore asks the place where secrets rest for what it holds.
func (d *doctor) keystore(ctx context.Context, name string) {
	label := say.T("keychain")
	chosen := ""
	needed := false
	if f, err := servers.Load(); err == nil {
		chosen = f.Keystore()
		if s, err := f.Lookup(name); name != "" && err == nil && s.Auth != servers.AuthNone && s.Name != "" {
			from, _ := d.app.finder(f, s).origin()
			needed = from == fromKeystore
		}
	}
	store, err := openStore(chosen, false)
	if err != nil {
		var p *problem
		errors.As(err, &p)
		d.bad("keychain", label, p.text, p.tip, exitUsage)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, keystoreLimit)
	defer cancel()
	began := time.Now()
	names, err := store.List(ctx)
	if err == nil {
		d.ok("keychain", label, say.T("%s answers in %d ms; sign-ins kept: %d", keystoreName(store.Kind().String()), time.Since(began).Milliseconds(), len(names)))
		return
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = keystore.ErrTimeout
	}
	var p *problem
	if !errors.As(storeProblem(err, name), &p) {
		return // interrupted
	}
	if needed {
		d.bad("keychain", label, p.text, p.tip, p.exit)
		return
	}
	d.warn("keychain", label, p.text, p.tip)
}
