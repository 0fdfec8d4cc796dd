package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// TestUsageErrors gives every command of the tree a flag that it does not
// have. The library would print help to stdout for some of them.
func TestUsageErrors(t *testing.T) {
	for _, words := range everyCommand(t) {
		for _, bogus := range [][]string{{"--bogus-flag"}, {"--bogus-flag=x"}, {"--json", "--bogus-flag"}} {
			args := slices.Concat(words, bogus)
			t.Run(strings.Join(args, " "), func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				c := exec.Command("bridge", args...)
				c.Stdout, c.Stderr = &stdout, &stderr
				c.Env = append(os.Environ(), "BRIDGE_LANG=en", "BRIDGE_HOME="+t.TempDir())
				var exit *exec.ExitError
				if err := c.Run(); !errors.As(err, &exit) || exit.ExitCode() != int(exitUsage) {
					t.Errorf("ended with %v, want status %d", err, exitUsage)
				}
				if stdout.Len() > 0 {
					t.Errorf("stdout: %s", stdout.String())
				}
				if text := stderr.String(); strings.Count(text, "bogus-flag") != 1 {
					t.Errorf("stderr names the flag not once: %s", text)
				}
				lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
				if bogus[0] == "--json" {
					if len(lines) != 1 || !strings.HasPrefix(lines[0], `{"error":{"code":"usage"`) {
						t.Errorf("stderr: %s", stderr.String())
					}
				} else if len(lines) != 2 || !strings.HasPrefix(lines[0], "bridge: error: ") || !strings.HasPrefix(lines[1], "bridge: hint: ") {
					t.Errorf("stderr: %s", stderr.String())
				}
			})
		}
	}
}

// everyCommand lists the words of each command of the tree, root included.
func everyCommand(t *testing.T) (all [][]string) {
	t.Helper()
	var walk func(c *cli.Command, words []string)
	walk = func(c *cli.Command, words []string) {
		all = append(all, words)
		for _, sub := range c.Commands {
			walk(sub, slices.Concat(words, []string{sub.Name}))
		}
	}
	walk(newApp(t).tree(), nil)
	// The library adds this one when the tree runs.
	return append(all, []string{"completion"})
}

// newApp is an app whose output goes nowhere.
func newApp(t *testing.T) *app {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return &app{streams: newStreams(null, null, null)}
}

// TestServeFlagsAreDocumented keeps help and the parser of serve together: a
// flag of help is understood, and a flag of our own is in help.
func TestServeFlagsAreDocumented(t *testing.T) {
	inHelp := map[string]bool{"help": true, "json": true, "color": true}
	for _, f := range newServe(newApp(t)).Flags {
		name := f.Names()[0]
		inHelp[name] = true
		known, ok := findServeFlag(name)
		if !ok {
			t.Errorf("help names --%s, which serve does not know", name)
		}
		if doc, ok := f.(cli.DocGenerationFlag); ok && doc.TakesValue() != known.value {
			t.Errorf("help and parser differ on whether --%s takes a value", name)
		}
	}
	seconds := map[string]bool{"connect-timeout": true, "headers-timeout": true} // mcp-remote's --timeout
	for _, f := range serveFlags() {
		if f.use == useNow && !inHelp[f.name] && !seconds[f.name] {
			t.Errorf("--%s takes effect and is not in help", f.name)
		}
	}
}
