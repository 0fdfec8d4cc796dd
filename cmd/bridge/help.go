package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
)

func newHelp(a *app) *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     say.T("Explain a command or a topic"),
		ArgsUsage: say.T("[COMMAND | TOPIC]"),
		UsageText: "bridge help serve\nbridge help exit-codes",
		ShellComplete: func(_ context.Context, c *cli.Command) {
			for _, t := range topics() {
				a.offer(t.name, t.usage)
			}
			for _, sub := range c.Root().Commands {
				if !sub.Hidden {
					a.offer(sub.Name, sub.Usage)
				}
			}
		},
		Action: func(_ context.Context, c *cli.Command) error { return runHelp(a, c.Root(), c.Args().Slice()) },
	}
}

func runHelp(a *app, at *cli.Command, words []string) error {
	if len(words) == 1 {
		for _, t := range topics() {
			if t.name == words[0] {
				a.printf("%s\n", t.text())
				return nil
			}
		}
	}
	for _, word := range words {
		sub := at.Command(word)
		if sub == nil {
			return a.unknownTopic(at, word)
		}
		at = sub
	}
	printHelp(a.out, "", at)
	return nil
}

func (a *app) unknownTopic(at *cli.Command, word string) error {
	var names []string
	for _, t := range topics() {
		names = append(names, t.name)
	}
	for _, sub := range at.Commands {
		names = append(names, sub.Names()...)
	}
	p := usage(say.T("no help on %q", word))
	if near := nearest(word, names); near != "" {
		return p.hint(say.T("did you mean `bridge help %s`?", near))
	}
	return p.hint(say.T("see `bridge --help` for what there is"))
}

// helpPage finds out whether help is asked for, and returns the arguments for
// the page of the command at hand. The library takes a word before --help for a
// subcommand, and would know none of the name in `bridge login team --help`.
func helpPage(root *cli.Command, args []string) (page []string, ok bool) {
	at, path := root, []string(nil)
	words := false // there were arguments, so that no command follows
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		arg := args[i]
		if name := strings.TrimLeft(arg, "-"); name != arg && name != "" {
			switch {
			case arg == "--generate-shell-completion":
				return nil, false
			case arg == "--help", arg == "-h":
				ok = true
			case takesValue(name, root, at):
				i++
			}
			continue
		}
		sub := at.Command(arg)
		switch {
		case words:
		case sub != nil:
			at, path = sub, append(path, arg)
		case arg == "help" && len(at.Commands) > 0:
			ok = true
		case at == root:
			return nil, false // no command; the library says it
		default:
			words = true
		}
	}
	return append(path, "--help"), ok
}

func takesValue(name string, commands ...*cli.Command) bool {
	for _, c := range commands {
		for _, f := range c.Flags {
			if d, ok := f.(cli.DocGenerationFlag); ok && slices.Contains(f.Names(), name) {
				return d.TakesValue()
			}
		}
	}
	return false
}

// metaApp is where the root command keeps the app for the help printer, which
// the library calls with a command and nothing else.
const metaApp = "app"

// useHelpPrinter puts our page in the place of the library's template. The
// library has a package variable for it; it is set once.
var useHelpPrinter = sync.OnceFunc(func() { cli.HelpPrinter = printHelp })

// printHelp writes the page of a command: what it does, how it is typed,
// examples, prose, subcommands or flags. Examples come before flags, since
// most readers look for one to copy.
func printHelp(w io.Writer, _ string, data any) {
	c, ok := data.(*cli.Command)
	if !ok {
		return
	}
	a, _ := c.Root().Metadata[metaApp].(*app)
	p := &page{app: a}
	p.wrapped(c.Usage + ".")
	p.head(say.T("Usage"))
	use := c.FullName()
	if c.ArgsUsage != "" {
		use += " " + c.ArgsUsage
	} else if len(visible(c)) > 0 {
		use += " " + say.T("COMMAND")
	}
	p.line("  %s %s", use, say.T("[flags]"))
	if c.UsageText != "" {
		p.head(say.T("Examples"))
		for line := range strings.Lines(c.UsageText) {
			p.line("  %s", strings.TrimRight(line, "\n"))
		}
	}
	if c.Description != "" {
		p.gap()
		p.wrapped(c.Description)
	}
	p.commands(c)
	p.flags(c)
	p.exits(c)
	if c.Root() == c {
		p.head(say.T("Topics (bridge help TOPIC)"))
		var rows [][2]string
		for _, t := range topics() {
			rows = append(rows, [2]string{t.name, t.usage})
		}
		p.table(rows)
	}
	fmt.Fprint(w, p.String())
}

func visible(c *cli.Command) []*cli.Command {
	var subs []*cli.Command
	for _, sub := range c.Commands {
		if !sub.Hidden {
			subs = append(subs, sub)
		}
	}
	return subs
}

type page struct {
	strings.Builder
	app *app
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }
func (p *page) gap()                            { p.WriteByte('\n') }

func (p *page) head(text string) {
	p.gap()
	p.line("%s:", p.app.paint(bold, text))
}

// commands lists subcommands under their headings, in the order of the tree.
func (p *page) commands(c *cli.Command) {
	subs := visible(c)
	done := map[string]bool{}
	for _, first := range subs {
		if done[first.Category] {
			continue
		}
		done[first.Category] = true
		heading := first.Category
		if heading == "" {
			heading = say.T("Commands")
		}
		p.head(heading)
		var rows [][2]string
		for _, sub := range subs {
			if sub.Category == first.Category {
				rows = append(rows, [2]string{sub.Name, sub.Usage})
			}
		}
		p.table(rows)
	}
}

// manyFlags is from how many flags on a command's own are set apart by what
// they are about.
const manyFlags = 12

func (p *page) flags(c *cli.Command) {
	own, inherited := [][2]string{}, [][2]string{}
	groups := map[string][][2]string{}
	for _, at := range c.Lineage() {
		for _, f := range at.Flags {
			if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
				continue
			}
			row := [2]string{flagLabel(f), flagUsage(f)}
			if heading := flagHeading(f.Names()[0]); at == c && heading != "" && len(c.Flags) > manyFlags {
				groups[heading] = append(groups[heading], row)
			} else if at == c {
				own = append(own, row)
			} else if local, ok := f.(cli.LocalFlag); ok && !local.IsLocal() {
				inherited = append(inherited, row)
			}
		}
	}
	p.head(say.T("Flags"))
	p.table(own)
	for _, heading := range [...]string{say.T("Network"), say.T("Sign-in"), say.T("Watching")} {
		if len(groups[heading]) > 0 {
			p.head(heading)
			p.table(groups[heading])
		}
	}
	if len(inherited) > 0 {
		p.head(say.T("Everywhere"))
		p.table(inherited)
	}
}

// flagHeading is what a flag of a command with many is about, or "" for the
// command itself.
func flagHeading(name string) string {
	switch name {
	case "transport", "allow-http", "timeout", "proxy", "ca-cert", "client-cert", "client-cert-key", "insecure":
		return say.T("Network")
	case "trace", "debug", "silent":
		return say.T("Watching")
	case "sign-in":
		return say.T("Sign-in")
	}
	for _, f := range signInFlags() {
		if f.Names()[0] == name {
			return say.T("Sign-in")
		}
	}
	return ""
}

// exits are the statuses that a command can end with, beside 130.
func exits(command string) []exit {
	words := strings.Fields(command)
	if len(words) < 2 {
		return nil
	}
	list := []exit{exitOK, exitFailure, exitUsage}
	if words[len(words)-1] == "migrate" {
		return append(list, exitUnreachable, exitSignIn, exitConflict)
	}
	switch words[1] {
	case "tools", "resources", "prompts", "ping":
		return append(list, exitUnreachable, exitSignIn, exitPolicy)
	case "call":
		return append(list, exitUnreachable, exitSignIn, exitToolError, exitPolicy, exitConflict)
	case "login":
		return append(list, exitUnreachable, exitSignIn, exitConflict)
	case "review", "add":
		return append(list, exitUnreachable, exitSignIn, exitPolicy, exitConflict)
	case "due", "stats":
		return append(list, exitUnreachable, exitSignIn, exitPolicy)
	case "doctor":
		return append(list, exitUnreachable, exitSignIn)
	case "status":
		return append(list, exitSignIn)
	case "logout", "servers", "clients", "sandbox":
		return append(list, exitConflict)
	}
	return list
}

// meaning is an exit status in a few words; the topic exit-codes has more.
func (e exit) meaning() string {
	switch e {
	case exitOK:
		return say.T("done")
	case exitUsage:
		return say.T("wrong usage")
	case exitUnreachable:
		return say.T("server out of reach")
	case exitSignIn:
		return say.T("sign-in needed or refused")
	case exitToolError:
		return say.T("the tool's own error")
	case exitPolicy:
		return say.T("held back")
	case exitConflict:
		return say.T("conflict")
	}
	return say.T("failure")
}

func (p *page) exits(c *cli.Command) {
	list := exits(c.FullName())
	if list == nil {
		return
	}
	var parts []string
	for _, e := range list {
		parts = append(parts, fmt.Sprintf("%d %s", e, e.meaning()))
	}
	p.head(say.T("Exit status"))
	for _, line := range wrap(strings.Join(parts, ", ")+" ("+say.T("see `%s`", "bridge help exit-codes")+")", p.app.width()-2) {
		p.line("  %s", line)
	}
}

// flagLabel is `--name PLACEHOLDER`; the placeholder is what the usage text of
// a flag has between backquotes.
func flagLabel(f cli.Flag) string {
	label := ""
	for _, name := range f.Names() {
		if label != "" {
			label += ", "
		}
		label += dashes(name)
	}
	doc, ok := f.(cli.DocGenerationFlag)
	if !ok || !doc.TakesValue() {
		return label
	}
	if placeholder, _ := splitUsage(doc.GetUsage()); placeholder != "" {
		return label + " " + placeholder
	}
	return label + " " + say.T("VALUE")
}

func flagUsage(f cli.Flag) string {
	if f.Names()[0] == "help" {
		return say.T("show this help")
	}
	if doc, ok := f.(cli.DocGenerationFlag); ok {
		_, text := splitUsage(doc.GetUsage())
		return text
	}
	return ""
}

// splitUsage finds the placeholder. At the beginning it is no part of the
// sentence; further on it is, and stays there without its quotes.
func splitUsage(usage string) (placeholder, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	placeholder, after, closed := strings.Cut(rest, "`")
	switch {
	case !ok || !closed:
		return "", usage
	case before == "":
		return placeholder, strings.TrimSpace(after)
	}
	return placeholder, before + placeholder + after
}

// table sets rows in two columns. A label that is too wide stands alone on
// its line.
func (p *page) table(rows [][2]string) {
	most := 26
	if p.app.width() < 60 {
		most = 10
	}
	left := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= most {
			left = max(left, n)
		}
	}
	for _, row := range rows {
		pad := left - utf8.RuneCountInString(row[0])
		lead := "  " + row[0] + strings.Repeat(" ", max(pad, 0)) + "  "
		if pad < 0 {
			p.line("  %s", row[0])
			lead = strings.Repeat(" ", left+4)
		}
		for i, line := range wrap(row[1], p.app.width()-left-4) {
			if i > 0 {
				lead = strings.Repeat(" ", left+4)
			}
			p.line("%s%s", lead, line)
		}
	}
}

func (p *page) wrapped(text string) {
	for para := range strings.SplitSeq(text, "\n") {
		for _, line := range wrap(para, p.app.width()) {
			p.line("%s", line)
		}
	}
}

// wrap breaks text at blanks into lines of at most width letters, and of at
// most 80, since longer ones are hard to read.
func wrap(text string, width int) []string {
	width = max(min(width, 80), 20)
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
