package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/bridge"
	"bridge/internal/say"
)

// endWithin is how long serve may take to end once the host has closed stdin,
// sent a signal or died, whatever is going on. The relay keeps to it by
// itself; this is for a stdout that nobody reads any more, and for what is still
// at work after the relay. That has lastMoment to hear of it.
const (
	endWithin  = 2 * time.Second
	lastMoment = 50 * time.Millisecond
)

func newServe(a *app) *cli.Command {
	command := &cli.Command{
		Name:      "serve",
		Usage:     say.T("Speak MCP on stdio and forward it to a server"),
		ArgsUsage: say.T("NAME | URL"),
		UsageText: "bridge serve pacecraft\n" +
			"bridge serve https://mcp.example.com/mcp\n" +
			"BRIDGE_TOKEN_FILE=token.txt bridge serve https://mcp.example.com/mcp\n" +
			"bridge serve https://mcp.example.com/mcp --header \"X-Api-Key: ${KEY}\" --ignore-tool \"delete_*\"",
		Description: say.T("This is what a desktop client starts. stdout carries MCP messages and nothing else; stderr is quiet unless something is wrong. It ends with status 0 when the client closes stdin."),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "header", Usage: say.T("`\"NAME: VALUE\"` send this header; ${VAR} is taken from the environment (repeatable)")},
			&cli.StringSliceFlag{Name: "header-file", Usage: say.T("`FILE` read headers from a file, one a line, # for comments (repeatable)")},
			&cli.StringFlag{Name: "transport", Usage: say.T("`HOW` auto, http-first, sse-first, http-only or sse-only"), DefaultText: "auto"},
			&cli.StringFlag{Name: "protocol", Usage: say.T("`ERA` the server speaks: auto, legacy or modern (2026-07-28)"), DefaultText: "auto"},
			&cli.StringFlag{Name: "modern-on-legacy", Usage: say.T("`HOW` a client of 2026-07-28 meets a server with sessions: translate, or transparent (told to use sessions)"), DefaultText: "translate"},
			&cli.BoolFlag{Name: "allow-http", Usage: say.T("allow plain http to another machine")},
			&cli.StringSliceFlag{Name: "ignore-tool", Usage: say.T("`GLOB` hide matching tools and refuse calls to them (repeatable)")},
			&cli.StringSliceFlag{Name: "timeout", Usage: say.T("`PHASE=TIME` limit connect, tls, response, probe, initialize or retry, as in connect=5s; none means no limit (repeatable)")},
			&cli.StringFlag{Name: "proxy", Usage: say.T("`URL` use this proxy instead of the one in HTTPS_PROXY")},
			&cli.StringSliceFlag{Name: "ca-cert", Usage: say.T("`FILE` trust these certificates in addition to the system's (repeatable)")},
			&cli.StringFlag{Name: "client-cert", Usage: say.T("`FILE` show this certificate (PEM) to a server that asks for one")},
			&cli.StringFlag{Name: "client-cert-key", Usage: say.T("`FILE` with the private key of that certificate (PEM)")},
			&cli.BoolFlag{Name: "insecure", Usage: say.T("do not check the certificate of this server: whoever is between can read the token")},
			&cli.StringFlag{Name: "trace", Usage: say.T("`FILE` append the conversation to a file, without secrets")},
			&cli.StringFlag{Name: "sign-in", Usage: say.T("`WHO` begins a sign-in: auto (the first refused request), tool (the host, by a tool) or never"), DefaultText: "auto"},
			&cli.BoolFlag{Name: "debug", Usage: say.T("log what happens to stderr")},
			&cli.BoolFlag{Name: "silent", Usage: say.T("log errors only")},
		},
		// The arguments are read by parseServe, which understands those of
		// mcp-remote as well; the flags above are for help and completion.
		SkipFlagParsing: true,
		Action: func(ctx context.Context, c *cli.Command) error {
			err := serve(ctx, a, c.Args().Slice())
			if errors.Is(err, errHelpWanted) {
				return cli.ShowSubcommandHelp(c)
			}
			return err
		},
	}
	command.Flags = append(command.Flags, signInFlags()...)
	return command
}

// serve is `bridge serve ARGS…`, and `bridge ARGS…` as typed for mcp-remote.
func serve(ctx context.Context, a *app, args []string) error {
	o, err := parseServe(args)
	a.color = o.color
	if err != nil {
		return err
	}
	return runServe(ctx, a, o)
}

func runServe(ctx context.Context, a *app, o serveOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	wire := a.takeStdout()
	guard := newEndGuard(ctx, cancel, func() {
		trimMapped()
		widen(wire)
	})
	end := func() { // what is still at work
		cancel()
		guard.wait()
	}
	defer func() { end() }() // again, if the relay ran
	credentials, err := o.findEntry(a)
	if err != nil {
		return err
	}
	cfg, closeTrace, err := o.config(a)
	if err != nil {
		return err
	}
	defer closeTrace()
	cfg.Waiting = guard.begin
	if cfg.Header.Get("Authorization") == "" {
		auth, err := a.provider(ctx, credentials, &cfg, o.signIn)
		if err != nil {
			return err
		}
		if auth != nil {
			cfg.Authorizer = auth
			auth.start() // while the host's first line is being read
			end = func() {
				cancel()
				auth.wait()
				guard.wait()
			}
		}
	}
	relay, err := bridge.New(cfg)
	if err != nil {
		return fail(exitUsage, err.Error()).because(err)
	}
	o.noteIgnored(a)

	return relayUntilEnd(ctx, relay, guardedReader{a.in, guard}, guardedWriter{wire, guard}, end, func() {
		cancel()
		time.Sleep(lastMoment)
		os.Exit(int(exitOK))
	})
}

// A runner is a *bridge.Relay.
type runner interface {
	Run(ctx context.Context, stdin io.Reader, stdout io.Writer) error
}

// relayUntilEnd runs the relay and then end, which ends the rest. If both are not
// done endWithin after stdin or ctx ended, something is stuck, like a write to
// stdout, and nothing but the end of the process frees it: leave is called once, on
// a goroutine of its own, and is to end it.
// The relay has the caller's goroutine: a start feels each one more.
func relayUntilEnd(ctx context.Context, relay runner, stdin io.Reader, stdout io.Writer, end, leave func()) error {
	late := &lastCall{leave: leave}
	defer late.off()
	defer context.AfterFunc(ctx, late.on)()
	err := relay.Run(ctx, &watchedReader{r: stdin, ended: late.on}, stdout)
	if ctx.Err() != nil {
		err = nil // ended as asked
	}
	late.on() // or it is, if stdout has failed
	end()
	return err
}

// A lastCall calls leave endWithin after it was first set on, unless it is set
// off before.
type lastCall struct {
	leave func()
	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

func (l *lastCall) on() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil && !l.over {
		l.timer = time.AfterFunc(endWithin, l.leave)
	}
}

func (l *lastCall) off() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

// A watchedReader tells when its reader has come to an end. ended may be called
// more than once.
type watchedReader struct {
	r     io.Reader
	ended func()
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil {
		w.ended()
	}
	return n, err
}
