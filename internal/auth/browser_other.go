//go:build !darwin && !windows

package auth

import "os"

// systemBrowsers asks the desktop. Without a display there is none: xdg-open
// would take a text browser, on a terminal that belongs to somebody else.
func systemBrowsers() ([][]string, error) {
	if os.Getenv("WSL_DISTRO_NAME") != "" {
		return [][]string{{"wslview"}, {"xdg-open"}}, nil
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil, failure(ErrNoBrowser, "there is no display")
	}
	return [][]string{{"xdg-open"}, {"x-www-browser"}}, nil
}
