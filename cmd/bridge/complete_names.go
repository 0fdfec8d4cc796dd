package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
	"bridge/internal/servers"
)

// Completion of names that are not the program's own: servers from
// config.toml, tools and arguments from what was last seen (tools_seen.go).

// completeServer offers the servers as the first argument.
func (a *app) completeServer(ctx context.Context, c *cli.Command) {
	words := c.Args().Slice()
	switch {
	case a.flagBegun():
		a.complete(ctx, c)
	case len(words) == 0:
		a.offerServers()
	}
}

// completeTool offers a server, then one of its tools.
func (a *app) completeTool(ctx context.Context, c *cli.Command) {
	words := c.Args().Slice()
	switch {
	case a.flagBegun():
		a.complete(ctx, c)
	case len(words) == 0:
		a.offerServers()
	case len(words) == 1:
		for _, t := range toolsSeen(words[0]) {
			a.offer(t.Name, t.Use)
		}
	}
}

// completeCall offers a server, a tool, and the arguments that are not there
// yet. A shell gets the whole word, so that a list of values is offered as
// name=value.
func (a *app) completeCall(ctx context.Context, c *cli.Command) {
	words := c.Args().Slice()
	if a.flagBegun() || len(words) < 2 {
		a.completeTool(ctx, c)
		return
	}
	tools := toolsSeen(words[0])
	i := slices.IndexFunc(tools, func(t seenTool) bool { return t.Name == words[1] })
	if i < 0 {
		return
	}
	for _, arg := range tools[i].Args {
		if slices.ContainsFunc(words[2:], func(w string) bool { return strings.HasPrefix(w, arg.Name+"=") || strings.HasPrefix(w, arg.Name+":=") }) {
			continue
		}
		about := arg.About
		if arg.Required {
			about = strings.TrimSpace(say.T("(required)") + " " + about)
		}
		switch {
		case len(arg.Values) > 0 && arg.Type == "string":
			for _, v := range arg.Values {
				a.offer(arg.Name+"="+v, about)
			}
		case arg.Type == "boolean":
			a.offer(arg.Name+":=true", about)
			a.offer(arg.Name+":=false", about)
		case arg.Type == "string":
			a.offer(arg.Name+"=", about)
		default:
			a.offer(arg.Name+":=", about)
		}
	}
}

// offerServers offers the entries and the presets. A config that cannot be
// read offers nothing: this is no place for an error.
func (a *app) offerServers() {
	f, err := servers.Load()
	if err != nil {
		return
	}
	var names []string
	for _, s := range f.Servers() {
		names = append(names, s.Name)
		a.offer(s.Name, s.URL)
	}
	for _, name := range servers.PresetNames() {
		if !slices.Contains(names, name) {
			a.offer(name, servers.LookupPreset(name).Title)
		}
	}
}

func toolsSeen(arg string) []seenTool {
	f, err := servers.Load()
	if err != nil {
		return nil
	}
	s, err := f.Lookup(arg)
	if err != nil {
		return nil
	}
	return seenTools(s)
}
