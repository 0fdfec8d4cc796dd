package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
)

// The manual page is made from the command tree, like help, so that neither
// can say what the other does not know. It is written here because the usual
// generator goes by way of Markdown, with two parsers that every `serve` would
// link.

func newMan(a *app) *cli.Command {
	return &cli.Command{
		Name:      "man",
		Usage:     say.T("Print the manual page"),
		UsageText: "bridge man | man -l -",
		Hidden:    true, // for those who make packages
		Action: func(_ context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 0); err != nil {
				return err
			}
			a.printf("%s", manual(c.Root()))
			return nil
		},
	}
}

// manual is the page in roff's man macros, section 1.
func manual(root *cli.Command) string {
	m := &roff{}
	m.line(`.TH "BRIDGE" "1" "" "bridge %s" ""`, build().Version)
	m.section(say.T("NAME"))
	// Both names, because some systems have the first one for another program.
	m.line(`bridge, mcp\-bridge \- %s`, m.escape(root.Usage))
	m.section(say.T("SYNOPSIS"))
	m.line(`.B bridge`)
	m.text(root.ArgsUsage)
	m.section(say.T("DESCRIPTION"))
	m.text(root.Description)
	m.section(say.T("COMMANDS"))
	for _, c := range visible(root) {
		m.command(c)
	}
	m.section(say.T("FLAGS"))
	m.flags(root)
	for _, t := range topics() {
		title, body, _ := strings.Cut(t.text(), "\n")
		m.section(strings.ToUpper(title))
		m.verbatim(strings.Trim(body, "\n"))
	}
	return m.String()
}

type roff struct{ strings.Builder }

func (m *roff) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }
func (m *roff) section(title string)            { m.line(`.SH "%s"`, m.escape(title)) }

// escape makes text mean itself. Hyphens are minus signs, so that flags can be
// copied from the page.
func (m *roff) escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "’", "'", `"`, `\(dq`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

func (m *roff) text(prose string) {
	for para := range strings.SplitSeq(prose, "\n") {
		if strings.TrimSpace(para) != "" {
			m.line("%s", m.escape(para))
		}
	}
}

func (m *roff) verbatim(text string) {
	m.line(`.nf`)
	for line := range strings.Lines(text) {
		m.line("%s", m.escape(strings.TrimRight(line, "\n")))
	}
	m.line(`.fi`)
}

// command is a command and all below it.
func (m *roff) command(c *cli.Command) {
	if subs := visible(c); len(subs) == 0 {
		m.line(`.SS "%s"`, m.escape(strings.TrimSpace(c.FullName()+" "+c.ArgsUsage)))
	} else {
		m.line(`.SS "%s"`, m.escape(c.FullName()))
	}
	m.line("%s.", m.escape(c.Usage))
	if c.Description != "" {
		m.line(`.PP`)
		m.text(c.Description)
	}
	if c.UsageText != "" {
		m.line(`.RS`)
		m.verbatim(c.UsageText)
		m.line(`.RE`)
	}
	m.flags(c)
	for _, sub := range visible(c) {
		m.command(sub)
	}
}

// flags lists what c alone understands; what holds everywhere stands once, at
// the root.
func (m *roff) flags(c *cli.Command) {
	for _, f := range c.Flags {
		if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
			continue
		}
		if f.Names()[0] == "help" && c.Root() != c {
			continue
		}
		m.line(`.TP`)
		m.line(`\fB%s\fR`, m.escape(flagLabel(f)))
		m.text(flagUsage(f))
	}
}
