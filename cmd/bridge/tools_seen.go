package main

import (
	"encoding/json"
	"path/filepath"

	"bridge/internal/fsx"
	"bridge/internal/servers"
)

// What a server's tools/list last held is kept for shell completion, which
// must answer within a keystroke: no network, no keychain. It may be old, and
// holds nothing that is not on the screen of whoever lists the tools.
//
//	state/tools/NAME.json   written by every verb that lists tools

// maxToolsSeen bounds the file, in bytes. A longer list is not kept.
const maxToolsSeen = 4 << 20

// A seenServer is the file. Origin keeps an entry that was pointed elsewhere
// from being completed with the old server's tools.
type seenServer struct {
	Origin string     `json:"origin"`
	Tools  []seenTool `json:"tools"`
}

type seenTool struct {
	Name string    `json:"name"`
	Use  string    `json:"use,omitempty"`
	Args []seenArg `json:"args,omitempty"`
}

type seenArg struct {
	Name     string   `json:"name"`
	Type     string   `json:"type,omitempty"`
	About    string   `json:"about,omitempty"`
	Required bool     `json:"required,omitempty"`
	Values   []string `json:"values,omitempty"`
}

func seenPath(name string) (string, error) {
	home, err := fsx.Home()
	return filepath.Join(home, "state", "tools", name+".json"), err
}

// rememberTools keeps a list for completion. That it cannot be kept is no
// reason for a command to fail, nor worth a word.
func (a *app) rememberTools(s servers.Server, tools []listedTool) {
	if !servers.ValidName(s.Name) {
		return
	}
	seen := seenServer{Origin: s.Origin()}
	for i := range tools {
		t := seenTool{Name: tools[i].Name, Use: shortened(firstOf(tools[i].title(), tools[i].Description))}
		for _, arg := range tools[i].arguments() {
			t.Args = append(t.Args, seenArg{arg.Name, arg.Type, shortened(arg.Description), arg.Required, arg.words()})
		}
		seen.Tools = append(seen.Tools, t)
	}
	data, err := json.Marshal(seen)
	if err != nil || len(data) > maxToolsSeen {
		return
	}
	path, err := seenPath(s.Name)
	if err != nil {
		return
	}
	if old, err := fsx.ReadFile(path, maxToolsSeen); err == nil && string(old) == string(data) {
		return
	}
	if _, err := fsx.Dir("state", "tools"); err == nil {
		_ = fsx.WriteFile(path, data)
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func shortened(text string) string {
	text = firstLine(text)
	if r := []rune(text); len(r) > 80 {
		text = string(r[:79]) + "…"
	}
	return text
}

// seenTools returns what is remembered of a server, or nil.
func seenTools(s servers.Server) []seenTool {
	path, err := seenPath(s.Name)
	if err != nil || !servers.ValidName(s.Name) {
		return nil
	}
	data, err := fsx.ReadFile(path, maxToolsSeen)
	if err != nil {
		return nil
	}
	var seen seenServer
	if json.Unmarshal(data, &seen) != nil || seen.Origin != s.Origin() {
		return nil
	}
	return seen.Tools
}
