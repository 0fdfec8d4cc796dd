package main

import (
	"slices"
	"testing"
)

func TestWorkspaceNames(t *testing.T) {
	for text, want := range map[string][]string{
		"Pilih workspace:\n- alfagift\n- Tim Inti (ws_2)\n* \"日本 (x)\"\n• `a b`\n":                       {"alfagift", "Tim Inti", "日本 (x)", "a b"},
		"- alfagift (id: ws_1): ?workspace=alfagift\n- Kedai (b) (id: ws_2): ?workspace=Kedai%20%28b%29": {"alfagift", "Kedai (b)"},
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

func TestWithoutTokens(t *testing.T) {
	for text, want := range map[string]string{
		`"pc_0123456789ab" is odd`:                      `"pc_…" is odd`,
		"fca_ABCDEFGH_0123456789 and pc_0123456789abcd": "fca_… and pc_…",
		"pc_short, my_pc_0123456789ab":                  "pc_short, my_pc_0123456789ab",
		"its tokens begin with pc_; make one":           "its tokens begin with pc_; make one",
		"Bearer fco_0123456789":                         "Bearer fco_…",
		"":                                              "",
	} {
		if got := withoutTokens(text); got != want {
			t.Errorf("withoutTokens(%q) = %q, want %q", text, got, want)
		}
	}
}
