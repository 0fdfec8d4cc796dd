package fsx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Home returns the absolute path of the folder in which everything of bridge
// lives: $BRIDGE_HOME, else ~/.config/bridge, or %USERPROFILE%\.bridge on
// Windows, where AppData is virtualised for packaged applications. It does not
// create the folder.
func Home() (string, error) {
	if dir := os.Getenv("BRIDGE_HOME"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("BRIDGE_HOME: %w", err)
		}
		return abs, nil
	}
	return DefaultHome()
}

// StateDir returns Home()/state and creates it if it is absent. It holds what
// may be lost without harm to the configuration: locks, journal, outbox.
func StateDir() (string, error) { return Dir("state") }

// Dir returns the folder Home()/elem... and creates what is missing of it,
// with mode 0700. The mode of an existing folder is left alone; CheckPrivate
// tells whether it deserves a warning.
func Dir(elem ...string) (string, error) {
	home, err := Home()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(append([]string{home}, elem...)...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("create folder: %w", err)
	}
	return dir, nil
}

var errNoHome = errors.New("no home folder is known for this user; set BRIDGE_HOME")
