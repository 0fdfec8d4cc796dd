package bridge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"bridge/bridge"
)

// handshake plays initialize and notifications/initialized the ordinary way:
// "handshake 2025-11-25 session NAME", both parts optional.
func (c *conversation) handshake(st step) error {
	version, session := "2025-11-25", ""
	words := strings.Fields(st.rest)
	for i, w := range words {
		switch {
		case w == "session" && i+1 < len(words):
			session = words[i+1]
		case i == 0 && w != "session":
			version = w
		}
	}
	capabilities := `{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}}`
	client := `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	for _, d := range st.details {
		switch word, rest, _ := strings.Cut(d, " "); word {
		case "capabilities":
			capabilities = rest
		case "client":
			client = rest
		default:
			return fmt.Errorf("unknown detail %q", d)
		}
	}
	sessionLine := ""
	if session != "" {
		sessionLine = "\n    Mcp-Session-Id: " + session
	}
	text := fmt.Sprintf(`
host> {"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"%[1]s","capabilities":%[4]s,"clientInfo":{"name":"host","version":"1"}}}
remote> @init POST initialize
    Mcp-Session-Id: -
    body same
remote< 200 application/json%[2]s
    {"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"%[1]s","capabilities":%[3]s,"serverInfo":{"name":"remote","version":"1"}}}
host< {"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"%[1]s","*":"*"}}
host> {"jsonrpc":"2.0","method":"notifications/initialized"}
remote> @initialized POST notifications/initialized
    Mcp-Session-Id: %[5]s
remote< 202
`, version, sessionLine, capabilities, client, map[bool]string{true: "-", false: session}[session == ""])
	steps, err := parseSteps(text, 0)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := c.step(s); err != nil {
			return fmt.Errorf("in the handshake: %s %s: %w", s.verb, clip([]byte(s.rest)), err)
		}
	}
	return nil
}

// alive proves that an ordinary tools/call still works, whatever happened.
func (c *conversation) alive() error {
	text := `
host> {"jsonrpc":"2.0","id":"alive","method":"tools/call","params":{"name":"alive","arguments":{}}}
remote>~ POST tools/call
    body {"jsonrpc":"2.0","id":"alive","method":"tools/call","params":{"name":"alive","arguments":{}}}
remote< 200 application/json
    {"jsonrpc":"2.0","id":"alive","result":{"content":[{"type":"text","text":"yes"}]}}
host<=~ {"jsonrpc":"2.0","id":"alive","result":{"content":[{"type":"text","text":"yes"}]}}
`
	steps, err := parseSteps(text, 0)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := c.step(s); err != nil {
			return fmt.Errorf("it is not alive: %s: %w", s.verb, err)
		}
	}
	return nil
}

// finish ends the conversation and checks what every conversation promises.
func (c *conversation) finish() error {
	var errs []error
	if err := c.host.in.Close(); err != nil {
		errs = append(errs, err)
	}
	if err := c.host.waitEnd(exitWithin); err != nil {
		errs = append(errs, err)
	}
	if lines := c.host.quiet(0); len(lines) > 0 {
		errs = append(errs, fmt.Errorf("lines nobody asked for:\n%s", bytes.Join(lines, []byte("\n"))))
	}
	for _, r := range []*remote{c.remote, c.other} {
		if r == nil {
			continue
		}
		for _, ex := range r.quiet(0) {
			errs = append(errs, fmt.Errorf("a request nobody asked for: %s %s %s %s", r.name, ex.method, ex.uri, clip(ex.body)))
		}
	}
	if c.script.settings.recallEra != nil || c.claimsEras() {
		select {
		case told := <-c.learned:
			errs = append(errs, fmt.Errorf("RememberEra was told %v, which no step claims", told))
		default:
		}
	}
	if err := c.leaks(); err != nil {
		errs = append(errs, err)
	}
	for _, r := range []*remote{c.remote, c.other} {
		if r == nil {
			continue
		}
		r.mu.Lock()
		for _, f := range r.faults {
			errs = append(errs, errors.New(f))
		}
		r.mu.Unlock()
	}
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	for _, f := range c.host.faults {
		errs = append(errs, errors.New(f))
	}
	if len(c.host.partial) > 0 {
		errs = append(errs, fmt.Errorf("stdout ends in the middle of a line: %s", clip(c.host.partial)))
	}
	output, stdout := c.output.String(), string(bytes.Join(c.host.all, []byte("\n")))
	for _, secret := range slices.Concat(c.script.settings.secrets, c.sessions) {
		if strings.Contains(output, secret) {
			errs = append(errs, fmt.Errorf("the log or the trace shows the secret %q", secret))
		}
		if strings.Contains(stdout, secret) {
			errs = append(errs, fmt.Errorf("stdout shows the secret %q", secret))
		}
	}
	return errors.Join(errs...)
}

// leaks waits for the goroutines of this conversation's relay to end.
func (c *conversation) leaks() error {
	label := fmt.Sprintf("%q:%q", "conversation", c.name)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(2 * time.Second)
	defer end.Stop()
	for {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
			return err
		}
		if !strings.Contains(b.String(), label) {
			return nil
		}
		select {
		case <-tick.C:
		case <-end.C:
			for stack := range strings.SplitSeq(b.String(), "\n\n") {
				if strings.Contains(stack, label) {
					return fmt.Errorf("a goroutine outlives the relay:\n%s", stack)
				}
			}
		}
	}
}

// abandon frees whatever is left, for good ends and bad.
func (c *conversation) abandon() {
	if c.cancel != nil {
		c.cancel()
	}
	if c.host != nil {
		_ = c.host.in.Close()
		_ = c.stdin.Close()
	}
	for _, r := range []*remote{c.remote, c.other} {
		if r != nil {
			r.close()
		}
	}
}

// ignoring is a Gate that hides tools by name.
type ignoring []string

func (g ignoring) Allow(t bridge.Tool) string {
	if slices.Contains(g, t.Name) {
		return "the tool " + t.Name + " is turned off here"
	}
	return ""
}

// fakeAuthorizer hands out one token after the other: each challenge moves on
// to the next one, and past the last it asks for a sign-in.
type fakeAuthorizer struct {
	mu         sync.Mutex
	tokens     []string
	waiting    string
	challenges []bridge.Challenge
}

func (a *fakeAuthorizer) Authorization(context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.tokens) == 0 {
		return "", &bridge.SignInError{Message: a.message(), Waiting: a.waiting != ""}
	}
	return "Bearer " + a.tokens[0], nil
}

func (a *fakeAuthorizer) message() string {
	if a.waiting != "" {
		return a.waiting
	}
	return "Run: bridge login"
}

func (a *fakeAuthorizer) Challenge(_ context.Context, ch bridge.Challenge) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.challenges = append(a.challenges, ch)
	if len(a.tokens) > 0 && ch.Used != "Bearer "+a.tokens[0] {
		return nil // another request has already moved on
	}
	if len(a.tokens) > 1 {
		a.tokens = a.tokens[1:]
		return nil
	}
	return &bridge.SignInError{Message: a.message(), Refused: ch.Used != "", Waiting: a.waiting != ""}
}

func (a *fakeAuthorizer) grant(token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tokens = []string{token}
}
