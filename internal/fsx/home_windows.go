package fsx

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// DefaultHome returns what Home returns while BRIDGE_HOME is not set. It asks the system for the profile folder: a host may start us with
// an environment that was emptied or edited.
func DefaultHome() (string, error) {
	home, err := windows.GetCurrentProcessToken().GetUserProfileDirectory()
	if err != nil {
		home = os.Getenv("USERPROFILE")
	}
	if !filepath.IsAbs(home) {
		return "", errNoHome
	}
	return filepath.Join(home, ".bridge"), nil
}

// CheckPrivate returns nil for every path that exists; see the Unix variant.
func CheckPrivate(path string) error {
	_, err := os.Stat(path)
	return err
}
