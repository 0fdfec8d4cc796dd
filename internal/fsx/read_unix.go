//go:build unix

package fsx

import "os"

// openBeside opens path while others may be replacing it: a rename has no
// moment in between.
func openBeside(path string, open func(string) (*os.File, error)) (*os.File, error) {
	return open(path)
}
