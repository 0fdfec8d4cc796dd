package clients

import (
	"errors"
	"slices"
	"strings"
)

// A Launch is all that an entry of ours says: which program to start, the name
// of the server it shall serve, and where our own things are if that is not
// where they usually are. There is no field for anything else, and variables
// are held against a list, so that no secret can get into a client's file
// through this package.
type Launch struct {
	Command string     // absolute path of the binary
	Server  string     // the name of an entry or a preset of ours
	Env     []Variable // see VariableNames; nil for most people
}

// check refuses what is not a path, a name, and variables of ours.
func (l Launch) check() error {
	if !validName(l.Server) {
		return errors.New("a launch needs the name of a server")
	}
	if !absolute(l.Command) {
		return errors.New("a launch needs the absolute path of a program")
	}
	for _, v := range l.Env {
		if err := v.Check(); err != nil {
			return err
		}
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
	var out []member
	switch c.shape {
	case shapeTyped:
		out = []member{{"type", "stdio"}, {"command", l.Command}, {"args", args}}
	case shapeZed:
		out = []member{{"source", "custom"}, {"command", l.Command}, {"args", args}}
	case shapeGoose:
		out = []member{{"enabled", true}, {"type", "stdio"}, {"name", l.Server}, {"cmd", l.Command}, {"args", args}, {"timeout", 300}}
	case shapeOpencode:
		out = []member{{"type", "local"}, {"command", append([]string{l.Command}, args...)}, {"enabled", true}}
	default:
		out = []member{{"command", l.Command}, {"args", args}}
	}
	if env := l.env(); env != nil {
		out = append(out, member{c.envKey(), env})
	}
	return out
}

// essential are the members that make an entry start something; the others,
// such as enabled, are the user's once the entry exists. Variables are set one
// by one.
func (c *Client) essential(l Launch) []member {
	l.Env = nil
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
		args := []string{"mcp", "add", key}
		for _, v := range l.Env {
			args = append(args, "--env", v.Name+"="+v.Value)
		}
		return append(args, "--", l.Command, "serve", l.Server)
	}
	return nil
}
