package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"bridge/internal/say"
)

// stablePath is the absolute path by which a client should start this binary:
// the link in PATH if it leads here, because that one survives an upgrade and
// the versioned folder behind it does not.
func stablePath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(self)
	if err != nil {
		return self, nil
	}
	if found, err := exec.LookPath("bridge"); err == nil {
		if abs, err := filepath.Abs(found); err == nil {
			if target, err := filepath.EvalSymlinks(abs); err == nil && target == real {
				return abs, nil
			}
		}
	}
	return self, nil
}

// shortLived says why a path is no good for a client's configuration, in
// words, or "".
func shortLived(path string) string {
	slashed := strings.ToLower(filepath.ToSlash(path)) + "/"
	temp := strings.ToLower(filepath.ToSlash(os.TempDir()))
	switch {
	case strings.Contains(slashed, "/go-build"):
		return say.T("it is in Go's build cache, which is emptied")
	case strings.Contains(slashed, "/_npx/"):
		return say.T("it is in the cache of npx, which is emptied")
	case strings.HasPrefix(slashed, temp+"/"), strings.HasPrefix(slashed, "/tmp/"), strings.HasPrefix(slashed, "/var/folders/"):
		return say.T("it is in a folder for temporary files, which is emptied")
	case strings.Contains(slashed, "/downloads/"):
		return say.T("it is in the downloads folder, where it may be tidied away")
	case strings.Contains(slashed, "/cellar/"), strings.Contains(slashed, "/caskroom/"):
		return say.T("it is in a folder of one version, which an upgrade removes")
	}
	return ""
}

// shellQuote makes a path fit to be pasted into the shell of this system.
func shellQuote(path string) string {
	if runtime.GOOS != "windows" {
		return shellWord(path)
	}
	if strings.ContainsAny(path, " &()^;,=") { // a path there holds no quotes
		return `"` + path + `"`
	}
	return path
}
