package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A Relay carries one host's conversation with one remote.
//
//	host ──stdin──▶ lineReader ─▶ envelope ─▶ gate ─▶ face ──▶ leg ── POST ──▶ remote
//	                                                  │  session: initialize, 404
//	                                                  │  credential: remote.do
//	                                                  │  retry: retry.go
//	host ◀─stdout─ lineWriter ◀───────────── JSON body │ events ◀──────────────┘
//	                                         GET stream, resumed
//
// A face is the side toward the host, a leg the side toward the remote; there
// is one of each per era of the protocol. The legacy face (legacy.go) speaks
// the session revisions, 2024-11-05 to 2025-11-25; its legs are Streamable
// HTTP (streamable.go) and HTTP+SSE (httpsse.go). Credential, cookies and
// connections (remote.go) are shared by all of them.
type Relay struct {
	cfg    Config
	remote *remote
	log    *slog.Logger
	trace  *tracer
	out    *lineWriter
	tools  toolTable
	crew   crew
	ran    atomic.Bool
}

// How the time of an ending is divided. A host waits about 2 s before it
// kills.
const (
	drainTime = 1300 * time.Millisecond // for answers under way, at the end of stdin
	closeTime = 500 * time.Millisecond  // for the DELETE of the session
)

// New checks cfg and returns a relay that has not started. It does no I/O. Its
// errors are sentences for people.
func New(cfg Config) (*Relay, error) {
	cfg.defaults()
	u, err := parseEndpoint(&cfg)
	if err != nil {
		return nil, err
	}
	if err := checkHeader(cfg.Header); err != nil {
		return nil, err
	}
	r := &Relay{cfg: cfg}
	r.remote = newRemote(&r.cfg, u)
	r.log = slog.New(discreetHandler{cfg.Log.Handler(), r.remote.redact, &repeats{}})
	if cfg.Trace != nil {
		r.trace = &tracer{w: cfg.Trace, redact: r.remote.redact}
		r.remote.trace = r.trace
	}
	return r, nil
}

func (c *Config) defaults() {
	t := &c.Timeouts
	for _, d := range []struct {
		v    *time.Duration
		dflt time.Duration
	}{
		{&t.Connect, 15 * time.Second},
		{&t.TLS, 10 * time.Second},
		{&t.Response, -1},
		{&t.Probe, 10 * time.Second},
		{&t.Initialize, 20 * time.Second},
		{&t.Input, 10 * time.Minute},
		{&t.Retry, 60 * time.Second},
	} {
		if *d.v == 0 {
			*d.v = d.dflt
		}
	}
	// For these three net's own word for no limit is zero.
	t.Connect, t.TLS, t.Response = max(t.Connect, 0), max(t.TLS, 0), max(t.Response, 0)
	for _, d := range []*time.Duration{&t.Probe, &t.Initialize, &t.Input, &t.Retry} {
		if *d < 0 {
			*d = 24 * time.Hour
		}
	}
	if c.MaxMessage <= 0 {
		c.MaxMessage = DefaultMaxMessage
	}
	if c.UserAgent == "" {
		c.UserAgent = "bridge"
	}
	if c.Say == nil {
		c.Say = fmt.Sprintf
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// checkHeader refuses headers that would break the request or are the relay's
// own. It names them and never shows a value.
func checkHeader(h http.Header) error {
	for name, values := range h {
		if !validFieldName(name) {
			return fmt.Errorf("%q is not a header name", excerpt([]byte(name)))
		}
		switch http.CanonicalHeaderKey(name) {
		case "Content-Length", "Transfer-Encoding", "Connection", "Host", "Content-Type", "Accept", "Mcp-Session-Id", "Last-Event-Id", "Upgrade", "Te", "Trailer":
			return fmt.Errorf("the header %s is set by bridge itself", name)
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }) {
				return fmt.Errorf("the value of the header %s holds a line break or another control character", name)
			}
		}
	}
	return nil
}

func validFieldName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("()<>@,;:\\\"/[]?={}", r)
	})
}

var (
	errShutdown = errors.New("bridge is ending")
	errHostGone = errors.New("the host closed its end")
)

// Run relays until stdin ends, ctx is cancelled or stdout fails, and then
// finishes within two seconds: answers under way are waited for a moment (at
// the end of stdin only), the rest is answered with an error, and the session
// is closed at the remote. It returns nil for each of these endings, and an
// error when stdin cannot be read. A Relay runs once.
//
// Run does not wait for a Read of stdin or a Write of stdout that is blocked.
// When stdin has a SetReadDeadline, as a pipe has, a blocked Read is ended.
func (r *Relay) Run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	if r.ran.Swap(true) {
		return errors.New("a relay runs once")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errShutdown)
	r.remote.connect(ctx)
	r.out = &lineWriter{w: stdout, trace: r.trace, failed: func(err error) {
		r.log.Debug("stdout failed", "err", err)
		cancel(errHostGone)
	}}
	face := newFaces(ctx, r)
	ended := make(chan error, 1)
	go func() { ended <- r.read(stdin, face) }()

	var err error
	var until time.Time
	select {
	case err = <-ended:
		// An answer that the host is still reading is not open any more, and
		// has the same time: half a line is worse than none.
		until = time.Now().Add(drainTime)
		face.drain(drainTime)
	case <-ctx.Done():
		if d, ok := stdin.(interface{ SetReadDeadline(time.Time) error }); ok {
			_ = d.SetReadDeadline(time.Unix(1, 0)) // what cannot be interrupted is left behind
		}
	}
	face.close(closeTime)
	cancel(errShutdown)
	face.wait(max(time.Until(until), 100*time.Millisecond))
	r.crew.dismiss()
	r.out.close()
	r.remote.close()
	return err
}

// read hands the host's lines to the face until stdin ends.
func (r *Relay) read(stdin io.Reader, face *faces) error {
	lines := newLineReader(stdin, r.cfg.MaxMessage)
	for {
		line, err := lines.next()
		var long *longLine
		switch {
		case err == nil:
			r.trace.message("← host", line)
			face.fromHost(line)
			if lines.empty() {
				// The next read blocks its thread. What this line has set
				// going is quicker on the thread that is awake than on one
				// that has to be woken.
				runtime.Gosched()
			}
		case errors.As(err, &long):
			f := &failure{code: codeInvalid, kind: kindTooLarge, text: fmt.Sprintf("the message is larger than the limit of %d bytes", r.cfg.MaxMessage)}
			r.out.write(f.line(salvageID(long.prefix)))
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
			return nil
		default:
			if face.isClosed() {
				return nil
			}
			return fmt.Errorf("read stdin: %w", err)
		}
	}
}

// trouble warns of what could not be done, unless it was given up with ctx: at the
// end that is as it should be, and hosts show a warning as if it were an error.
func (r *Relay) trouble(ctx context.Context, what string, args ...any) {
	level := slog.LevelWarn
	if ctx.Err() != nil {
		level = slog.LevelDebug
	}
	r.log.Log(ctx, level, what, args...)
}

// hostFailure is the answer to a line that is no message.
func hostFailure(err error) *failure {
	f := &failure{code: codeParse, kind: kindBadRequest, err: err}
	switch {
	case errors.Is(err, errNotRequest):
		f.code, f.text = codeInvalid, "the line is JSON, but not a JSON-RPC 2.0 message"
	case errors.Is(err, errUTF8):
		f.text = "the line is not valid UTF-8"
	case errors.Is(err, errDepth):
		f.text = "the message is nested too deeply"
	case errors.Is(err, errMany):
		f.text = "the array is too long"
	default:
		f.text = "the line is not valid JSON"
	}
	return f
}

// newestSessionRevision is the newest revision with an initialize handshake.
func newestSessionRevision() string { return "2025-11-25" }

// isSessionRevision reports whether a revision is one of those with an initialize
// handshake.
func isSessionRevision(v string) bool {
	return slices.Contains([]string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}, v)
}

// batchRevision is the one revision that has JSON-RPC batches.
const batchRevision = "2025-03-26"

// versionHeaderSince is the first revision with an MCP-Protocol-Version header.
const versionHeaderSince = "2025-06-18"
