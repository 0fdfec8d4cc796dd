package main

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"bridge/internal/say"
)

// editCommand is the person's editor on a file, as VISUAL or EDITOR says. No
// shell is asked: words are split at blanks.
func editCommand(path string) (*exec.Cmd, error) {
	for _, name := range [...]string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(os.Getenv(name)); len(words) > 0 {
			return exec.Command(words[0], append(words[1:], path)...), nil
		}
	}
	for _, name := range [...]string{"nano", "vi", "notepad"} {
		if found, err := exec.LookPath(name); err == nil {
			return exec.Command(found, path), nil
		}
	}
	return nil, errors.New(say.T("no editor is known; set EDITOR"))
}

// openURL shows a picture of a card in the browser. The address is one
// argument of a program, and https only.
func openURL(url string) error {
	if !strings.HasPrefix(url, "https://") {
		return errors.New(say.T("only https addresses are opened"))
	}
	var argv []string
	switch browser := os.Getenv("BRIDGE_BROWSER"); {
	case browser != "":
		argv = []string{browser, url}
	case os.Getenv("BROWSER") != "":
		argv = []string{os.Getenv("BROWSER"), url}
	case runtime.GOOS == "windows":
		argv = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	case runtime.GOOS == "darwin":
		argv = []string{"open", url}
	default:
		argv = []string{"xdg-open", url}
	}
	c := exec.Command(argv[0], argv[1:]...)
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }() // the browser stays when we go
	return nil
}
