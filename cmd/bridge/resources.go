package main

import (
	"context"
	"encoding/json"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
)

type resourcesOptions struct {
	server, uri string
	output      string
	force       bool
}

func newResources(a *app) *cli.Command {
	var o resourcesOptions
	return &cli.Command{
		Name:        "resources",
		Usage:       say.T("List the resources of a server, or read one"),
		ArgsUsage:   say.T("NAME | URL [URI]"),
		UsageText:   "bridge resources team\nbridge resources team docs://handbook\nbridge resources team docs://logo --output logo.png",
		Description: say.T("The list holds templates as well: their {parts} are to be filled in. Text goes to stdout as it is; what is not text is kept with --output."),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: say.T("write the content to `FILE`, or - for stdout"), Destination: &o.output},
			&cli.BoolFlag{Name: "force", Usage: say.T("overwrite FILE"), Destination: &o.force},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 1, 2); err != nil {
				return err
			}
			o.server, o.uri = c.Args().Get(0), c.Args().Get(1)
			if o.uri == "" && o.output != "" {
				return usage(say.T("--output needs the URI of one resource"))
			}
			return runResources(ctx, a, o)
		},
		ShellComplete: a.completeServer,
	}
}

func runResources(ctx context.Context, a *app, o resourcesOptions) error {
	out := &sink{app: a, path: o.output, force: o.force}
	if err := out.check(); err != nil {
		return err
	}
	c, done, err := a.reach(ctx, o.server)
	if err != nil {
		return err
	}
	defer done()
	if o.uri != "" {
		return c.readResource(ctx, a, o.uri, out)
	}
	if c.lacks("resources") {
		return a.emptyList("resources", say.T("%s offers no resources", serverTitle(c.server)))
	}
	list := jsonList{s: a.streams, field: "resources"}
	n := 0
	show := func(items []json.RawMessage) error {
		n += len(items)
		if a.asJSON {
			return list.page(items)
		}
		var rows []row
		for _, raw := range items {
			var r struct {
				URI         string `json:"uri"`
				Template    string `json:"uriTemplate"`
				Name        string `json:"name"`
				Title       string `json:"title"`
				Description string `json:"description"`
				MIMEType    string `json:"mimeType"`
			}
			if json.Unmarshal(raw, &r) != nil {
				continue
			}
			rows = append(rows, row{name: r.URI + r.Template, mark: oneLine(r.MIMEType),
				text: firstOf(firstLine(r.Description), firstOf(r.Title, r.Name))})
		}
		a.rows(rows)
		return nil
	}
	if err := c.each(ctx, "resources/list", "resources", show); err != nil {
		return err
	}
	if a.asJSON {
		list.and("resourceTemplates")
	}
	err = c.each(ctx, "resources/templates/list", "resourceTemplates", show)
	if err != nil && !noSuchMethod(err) { // templates are optional
		return err
	}
	switch {
	case a.asJSON:
		list.end()
	case n == 0:
		a.note(say.T("%s offers no resources", serverTitle(c.server)))
	}
	return nil
}

func (c *connection) readResource(ctx context.Context, a *app, uri string, out *sink) error {
	raw, err := c.request(ctx, "resources/read", map[string]string{"uri": uri})
	if noSuchMethod(err) {
		return fail(exitFailure, say.T("%s offers no resources", serverTitle(c.server))).because(err)
	}
	if err != nil {
		return err
	}
	a.endProgress()
	var r struct {
		Contents []resourceContent `json:"contents"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return fail(exitFailure, say.T("the answer of %s is no resource", serverTitle(c.server))).because(err)
	}
	var blocks []contentBlock
	for i := range r.Contents {
		blocks = append(blocks, contentBlock{Type: "resource", Resource: &r.Contents[i]})
	}
	if a.asJSON {
		a.rawJSON(raw)
	}
	if out.path != "" {
		return out.write(blocks, nil)
	}
	if !a.asJSON {
		a.content(blocks, nil)
	}
	return nil
}
