package clients

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridge/internal/fsx"
)

// config makes a file of Cursor's with the text given.
func config(t *testing.T, text string) string {
	t.Helper()
	t.Setenv("BRIDGE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func planOf(t *testing.T, path string) *Plan {
	t.Helper()
	p, err := Lookup("cursor").Plan(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Install("pacecraft", ours(), false); err != nil {
		t.Fatal(err)
	}
	return p
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func backups(t *testing.T, path string) []string {
	t.Helper()
	list, err := filepath.Glob(path + backupMark + "*")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestApply(t *testing.T) {
	path := config(t, "{}")
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	for i := range 5 {
		p, err := Lookup("cursor").Plan(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Install("s"+string(rune('a'+i)), ours(), false); err != nil {
			t.Fatal(err)
		}
		before := content(t, path)
		done, err := Apply([]*Plan{p}, now) // all in one second
		if err != nil {
			t.Fatal(err)
		}
		if len(done.Backups) != 1 || content(t, done.Backups[0]) != before || len(done.Written) != 1 {
			t.Fatalf("%d: %+v", i, done)
		}
		if info, err := os.Stat(done.Backups[0]); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("the backup is %v, %v", info.Mode(), err)
		}
	}
	if list := backups(t, path); len(list) != keptBackups || !strings.HasSuffix(list[2], "20260801120004") {
		t.Errorf("backups: %q", list)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 && os.PathSeparator == '/' {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	// Nothing to do is nothing done.
	p := planOf(t, path)
	if _, err := Apply([]*Plan{p}, now); err != nil {
		t.Fatal(err)
	}
	p = planOf(t, path)
	if done, err := Apply([]*Plan{p}, now); err != nil || p.Changed() || len(done.Backups)+len(done.Written) != 0 {
		t.Errorf("a second time: %+v, %v", done, err)
	}
}

func TestApplyMakesAFile(t *testing.T) {
	dir := filepath.Dir(config(t, ""))
	path := filepath.Join(dir, "new", "mcp.json")
	if done, err := Apply([]*Plan{planOf(t, path)}, time.Now()); err != nil || len(done.Backups) != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if !strings.Contains(content(t, path), "pacecraft") {
		t.Error("no entry")
	}
}

// TestApplyChangedBetween: somebody wrote between our read and our write.
func TestApplyChangedBetween(t *testing.T) {
	path := config(t, `{"mcpServers": {}}`)
	p := planOf(t, path)
	const theirs = `{"mcpServers": {"new": {}}}`
	if err := os.WriteFile(path, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Apply([]*Plan{p}, time.Now()); !errors.Is(err, fsx.ErrChanged) {
		t.Errorf("%v, want ErrChanged", err)
	}
	if content(t, path) != theirs || len(backups(t, path)) != 0 {
		t.Errorf("the file is %s, backups %q", content(t, path), backups(t, path))
	}
	// And one that appeared.
	fresh := filepath.Join(filepath.Dir(path), "fresh.json")
	p = planOf(t, fresh)
	if err := os.WriteFile(fresh, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Apply([]*Plan{p}, time.Now()); !errors.Is(err, fsx.ErrChanged) || content(t, fresh) != theirs {
		t.Errorf("%v, want ErrChanged", err)
	}
}

// TestApplyAllOrNone: the third of three files cannot be written.
func TestApplyAllOrNone(t *testing.T) {
	one := config(t, `{"a": 1}`)
	dir := filepath.Dir(one)
	two, three := filepath.Join(dir, "two.json"), filepath.Join(dir, "three.json")
	if err := os.WriteFile(three, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	plans := []*Plan{planOf(t, one), planOf(t, two), planOf(t, three)}
	if err := os.Chmod(three, 0o400); err != nil {
		t.Fatal(err)
	}
	done, err := Apply(plans, time.Now())
	var e *FileError
	if !errors.Is(err, fsx.ErrReadOnly) || !errors.As(err, &e) || e.Path != three {
		t.Errorf("%v", err)
	}
	if content(t, one) != `{"a": 1}` || exists(two) || len(done.Written) != 0 {
		t.Errorf("the first is %s, the second exists: %v", content(t, one), exists(two))
	}
	if list := append(backups(t, one), backups(t, three)...); len(list) > 0 {
		t.Errorf("backups of what did not happen: %q", list)
	}
	marks, err := ReadMarks()
	if err != nil || len(marks.list) != 0 {
		t.Errorf("marks: %+v, %v", marks.list, err)
	}
}

// TestPutBackLeavesWhatOthersWrote: an undo is an edit as well.
func TestPutBackLeavesWhatOthersWrote(t *testing.T) {
	path := config(t, `{}`)
	p := planOf(t, path)
	if err := fsx.Swap(path, p.before, p.after); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.putBack(); !errors.Is(err, fsx.ErrChanged) || content(t, path) != "theirs" {
		t.Errorf("%v: %s", err, content(t, path))
	}
}

func TestMarks(t *testing.T) {
	path := config(t, `{"mcpServers": {"theirs": {"command": "bridge", "args": ["serve", "x"]}}}`)
	if _, err := Apply([]*Plan{planOf(t, path)}, time.Now()); err != nil {
		t.Fatal(err)
	}
	remove := func(name string, anyway bool) error {
		marks, err := ReadMarks()
		if err != nil {
			t.Fatal(err)
		}
		p, err := Lookup("cursor").Plan(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Remove(marks, p.Client.Root, name, anyway); err != nil {
			return err
		}
		_, err = Apply([]*Plan{p}, time.Now())
		return err
	}
	if err := remove("theirs", false); !errors.Is(err, ErrTaken) {
		t.Errorf("what is not ours: %v, want ErrTaken", err)
	}
	// Another layout is no change, another meaning is.
	text := strings.ReplaceAll(content(t, path), " ", "")
	if err := os.WriteFile(path, []byte(strings.Replace(text, `"/usr/local/bin/bridge"`, `"/opt/bridge"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := remove("pacecraft", false); !errors.Is(err, ErrAltered) {
		t.Errorf("what was changed: %v, want ErrAltered", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := remove("pacecraft", false); err != nil {
		t.Errorf("what is ours: %v", err)
	}
	if err := remove("pacecraft", true); !errors.Is(err, ErrNoEntry) {
		t.Errorf("what is gone: %v, want ErrNoEntry", err)
	}
	if err := remove("theirs", true); err != nil {
		t.Errorf("anyway: %v", err)
	}
	marks, err := ReadMarks()
	if err != nil || len(marks.list) != 0 {
		t.Errorf("marks left: %+v, %v", marks.list, err)
	}
}

func TestLost(t *testing.T) {
	s := machine(t, "linux", nil, ".cursor/mcp.json")
	t.Setenv("BRIDGE_HOME", t.TempDir())
	path := s.home(".cursor", "mcp.json")
	if _, err := Apply([]*Plan{planOf(t, path)}, time.Now()); err != nil {
		t.Fatal(err)
	}
	lost := func() []Lost {
		marks, err := ReadMarks()
		if err != nil {
			t.Fatal(err)
		}
		return marks.Lost(Find(s))
	}
	if got := lost(); len(got) != 0 {
		t.Errorf("lost: %+v", got)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lost(); len(got) != 1 || got[0].Server != "pacecraft" || got[0].Path != path {
		t.Errorf("lost: %+v", got)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lost(); len(got) != 0 {
		t.Errorf("lost in a file that cannot be read: %+v", got)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	marks, err := ReadMarks()
	if err != nil {
		t.Fatal(err)
	}
	if had, err := marks.Forget(Lookup("cursor"), "pacecraft"); !had || err != nil {
		t.Errorf("forget: %v, %v", had, err)
	}
	if got := lost(); len(got) != 0 {
		t.Errorf("lost after it was forgotten: %+v", got)
	}
}

func TestInstall(t *testing.T) {
	path := config(t, `{"mcpServers": {"pacecraft": {"command": "npx", "env": {"TOKEN": "s3cret"}, "note": 1}}}`)
	p, err := Lookup("cursor").Plan(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Install("pacecraft", ours(), false); !errors.Is(err, ErrTaken) || p.Changed() {
		t.Errorf("%v, want ErrTaken", err)
	}
	if err := p.Install("pacecraft", ours(), true); err != nil || strings.Contains(string(p.after), "s3cret") || !strings.Contains(string(p.after), `"note": 1`) {
		t.Errorf("%v: %s", err, p.after)
	}
	// One that serves by bridge gets the path, and keeps what is the user's.
	path = config(t, `{"mcpServers": {"pacecraft": {"command": "/old/bridge", "args": ["serve", "pacecraft"], "disabled": true}}}`)
	p = planOf(t, path)
	if want := `{"mcpServers": {"pacecraft": {"command": "/usr/local/bin/bridge", "args": ["serve", "pacecraft"], "disabled": true}}}`; string(p.after) != want {
		t.Errorf("%s", p.after)
	}
}

func TestReadErrors(t *testing.T) {
	path := config(t, `{}`)
	for name, make := range map[string]func(string) error{
		"a folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"a link to nothing": func(p string) error {
			return os.Symlink(filepath.Join(filepath.Dir(p), "nothing"), p)
		},
		"a file of 40 MB": func(p string) error {
			f, err := os.Create(p)
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(40<<20), f.Close())
		},
	} {
		p := filepath.Join(filepath.Dir(path), strings.ReplaceAll(name, " ", "-"))
		if err := make(p); err != nil {
			t.Fatal(err)
		}
		var e *FileError
		if _, err := Lookup("cursor").Plan(p); !errors.As(err, &e) || e.Path != p {
			t.Errorf("%s: %v", name, err)
		}
	}
	link := filepath.Join(filepath.Dir(path), "link.json")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	p := planOf(t, link)
	if _, err := Apply([]*Plan{p}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != path || !strings.Contains(content(t, path), "pacecraft") {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if len(backups(t, path)) != 0 || len(backups(t, link)) != 1 {
		t.Error("the backup is not beside the link")
	}
}
