//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// A path or a command that is shown to be pasted is what a shell makes of it. A
// dollar sign, a quote or a backquote in a folder's name was the shell's to read.
func TestPastedCommands(t *testing.T) {
	words := []string{"/opt/it's $HOME/a \"b\"/`c`/bridge", "", "a\\b", "~", "#x", "!y", "k=v", "{\"a\":1}"}
	for shown, want := range map[string]string{
		shellQuote(words[0]): words[0],
		commandLine(words):   strings.Join(words, "\n"),
	} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\n' "+shown).Output()
		if got := strings.TrimSuffix(string(out), "\n"); err != nil || got != want {
			t.Errorf("%s: a shell reads %q, want %q (%v)", shown, got, want, err)
		}
	}
}
