package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/internal/termsafe"
)

type callOptions struct {
	server, tool string
	words        []string
	output       string
	force        bool
	yes          bool
	unchecked    bool
	timeout      time.Duration
}

func newCall(a *app) *cli.Command {
	var o callOptions
	return &cli.Command{
		Name:      "call",
		Usage:     say.T("Call one tool of a server"),
		ArgsUsage: say.T("NAME | URL TOOL [key=value] [key:=json] [@FILE | - | '{…}']"),
		UsageText: "bridge call pacecraft search_tasks overdueOnly:=true\n" +
			"bridge call pacecraft read_doc docId=release-plan\n" +
			"bridge call nibomo sql_query sql=\"SELECT * FROM cards LIMIT 3\" --json | jq .\n" +
			"bridge call pacecraft update_doc @change.json --yes",
		Description: say.T("key=value is text; key:=json is anything else: a number, true, a list. A dot reaches into an object (filter.status=open). The arguments are held against the tool's schema before anything is sent.\nA tool that the server marks as destructive, and a call with confirmed:=true, is asked about first; where nobody can be asked, --yes says so beforehand. A tool that proposes until it is confirmed is asked about only then.\nThe status is 5 when the tool answers with an error."),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: say.T("write the image, sound or file of the answer to `FILE`, or - for stdout"), Destination: &o.output},
			&cli.BoolFlag{Name: "force", Usage: say.T("overwrite FILE"), Destination: &o.force},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: say.T("do not ask before a destructive call"), Destination: &o.yes},
			&cli.BoolFlag{Name: "unchecked", Usage: say.T("send the arguments without looking at the tool's schema"), Destination: &o.unchecked},
			&cli.DurationFlag{Name: "timeout", Usage: say.T("give up after `TIME`, as in 30s; no limit without it"), Destination: &o.timeout},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 2, -1); err != nil {
				return err
			}
			o.server, o.tool, o.words = c.Args().Get(0), c.Args().Get(1), c.Args().Slice()[2:]
			return runCall(ctx, a, o)
		},
		ShellComplete: a.completeCall,
	}
}

func runCall(ctx context.Context, a *app, o callOptions) error {
	out := &sink{app: a, path: o.output, force: o.force}
	if err := out.check(); err != nil {
		return err
	}
	if o.timeout < 0 {
		return usage(say.T("the time of --timeout is negative"))
	}
	c, done, err := a.reach(ctx, o.server)
	if err != nil {
		return err
	}
	defer done()
	args, err := c.prepare(ctx, a, o)
	if err != nil {
		return err
	}
	a.working(say.T("waiting for %s", serverTitle(c.server)))
	cctx, cancel := ctx, context.CancelFunc(func() {})
	if o.timeout > 0 {
		cctx, cancel = context.WithTimeout(ctx, o.timeout)
	}
	defer cancel()
	params := callParams{Name: o.tool, Arguments: args}
	if a.errIsTerminal() {
		params.Meta = &callMeta{ProgressToken: "call"}
	}
	raw, err := c.Call(cctx, "tools/call", params)
	for range mostVisits {
		if !a.visited(cctx, c, err) {
			break
		}
		a.working(say.T("waiting for %s", serverTitle(c.server)))
		raw, err = c.Call(cctx, "tools/call", params)
	}
	if err != nil {
		err = c.problem(err)
	}
	a.endProgress()
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return fail(exitFailure, say.T("%s did not answer within %s", o.tool, o.timeout)).
			hint(say.T("the call was cancelled; whether the server has carried it out is not known")).because(err)
	case err != nil:
		return err
	}
	return a.showCall(o.tool, raw, out)
}

// prepare makes the arguments, checks them, and asks whether the call is meant.
func (c *connection) prepare(ctx context.Context, a *app, o callOptions) (json.RawMessage, error) {
	var tool *listedTool
	var known []string
	if !o.unchecked {
		tools, err := c.tools(ctx)
		if err != nil {
			return nil, err
		}
		a.rememberTools(c.server, tools)
		if tool, err = c.findTool(o.server, o.tool, tools); err != nil {
			return nil, err
		}
		for _, arg := range tool.arguments() {
			known = append(known, arg.Name)
		}
	}
	args, err := parseArgs(o.words, known, a.readArguments)
	if err != nil {
		return nil, err
	}
	if tool != nil {
		see := "bridge tools " + shellWord(o.server) + " " + shellWord(o.tool)
		warning, err := tool.checkArgs(see, args)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			a.note(termsafe.Line(warning))
		}
	}
	return args, a.confirmCall(ctx, serverTitle(c.server), o, tool, args)
}

// readArguments fetches @FILE and -.
func (a *app) readArguments(word string) ([]byte, error) {
	if word == "-" {
		if isTerminal(a.in) {
			return nil, usage(say.T("nothing is piped into stdin")).hint(say.T("pipe a JSON object into it, or write key=value"))
		}
		text, err := io.ReadAll(io.LimitReader(a.in, maxArguments+1))
		if err == nil && len(text) > maxArguments {
			err = fsx.ErrTooLarge
		}
		if err != nil {
			return nil, usage(say.T("cannot read the arguments from stdin: %s", plainError(err))).because(err)
		}
		return text, nil
	}
	path := strings.TrimPrefix(word, "@")
	text, err := fsx.ReadFile(path, maxArguments)
	if err != nil {
		return nil, usage(say.T("cannot read the arguments in %q: %s", path, plainError(err))).because(err)
	}
	return text, nil
}

// confirmCall asks a person before something is destroyed.
//
//	the tool is marked destructive, and does not wait for `confirmed`   ask
//	the arguments say confirmed: true                                   ask
//	else                                                                go on
//
// A tool with an argument `confirmed` writes nothing without it, so that its
// proposal can be seen before the question is put.
func (a *app) confirmCall(ctx context.Context, title string, o callOptions, tool *listedTool, args json.RawMessage) error {
	var given struct {
		Confirmed json.RawMessage `json:"confirmed"`
	}
	_ = json.Unmarshal(args, &given) // an object, as checked
	confirmed := string(given.Confirmed) == "true"
	risky := confirmed
	if tool != nil && tool.destructive() {
		proposes := false
		for _, arg := range tool.arguments() {
			proposes = proposes || arg.Name == "confirmed" && arg.Type == "boolean"
		}
		risky = risky || !proposes
	}
	if !risky || o.yes {
		return nil
	}
	question := say.T("%s may change or delete things on %s that cannot be brought back. Call it?", termsafe.Line(o.tool), title)
	if confirmed {
		question = say.T("This confirms %s on %s: it writes now. Call it?", termsafe.Line(o.tool), title)
	}
	ok, err := a.confirm(ctx, question)
	switch {
	case errors.Is(err, errNoTerminal):
		return fail(exitPolicy, say.T("%s may destroy something, and nobody can be asked here", o.tool)).
			hint(say.T("add --yes if the call is meant")).because(err)
	case err != nil:
		return err
	case !ok:
		return fail(exitPolicy, say.T("%s was not called", o.tool))
	}
	return nil
}

// showCall shows a result of tools/call. What a tool says of its own failure
// is no data, and goes where errors go.
func (a *app) showCall(tool string, raw json.RawMessage, out *sink) error {
	var r toolResult
	if err := json.Unmarshal(raw, &r); err != nil || string(raw) == "null" {
		return fail(exitFailure, say.T("the answer of %s is no result of a tool", tool)).because(err)
	}
	if a.asJSON {
		a.rawJSON(raw)
	}
	if r.IsError {
		if !a.asJSON {
			a.errorContent(r.Content)
		}
		return fail(exitToolError, say.T("%s answered with an error", tool))
	}
	if out.path != "" {
		return out.write(r.Content, r.Structured)
	}
	if !a.asJSON {
		a.content(r.Content, r.Structured)
	}
	return nil
}
