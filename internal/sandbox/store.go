package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"      // a database is opened by Start only
	_ "github.com/ncruces/go-sqlite3/vfs/memdb" // the place of :memory:

	"bridge/internal/sandbox/journal"
)

// ErrNoData is what Start returns for a file that holds something else than a
// sandbox's data. The file is left as it is.
var ErrNoData = errors.New("not a sandbox's data")

// memory is the Data of a sandbox that forgets.
const memory = ":memory:"

var memories atomic.Int64 // tells databases in memory apart

// busy is how long one connection waits for another's lock.
const busy = 10 * time.Second

// openDB opens the one database of a sandbox: a file that is new or ours, or
// SQLite's memdb for ":memory:", which all connections of this process share,
// under a name that is used once.
func openDB(ctx context.Context, data string) (*sql.DB, error) {
	terms := "_txlock=immediate&_pragma=busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")"
	dsn := "file:/sandbox-" + strconv.FormatInt(memories.Add(1), 10) + "?vfs=memdb&" + terms
	ready := func(*sqlite3.Conn) error { return nil }
	marked := true
	if data != memory {
		path, err := place(data)
		if err != nil {
			return nil, fmt.Errorf("open the sandbox's data: %w", err)
		}
		if marked, err = look(path); err != nil {
			return nil, noData(fmt.Errorf("open the sandbox's data: %w", err))
		}
		// The journal beside the file is for the same eyes as the file (modeof).
		dsn = fileURI(path, terms+"&modeof="+escapeQuery(path))
		ready = func(c *sqlite3.Conn) error {
			if err := ownIndex(path); err != nil {
				return err
			}
			return c.Exec("PRAGMA journal_mode = " + journal.Mode())
		}
	}
	db, err := driver.Open(dsn, ready)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox's data: %w", err)
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	// What is kept in clear is only what the sandbox itself gives away at every
	// start: with a file, the sample tokens stay good from one run to the next.
	start := `CREATE TABLE IF NOT EXISTS sb_sample (name TEXT PRIMARY KEY, value TEXT NOT NULL)`
	if !marked {
		start = "PRAGMA application_id = " + strconv.Itoa(applicationID) + ";" + start
	}
	if _, err := db.ExecContext(ctx, start); err != nil {
		return nil, errors.Join(noData(fmt.Errorf("open the sandbox's data: %w", err)), db.Close())
	}
	return db, nil
}

// place makes the file where there is none, for its owner alone, and returns
// where it really is: SQLite puts its journal there.
func place(data string) (string, error) {
	path, err := filepath.Abs(data)
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return filepath.EvalSymlinks(path)
	}
	return path, nil
}

// ownIndex sees to it that the index of the journal is for the same eyes as
// the file, which SQLite leaves to the umask: it takes one that is there. The
// index comes and goes with the first and the last connection.
func ownIndex(path string) error {
	if journal.Mode() != "WAL" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("make the journal's index: %w", err)
	}
	index := path + "-shm"
	f, err := os.OpenFile(index, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // follows no link
	switch {
	case err == nil:
		err = errors.Join(f.Chmod(info.Mode().Perm()), f.Close())
	case errors.Is(err, fs.ErrExist):
		err = nil
		if old, lstat := os.Lstat(index); lstat == nil && old.Mode().IsRegular() && old.Mode().Perm() != info.Mode().Perm() {
			err = os.Chmod(index, info.Mode().Perm())
		}
	}
	if err != nil {
		return fmt.Errorf("make the journal's index: %w", err)
	}
	return nil
}

// noData is ErrNoData where SQLite says that a file is no database.
func noData(err error) error {
	if errors.Is(err, sqlite3.NOTADB) {
		return ErrNoData
	}
	return err
}

// sample returns the value kept under a name, and makes it the first time.
func sample(ctx context.Context, db *sql.DB, name string, fresh func() (string, error)) (string, error) {
	var value string
	err := db.QueryRowContext(ctx, `SELECT value FROM sb_sample WHERE name = ?`, name).Scan(&value)
	if !errors.Is(err, sql.ErrNoRows) {
		return value, err
	}
	if value, err = fresh(); err != nil {
		return "", err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO sb_sample (name, value) VALUES (?, ?)`, name, value)
	return value, err
}
