package fsx

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// readWait bounds how long a reader waits for a writer that is just replacing
// the file, which takes milliseconds.
const readWait = 500 * time.Millisecond

// openBeside opens path while others may be replacing it. While a rename is
// made the old file opens for nobody, which looks like a file in use.
func openBeside(path string, open func(string) (*os.File, error)) (*os.File, error) {
	deadline := time.Now().Add(readWait)
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		f, err := open(path)
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || time.Now().After(deadline) {
			return f, err
		}
		time.Sleep(wait)
	}
}
