package clients

import (
	"errors"
	"io/fs"
	"log/slog"
	"sort"
	"strconv"
	"strings"

	"bridge/internal/fsx"
)

// MaxFile is the largest configuration file that is read, in bytes. Claude
// Code keeps more than its settings in its file.
const MaxFile = 32 << 20

// An Entry is a server in a client's configuration. Its arguments, variables
// and headers may be secrets: formatting an Entry shows where it is and
// nothing of them.
type Entry struct {
	Client *Client
	Path   string   // of the file
	Root   []string // the table it is in
	Name   string   // its key there

	Command  string
	Args     []string
	Env      map[string]string
	URL      string // of an entry that the client connects to by itself
	Headers  map[string]string
	Disabled bool
}

// String says where the entry is.
func (e Entry) String() string { return e.Client.ID + ": " + e.Name }

// GoString is String, for %#v.
func (e Entry) GoString() string { return e.String() }

// LogValue implements slog.LogValuer with no more than String.
func (e Entry) LogValue() slog.Value { return slog.StringValue(e.String()) }

func (e Entry) isProgram(n string) bool { return programName(e.Command) == n }

// Serves returns the name of the server that the entry serves by `bridge serve
// NAME`, or "" if it starts something else.
func (e Entry) Serves() string {
	if (e.isProgram("bridge") || e.isProgram("mcp-bridge")) && len(e.Args) >= 2 && e.Args[0] == "serve" && validName(e.Args[1]) {
		return e.Args[1]
	}
	return ""
}

// programName is the last part of a path, of either kind, without what
// Windows appends.
func programName(command string) string {
	name := strings.ToLower(command[strings.LastIndexAny(command, `/\`)+1:])
	for _, suffix := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// A Problem is a file that could not be read, and why.
type Problem struct {
	Client *Client
	Path   string
	Err    error
}

// Find returns the entries in the files of the clients given, all clients if
// there are none given, in the order of the table, the files and the names.
// Files that cannot be read are problems, not errors: a broken file of one
// client says nothing about the others.
func Find(s System, list ...*Client) (entries []Entry, problems []Problem) {
	if len(list) == 0 {
		list = All()
	}
	for _, c := range list {
		for _, l := range c.Locations(s) {
			if !l.Exists {
				continue
			}
			found, err := c.read(l.Path)
			if err != nil {
				problems = append(problems, Problem{c, l.Path, err})
			}
			entries = append(entries, found...)
		}
	}
	return entries, problems
}

func (c *Client) read(path string) ([]Entry, error) {
	text, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	doc, err := editorOf(c.Format).decode(text)
	if err != nil {
		return nil, inFile(path, err)
	}
	var out []Entry
	for _, root := range c.roots(doc) {
		table, err := below(doc, root)
		if err != nil {
			return out, inFile(path, err)
		}
		names := make([]string, 0, len(table))
		for name := range table {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			if value, ok := table[name].(map[string]any); ok {
				e := entryFrom(value)
				e.Client, e.Path, e.Root, e.Name = c, path, root, name
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// roots are the tables of servers in a file: Claude Code has one for each
// project beside the user's.
func (c *Client) roots(doc map[string]any) [][]string {
	roots := [][]string{c.Root}
	projects, _ := doc["projects"].(map[string]any)
	if c.ID != "claude-code" {
		return roots
	}
	var paths []string
	for path, v := range projects {
		if p, ok := v.(map[string]any); ok && p["mcpServers"] != nil {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	for _, path := range paths {
		roots = append(roots, []string{"projects", path, "mcpServers"})
	}
	return roots
}

// entryFrom reads an entry in whatever dialect it is written: people copy
// snippets from one client's manual into another's file.
func entryFrom(v map[string]any) Entry {
	var e Entry
	switch command := first(v, "command", "cmd").(type) {
	case string:
		e.Command = command
	case []any: // opencode
		if words := stringsOf(command); len(words) > 0 {
			e.Command, e.Args = words[0], words[1:]
		}
	case map[string]any: // Zed, early in 2025
		e.Command, _ = command["path"].(string)
		e.Args = stringsOf(command["args"])
		e.Env = mapOf(command["env"])
	}
	e.Args = append(e.Args, stringsOf(v["args"])...)
	if env := mapOf(first(v, "env", "envs", "environment")); env != nil {
		e.Env = env
	}
	e.URL, _ = first(v, "url", "serverUrl", "httpUrl", "uri").(string)
	e.Headers = mapOf(first(v, "headers", "http_headers"))
	disabled, _ := v["disabled"].(bool)
	enabled, given := v["enabled"].(bool)
	e.Disabled = disabled || given && !enabled
	return e
}

func first(v map[string]any, keys ...string) any {
	for _, key := range keys {
		if v[key] != nil {
			return v[key]
		}
	}
	return nil
}

func stringsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, word := range list {
		if s, ok := text(word); ok {
			out = append(out, s)
		}
	}
	return out
}

func mapOf(v any) map[string]string {
	table, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	out := make(map[string]string, len(table))
	for key, value := range table {
		if s, ok := text(value); ok {
			out[key] = s
		}
	}
	return out
}

// text is a scalar as a client would put it into an argument or a variable.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case interface{ String() string }: // json.Number
		return v.String(), true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

// readConfig reads a configuration file, with what is refused by name.
func readConfig(path string) ([]byte, error) {
	data, err := fsx.ReadFile(path, MaxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &FileError{Path: path, Err: err}
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}
