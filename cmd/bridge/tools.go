package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/bridge"
	"bridge/internal/say"
	"bridge/internal/termsafe"
)

type toolsOptions struct {
	server, tool string
}

func newTools(a *app) *cli.Command {
	return &cli.Command{
		Name:        "tools",
		Usage:       say.T("List the tools of a server, or explain one"),
		ArgsUsage:   say.T("NAME | URL [TOOL]"),
		UsageText:   "bridge tools pacecraft\nbridge tools pacecraft update_doc\nbridge tools pacecraft --json | jq -r '.tools[].name'",
		Description: say.T("Without a tool's name, all of them, with the server's own marks: read-only or destructive. With one, its arguments and a command to copy. --json gives the server's own words, as in tools/list."),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 1, 2); err != nil {
				return err
			}
			return runTools(ctx, a, toolsOptions{c.Args().Get(0), c.Args().Get(1)})
		},
		ShellComplete: a.completeTool,
	}
}

func runTools(ctx context.Context, a *app, o toolsOptions) error {
	c, done, err := a.reach(ctx, o.server)
	if err != nil {
		return err
	}
	defer done()
	if o.tool != "" {
		tools, err := c.tools(ctx)
		if err != nil {
			return err
		}
		t, err := c.findTool(o.server, o.tool, tools)
		if err != nil {
			return err
		}
		if a.asJSON {
			a.rawJSON(t.raw)
			return nil
		}
		a.explainTool(o.server, t)
		return nil
	}
	if c.lacks("tools") {
		return a.emptyList("tools", say.T("%s offers no tools", serverTitle(c.server)))
	}
	var all []listedTool
	list := jsonList{s: a.streams, field: "tools"}
	err = c.each(ctx, "tools/list", "tools", func(items []json.RawMessage) error {
		page := toolsOf(items)
		all = append(all, page...)
		if a.asJSON {
			return list.page(items)
		}
		var rows []row
		for _, t := range page {
			text := t.title()
			if text == "" {
				text = firstLine(t.Description)
			}
			mark, how := t.mark()
			rows = append(rows, row{t.Name, mark, how, text})
		}
		a.rows(rows)
		return nil
	})
	if err != nil {
		return err
	}
	a.rememberTools(c.server, all)
	switch {
	case a.asJSON:
		list.end()
	case len(all) == 0:
		a.note(say.T("%s offers no tools", serverTitle(c.server)))
	}
	return nil
}

// A listedTool is a tool and the bytes it came in.
type listedTool struct {
	toolInfo
	raw json.RawMessage
}

func toolsOf(items []json.RawMessage) []listedTool {
	var out []listedTool
	for _, raw := range items {
		t := listedTool{raw: raw}
		if json.Unmarshal(raw, &t.toolInfo) == nil && t.Name != "" {
			out = append(out, t)
		}
	}
	return out
}

// mark is how the server marks a tool, in words.
func (t *toolInfo) mark() (string, sgr) {
	switch {
	case t.readOnly():
		return say.T("reads"), green
	case t.destructive():
		return say.T("destructive"), yellow
	case t.Annotations != nil && t.Annotations.Destructive != nil:
		return say.T("writes"), ""
	}
	return "", ""
}

// reach connects to a server and shows on the terminal that it does.
func (a *app) reach(ctx context.Context, arg string) (c *connection, done func(), err error) {
	a.working(say.T("connecting to %s", printable(arg)))
	c, err = a.connect(ctx, arg)
	if err != nil {
		a.endProgress()
		return nil, nil, err
	}
	a.working(say.T("waiting for %s", serverTitle(c.server)))
	return c, func() { a.endProgress(); c.close() }, nil
}

// emptyList is a list with nothing in it, which is no error.
func (a *app) emptyList(field, note string) error {
	if a.asJSON {
		return a.json(map[string]any{field: []any{}})
	}
	a.note(note)
	return nil
}

// tools lists all tools.
func (c *connection) tools(ctx context.Context) ([]listedTool, error) {
	var all []listedTool
	err := c.each(ctx, "tools/list", "tools", func(items []json.RawMessage) error {
		all = append(all, toolsOf(items)...)
		return nil
	})
	return all, err
}

// findTool finds a tool by its name, or says which was probably meant. One
// that policy hides is held back, not unknown.
func (c *connection) findTool(server, name string, tools []listedTool) (*listedTool, error) {
	var names []string
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i], nil
		}
		names = append(names, tools[i].Name)
	}
	near := nearest(name, names)
	if gate := newEntryGate(c.server); gate != nil {
		// What read_only hides cannot be told from what is not there; but a name
		// that is one slip from a tool's is a slip.
		slip := near != "" && slips(strings.ToLower(name), strings.ToLower(near)) == 1
		if reason := gate.Allow(bridge.Tool{Name: name, Known: true, ReadOnly: slip}); reason != "" {
			return nil, fail(exitPolicy, strings.TrimSuffix(reason, ".")).hint(say.T("`bridge servers show %s` shows what is allowed", c.server.Name))
		}
	}
	p := usage(say.T("%s has no tool %q", serverTitle(c.server), name))
	if near != "" {
		return nil, p.hint(say.T("did you mean `%s`?", near))
	}
	return nil, p.hint(say.T("`bridge tools %s` lists them", server))
}

// explainTool shows a tool's schema as usage text.
func (a *app) explainTool(server string, t *listedTool) {
	head := a.paint(bold, termsafe.Line(t.Name))
	if title := t.title(); title != "" {
		head += ": " + termsafe.Line(title)
	}
	if mark, how := t.mark(); mark != "" {
		if how != "" {
			mark = a.paint(how, mark)
		}
		head += " (" + mark + ")"
	}
	a.printf("%s\n", head)
	p := &page{app: a}
	if t.Description != "" {
		p.gap()
		p.wrapped(termsafe.Text(strings.TrimSpace(t.Description)))
	}
	p.head(say.T("Usage"))
	p.hanging(t.callUsage(server))
	args := t.arguments()
	if len(args) > 0 {
		p.head(say.T("Arguments"))
		for _, required := range []bool{true, false} {
			for _, arg := range args {
				if arg.Required == required {
					p.argument(arg)
				}
			}
		}
	}
	p.head(say.T("Example"))
	p.line("  %s", t.callExample(server)) // whole, to be copied
	a.printf("%s", p.String())
}

// argument is an argument and what is known of it, below each other: names
// and descriptions of servers are too uneven for columns.
func (p *page) argument(a argInfo) {
	label := termsafe.Line(a.usage())
	var marks []string
	if a.Required {
		marks = append(marks, say.T("required"))
	}
	if a.Default != "" {
		marks = append(marks, say.T("default %s", oneLine(a.Default)))
	}
	if len(marks) > 0 {
		label += "  " + p.app.paint(dim, "("+termsafe.Line(strings.Join(marks, ", "))+")")
	}
	p.line("  %s", label)
	about := termsafe.Line(strings.TrimSpace(a.Description))
	if len(a.Enum) > 6 {
		about = strings.TrimSpace(about + " " + say.T("It can be: %s.", termsafe.Line(strings.Join(a.words(), ", "))))
	}
	if about != "" {
		for _, line := range wrap(about, p.app.width()-6) {
			p.line("      %s", line)
		}
	}
}

// hanging is a command that may be longer than a line.
func (p *page) hanging(text string) {
	for i, line := range wrap(text, p.app.width()-4) {
		if i == 0 {
			p.line("  %s", line)
			continue
		}
		p.line("    %s", line)
	}
}
