package sandbox_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"bridge/internal/sandbox"
)

// folder is what lies in a folder: names and bytes.
func folder(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	names, err := fs.ReadDir(os.DirFS(dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range names {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// database makes one as another program would.
func database(t *testing.T, file string, statements ...string) *sqlite3.Conn {
	t.Helper()
	c, err := sqlite3.Open("file:" + filepath.ToSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // of one that a test has closed already
	for _, s := range statements {
		if err := c.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// A database of another program had the sandbox's tables put into it.
func TestForeignDatabaseIsLeftAsItIs(t *testing.T) {
	const table = `CREATE TABLE places (name TEXT); INSERT INTO places VALUES ('Bandung')`
	for name, statements := range map[string][]string{
		"plain":  {table},
		"log":    {`PRAGMA journal_mode = WAL`, table},
		"marked": {`PRAGMA application_id = 0x47504b47`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "places.db")
			if err := database(t, file, statements...).Close(); err != nil {
				t.Fatal(err)
			}
			refused(t, dir, file)
		})
	}
}

// What a killed program has left beside its database is its own to recover.
func TestForeignDatabaseWithItsLogIsLeftAsItIs(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	database(t, filepath.Join(from, "places.db"), `PRAGMA journal_mode = WAL`, `CREATE TABLE places (name TEXT)`)
	for _, name := range []string{"places.db", "places.db-wal"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil || len(data) == 0 {
			t.Fatalf("%s: %d bytes, %v", name, len(data), err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, dir, filepath.Join(dir, "places.db"))
}

func refused(t *testing.T, dir, file string) {
	t.Helper()
	before := folder(t, dir)
	s, err := sandbox.Start(t.Context(), sandbox.Options{Data: file})
	if !errors.Is(err, sandbox.ErrNoData) {
		t.Errorf("Start returned %v", err)
	}
	if err == nil {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	after := folder(t, dir)
	for name := range after {
		if _, ok := before[name]; !ok {
			t.Errorf("%s was made", name)
		}
	}
	for name, data := range before {
		if !bytes.Equal(data, after[name]) {
			t.Errorf("%s has changed", name)
		}
	}
}

// Data from before there was a mark is opened, and marked, also when all of it
// is still in the log of a killed sandbox; so is a file that is only there.
func TestDataWithoutAMarkIsOpened(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cards.db")
	s, err := sandbox.Start(t.Context(), sandbox.Options{Data: file})
	if err != nil {
		t.Fatal(err)
	}
	token := s.Info().PaceCraft.Token
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// As it was left by a version that knew no mark, cleanly and killed.
	if err := database(t, file, `PRAGMA application_id = 0`).Close(); err != nil {
		t.Fatal(err)
	}
	if got := start(t, sandbox.Options{Data: file}).Info().PaceCraft.Token; got != token {
		t.Errorf("the token is %q, not %q", got, token)
	}
	logged := filepath.Join(dir, "logged.db")
	c := database(t, logged, `PRAGMA journal_mode = WAL`, `CREATE TABLE sb_sample (name TEXT PRIMARY KEY, value TEXT NOT NULL)`)
	start(t, sandbox.Options{Data: logged})
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	killed := filepath.Join(dir, "killed.db")
	live := start(t, sandbox.Options{Data: filepath.Join(dir, "live.db")})
	for _, name := range []string{"", "-wal"} {
		data, err := os.ReadFile(filepath.Join(dir, "live.db"+name))
		if err != nil || len(data) == 0 {
			t.Fatalf("live.db%s: %d bytes, %v", name, len(data), err)
		}
		if err := os.WriteFile(killed+name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := start(t, sandbox.Options{Data: killed}).Info().PaceCraft.Token; got != live.Info().PaceCraft.Token {
		t.Errorf("the token is %q, not %q", got, live.Info().PaceCraft.Token)
	}
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, sandbox.Options{Data: empty})
	for _, name := range []string{file, empty} {
		if n := mark(t, name); n == 0 {
			t.Errorf("%s bears no mark", name)
		}
	}
}

func mark(t *testing.T, file string) int64 {
	t.Helper()
	s, _, err := database(t, file).Prepare(`PRAGMA application_id`)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Step() {
		t.Fatal(s.Err())
	}
	n := s.ColumnInt64(0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}
