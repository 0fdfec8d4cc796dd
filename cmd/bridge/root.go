package main

// How a command is made. One file a command, and one shape:
//
//	type fooOptions struct { … }                      what flags and arguments said, nothing else
//	func newFoo(a *app) *cli.Command { … }            texts and flags; does no work
//	func runFoo(ctx, a *app, o fooOptions) error      does it; returns what went wrong
//
// and a line in commands below, under the heading where help shows it.
//
//   - Usage is one line, UsageText the examples (they come first in help),
//     ArgsUsage the arguments, Description prose. All are say.T("…") with the
//     Indonesian text beside it in internal/say.
//   - Data goes to a.printf or a.json, notes to a.note, questions through
//     a.ask; no command touches os.Stdout. a.asJSON is --json.
//   - Errors are fail(exitSomething, say.T("…")).hint(say.T("…")); wrong
//     arguments are usage(…). exitOf turns them into the exit status.
//   - What is slow or may fail (keychain, network, files) is opened by the run
//     function when it needs it, never by the constructor.
//   - Wrong flags, unknown subcommands and --help need nothing: tame sees to
//     them for the whole tree, and a test tries every command.

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
	"bridge/internal/servers"
)

// An app is what every command gets: the streams, and what is built on use.
type app struct {
	*streams
	args []string // as they were typed
}

// commands is the whole tree, in the order of help.
func (a *app) commands() []*cli.Command {
	return slices.Concat(
		under(say.T("Connect"),
			newLogin(a),
			newServe(a),
			newStatus(a),
			newServers(a),
			newClients(a),
			newDoctor(a),
			newLogout(a),
		),
		under(say.T("Use"),
			newTools(a),
			newCall(a),
			newResources(a),
			newPrompts(a),
			newPing(a),
		),
		under(say.T("Flashcards"),
			newReview(a),
			newDue(a),
			newStats(a),
			newAdd(a),
		),
		under(say.T("Try"),
			newDemo(a),
			newSandbox(a),
		),
		under(say.T("More"),
			newHelp(a),
			newVersion(a),
			newMan(a),
		),
	)
}

// under files commands under a heading of help.
func under(heading string, commands ...*cli.Command) []*cli.Command {
	for _, c := range commands {
		c.Category = heading
	}
	return commands
}

// run is the whole program: arguments in, exit status out.
func run(ctx context.Context, args []string, s *streams) int {
	// net/http has one use for the standard log: to quote what a server says out
	// of turn. That is no business of the terminal, and it may be the token.
	log.SetOutput(io.Discard) //nolint:forbidigo // to silence it is all that is done with it
	a := &app{streams: s}
	err := a.dispatch(ctx, args)
	if wrong := a.writeError(); wrong != nil {
		err = wrong
	}
	if err != nil {
		a.failure(err)
	}
	return int(exitOf(err))
}

// dispatch finds out what is wanted. A client starts `serve` many times a day
// and waits for it, so that one is run before the tree is built.
func (a *app) dispatch(ctx context.Context, args []string) error {
	a.args = args
	a.asJSON = slices.Contains(untilDashes(args), "--json")
	if rest, ok := serveForm(args); ok {
		err := serve(ctx, a, rest)
		if !errors.Is(err, errHelpWanted) {
			return err
		}
		args = []string{"serve", "--help"}
	}
	ctx, stop := withSignals(ctx)
	defer stop()
	tree := a.tree()
	if page, ok := helpPage(tree, args); ok {
		args = page
	}
	err := tree.Run(ctx, append([]string{"bridge"}, args...))
	// The library's own error for help on what does not exist, the only one
	// that carries a status.
	if coder := cli.ExitCoder(nil); errors.As(err, &coder) {
		return a.unknownCommand(tree, lastWord(args))
	}
	return err
}

func (a *app) tree() *cli.Command {
	root := &cli.Command{
		Name:      "bridge",
		Usage:     say.T("Connect desktop AI clients to remote MCP servers"),
		ArgsUsage: say.T("COMMAND | URL"),
		UsageText: "bridge demo\n" +
			"bridge login pacecraft\n" +
			"bridge serve pacecraft\n" +
			"bridge https://mcp.example.com/mcp --header \"Authorization: Bearer ${TOKEN}\"",
		Description: say.T("A client that only speaks MCP on stdio starts bridge; bridge speaks to the server over HTTP. The arguments of mcp-remote work unchanged."),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: say.T("print one JSON value; errors are JSON on stderr"), Destination: &a.asJSON},
			&cli.StringFlag{Name: "color", Usage: say.T("`WHEN` use colour: auto, always or never"), DefaultText: "auto", Destination: &a.color, Validator: colorWhen},
			&cli.BoolFlag{Name: "version", Usage: say.T("print the version"), Local: true},
		},
		Commands: a.commands(),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Bool("version") {
				return runVersion(a)
			}
			if c.Args().Present() {
				return a.unknownCommand(c, c.Args().First())
			}
			return cli.ShowRootCommandHelp(c)
		},
		HideVersion:                     true,
		HideHelpCommand:                 true,
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: a.configureCompletion,
		Reader:                          a.in,
		Writer:                          a.out,
		ErrWriter:                       a.err,
		// The library would end the process by itself; run does that.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
	useHelpPrinter()
	root.Metadata = map[string]any{metaApp: a}
	a.tame(root)
	return root
}

// tame makes a command and those below it behave. Of what the library does by
// itself, these would break the promises of the streams and exit statuses:
// OnUsageError is not inherited, so that a wrong flag of a subcommand prints
// help to stdout; a command without an action prints help whatever its
// arguments are; values of repeated flags are split at commas.
func (a *app) tame(c *cli.Command) {
	c.OnUsageError = a.usageError
	c.DisableSliceFlagSeparator = true
	if c.ShellComplete == nil {
		c.ShellComplete = a.complete
	}
	if c.Action == nil {
		c.Action = a.needsSubcommand
	}
	for _, sub := range c.Commands {
		a.tame(sub)
	}
}

func (a *app) needsSubcommand(_ context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return a.unknownCommand(c, c.Args().First())
	}
	return usage(say.T("%q needs a subcommand", c.FullName())).
		hint(say.T("see `%s --help`", c.FullName()))
}

// usage is wrong use of the command line.
func usage(text string) *problem { return fail(exitUsage, text) }

// unknownCommand names the nearest command there is, if one is near.
func (a *app) unknownCommand(c *cli.Command, word string) error {
	var names []string
	for _, sub := range c.Commands {
		if !sub.Hidden {
			names = append(names, sub.Names()...)
		}
	}
	p := usage(say.T("unknown command %q", withoutSecrets(word)))
	if near := nearest(word, names); near != "" {
		return p.hint(say.T("did you mean `%s %s`?", c.FullName(), near))
	}
	if f, err := servers.Load(); err == nil && c.FullName() == "bridge" {
		if s, err := f.Lookup(word); err == nil && s.Name == word {
			return p.hint(say.T("this is a server, and a command comes first: `bridge tools %s`", word))
		}
	}
	if looksLikeHost(word) {
		return p.hint(say.T("give the full address of the server: `bridge %s`", fullAddress(withoutSecrets(word))))
	}
	return p.hint(say.T("see `%s --help`", c.FullName()))
}

// usageError words the library's errors as ours.
func (a *app) usageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	help := say.T("see `%s --help`", c.FullName())
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return unknownFlag(name, flagNames(c), help)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return usage(say.T("%s needs a value", name)).hint(help)
	}
	if rest, ok := strings.CutPrefix(text, "invalid value "); ok {
		// `"x" for flag -name: why`
		value, rest, _ := strings.Cut(rest, " for flag -")
		name, why, _ := strings.Cut(rest, ": ")
		switch {
		case why == "", strings.HasPrefix(why, "strconv."), why == "parse error":
			return usage(say.T("invalid value %s for --%s", value, name)).hint(help)
		case strings.HasPrefix(why, "time: "):
			return usage(say.T("invalid value %s for --%s", value, name)).hint(say.T("a time is a number with its unit, as in 30s, 5m or 1h30m"))
		}
		return usage(say.T("invalid value %s for --%s: %s", value, name, why)).hint(help)
	}
	return usage(text).hint(help)
}

func unknownFlag(name string, known []string, help string) error {
	p := usage(say.T("unknown flag %q", dashes(name)))
	if near := nearest(name, known); near != "" {
		return p.hint(say.T("did you mean `%s`?", dashes(near)))
	}
	return p.hint(help)
}

func dashes(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// flagNames are the names of the flags that c understands.
func flagNames(c *cli.Command) []string {
	var names []string
	for _, at := range c.Lineage() {
		for _, f := range at.Flags {
			names = append(names, f.Names()...)
		}
	}
	return names
}

// argCount checks how many arguments there are; most is -1 for any number.
func argCount(c *cli.Command, least, most int) error {
	n := c.NArg()
	switch {
	case n < least:
		return usage(say.T("%q needs %s", c.FullName(), c.ArgsUsage)).hint(say.T("see `%s --help`", c.FullName()))
	case most >= 0 && n > most:
		return usage(say.T("unexpected argument %q for %q", withoutSecrets(c.Args().Get(most)), c.FullName())).hint(say.T("see `%s --help`", c.FullName()))
	}
	return nil
}

func colorWhen(when string) error {
	switch when {
	case "", "auto", "always", "never":
		return nil
	}
	return errors.New(say.T("use auto, always or never"))
}

// untilDashes cuts args at a lone "--".
func untilDashes(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i]
	}
	return args
}

func lastWord(args []string) string {
	for _, arg := range slices.Backward(args) {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

// fullAddress is an address that was typed without its scheme, with the one
// that it most likely has: only this machine is spoken to in plain http.
func fullAddress(word string) string {
	host, _, _ := strings.Cut(word, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if servers.Loopback(host) {
		return "http://" + word
	}
	return "https://" + word
}

// looksLikeHost tells example.com/mcp from a mistyped command.
func looksLikeHost(word string) bool {
	host, _, _ := strings.Cut(word, "/")
	return strings.Contains(strings.Trim(host, "."), ".") || strings.HasPrefix(host, "localhost")
}
