// Package journal says which journal SQLite keeps for the sandbox's data. It
// exists because those who open tables of their own set it too, and all have to
// say the same of one file. It refuses to know anything else.
package journal

import "runtime"

// Mode is a journal_mode of SQLite with which a killed process loses nothing
// that was committed: WAL, the write-ahead log, where a reader and a writer need
// not wait for each other.
//
// It is TRUNCATE on Windows. The log's index is memory that connections share;
// go-sqlite3 maps it only where Windows has placeholders for memory (1803, and
// not Server 2016, which Go still runs on). Elsewhere opening fails with "disk
// I/O error" after the file has been marked as one with a log.
func Mode() string {
	if runtime.GOOS == "windows" {
		return "TRUNCATE"
	}
	return "WAL"
}
