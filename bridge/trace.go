package bridge

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"
)

// A tracer writes what passes, a line an event, for whoever has to find out
// why something does not work. A nil tracer writes nothing and costs nothing.
// Header values that may be secret are named, not shown; message bodies are
// shown up to traceLen bytes with every known secret cut out.
type tracer struct {
	mu     sync.Mutex
	w      io.Writer
	redact func(string) string
}

const (
	traceLen = 2 << 10
	// longestSecret is more than a secret is long, since it fits a header.
	longestSecret = 16 << 10
)

func (t *tracer) message(way string, msg []byte) {
	if t == nil {
		return
	}
	if len(msg) <= traceLen {
		t.line(way, string(msg))
		return
	}
	// A secret must not be cut in two before it is looked for, and what is cut out
	// moves the end of what was looked at to the front.
	head := msg[:min(len(msg), traceLen+longestSecret)]
	text := t.redact(string(head))
	most := len(text)
	if len(head) < len(msg) {
		most = max(most-longestSecret, 0)
	}
	t.line(way, fmt.Sprintf("%s… (%d bytes)", text[:min(most, traceLen)], len(msg)))
}

func (t *tracer) request(r *http.Request, size int) {
	if t == nil {
		return
	}
	t.line("→ remote", fmt.Sprintf("%s %s%s %d bytes", r.Method, plainURL(r.URL.String()), headerNames(r.Header), size))
}

func (t *tracer) response(r *http.Response, took time.Duration) {
	if t == nil {
		return
	}
	t.line("← remote", fmt.Sprintf("%d %s%s after %s", r.StatusCode, r.Header.Get("Content-Type"), headerNames(r.Header), took.Round(100*time.Microsecond)))
}

func (t *tracer) line(way, text string) {
	text = t.redact(text)
	var b bytes.Buffer
	b.WriteString(time.Now().UTC().Format("2006-01-02T15:04:05.000Z "))
	b.WriteString(way)
	b.WriteByte(' ')
	b.WriteString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) { // some end a line, or turn it around
			return ' '
		}
		return r
	}, text))
	b.WriteByte('\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.w.Write(b.Bytes()) // a trace that cannot be written must not disturb what it traces
}

// headerNames lists headers, with the values of those that are no secret.
func headerNames(h http.Header) string {
	var b strings.Builder
	for _, name := range []string{"Mcp-Protocol-Version", "Last-Event-Id", "Retry-After", "Content-Length", "Location"} {
		if v := h.Get(name); v != "" {
			if name == "Location" {
				v = plainURL(v)
			}
			fmt.Fprintf(&b, " %s=%q", name, v)
		}
	}
	for _, name := range []string{"Authorization", "Mcp-Session-Id", "Cookie", "Set-Cookie", "Www-Authenticate"} {
		if len(h[name]) > 0 {
			fmt.Fprintf(&b, " %s=[…]", name)
		}
	}
	return b.String()
}

// plainURL is a URL without what may be secret in it: user info, query and
// fragment.
func plainURL(u string) string {
	if i := strings.IndexAny(u, "?#"); i >= 0 {
		u = u[:i]
	}
	if at := strings.LastIndexByte(u, '@'); at >= 0 {
		if scheme := strings.Index(u, "://"); scheme >= 0 && scheme < at {
			u = u[:scheme+3] + u[at+1:]
		}
	}
	return u
}
