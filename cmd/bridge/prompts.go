package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
	"bridge/internal/termsafe"
)

func newPrompts(a *app) *cli.Command {
	return &cli.Command{
		Name:        "prompts",
		Usage:       say.T("List the prompts of a server, or get one"),
		ArgsUsage:   say.T("NAME | URL [PROMPT [key=value]…]"),
		UsageText:   "bridge prompts team\nbridge prompts team review topic=\"release plan\"\nbridge prompts team review topic=x --json",
		Description: say.T("A prompt is text that the server writes for a model. It is shown, and sent nowhere."),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 1, -1); err != nil {
				return err
			}
			words := c.Args().Slice()
			return runPrompts(ctx, a, words[0], words[1:])
		},
		ShellComplete: a.completeServer,
	}
}

// A promptInfo is a prompt of prompts/list.
type promptInfo struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Arguments   []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
	} `json:"arguments"`
}

func runPrompts(ctx context.Context, a *app, server string, words []string) error {
	c, done, err := a.reach(ctx, server)
	if err != nil {
		return err
	}
	defer done()
	if c.lacks("prompts") && len(words) == 0 {
		return a.emptyList("prompts", say.T("%s offers no prompts", serverTitle(c.server)))
	}
	var all []promptInfo
	list := jsonList{s: a.streams, field: "prompts"}
	err = c.each(ctx, "prompts/list", "prompts", func(items []json.RawMessage) error {
		if a.asJSON && len(words) == 0 {
			return list.page(items)
		}
		var rows []row
		for _, raw := range items {
			var p promptInfo
			if json.Unmarshal(raw, &p) == nil {
				all = append(all, p)
				rows = append(rows, row{name: p.Name, mark: p.shape(), text: firstOf(firstLine(p.Description), p.Title)})
			}
		}
		if len(words) == 0 {
			a.rows(rows)
		}
		return nil
	})
	switch {
	case noSuchMethod(err):
		return fail(exitFailure, say.T("%s offers no prompts", serverTitle(c.server))).because(err)
	case err != nil:
		return err
	case len(words) > 0:
		return c.getPrompt(ctx, a, server, all, words)
	case a.asJSON:
		list.end()
	case len(all) == 0:
		a.note(say.T("%s offers no prompts", serverTitle(c.server)))
	}
	return nil
}

// shape is the arguments of a prompt as they are typed.
func (p *promptInfo) shape() string {
	var parts []string
	for _, arg := range p.Arguments {
		word := termsafe.Line(arg.Name) + "="
		if !arg.Required {
			word = "[" + word + "]"
		}
		parts = append(parts, word)
	}
	return strings.Join(parts, " ")
}

func (c *connection) getPrompt(ctx context.Context, a *app, server string, all []promptInfo, words []string) error {
	args, err := promptArgs(server, all, words)
	if err != nil {
		return err
	}
	raw, err := c.request(ctx, "prompts/get", map[string]any{"name": words[0], "arguments": args})
	if err != nil {
		return err
	}
	a.endProgress()
	if a.asJSON {
		a.rawJSON(raw)
		return nil
	}
	var r struct {
		Messages []struct {
			Role    string       `json:"role"`
			Content contentBlock `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return fail(exitFailure, say.T("the answer of %s is no prompt", serverTitle(c.server))).because(err)
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		if i > 0 {
			a.printf("\n")
		}
		a.printf("%s\n%s", a.paint(bold, termsafe.Line(m.Role)+":"), endLine(a.blockText(&m.Content)))
	}
	return nil
}

// promptArgs makes the arguments, which are text, and holds them against what
// the prompt says it takes.
func promptArgs(server string, all []promptInfo, words []string) (map[string]string, error) {
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	i := slices.Index(names, words[0])
	if i < 0 {
		p := usage(say.T("%s has no prompt %q", server, words[0]))
		if near := nearest(words[0], names); near != "" {
			return nil, p.hint(say.T("did you mean `%s`?", near))
		}
		return nil, p.hint(say.T("`bridge prompts %s` lists them", server))
	}
	var known []string
	for _, arg := range all[i].Arguments {
		known = append(known, arg.Name)
	}
	args := map[string]string{}
	for _, word := range words[1:] {
		key, text, isJSON, ok := splitArg(word)
		_, twice := args[key]
		switch {
		case !ok:
			return nil, notAnArgument(word, known)
		case isJSON:
			return nil, usage(say.T("the arguments of a prompt are text")).hint(say.T("write `%s`", key+"="+termCut(text)))
		case twice:
			return nil, usage(say.T("%q is given twice", key))
		case !slices.Contains(known, key):
			p := usage(say.T("%s has no argument %q", words[0], key))
			if near := nearest(key, known); near != "" {
				return nil, p.hint(say.T("did you mean `%s`?", near))
			}
			return nil, p.hint(say.T("it has: %s", strings.Join(known, ", ")))
		}
		args[key] = strings.ToValidUTF8(text, "\ufffd")
	}
	for _, arg := range all[i].Arguments {
		if _, given := args[arg.Name]; arg.Required && !given {
			return nil, usage(say.T("%s needs the argument %q", words[0], arg.Name)).hint(say.T("add `%s`", arg.Name+"=…"))
		}
	}
	return args, nil
}
