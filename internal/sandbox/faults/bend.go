package faults

import (
	"bytes"
	"net/http"
	"strings"
)

// bender is a ResponseWriter that deforms what passes through it.
type bender struct {
	http.ResponseWriter
	cut    int    // bytes until the connection drops; -1 never
	media  string // the Content-Type to claim
	style  string // of event framing
	double bool

	started bool
	events  bool // the body is an event stream
	held    []byte
	count   int // events so far
}

// WriteHeader implements http.ResponseWriter.
func (b *bender) WriteHeader(status int) {
	b.started = true
	h := b.Header()
	b.events = strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
	if b.media != "" {
		h.Set("Content-Type", b.media)
	}
	b.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. Events are held until they are whole.
func (b *bender) Write(p []byte) (int, error) {
	if !b.started {
		b.WriteHeader(http.StatusOK)
	}
	if !b.events || (b.style == "" && !b.double) {
		return len(p), b.pass(p)
	}
	b.held = append(b.held, p...)
	for {
		i := bytes.Index(b.held, []byte("\n\n"))
		if i < 0 {
			return len(p), nil
		}
		event := bytes.Clone(b.held[:i+2])
		b.held = b.held[i+2:]
		if err := b.event(event); err != nil {
			return 0, err
		}
	}
}

func (b *bender) event(event []byte) error {
	out := event
	switch b.style {
	case "cr":
		out = bytes.ReplaceAll(event, []byte("\n"), []byte("\r"))
	case "crlf":
		out = bytes.ReplaceAll(event, []byte("\n"), []byte("\r\n"))
	case "bom":
		if b.count == 0 {
			out = append([]byte("\xef\xbb\xbf"), event...)
		}
	case "comments":
		out = append([]byte(": still here\n:\n\n"), event...)
	case "multiline":
		// A line feed after the opening brace is white space to JSON.
		out = bytes.Replace(event, []byte("data: {"), []byte("data: {\ndata: "), 1)
	case "split":
		return b.drip(event)
	}
	b.count++
	if b.double {
		out = append(bytes.Clone(out), out...)
	}
	return b.pass(out)
}

// drip sends every byte as a chunk of its own.
func (b *bender) drip(event []byte) error {
	b.count++
	if b.double {
		event = append(bytes.Clone(event), event...)
	}
	for i := range event {
		if err := b.pass(event[i : i+1]); err != nil {
			return err
		}
		if err := b.FlushError(); err != nil {
			return err
		}
	}
	return nil
}

// pass writes, up to the cut.
func (b *bender) pass(p []byte) error {
	if b.cut >= 0 && len(p) >= b.cut {
		_, _ = b.ResponseWriter.Write(p[:b.cut])
		b.drop()
	}
	if b.cut >= 0 {
		b.cut -= len(p)
	}
	_, err := b.ResponseWriter.Write(p)
	return err
}

// drop sends what was written and ends the connection.
func (b *bender) drop() {
	_ = b.FlushError() // the connection is given up either way
	panic(http.ErrAbortHandler)
}

// end is the end of the answer: an answer shorter than the cut is cut here,
// and what was held of an event goes out.
func (b *bender) end() {
	if len(b.held) > 0 {
		_ = b.pass(b.held) // the client may be gone
	}
	if b.cut >= 0 && b.started {
		b.drop()
	}
}

// FlushError is what http.ResponseController calls.
func (b *bender) FlushError() error {
	return http.NewResponseController(b.ResponseWriter).Flush()
}
