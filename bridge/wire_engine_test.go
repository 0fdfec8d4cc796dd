package bridge_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bridge/bridge"
)

// A runner is what a conversation talks to: the relay, or a fake when the
// engine itself is under test.
type runner interface {
	Run(ctx context.Context, stdin io.Reader, stdout io.Writer) error
}

// A conversation is one script in progress.
type conversation struct {
	t      testing.TB
	name   string
	script *script
	host   *host
	remote *remote
	other  *remote
	cancel context.CancelFunc
	stdin  *io.PipeReader
	output safeBuffer // log and trace
	named  map[string]*exchange
	last   *exchange // the one claimed last
	closed time.Time // when an answer or a stream ended last
	sent   []byte    // the line the host wrote last
	auth   *fakeAuthorizer
	cell   string // "" for two of the session revisions
	// learned is what RememberEra was told and no step has claimed.
	learned chan [2]bridge.Protocol
	// sessions are the session ids that were given, which are secret.
	sessions []string
}

// quietWindow is how long "none" steps wait for what should not come. It only
// bounds how late a fault is noticed, a correct relay passes with any value.
const quietWindow = 40 * time.Millisecond

// exitWithin is the promise of the relay's end after EOF or a signal.
const exitWithin = 2 * time.Second

func converse(t testing.TB, name string, s *script, start func(bridge.Config) (runner, error)) {
	t.Helper()
	c := &conversation{t: t, name: name, script: s, named: map[string]*exchange{}, learned: make(chan [2]bridge.Protocol, 8)}
	if err := c.open(start); err != nil {
		c.abandon()
		t.Fatal(err)
	}
	for _, st := range s.steps {
		if err := c.step(st); err != nil {
			c.abandon()
			t.Fatalf("%s:%d: %s %s\n%v\nlog and trace:\n%s", name, st.line, st.verb, st.rest, err, c.tail())
		}
	}
	err := c.finish()
	c.abandon()
	if err != nil {
		t.Fatalf("%s: at the end: %v\nlog and trace:\n%s", name, err, c.tail())
	}
}

func (c *conversation) open(start func(bridge.Config) (runner, error)) (err error) {
	s := &c.script.settings
	if c.remote, err = newRemote("remote", s, s.deadline); err != nil {
		return err
	}
	if s.other {
		if c.other, err = newRemote("other", s, s.deadline); err != nil {
			return err
		}
	}
	var in *io.PipeWriter
	c.stdin, in = io.Pipe()
	c.host = newHost(in, s.deadline)
	c.host.may = s.may
	relay, err := start(c.config())
	if err != nil {
		return fmt.Errorf("bridge.New: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go func() {
		// The label finds goroutines that outlive the relay.
		pprof.Do(ctx, pprof.Labels("conversation", c.name), func(ctx context.Context) {
			c.host.result <- relay.Run(ctx, c.stdin, c.host)
		})
	}()
	return nil
}

func (c *conversation) config() bridge.Config {
	s := &c.script.settings
	cfg := bridge.Config{
		URL: c.remote.url + s.path, Transport: s.transport, Protocol: s.protocol, Transparent: s.transparent, Timeouts: s.timeouts, MaxMessage: s.maxMessage,
		Log:   slog.New(slog.NewTextHandler(&c.output, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Trace: &c.output,
		Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
	}
	if len(s.header) > 0 {
		cfg.Header = http.Header{}
		for _, h := range s.header {
			cfg.Header.Add(h[0], h[1])
		}
	}
	if s.tls == "trusted" {
		cfg.RootCAs = func() *x509.CertPool {
			pool := x509.NewCertPool()
			pool.AddCert(c.remote.server.Certificate())
			return pool
		}
	}
	if len(s.ignore) > 0 {
		cfg.Gate = ignoring(s.ignore)
	}
	if len(s.tokens) > 0 || s.waiting != "" {
		c.auth = &fakeAuthorizer{tokens: s.tokens, waiting: s.waiting}
		cfg.Authorizer = c.auth
	}
	if s.recall != "" {
		cfg.Recall = func() []byte { return []byte(s.recall) }
	}
	cfg.RecallEra = func(host bridge.Protocol) bridge.Protocol { return s.recallEra[host] }
	cfg.RememberEra = func(host, remote bridge.Protocol) { c.learned <- [2]bridge.Protocol{host, remote} }
	if s.waiting != "" {
		cfg.SignIn = func(context.Context) (string, error) { return "open the page and sign in", nil }
	}
	return cfg
}

// fixed are the texts that every line of a conversation may use.
func (c *conversation) fixed() map[string]string {
	m := map[string]string{"$REMOTE": c.remote.url}
	if c.other != nil {
		m["$OTHER"] = c.other.url
	}
	eraTexts(m)
	return m
}

func (c *conversation) step(st step) error {
	st.rest = c.host.vars.expand(st.rest, c.fixed())
	details := make([]string, len(st.details))
	for i, d := range st.details {
		vars := c.host.vars
		if st.verb == "remote>" || st.verb == "other>" {
			vars = nil // there, names are compared and captured
		}
		details[i] = vars.expand(d, c.fixed())
	}
	st.details = details
	switch st.verb {
	case "host>":
		c.sent = []byte(st.rest)
		return c.host.send([]byte(st.rest + "\n"))
	case "host>>":
		text, err := strconv.Unquote(st.rest)
		if err != nil {
			return err
		}
		return c.host.send([]byte(text))
	case "host<":
		return c.host.next(st.rest, st.loose)
	case "host<=":
		return c.host.claim(st.loose, func(line []byte) error {
			if string(line) != st.rest {
				return fmt.Errorf("got %s\nwant %s", clip(line), clip([]byte(st.rest)))
			}
			return nil
		})
	case "host":
		return c.none(st, func() (string, bool) {
			lines := c.host.quiet(quietWindow)
			return string(bytes.Join(lines, []byte("\n"))), len(lines) > 0
		})
	case "remote>":
		return c.expectRequest(c.remote, st)
	case "other>":
		return c.expectRequest(c.other, st)
	case "remote<", "other<":
		return c.excuse(st, c.answer(st))
	case "stream":
		return c.excuse(st, c.stream(st))
	case "remote":
		return c.remoteStep(st, c.remote)
	case "other":
		return c.remoteStep(st, c.other)
	case "handshake":
		return c.handshake(st)
	case "open":
		return c.openCell(st)
	case "cell":
		c.enter(st.rest)
		return nil
	case "alive":
		if c.cell != "" {
			return c.aliveCell()
		}
		return c.alive()
	case "eof":
		return c.host.in.Close()
	case "cancel":
		c.cancel()
		return nil
	case "stdout":
		c.host.mu.Lock()
		c.host.broken = true
		c.host.mu.Unlock()
		return nil
	case "expect":
		return c.host.waitEnd(exitWithin)
	case "poll", "ask":
		return c.again(st)
	case "log":
		times, text, _ := strings.Cut(st.rest, " ")
		want, err := strconv.Atoi(times)
		if got := strings.Count(c.output.String(), text); err != nil || got != want {
			return fmt.Errorf("it is there %d times", got)
		}
		return nil
	case "learned":
		return c.expectLearned(st.rest)
	case "may-post":
		c.remote.mu.Lock()
		defer c.remote.mu.Unlock()
		c.remote.mayPost = append(c.remote.mayPost, st.rest)
		return nil
	case "token":
		c.auth.grant(st.rest)
		return nil
	}
	return fmt.Errorf("unknown step")
}

// excuse lets a step marked ? pass when the relay has already hung up.
func (c *conversation) excuse(st step, err error) error {
	if st.maybe && errors.Is(err, errGone) {
		return nil
	}
	return err
}

func (c *conversation) none(st step, came func() (string, bool)) error {
	if st.rest != "none" {
		return fmt.Errorf("unknown step")
	}
	if what, ok := came(); ok {
		return fmt.Errorf("nothing was expected, but there is\n%s", what)
	}
	return nil
}

func (c *conversation) remoteStep(st step, r *remote) error {
	switch st.rest {
	case "none":
		return c.none(st, func() (string, bool) {
			var b strings.Builder
			for _, ex := range r.quiet(quietWindow) {
				fmt.Fprintf(&b, "%s %s %s\n", ex.method, ex.uri, clip(ex.body))
			}
			return b.String(), b.Len() > 0
		})
	case "up":
		return r.up()
	case "down":
		r.down()
		return nil
	case "gone":
		ex, err := c.exchange(st)
		if err != nil {
			return err
		}
		timer := time.NewTimer(r.deadline)
		defer timer.Stop()
		select {
		case <-ex.gone:
			return nil
		case <-timer.C:
			return errors.New("the relay holds this exchange open")
		}
	}
	return fmt.Errorf("unknown step")
}

func (c *conversation) exchange(st step) (*exchange, error) {
	if st.at != "" {
		if ex := c.named[st.at]; ex != nil {
			return ex, nil
		}
		return nil, fmt.Errorf("no exchange is called @%s", st.at)
	}
	if c.last == nil {
		return nil, fmt.Errorf("no request came yet")
	}
	return c.last, nil
}

func (c *conversation) expectRequest(r *remote, st step) error {
	method, rpc, _ := strings.Cut(st.rest, " ")
	ex, err := r.claim(method, st.loose, func(ex *exchange) error { return c.fits(ex, rpc, st.details) })
	if err != nil {
		return err
	}
	c.last = ex
	if st.at != "" {
		c.named[st.at] = ex
	}
	return nil
}

// fits checks a request against the details of a remote> step.
func (c *conversation) fits(ex *exchange, rpc string, details []string) error {
	if rpc != "" && ex.rpc != rpc {
		return fmt.Errorf("got a %q, want %q", ex.rpc, rpc)
	}
	for _, d := range details {
		word, rest, _ := strings.Cut(d, " ")
		rest = strings.TrimSpace(rest)
		var err error
		switch word {
		case "body":
			if rest == "same" {
				if !bytes.Equal(bytes.TrimSpace(ex.body), bytes.TrimSpace(c.sent)) {
					err = fmt.Errorf("the body is not what the host wrote: %s", clip(ex.body))
				}
			} else {
				err = match(rest, ex.body, c.host.vars)
			}
		case "bytes":
			if !glob(rest, string(bytes.TrimSpace(ex.body))) {
				err = fmt.Errorf("the body differs: %s", clip(ex.body))
			}
		case "empty":
			if len(ex.body) > 0 {
				err = fmt.Errorf("the body is not empty: %s", clip(ex.body))
			}
		case "uri":
			if ex.uri != rest {
				err = fmt.Errorf("got %s, want %s", ex.uri, rest)
			}
		case "after":
			err = c.after(ex, strings.TrimPrefix(rest, "@"))
		case "waited":
			err = c.waited(ex, rest)
		default:
			err = headerFits(ex.header, d)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d, err)
		}
	}
	return nil
}

func (c *conversation) after(ex *exchange, name string) error {
	before := c.named[name]
	if before == nil {
		return fmt.Errorf("no exchange is called @%s", name)
	}
	if answered := before.answered.Load(); answered == 0 || ex.seq < answered {
		return fmt.Errorf("it came before @%s was answered", name)
	}
	return nil
}

func (c *conversation) waited(ex *exchange, text string) error {
	want, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if got := ex.arrived.Sub(c.closed); got < want*95/100 {
		return fmt.Errorf("it came after %s", got.Round(time.Millisecond))
	}
	return nil
}

// headerFits checks "Name: value", with * as a wildcard and - for absent.
func headerFits(header http.Header, detail string) error {
	m := detailLine().FindStringSubmatch(detail)
	if m == nil {
		return fmt.Errorf("unknown detail")
	}
	got := strings.Join(header.Values(m[1]), ", ")
	switch {
	case m[2] == "-" && got == "":
		return nil
	case m[2] == "-" || !glob(m[2], got) || got == "":
		return fmt.Errorf("got %q", got)
	}
	return nil
}

func (c *conversation) answer(st step) error {
	ex, err := c.exchange(st)
	if err != nil {
		return err
	}
	c.closed = time.Now() // not later than the relay can see it
	switch st.rest {
	case "cut":
		return ex.cut(false)
	case "reset":
		return ex.cut(true)
	}
	code, contentType, _ := strings.Cut(st.rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil {
		return fmt.Errorf("status: %w", err)
	}
	body, header, err := st.body(c.script.files)
	if err != nil {
		return err
	}
	for _, h := range header {
		if strings.EqualFold(h[0], "Mcp-Session-Id") && len(h[1]) >= 8 {
			c.sessions = append(c.sessions, h[1])
		}
	}
	return ex.answer(status, contentType, header, body)
}

func (c *conversation) stream(st step) error {
	ex, err := c.exchange(st)
	if err != nil {
		return err
	}
	word, rest, _ := strings.Cut(st.rest, " ")
	switch word {
	case "close", "cut", "reset":
		c.closed = time.Now()
		if word == "close" {
			return ex.finish()
		}
		return ex.cut(word == "reset")
	case "raw":
		text, err := strconv.Unquote(rest)
		if err != nil {
			return err
		}
		return ex.write([]byte(text))
	case "bytewise":
		text, err := strconv.Unquote(rest)
		if err != nil {
			return err
		}
		for i := range len(text) {
			if err := ex.write([]byte(text[i : i+1])); err != nil {
				return err
			}
		}
		return nil
	}
	return ex.write(event(st.rest))
}

// safeBuffer is a buffer for many goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (c *conversation) tail() string {
	text := c.output.String()
	if len(text) > 6000 {
		text = "…" + text[len(text)-6000:]
	}
	return text
}
