package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
	"bridge/internal/termsafe"
)

func newPing(a *app) *cli.Command {
	return &cli.Command{
		Name:        "ping",
		Usage:       say.T("Shake hands with a server, and measure it"),
		ArgsUsage:   say.T("NAME | URL"),
		UsageText:   "bridge ping pacecraft\nbridge ping https://mcp.example.com/mcp\nbridge ping pacecraft --json",
		Description: say.T("Says who answers, the revision of the protocol, and how long the handshake and one round trip take. If it fails, `bridge doctor NAME` says why."),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 1, 1); err != nil {
				return err
			}
			return runPing(ctx, a, c.Args().First())
		},
		ShellComplete: a.completeServer,
	}
}

// A pingReport is what `bridge ping --json` prints. initialize is the server's
// own result.
type pingReport struct {
	Server     string          `json:"server"`
	Handshake  float64         `json:"handshake_ms"`
	RoundTrip  float64         `json:"round_trip_ms"`
	Initialize json.RawMessage `json:"initialize"`
}

func runPing(ctx context.Context, a *app, arg string) error {
	began := time.Now()
	c, done, err := a.reach(ctx, arg)
	if err != nil {
		return err
	}
	defer done()
	hello := c.Hello()
	r := pingReport{Server: arg, Handshake: millis(time.Since(began) - c.watch.waited()), Initialize: hello.Raw}
	began = time.Now()
	_, err = c.request(ctx, "ping", nil)
	r.RoundTrip = millis(time.Since(began))
	if err != nil && !noSuchMethod(err) {
		return err
	}
	a.endProgress()
	if a.asJSON {
		return a.json(r)
	}
	name := say.T("no name")
	if s := hello.ServerInfo; s.Name != "" {
		name = s.Name
		if s.Title != "" {
			name = s.Title + " (" + s.Name + ")"
		}
		if s.Version != "" {
			name += " " + s.Version
		}
	}
	a.printf("%s\n", a.paint(bold, termsafe.Line(name)))
	a.printf("  %s  %s\n", say.T("revision:  "), termsafe.Line(hello.ProtocolVersion))
	a.printf("  %s  %s\n", say.T("handshake: "), say.Number("%.1f ms", r.Handshake))
	a.printf("  %s  %s\n", say.T("round trip:"), say.Number("%.1f ms", r.RoundTrip))
	return nil
}
