package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notOurs reports source that is not linked into the program.
func notOurs(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/internal/peers/") || strings.Contains(path, "/internal/release/")
}

// sources calls f with the text of each source file of the program.
func sources(t *testing.T, f func(path, text string)) {
	t.Helper()
	n := 0
	for _, dir := range []string{"cmd", "bridge", "keystore", "tui", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || notOurs(path) {
				return err
			}
			text, err := os.ReadFile(path)
			n++
			f(filepath.ToSlash(path), string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 200 {
		t.Fatalf("only %d files; the walk is broken", n)
	}
}

// TestEnvironmentTopic: the topic names every variable of ours that stands in
// the source, and none that does not.
func TestEnvironmentTopic(t *testing.T) {
	name := regexp.MustCompile(`\bBRIDGE_[A-Z]+(?:_[A-Z]+)*\b`)
	topic := name.FindAllString(topicEnvironment(), -1)
	if len(topic) < 10 {
		t.Fatalf("only %q in the topic", topic)
	}
	used := map[string]bool{}
	sources(t, func(path, text string) {
		if strings.HasSuffix(path, "/topics.go") || strings.Contains(path, "/say/") {
			return
		}
		for _, v := range name.FindAllString(text, -1) {
			used[v] = true
			if !slices.ContainsFunc(topic, func(known string) bool { return strings.HasPrefix(known, v) }) {
				t.Errorf("%s: %s is not in `bridge help environment`", path, v)
			}
		}
	})
	for _, v := range topic {
		if !used[v] && v != "BRIDGE_TOKEN_PACECRAFT" { // the example
			t.Errorf("%s is in `bridge help environment` and nowhere else", v)
		}
	}
}

// TestFilesTopic: the topic names what is kept in our folder.
func TestFilesTopic(t *testing.T) {
	text := topicFiles()
	kept := regexp.MustCompile(`fsx\.Dir\("state", "(\w+)"|"state", "(\w+)"\)|filepath\.Join\((?:home|state|dir), "([\w.]+\.(?:json|toml))"\)`)
	found := 0
	sources(t, func(path, source string) {
		if strings.HasSuffix(path, "/clients/table.go") {
			return // other programs' files
		}
		for _, m := range kept.FindAllStringSubmatch(source, -1) {
			name := m[1] + m[2] + m[3]
			if m[1]+m[2] != "" {
				name += "/"
			}
			found++
			if !strings.Contains(text, name) {
				t.Errorf("%s: %s is not in `bridge help files`", path, name)
			}
		}
	})
	if found < 7 {
		t.Errorf("only %d places found; the search is broken", found)
	}
}
