package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"bridge/internal/clients"
	"bridge/internal/servers"
)

// TestMigrateShapes plays the shapes in which entries are found in the wild.
// Each file in testdata/migrate says in prose what it is about, then
//
//	client ID       whose configuration it is
//	system NAME     linux (which is meant if nothing is said), darwin or windows
//	env NAME=VALUE  what the person's own environment has
//
// and holds the configuration, and files of mcp-remote's below home/, which
// were written on 2 October 2026 at 8:00. What the entries become (the servers with their
// keys as config.toml writes them, the tokens, what stays and why) and the
// configuration afterwards are beside it; -update writes them anew.
func TestMigrateShapes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "migrate", "*.txtar"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d shapes, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Setenv("BRIDGE_HOME", t.TempDir())
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			shape := parseShape(t, ar)
			moves, after := shape.play(t)
			if *update {
				ar.Files = append(ar.Files[:1+len(shape.home)], txtar.File{Name: "moves", Data: []byte(moves)}, txtar.File{Name: "after", Data: after})
				if err := os.WriteFile(path, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			given := 1 + len(shape.home)
			if len(ar.Files) != given+2 {
				t.Fatal("run it with -update, and look at what it writes")
			}
			if got, want := moves, string(ar.Files[given].Data); got != want {
				t.Errorf("moves:\n%s\nwant:\n%s", got, want)
			}
			if want := ar.Files[given+1].Data; !bytes.Equal(after, want) {
				t.Errorf("after:\n%s\nwant:\n%s", after, want)
			}
		})
	}
}

type migrateShape struct {
	client *clients.Client
	system clients.System
	env    map[string]string
	config []byte
	home   []txtar.File
}

func parseShape(t *testing.T, ar *txtar.Archive) migrateShape {
	t.Helper()
	s := migrateShape{env: map[string]string{}, system: clients.System{GOOS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }}}
	for line := range strings.SplitSeq(string(ar.Comment), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "client":
			s.client = clients.Lookup(rest)
		case "system":
			s.system.GOOS = rest
		case "env":
			name, value, _ := strings.Cut(rest, "=")
			s.env[name] = value
		}
	}
	if s.client == nil || len(ar.Files) == 0 || ar.Files[0].Name != "config" {
		t.Fatal("a shape needs a client and a config")
	}
	s.config = ar.Files[0].Data
	for _, f := range ar.Files[1:] {
		if strings.HasPrefix(f.Name, "home/") {
			s.home = append(s.home, f)
		}
	}
	return s
}

// play does what `bridge clients migrate` does, but for the servers, which are
// not there.
func (s migrateShape) play(t *testing.T) (report string, after []byte) {
	t.Helper()
	path := s.client.Locations(s.system)[0].Path
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, s.config, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.home {
		path := filepath.Join(s.system.Home, filepath.FromSlash(strings.TrimPrefix(f.Name, "home/")))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Date(2026, 10, 2, 8, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	entries, problems := clients.Find(s.system, s.client)
	if len(problems) > 0 {
		t.Fatal(problems[0].Err)
	}
	getenv := func(name string) (string, bool) { v, ok := s.env[name]; return v, ok }
	moves, stays := movesOf(entries, nil, getenv)
	file, err := servers.LoadFile(filepath.Join(t.TempDir(), "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := settleNames(file, moves, func(servers.Server) (string, error) { return "", nil }); err != nil {
		t.Fatal(err)
	}
	findCarries(moves, s.system, getenv, func(servers.Server) (bool, error) { return false, nil })
	command := "/usr/local/bin/bridge"
	if s.system.GOOS == "windows" {
		command = `C:\Program Files\bridge\bridge.exe`
	}
	plans, moves, more, err := rewritePlans(moves, command, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var tokens []string
	for _, m := range moves {
		fmt.Fprintf(&b, "%s: [servers.%s]\n", m.entry.Name, m.server.Name)
		for _, key := range servers.Keys() {
			if v := m.server.Value(key); v != "" {
				fmt.Fprintf(&b, "  %s = %s\n", key, v)
			}
		}
		if !m.token.IsZero() {
			tokens = append(tokens, m.token.Reveal())
			fmt.Fprintf(&b, "  token %s\n", m.token.Reveal())
		}
		if m.carry != nil {
			describeCarry(&b, m.carry, s.system.Home)
		}
		if len(m.notes) > 0 {
			fmt.Fprintf(&b, "  not kept: %s\n", strings.Join(m.notes, ", "))
		}
		if err := file.Set(m.server); err != nil {
			t.Errorf("%s cannot be kept: %v", m.entry.Name, err)
		}
	}
	for _, st := range append(stays, more...) {
		fmt.Fprintf(&b, "%s stays: %s\n", st.entry.Name, st.why)
	}
	for _, p := range plans {
		text := p.Diff(secretsOf(moves)...)
		for _, token := range tokens {
			if strings.Contains(text, token) {
				t.Errorf("the diff shows a token:\n%s", text)
			}
		}
	}
	if _, err := clients.Apply(plans, time.Now()); err != nil {
		t.Fatal(err)
	}
	if after, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		if bytes.Contains(after, []byte(token)) && len(stays)+len(more) == 0 {
			t.Errorf("the token is still there:\n%s", after)
		}
	}
	return b.String(), after
}

func describeCarry(b *strings.Builder, c *carry, home string) {
	if c.why != "" {
		fmt.Fprintf(b, "  sign-in left behind: %s\n", filepath.ToSlash(strings.ReplaceAll(c.why, home, "HOME")))
	}
	for _, k := range c.kept {
		rel, _ := filepath.Rel(home, filepath.Dir(k.Path)) // it is below
		end := "nobody knows when"
		if !k.Expires.IsZero() {
			end = k.Expires.UTC().Format(time.DateTime)
		}
		fmt.Fprintf(b, "  sign-in of %s: client %q, until %s, renewable %v\n", filepath.ToSlash(rel), k.ClientID, end, k.RefreshToken != "")
	}
}
