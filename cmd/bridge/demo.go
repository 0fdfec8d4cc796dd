package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/bridge"
	"bridge/internal/say"
)

// The demo is the whole product in one process: a server on loopback HTTP, a
// relay, and a client at its stdin and stdout. The relay is the one of serve,
// configured the same way; only the pipes are in memory.
//
//	playDemo (client) ──pipe── bridge.Relay ──HTTP── startDemoServer
const demoLimit = 10 * time.Second

func newDemo(a *app) *cli.Command {
	var o reviewOptions
	review := false
	return &cli.Command{
		Name:      "demo",
		Usage:     say.T("Watch a conversation, without account or network"),
		UsageText: "bridge demo\nbridge demo --review\nbridge demo --json",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "review", Usage: say.T("review sample flashcards instead"), Destination: &review},
			&cli.BoolFlag{Name: "plain", Usage: say.T("line by line, for screen readers and pipes"), Destination: &o.plain},
			&cli.IntFlag{Name: "limit", Usage: say.T("stop after `N` cards"), Destination: &o.limit},
		},
		Description: say.T("Starts a small server on this machine, puts bridge before it and plays the part of a desktop client: handshake, list of tools, two calls."),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 0); err != nil {
				return err
			}
			if review {
				return runDemoReview(ctx, a, o)
			}
			return runDemo(ctx, a)
		},
	}
}

// A demoStep is a request of the demo and what came of it.
type demoStep struct {
	Method  string  `json:"method"`
	Asked   string  `json:"asked,omitempty"`
	Answer  string  `json:"answer,omitempty"`
	Millis  float64 `json:"duration_ms,omitempty"`
	request bool
	params  any
	read    func(result json.RawMessage) (string, error)
}

type demoReport struct {
	URL    string     `json:"url"`
	Steps  []demoStep `json:"steps"`
	Total  float64    `json:"total_ms"`
	Closed float64    `json:"closed_ms"` // stdin closed until the relay had ended
}

func runDemo(ctx context.Context, a *app) error {
	ctx, cancel := context.WithTimeout(ctx, demoLimit)
	defer cancel()
	url, stop, err := startDemoServer()
	if err != nil {
		return fail(exitFailure, say.T("cannot listen on 127.0.0.1: %s", err.Error())).because(err)
	}
	defer stop()
	relay, err := bridge.New(bridge.Config{URL: url, Log: logger(a, false, false)})
	if err != nil {
		return err
	}
	if !a.asJSON {
		a.demoIntro(url)
	}

	fromHost, toRelay := io.Pipe()
	fromRelay, toHost := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := relay.Run(ctx, fromHost, toHost)
		toHost.CloseWithError(io.EOF)
		ended <- err
	}()
	report := demoReport{URL: url}
	steps := demoSteps()
	started := time.Now()
	err = playDemo(steps, toRelay, bufio.NewReader(fromRelay), func(s demoStep, answered bool) {
		if !a.asJSON {
			a.demoLine(s, answered)
		}
	})
	report.Steps, report.Total = steps, millis(time.Since(started))
	closing := time.Now()
	toRelay.Close()
	fromRelay.Close() // nothing more is listened to
	runErr := <-ended
	report.Closed = millis(time.Since(closing))
	if err == nil {
		err = runErr
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fail(exitFailure, say.T("the demo server did not answer as expected: %s", err.Error())).because(err)
	}
	if a.asJSON {
		return a.json(report)
	}
	a.demoOutro(report)
	return nil
}

// demoSteps is what a desktop client says, in its order.
func demoSteps() []demoStep {
	type m = map[string]any
	call := func(name, asked string, args m) demoStep {
		return demoStep{Method: "tools/call", Asked: name + " " + asked, request: true,
			params: m{"name": name, "arguments": args}, read: readCall}
	}
	return []demoStep{
		{Method: "initialize", Asked: say.T("I am a client and speak %s", "2025-11-25"), request: true, read: readInitialize,
			params: m{"protocolVersion": "2025-11-25", "capabilities": m{}, "clientInfo": m{"name": "bridge-demo", "version": "1"}}},
		{Method: "notifications/initialized"},
		{Method: "tools/list", request: true, params: m{}, read: readTools},
		call("count_words", `text="the quick brown fox"`, m{"text": "the quick brown fox"}),
		call("days_between", "from=2026-01-01 to=2026-12-25", m{"from": "2026-01-01", "to": "2026-12-25"}),
	}
}

// playDemo sends each step as a line of JSON-RPC and waits for the answer to
// it. show is told before and after.
func playDemo(steps []demoStep, out io.Writer, in *bufio.Reader, show func(s demoStep, answered bool)) error {
	for i := range steps {
		s := &steps[i]
		message := map[string]any{"jsonrpc": "2.0", "method": s.Method}
		if s.params != nil {
			message["params"] = s.params
		}
		if s.request {
			message["id"] = i + 1
		}
		line, err := json.Marshal(message)
		if err != nil {
			return err
		}
		show(*s, false)
		sent := time.Now()
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		if !s.request {
			continue
		}
		result, err := answerTo(i+1, in)
		if err != nil {
			return err
		}
		s.Millis = millis(time.Since(sent))
		if s.Answer, err = s.read(result); err != nil {
			return err
		}
		show(*s, true)
	}
	return nil
}

// answerTo reads lines up to the answer with an id; what else a server sends
// is not part of the show.
func answerTo(id int, in *bufio.Reader) (json.RawMessage, error) {
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var answer struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, err
		}
		switch {
		case string(answer.ID) != fmt.Sprint(id):
		case answer.Error != nil:
			return nil, fmt.Errorf("%s", answer.Error.Message)
		default:
			return answer.Result, nil
		}
	}
}

func readInitialize(result json.RawMessage) (string, error) {
	var r struct {
		Revision string `json:"protocolVersion"`
		Server   struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	err := json.Unmarshal(result, &r)
	return say.T("I am %s %s and speak %s", r.Server.Name, r.Server.Version, r.Revision), err
}

func readTools(result json.RawMessage) (string, error) {
	var r struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	names := ""
	for i, t := range r.Tools {
		if i > 0 {
			names += ", "
		}
		names += t.Name
	}
	return say.T("%d tools: %s", len(r.Tools), names), nil
}

func readCall(result json.RawMessage) (string, error) {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	if r.IsError || len(r.Content) == 0 {
		return "", fmt.Errorf("unexpected result %s", result)
	}
	return r.Content[0].Text, nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (a *app) demoIntro(url string) {
	for _, line := range wrap(say.T("A small server is listening on this machine. bridge stands between it and a client, as it does for a desktop app:"), a.width()) {
		a.printf("%s\n", line)
	}
	a.printf("\n  %s ──stdio── %s ──HTTP── %s\n\n", say.T("client"), a.paint(bold, "bridge"), url)
}

// demoLine shows one direction of a step. Methods stand in one column, so that
// the conversation reads down the page.
func (a *app) demoLine(s demoStep, answered bool) {
	if !answered {
		text := strings.TrimRight(fmt.Sprintf("%-26s %s", s.Method, printable(s.Asked)), " ")
		a.printf("  %s %s\n", a.paint(cyan, "→"), text)
		return
	}
	took := fmt.Sprintf("%.1f ms", s.Millis)
	a.printf("  %s %s %s\n", a.paint(green, "←"), a.paint(dim, fmt.Sprintf("%26s", took)), printable(s.Answer))
}

func (a *app) demoOutro(r demoReport) {
	requests := 0
	for _, s := range r.Steps {
		if s.request {
			requests++
		}
	}
	a.printf("\n")
	for _, line := range wrap(say.T("%d requests answered in %.1f ms. The client closed stdin; bridge had closed its session and ended %.1f ms later.", requests, r.Total, r.Closed), a.width()) {
		a.printf("%s\n", line)
	}
	a.printf("\n%s\n  bridge serve https://mcp.example.com/mcp\n", say.T("With a server of yours:"))
}
