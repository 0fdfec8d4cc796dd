package main

import (
	"os"
	"strings"
	"testing"

	"bridge/internal/clients"
	"bridge/internal/servers"
)

// Package clients may not import servers and has its rule of names again: what
// can be a server can be put into a client.
func TestOneRuleOfNames(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"a", "a-1", "0", "pacecraft", strings.Repeat("a", 32), "a--b",
		"", "A", "a_b", "-a", "a-", "a.b", "é", "a b", strings.Repeat("a", 33), "-", "a\n",
	} {
		_, err := clients.Lookup("cursor").Snippet(clients.Launch{Command: exe, Server: name})
		if servers.ValidName(name) != (err == nil) {
			t.Errorf("%q: a server: %v, in a client: %v", name, servers.ValidName(name), err)
		}
	}
}

// What was begun and not finished is as good as a slip, if it can be one thing only.
func TestNearestFinishesAWord(t *testing.T) {
	among := []string{"search_tasks", "list_spaces", "list_docs", "overdueOnly", "limit"}
	for word, want := range map[string]string{
		"search_taks": "search_tasks", "lsit_docs": "list_docs", "--limt": "limit",
		"overdue": "overdueOnly", "SEARCH": "search_tasks",
		"list": "", "list_": "", "li": "", "": "", "frobnicate": "",
	} {
		if got := nearest(word, among); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
