package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridge/internal/termsafe"
)

// TestHelpPages compares the page of every command with the one that was last
// looked at, testdata/help/COMMAND.txt. After a change, look at
//
//	go test ./cmd/bridge -run TestHelpPages -update
//	git diff cmd/bridge/testdata/help
func TestHelpPages(t *testing.T) {
	seen := map[string]bool{}
	for _, words := range everyCommand(t) {
		name := strings.Join(append([]string{"bridge"}, words...), "-") + ".txt"
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			got := runBinary(t, []string{"BRIDGE_LANG=en", "COLUMNS=80", "NO_COLOR=1"}, append(words, "--help")...)
			path := filepath.Join("testdata", "help", name)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v; if the command is new, run `go test ./cmd/bridge -run TestHelpPages -update` and look at the page", err)
			}
			if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
				t.Errorf("the page has changed; run `go test ./cmd/bridge -run TestHelpPages -update` and look at the difference\n%s", got)
			}
		})
	}
	pages, err := filepath.Glob(filepath.Join("testdata", "help", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if !seen[filepath.Base(page)] {
			t.Errorf("%s is the page of no command", page)
		}
	}
}

// TestHelpTeaches holds every page to its parts, and to the width of a narrow
// terminal in the other language, whose words are longer.
func TestHelpTeaches(t *testing.T) {
	for _, words := range everyCommand(t) {
		t.Run(strings.Join(words, " "), func(t *testing.T) {
			page := runBinary(t, []string{"BRIDGE_LANG=en", "COLUMNS=80", "NO_COLOR=1"}, append(words, "--help")...)
			last := -1
			for _, part := range []string{"\nUsage:\n", "\nExamples:\n", "\nFlags:\n"} {
				at := strings.Index(page, part)
				if at <= last {
					t.Errorf("%q is missing or out of order:\n%s", part, page)
				}
				last = at
			}
			if len(words) > 0 && !strings.Contains(page, "\nExit status:\n") {
				t.Errorf("no exit status:\n%s", page)
			}
			page = runBinary(t, []string{"BRIDGE_LANG=id", "COLUMNS=40", "NO_COLOR=1"}, append(words, "--help")...)
			examples := false
			for line := range strings.Lines(page) {
				line = strings.TrimRight(line, "\n")
				if !strings.HasPrefix(line, " ") {
					examples = line == "Contoh:" || line == "Pemakaian:"
				}
				// A line of usage and an example are to be copied whole, and a
				// label may be long.
				if long := termsafe.Width(line) > 40; long && !examples && strings.Contains(strings.TrimSpace(line), " ") && !strings.HasPrefix(line, "  -") {
					t.Errorf("too wide: %q", line)
				}
			}
		})
	}
}
