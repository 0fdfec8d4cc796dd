package clients

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// A Launch is all that an entry of ours says: which program to start, and the
// name of the server it shall serve. There is no field for anything else, so
// that no secret can get into a client's file through this package.
type Launch struct {
	Command string // absolute path of the binary
	Server  string // the name of an entry or a preset of ours
}

// check refuses what is not a path and a name.
func (l Launch) check() error {
	if !validName(l.Server) {
		return errors.New("a launch needs the name of a server")
	}
	// Paths of Windows are told by their looks, so that they can be tested
	// elsewhere.
	windows := len(l.Command) > 3 && l.Command[1] == ':' && (l.Command[2] == '\\' || l.Command[2] == '/') || strings.HasPrefix(l.Command, `\\`)
	if !filepath.IsAbs(l.Command) && !windows || strings.ContainsFunc(l.Command, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errors.New("a launch needs the absolute path of a program")
	}
	return nil
}

// validName is the rule of names of servers: 1 to 32 of a-z, 0-9 and -.
func validName(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		name[0] != '-' && name[len(name)-1] != '-'
}

// members is the entry in the client's own shape and order.
func (c *Client) members(l Launch) []member {
	args := []string{"serve", l.Server}
	switch c.shape {
	case shapeTyped:
		return []member{{"type", "stdio"}, {"command", l.Command}, {"args", args}}
	case shapeZed:
		return []member{{"source", "custom"}, {"command", l.Command}, {"args", args}}
	case shapeGoose:
		return []member{{"enabled", true}, {"type", "stdio"}, {"name", l.Server}, {"cmd", l.Command}, {"args", args}, {"timeout", 300}}
	case shapeOpencode:
		return []member{{"type", "local"}, {"command", append([]string{l.Command}, args...)}, {"enabled", true}}
	}
	return []member{{"command", l.Command}, {"args", args}}
}

// essential are the members that make an entry start something; the others,
// such as enabled, are the user's once the entry exists.
func (c *Client) essential(l Launch) []member {
	return slices.DeleteFunc(c.members(l), func(m member) bool {
		return m.key == "enabled" || m.key == "timeout" || m.key == "name"
	})
}

// replaced are the keys that say how a server is reached, in all the clients'
// dialects. They go when an entry of another kind becomes one of ours; what
// else it holds (disabled, alwaysAllow, timeout, cwd) stays.
func (c *Client) replaced() []string {
	keys := []string{"command", "cmd", "args", "type", "source", "transport", "url", "serverUrl", "httpUrl", "uri", "headers",
		"http_headers", "env_http_headers", "bearer_token_env_var", "envFile", "env_vars", "env_keys", "oauth", "auth",
		"authorization", "bearerToken", "requestInit"}
	for _, m := range c.members(Launch{}) {
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == m.key })
	}
	return keys
}

// envKey is what the client calls the table of variables.
func (c *Client) envKey() string {
	switch c.shape {
	case shapeGoose:
		return "envs"
	case shapeOpencode:
		return "environment"
	}
	return "env"
}

// Snippet is the entry as the text of a whole file, for pasting.
func (c *Client) Snippet(l Launch) (string, error) {
	if err := l.check(); err != nil {
		return "", err
	}
	text, err := editorOf(c.Format).add(nil, c.Root, l.Server, c.members(l))
	return string(text), err
}

// CLIArgs are the arguments with which the client's own program adds the
// entry, without the program; nil if it has none.
func (c *Client) CLIArgs(key string, l Launch) []string {
	switch c.CLI {
	case "claude":
		entry := layout{colon: ":", comma: ",", compact: true}.render(c.members(l), "")
		return []string{"mcp", "add-json", "--scope", "user", key, entry}
	case "codex":
		return []string{"mcp", "add", key, "--", l.Command, "serve", l.Server}
	}
	return nil
}
