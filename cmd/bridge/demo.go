package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/bridge"
	"bridge/internal/sandbox"
	"bridge/internal/say"
)

// The demo is the whole product in one process: the sandbox on loopback HTTP, a
// relay for each of its services, and a client at its stdin and stdout. The
// relay is the one of serve, configured the same way; only the pipes are in
// memory.
//
//	playDemo (client) ──pipe── bridge.Relay ──HTTP── sandbox
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
		Description: say.T("Starts the sandbox on this machine, puts bridge before its two services and plays the part of a desktop client: handshake, list of tools, two calls each."),
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
	// after, if not nil, makes the arguments of a call from the result before.
	after func(last json.RawMessage) (any, error)
	read  func(result json.RawMessage) (string, error)
}

// A demoTalk is a conversation with one service.
type demoTalk struct {
	Service string     `json:"service"`
	URL     string     `json:"url"`
	Steps   []demoStep `json:"steps"`
	Total   float64    `json:"total_ms"`
	Closed  float64    `json:"closed_ms"` // stdin closed until the relay had ended
	token   string
}

type demoReport struct {
	Talks []demoTalk `json:"conversations"`
}

func runDemo(ctx context.Context, a *app) error {
	ctx, cancel := context.WithTimeout(ctx, demoLimit)
	defer cancel()
	box, err := sandbox.Start(ctx, sandbox.Options{})
	if err != nil {
		return fail(exitFailure, say.T("the sandbox cannot start: %s", err.Error())).because(err)
	}
	defer func() { _ = box.Close() }() //nolint:contextcheck // it was in memory
	info := box.Info()
	report := demoReport{Talks: []demoTalk{
		{Service: "PaceCraft", URL: info.PaceCraft.URL + "?workspace=alfagift", token: info.PaceCraft.Token, Steps: demoSteps(
			demoCall("list_spaces", nil, "spaces", "name"),
			demoCall("search_tasks", map[string]any{"overdueOnly": true}, "tasks", "title"))},
		{Service: "Nibomo", URL: info.Nibomo.URL, token: info.Nibomo.Key, Steps: demoSteps(
			demoCall("list_workspaces", nil, "workspaces", "name"),
			firstCards())},
	}}
	if !a.asJSON {
		a.demoIntro()
	}
	for i := range report.Talks {
		t := &report.Talks[i]
		if !a.asJSON {
			a.printf("\n  %s ──stdio── %s ──HTTP── %s (%s)\n\n", say.T("client"), a.paint(bold, "bridge"), t.URL, t.Service)
		}
		if err := a.talk(ctx, t); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fail(exitFailure, say.T("the sandbox did not answer as expected: %s", err.Error())).because(err)
		}
	}
	if a.asJSON {
		return a.json(report)
	}
	a.demoOutro(report)
	return nil
}

// talk has one conversation through a relay of its own.
func (a *app) talk(ctx context.Context, t *demoTalk) error {
	relay, err := bridge.New(bridge.Config{
		URL: t.URL, Header: http.Header{"Authorization": {"Bearer " + t.token}}, Log: logger(a, false, false),
	})
	if err != nil {
		return err
	}
	fromHost, toRelay := io.Pipe()
	fromRelay, toHost := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := relay.Run(ctx, fromHost, toHost)
		toHost.CloseWithError(io.EOF)
		ended <- err
	}()
	started := time.Now()
	err = playDemo(t.Steps, toRelay, bufio.NewReader(fromRelay), func(s demoStep, answered bool) {
		if !a.asJSON {
			a.demoLine(s, answered)
		}
	})
	t.Total = millis(time.Since(started))
	closing := time.Now()
	toRelay.Close()
	fromRelay.Close() // nothing more is listened to
	runErr := <-ended
	t.Closed = millis(time.Since(closing))
	if err == nil {
		err = runErr
	}
	return err
}

// demoCall is one call of a tool. Of its result, the named member of each
// element of a list is shown.
func demoCall(name string, args map[string]any, list, member string) demoStep {
	if args == nil {
		args = map[string]any{}
	}
	asked := name
	for k, v := range args {
		asked += fmt.Sprintf(" %s=%v", k, v)
	}
	return demoStep{Method: "tools/call", Asked: asked, request: true, params: map[string]any{"name": name, "arguments": args},
		read: func(result json.RawMessage) (string, error) { return readCall(result, list, member) }}
}

// firstCards asks for a few cards of the first workspace that the call before
// it listed.
func firstCards() demoStep {
	step := demoCall("sql_query", map[string]any{"sql": demoQuery}, "rows", "front_text")
	step.after = func(last json.RawMessage) (any, error) {
		ids, err := listed(last, "workspaces", "workspaceId")
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			return nil, errors.New("no workspaces")
		}
		return map[string]any{"name": "sql_query", "arguments": map[string]any{"sql": demoQuery, "workspaceId": ids[0]}}, nil
	}
	return step
}

const demoQuery = "SELECT front_text FROM cards LIMIT 5"

// demoSteps is what a desktop client says, in its order.
func demoSteps(calls ...demoStep) []demoStep {
	type m = map[string]any
	return append([]demoStep{
		{Method: "initialize", Asked: say.T("I am a client and speak %s", "2025-11-25"), request: true, read: readInitialize,
			params: m{"protocolVersion": "2025-11-25", "capabilities": m{}, "clientInfo": m{"name": "bridge-demo", "version": "1"}}},
		{Method: "notifications/initialized"},
		{Method: "tools/list", request: true, params: m{}, read: readTools},
	}, calls...)
}

// playDemo sends each step as a line of JSON-RPC and waits for the answer to
// it. show is told before and after.
func playDemo(steps []demoStep, out io.Writer, in *bufio.Reader, show func(s demoStep, answered bool)) error {
	var last json.RawMessage
	for i := range steps {
		s := &steps[i]
		if s.after != nil {
			params, err := s.after(last)
			if err != nil {
				return err
			}
			s.params = params
		}
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
		last = result
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

// readCall sums up a result whose text is a JSON object with a list in it.
func readCall(result json.RawMessage, list, member string) (string, error) {
	names, err := listed(result, list, member)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d: %s", len(names), strings.Join(names, " · ")), nil
}

// listed returns a member of each element of a list in a result's text.
func listed(result json.RawMessage, list, member string) ([]string, error) {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return nil, err
	}
	if r.IsError || len(r.Content) == 0 {
		return nil, fmt.Errorf("unexpected result %.200s", result)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(r.Content[0].Text), &object); err != nil {
		return nil, err
	}
	if data, ok := object["data"]; ok {
		object = nil
		if err := json.Unmarshal(data, &object); err != nil {
			return nil, err
		}
	}
	var elements []map[string]any
	if err := json.Unmarshal(object[list], &elements); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(elements))
	for _, e := range elements {
		names = append(names, strings.Join(strings.Fields(fmt.Sprint(e[member])), " "))
	}
	return names, nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (a *app) demoIntro() {
	for _, line := range wrap(say.T("A sandbox with sample data is listening on this machine. bridge stands between it and a client, as it does for a desktop app:"), a.width()) {
		a.printf("%s\n", line)
	}
}

// demoLine shows one direction of a step. Methods stand in one column, so that
// the conversation reads down the page.
func (a *app) demoLine(s demoStep, answered bool) {
	if !answered {
		text := strings.TrimRight(fmt.Sprintf("%-24s %s", s.Method, printable(s.Asked)), " ")
		a.printf("  %s %s\n", a.paint(cyan, "→"), text)
		return
	}
	took := say.Number("%.1f ms", s.Millis)
	answer := []rune(printable(s.Answer))
	if room := max(a.width()-30, 20); len(answer) > room {
		answer = append(answer[:room-1], '…')
	}
	a.printf("  %s %s %s\n", a.paint(green, "←"), a.paint(dim, fmt.Sprintf("%24s", took)), string(answer))
}

func (a *app) demoOutro(r demoReport) {
	requests, total, closed := 0, 0.0, 0.0
	for _, t := range r.Talks {
		for _, s := range t.Steps {
			if s.request {
				requests++
			}
		}
		total += t.Total
		closed = max(closed, t.Closed)
	}
	a.printf("\n")
	for _, line := range wrap(say.T("%d requests answered in %.1f ms. Each time the client closed stdin, bridge had ended %.1f ms later at the most.", requests, total, closed), a.width()) {
		a.printf("%s\n", line)
	}
	a.printf("\n%s\n  bridge demo --review\n  bridge sandbox\n  bridge serve https://mcp.example.com/mcp\n", say.T("Go on with:"))
}
