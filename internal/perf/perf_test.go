package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the floor, as the program itself is.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == floorCommand {
		if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestFloorAgainstFloor measures a little of everything with the floor in the
// bridge's place.
func TestFloorAgainstFloor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("%s has no process figures; only the start is measured", runtime.GOOS)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{self, floorCommand, "{url}"}
	p := plan{floor: argv, bridge: argv, starts: 1, sequential: 100, concurrent: 64, slow: 64, mb1: 1, mb10: 1, settle: time.Millisecond}
	want := len(allRows())
	if runtime.GOOS != "linux" {
		p.only, want = map[string]bool{rowStart: true, rowSlow: true}, 2
	}
	rows, err := p.measure(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != want {
		t.Errorf("%d rows, want %d: %v", len(rows), want, names(rows))
	}
	for _, r := range rows {
		if len(r.floor) != 1 || len(r.bridge) != 1 || math.IsNaN(r.bridge[0]) {
			t.Errorf("%s: %v and %v", r.name, r.floor, r.bridge)
		}
	}
	if lines := strings.Count(table(rows), "\n"); lines != want+2 {
		t.Errorf("the table has %d lines:\n%s", lines, table(rows))
	}
}

// A program is copied with its arguments; a script needs what lies beside it.
func TestCopied(t *testing.T) {
	dir := t.TempDir()
	program, script := filepath.Join(dir, "program"), filepath.Join(dir, "script")
	for path, text := range map[string]string{program: "\x7fELF", script: "#!/bin/sh\n"} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	to := filepath.Join(dir, "copy")
	if got, err := copied([]string{script, "a"}, to); err != nil || got[0] != script {
		t.Errorf("the script is started as %q, %v", got, err)
	}
	got, err := copied([]string{program, "a"}, to)
	if err != nil || !slices.Equal(got, []string{to, "a"}) {
		t.Fatalf("the program is started as %q, %v", got, err)
	}
	if text, err := os.ReadFile(to); err != nil || string(text) != "\x7fELF" {
		t.Errorf("the copy holds %q, %v", text, err)
	}
}

// TestWrongAnswer makes sure that no figure is made of wrong answers.
func TestWrongAnswer(t *testing.T) {
	s, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, took, err := startBridge(t.Context(), []string{self, floorCommand, "{url}"}, s.base+"/json")
	if err != nil || took <= 0 {
		t.Fatalf("start: %v, %v", took, err)
	}
	if err := b.calls(1, 1, smallText, s.tail(smallText+1), nil); err == nil {
		t.Error("a call whose answer is another text passed")
	}
	if err := b.close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestRowsAgainstLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		row  row
		fig  float64
		ok   bool
	}{
		{"less is better, kept", row{kind: atMostRatio, bound: 1.2, floor: []float64{10, 20, 10}, bridge: []float64{11, 22, 90}}, 1.1, true},
		{"less is better, broken", row{kind: atMostRatio, bound: 1.05, floor: []float64{10, 20, 10}, bridge: []float64{11, 22, 90}}, 1.1, false},
		{"more is better, kept", row{kind: atLeastRatio, bound: 0.8, floor: []float64{100}, bridge: []float64{80}}, 0.8, true},
		{"more is better, broken", row{kind: atLeastRatio, bound: 0.81, floor: []float64{100}, bridge: []float64{80}}, 0.8, false},
		{"its own figure", row{kind: atMost, bound: 12, floor: []float64{1, 1}, bridge: []float64{11, 14}}, 12.5, false},
		{"a floor of nothing", row{kind: atMostRatio, bound: 1.2, floor: []float64{-3}, bridge: []float64{30}}, -10, false},
	} {
		if got := c.row.figure(); math.Abs(got-c.fig) > 1e-9 {
			t.Errorf("%s: figure %v, want %v", c.name, got, c.fig)
		}
		if got := len(beyond([]row{c.row})) == 0; got != c.ok {
			t.Errorf("%s: within the bound: %v", c.name, got)
		}
	}
	if (row{kind: atMost, bound: 1}).within(1) {
		t.Error("a row without values keeps its bound")
	}
}

func TestPercentile(t *testing.T) {
	values := []float64{40, 10, 30, 20}
	for part, want := range map[float64]float64{0: 10, 0.5: 25, 1: 40, 0.25: 17.5} {
		if got := percentile(values, part); math.Abs(got-want) > 1e-9 {
			t.Errorf("percentile %v = %v, want %v", part, got, want)
		}
	}
	if !math.IsNaN(median(nil)) {
		t.Error("the median of nothing is a number")
	}
}

func TestCommandLine(t *testing.T) {
	if got := strings.Join(commandLine("/opt/bridge"), " "); got != "/opt/bridge serve {url}" {
		t.Error(got)
	}
	if got := strings.Join(commandLine("node proxy.js {url} -x"), "|"); got != "node|proxy.js|{url}|-x" {
		t.Error(got)
	}
}
