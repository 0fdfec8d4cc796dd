package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// parsed renders everything a stream yields.
func parsed(r io.Reader, limit int64) string {
	p := newEventReader(r, limit)
	var b strings.Builder
	for {
		ev, err := p.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintf(&b, "!%v", err)
			}
			if p.hasRetry {
				fmt.Fprintf(&b, "retry=%v ", p.retry)
			}
			if p.resumable {
				fmt.Fprintf(&b, "last=%q", p.lastID)
			}
			return b.String()
		}
		fmt.Fprintf(&b, "%s(%q) ", ev.name, ev.data)
	}
}

func TestEventStream(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"lf", "data: a\n\ndata: b\n\n", `("a") ("b") `},
		{"cr", "data: a\r\rdata: b\r\r", `("a") ("b") `},
		{"crlf", "data: a\r\n\r\ndata: b\r\n\r\n", `("a") ("b") `},
		{"mixed", "data: a\r\n\ndata: b\n\rdata: c\r\r\n", `("a") ("b") ("c") `},
		{"bom", "\xef\xbb\xbfdata: a\n\n", `("a") `},
		{"bom only at the start", "data: a\n\n\xef\xbb\xbfdata: b\n\n", `("a") `},
		{"no blank", "data:a\n\n", `("a") `},
		{"one blank only", "data:  a\n\n", `(" a") `},
		{"no colon", "data\n\n", `("") `},
		{"lines", "data: {\ndata: }\n\n", `("{\n}") `},
		{"comment", ": hi\n\ndata: a\n: more\n\n", `("a") `},
		{"unknown field", "foo: x\ndata: a\n\n", `("a") `},
		{"event name", "event: endpoint\ndata: /x\n\nevent: message\ndata: a\n\n", `endpoint("/x") ("a") `},
		{"cut event", "data: a\n\ndata: b\n", `("a") `},
		{"priming", "id: 7\ndata:\n\n", `("") last="7"`},
		{"id without data", "id: 7\n\ndata: a\n\n", `("a") last="7"`},
		{"id of a cut event", "id: 7\ndata: a\n\nid: 8\ndata: b\n", `("a") last="7"`},
		{"id with NUL", "id: 7\x008\ndata: a\n\n", `("a") `},
		{"id reset", "id: 7\ndata: a\n\nid\ndata: b\n\n", `("a") ("b") `},
		{"retry", "retry: 500\ndata: a\n\n", `("a") retry=500ms `},
		{"retry with letters", "retry: 5s\ndata: a\n\n", `("a") `},
		{"empty", "", ``},
		{"blank lines", "\n\n\n\r\n", ``},
		{"long line", "data: " + strings.Repeat("x", eventBuffer*2) + "\n\n", `("` + strings.Repeat("x", eventBuffer*2) + `") `},
		{"no name", ":data: a\n\n:\n\n", ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := parsed(strings.NewReader(tc.in), 1<<20); got != tc.want {
				t.Errorf("got  %.200s\nwant %.200s", got, tc.want)
			}
			for name, r := range map[string]io.Reader{
				"byte by byte": iotest.OneByteReader(strings.NewReader(tc.in)),
				"data and EOF": iotest.DataErrReader(strings.NewReader(tc.in)),
				"halves":       iotest.HalfReader(strings.NewReader(tc.in)),
			} {
				if got := parsed(r, 1<<20); got != tc.want {
					t.Errorf("%s: got %.200s", name, got)
				}
			}
		})
	}
}

func TestEventStreamBounds(t *testing.T) {
	endless := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s), repeat('x')) }
	for head, want := range map[string]error{"data: ": errEventTooLarge, "event: ": errFieldTooLarge, "id: ": errFieldTooLarge} {
		if got := parsed(endless(head), 1<<20); got != "!"+want.Error() {
			t.Errorf("%q without end: %q", head, got)
		}
	}
	many := strings.Repeat("data: 0123456789\n", 1<<17)
	if got := parsed(strings.NewReader(many), 1<<20); got != "!"+errEventTooLarge.Error() {
		t.Errorf("data lines without end: %.80q", got)
	}
	// A comment costs nothing, however long it is.
	comment := io.MultiReader(strings.NewReader(":"), io.LimitReader(repeat('x'), 8<<20), strings.NewReader("\ndata: a\n\n"))
	if got := parsed(comment, 1<<20); got != `("a") ` {
		t.Errorf("long comment: %q", got)
	}
}

type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

func FuzzEventStream(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "\xef\xbb\xbfid:1\r\ndata: {\rdata:}\r\n\r\n", "event: x\nretry: 10\n\ndata\n\n", ":\n\xef", "data: a\r"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		whole := parsed(bytes.NewReader(b), 1<<16)
		if got := parsed(iotest.OneByteReader(bytes.NewReader(b)), 1<<16); got != whole {
			t.Fatalf("byte by byte %q, whole %q", got, whole)
		}
	})
}

func TestRetryIsBounded(t *testing.T) {
	p := newEventReader(strings.NewReader("retry: 999999999999999999999\nretry: 86400000\ndata: a\n\n"), 1<<10)
	if _, err := p.next(); err != nil {
		t.Fatal(err)
	}
	if p.retry != 24*time.Hour {
		t.Errorf("retry = %v", p.retry) // the caller caps what it waits
	}
}
