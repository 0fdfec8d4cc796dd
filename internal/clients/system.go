package clients

import (
	"os"
	"path/filepath"
	"runtime"
)

// A System is the machine as the table of clients sees it. Tests make one of
// any kind below a folder of theirs.
type System struct {
	GOOS   string // as runtime.GOOS
	Home   string // the user's folder, absolute
	Getenv func(string) string
}

// ThisSystem is the machine we run on. A host may start us with an environment
// that was emptied, so that the home folder is asked of the system where that
// is possible; it is "" if there is none.
func ThisSystem() System {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return System{GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv}
}

func (s System) home(elem ...string) string {
	return filepath.Join(append([]string{s.Home}, elem...)...)
}

// env is the folder that a variable names, or fallback. What is not absolute
// counts as not set (XDG Base Directory Specification).
func (s System) env(name, fallback string) string {
	if v := s.Getenv(name); filepath.IsAbs(v) {
		return v
	}
	return fallback
}

// config is ~/.config, where $XDG_CONFIG_HOME says so on Linux.
func (s System) config() string {
	if s.GOOS == "linux" {
		return s.env("XDG_CONFIG_HOME", s.home(".config"))
	}
	return s.home(".config")
}

// appSupport is where desktop applications keep their settings.
func (s System) appSupport() string {
	switch s.GOOS {
	case "darwin":
		return s.home("Library", "Application Support")
	case "windows":
		return s.env("APPDATA", s.home("AppData", "Roaming"))
	}
	return s.config()
}

func (s System) localAppData() string {
	return s.env("LOCALAPPDATA", s.home("AppData", "Local"))
}
