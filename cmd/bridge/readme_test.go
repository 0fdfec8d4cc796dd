package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bridge/internal/sandbox"
)

// TestReadmeFromTheShell types every command of that section of the README,
// against the sandbox.
func TestReadmeFromTheShell(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## From the shell\n")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatal("the section is gone")
	}
	var commands []string
	in := false
	for line := range strings.Lines(section) {
		switch {
		case strings.HasPrefix(line, "```"):
			in = !in
		case in:
			command, _, _ := strings.Cut(line, " #")
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	if len(commands) < 8 {
		t.Fatalf("only %d commands found: %q", len(commands), commands)
	}
	quiet(t)
	s, err := sandbox.Start(t.Context(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info := s.Info()
	env := []string{"BRIDGE_TOKEN_PACECRAFT=" + info.PaceCraft.Token, "BRIDGE_TOKEN_NIBOMO=" + info.Nibomo.Key}
	runBinary(t, env, "servers", "add", "pacecraft", info.PaceCraft.URL, "--workspace", "alfagift")
	runBinary(t, env, "servers", "add", "nibomo", info.Nibomo.URL, "--auth", "token")
	for _, command := range commands {
		words := splitWords(command)
		if words[0] != "bridge" {
			t.Errorf("%q is no command of ours", command)
			continue
		}
		c := exec.Command("bridge", words[1:]...)
		c.Env = append(os.Environ(), env...)
		out, err := c.CombinedOutput()
		if err != nil || len(out) < 20 {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}

// splitWords splits a line as a shell does, double quotes and blanks.
func splitWords(line string) (words []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words[len(words)-1] += part
			continue
		}
		fields := strings.Fields(part)
		if i > 0 && len(fields) > 0 && !strings.HasPrefix(part, " ") {
			words[len(words)-1] += fields[0]
			fields = fields[1:]
		}
		words = append(words, fields...)
	}
	return words
}
