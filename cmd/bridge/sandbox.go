package main

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/sandbox"
	"bridge/internal/sandbox/faults"
	"bridge/internal/say"
)

type sandboxOptions struct {
	addr      string
	data      string
	faults    []string
	throttle  bool
	accessTTL time.Duration
}

func newSandbox(a *app) *cli.Command {
	var o sandboxOptions
	return &cli.Command{
		Name:  "sandbox",
		Usage: say.T("Run both services on this machine, with sample data"),
		UsageText: "bridge sandbox\n" +
			"bridge sandbox --addr 127.0.0.1:7700 --data cards.db\n" +
			"bridge sandbox --fault status=503,on=nibomo,method=tools/call,times=2",
		Description: say.T("Starts PaceCraft and Nibomo, with its authorization server, on loopback. Nothing leaves this machine and no account is needed. What the services are told they keep: in memory, or in a file with --data."),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Usage: say.T("listen on `ADDRESS`, loopback only; with a port, the four after it are taken too"), DefaultText: "127.0.0.1:0", Destination: &o.addr},
			&cli.StringFlag{Name: "data", Usage: say.T("keep everything in `FILE`"), DefaultText: ":memory:", Destination: &o.data},
			&cli.StringSliceFlag{Name: "fault", Usage: say.T("let something go wrong: `KIND[=VALUE]`[,on=WHERE][,method=METHOD][,times=N|always][,after=N]"), Destination: &o.faults},
			&cli.BoolFlag{Name: "throttle", Usage: say.T("limit Nibomo to 20 requests a second, as its gateway does"), Destination: &o.throttle},
			&cli.DurationFlag{Name: "access-ttl", Usage: say.T("let access tokens of Nibomo live for `DURATION`"), DefaultText: "1h", Destination: &o.accessTTL},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 0); err != nil {
				return err
			}
			if c.IsSet("data") && o.data == "" { // a variable that is not set, most likely
				return usage(say.T("invalid value %s for --%s", `""`, "data"))
			}
			return runSandbox(ctx, a, o)
		},
	}
}

// runSandbox serves until ctx ends, which is the ordinary end and no error.
func runSandbox(ctx context.Context, a *app, o sandboxOptions) error {
	opt := sandbox.Options{Addr: o.addr, Data: o.data, Throttle: o.throttle, AccessTTL: o.accessTTL}
	if o.accessTTL < 0 {
		return usage(say.T("invalid value %s for --%s", strconv.Quote(o.accessTTL.String()), "access-ttl"))
	}
	for _, text := range o.faults {
		f, err := faults.Parse(text)
		if err != nil {
			return usage(say.T("invalid value %s for --%s", strconv.Quote(text), "fault")).
				hint(say.T("kinds: %s", strings.Join(faults.Kinds(), ", "))).because(err)
		}
		opt.Faults = append(opt.Faults, f)
	}
	// Streams are for one goroutine, so codes come to the loop below.
	type letter struct{ email, code string }
	mail := make(chan letter, 16)
	opt.Mail = func(email, code string) {
		select {
		case mail <- letter{email, code}:
		case <-ctx.Done():
		}
	}
	s, err := sandbox.Start(ctx, opt)
	switch {
	case errors.Is(err, sandbox.ErrNotLoopback):
		return usage(say.T("the sandbox listens on this machine only, not on %q", o.addr)).
			hint(say.T("leave --addr out, or give 127.0.0.1 and a port: `bridge sandbox --addr 127.0.0.1:7700`")).because(err)
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return fail(exitConflict, say.T("another program listens on %q, or on one of the four ports after it", o.addr)).
			hint(say.T("end it (perhaps an earlier sandbox), or leave --addr out for ports that are free")).because(err)
	case err != nil && o.data != "":
		return sandboxDataProblem(err, o.data)
	case err != nil:
		return fail(exitFailure, say.T("the sandbox cannot start: %s", err.Error())).because(err)
	}
	if a.asJSON {
		err = a.json(s.Info())
	} else {
		a.sandboxIntro(s.Info())
	}
	for err == nil && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case l := <-mail:
			a.note(say.T("the code for %s is %s", printable(l.email), l.code))
		}
	}
	closed := s.Close() //nolint:contextcheck // ctx has ended by now; closing has a budget of its own
	if err == nil && closed != nil {
		err = fail(exitFailure, say.T("the sandbox did not close its data: %s", closed.Error())).because(closed)
	}
	return err
}

// sandboxDataProblem words what is wrong with the file of --data.
func sandboxDataProblem(err error, path string) error {
	hint := say.T("give another file to --data, or leave it out: then all of it is gone when the sandbox ends")
	switch {
	case errors.Is(err, sandbox.ErrNoData):
		return fail(exitFailure, say.T("%q is no data of the sandbox, and was left as it is", path)).hint(hint).because(err)
	case errors.Is(err, sandbox.ErrNoRoom):
		return fail(exitFailure, say.T("there is no room for %q: the disk is full, or your quota is used up", path)).
			hint(say.T("make room, give a file on another disk to --data, or leave it out: then all of it is gone when the sandbox ends")).because(err)
	case errors.Is(err, fs.ErrNotExist):
		return fail(exitFailure, say.T("there is no folder for %q", path)).hint(say.T("make the folder first")).because(err)
	case errors.Is(err, syscall.EISDIR):
		return fail(exitFailure, say.T("%q is a folder", path)).hint(hint).because(err)
	case errors.Is(err, fs.ErrPermission):
		return fail(exitFailure, say.T("%q may not be read or written by this user", path)).hint(hint).because(err)
	}
	return fail(exitFailure, say.T("the sandbox cannot start: %s", err.Error())).because(err)
}

func (a *app) sandboxIntro(i sandbox.Info) {
	line := func(name, value string) { a.printf("  %-10s %s\n", name, value) }
	// The workspace whose name is easiest to type stands in the examples.
	pace := i.PaceCraft.URL
	for _, w := range i.PaceCraft.Workspaces {
		if named := i.PaceCraft.URL + "?workspace=" + url.QueryEscape(w); pace == i.PaceCraft.URL || len(named) < len(pace) {
			pace = named
		}
	}
	a.printf("%s\n\n", say.T("The sandbox is running on this machine. All in it is sample data."))
	a.printf("%s\n", a.paint(bold, "PaceCraft"))
	line("URL", pace)
	line(say.T("token"), i.PaceCraft.Token)
	line(say.T("workspaces"), strings.Join(i.PaceCraft.Workspaces, ", "))
	a.printf("\n%s\n", a.paint(bold, "Nibomo"))
	line("URL", i.Nibomo.URL)
	line(say.T("key"), i.Nibomo.Key)
	line(say.T("sign-in"), say.T("%s with the code %s; codes for other addresses appear here", i.Nibomo.Email, "00000000"))
	a.printf("\n%s\n", a.paint(bold, say.T("Faults")))
	line("URL", i.Admin.URL)
	line(say.T("token"), i.Admin.Token)
	a.printf("\n%s\n", say.T("In another terminal:"))
	a.printf("  export BRIDGE_TOKEN=%s\n  bridge serve '%s'\n\n", i.PaceCraft.Token, pace)
	a.printf("  curl '%s' -H 'Authorization: Bearer %s' \\\n    -H 'Content-Type: application/json' \\\n    -d '%s'\n\n", pace, i.PaceCraft.Token,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_spaces","arguments":{}}}`)
	a.printf("  curl '%s' -H 'Authorization: Bearer %s' \\\n    -H 'Content-Type: application/json' \\\n    -H 'Accept: application/json, text/event-stream' \\\n    -d '%s'\n\n", i.Nibomo.URL, i.Nibomo.Key,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"next_review_card","arguments":{}}}`)
	a.printf("  curl '%s' -H 'Authorization: Bearer %s' -d 'status=503,on=pacecraft'\n\n", i.Admin.URL, i.Admin.Token)
	a.printf("%s\n", say.T("Ctrl-C ends it."))
}
