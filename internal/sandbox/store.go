package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver" // registers the driver; a database is opened by Start only
	_ "github.com/ncruces/go-sqlite3/vfs/memdb"

	"bridge/internal/sandbox/journal"
)

// ErrNoData is what Start returns for a file that holds something else than a
// sandbox's data. The file is left as it is.
var ErrNoData = errors.New("not a database")

// memory is the Data of a sandbox that forgets.
const memory = ":memory:"

var memories atomic.Int64 // tells databases in memory apart

// openDB opens the one database of a sandbox. A file is made readable by its
// owner alone; its journal (see package journal) survives a killed
// process. ":memory:" is SQLite's memdb, which all connections of this process
// share, under a name that is used once.
func openDB(ctx context.Context, data string) (*sql.DB, error) {
	const terms = "_txlock=immediate&_pragma=busy_timeout(10000)"
	dsn := "file:/sandbox-" + strconv.FormatInt(memories.Add(1), 10) + "?vfs=memdb&" + terms
	if data != memory {
		path, err := filepath.Abs(data)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", data, err)
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("open the sandbox's data: %w", err)
		}
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("open the sandbox's data: %w", err)
		}
		// Without an authority, since a drive letter is not below a root. The
		// journal beside the file is for the same eyes as the file (modeof).
		mode := "&modeof=" + strings.ReplaceAll(url.QueryEscape(path), "+", "%20")
		dsn = "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?" + terms + mode + "&_pragma=journal_mode(" + journal.Mode() + ")"
	}
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox's data: %w", err)
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	// What is kept in clear is only what the sandbox itself gives away at every
	// start: with a file, the sample tokens stay good from one run to the next.
	const table = `CREATE TABLE IF NOT EXISTS sb_sample (name TEXT PRIMARY KEY, value TEXT NOT NULL)`
	if _, err := db.ExecContext(ctx, table); err != nil {
		if errors.Is(err, sqlite3.NOTADB) {
			err = ErrNoData
		}
		return nil, errors.Join(fmt.Errorf("open the sandbox's data: %w", err), db.Close())
	}
	return db, nil
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
