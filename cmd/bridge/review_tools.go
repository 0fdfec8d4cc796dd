package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"bridge/internal/auth"
	"bridge/internal/say"
)

// editCommand is the person's editor on a file, as VISUAL or EDITOR says. No
// shell is asked: words are split at blanks. The editor ends with ctx.
func editCommand(ctx context.Context, path string) (*exec.Cmd, error) {
	for _, name := range [...]string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(os.Getenv(name)); len(words) > 0 {
			return exec.CommandContext(ctx, words[0], append(words[1:], path)...), nil
		}
	}
	for _, name := range [...]string{"nano", "vi", "notepad"} {
		if found, err := exec.LookPath(name); err == nil {
			return exec.CommandContext(ctx, found, path), nil
		}
	}
	return nil, errors.New(say.T("no editor is known; set EDITOR"))
}

// openURL shows a picture of a card in the browser: https only.
func openURL(ctx context.Context) func(string) error {
	return func(url string) error {
		if !strings.HasPrefix(url, "https://") {
			return errors.New(say.T("only https addresses are opened"))
		}
		return auth.OpenBrowser(ctx, url)
	}
}
