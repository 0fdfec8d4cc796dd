package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// applicationID marks a database as a sandbox's, at byte 68 of the file
// (https://sqlite.org/pragma.html#pragma_application_id). It reads "brSB".
const applicationID = 0x62725342

// look tells whether a database may be written to: marked says that it bears
// our mark; ErrNoData, that it is somebody else's. A file without any table is
// taken as new, and one from before there was a mark is known by its tables.
//
// Nothing is written. What somebody's killed program has left to be recovered
// is read as any program would read it, and is still there afterwards.
func look(path string) (marked bool, err error) {
	query, flags := "immutable=1", sqlite3.OPEN_READONLY
	unfinished := holds(path+"-wal") || holds(path+"-journal")
	if unfinished {
		query, flags = "", sqlite3.OPEN_READWRITE
	}
	c, err := sqlite3.OpenFlags(fileURI(path, query), flags|sqlite3.OPEN_URI)
	if err != nil {
		return false, fmt.Errorf("look into %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if unfinished {
		if err := leaveAsItIs(c, path); err != nil {
			return false, fmt.Errorf("look into %s: %w", path, err)
		}
	}
	id, err := number(c, `PRAGMA application_id`)
	if err != nil {
		return false, fmt.Errorf("look into %s: %w", path, err)
	}
	const entries = `SELECT count(*) FROM sqlite_schema`
	all, err := number(c, entries)
	if err != nil {
		return false, fmt.Errorf("look into %s: %w", path, err)
	}
	ours, err := number(c, entries+` WHERE type = 'table' AND name = 'sb_sample'`)
	switch {
	case err != nil:
		return false, fmt.Errorf("look into %s: %w", path, err)
	case id == applicationID:
		return true, nil
	case id == 0 && (all == 0 || ours == 1):
		return false, nil
	}
	return false, ErrNoData
}

// leaveAsItIs has a journal read without moving what is in it into the file.
// Where nobody uses the database, its index is held in memory; else it is the
// file that the others have.
func leaveAsItIs(c *sqlite3.Conn, path string) error {
	if _, err := c.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true); err != nil {
		return err
	}
	if err := c.BusyTimeout(busy); err != nil {
		return err
	}
	if _, err := os.Lstat(path + "-shm"); errors.Is(err, fs.ErrNotExist) {
		return c.Exec(`PRAGMA locking_mode = EXCLUSIVE`)
	}
	return nil
}

// number is the one number that a statement gives.
func number(c *sqlite3.Conn, query string) (int64, error) {
	s, _, err := c.Prepare(query)
	if err != nil {
		return 0, err
	}
	var n int64
	if s.Step() {
		n = s.ColumnInt64(0)
	}
	return n, s.Close()
}

// holds tells whether there is something in a file.
func holds(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// fileURI is what SQLite opens a file by, whatever is in its path. It has no
// authority, since a drive letter is not below a root.
func fileURI(path, query string) string {
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?" + query
}

func escapeQuery(value string) string {
	return strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
}
