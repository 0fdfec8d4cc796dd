package main

import (
	"slices"
	"testing"
)

func TestWorkspaceNames(t *testing.T) {
	for text, want := range map[string][]string{
		"Pilih workspace:\n- alfagift\n- Tim Inti (ws_2)\n* \"日本 (x)\"\n• `a b`\n": {"alfagift", "Tim Inti", "日本 (x)", "a b"},
		"1. one\n2. two\n10. ten (id)":                  {"one", "two", "ten"},
		"no list at all. Really.\nversion 1.2 is fine.": nil,
		"-\n- \n": nil,
	} {
		if got := workspaceNames(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestPick(t *testing.T) {
	names := []string{"alfagift", "Tim Inti", "1"}
	for answer, want := range map[string]string{
		"1": "1", "2": "Tim Inti", " tim inti ": "Tim Inti", "ws_9": "ws_9", "": "", "4": "4", "2x": "2x",
	} {
		if got := pick(names, answer); got != want {
			t.Errorf("pick(%q) = %q, want %q", answer, got, want)
		}
	}
}
