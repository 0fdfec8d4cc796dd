package main

import "golang.org/x/sys/unix"

// quarantined says whether Gatekeeper holds a downloaded file back. A host
// without a window starts such a program in vain, and says nothing.
func quarantined(path string) bool {
	n, err := unix.Getxattr(path, "com.apple.quarantine", nil)
	return err == nil && n > 0
}
