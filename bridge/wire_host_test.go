package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

// A host is the stdio end of a conversation: it writes the relay's stdin and
// collects its stdout.
type host struct {
	in       *io.PipeWriter
	deadline time.Duration

	mu      sync.Mutex
	lines   [][]byte // not claimed by a step yet
	all     [][]byte
	partial []byte
	faults  []string // rules of stdout that were broken
	broken  bool     // stdout is closed: writes fail
	big     bool     // do not keep claimed lines in all
	wake    chan struct{}
	vars    bindings
	cell    string
	may     []string
	result  chan error
	exited  bool
	err     error
}

func newHost(in *io.PipeWriter, deadline time.Duration) *host {
	return &host{in: in, deadline: deadline, wake: make(chan struct{}), vars: bindings{}, result: make(chan error, 1)}
}

// Write is the relay's stdout.
func (h *host) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken {
		return 0, syscall.EPIPE
	}
	if len(p) == 0 || p[len(p)-1] != '\n' {
		h.faults = append(h.faults, fmt.Sprintf("a Write on stdout does not end a line: %q", clip(p)))
	}
	h.partial = append(h.partial, p...)
	for {
		i := bytes.IndexByte(h.partial, '\n')
		if i < 0 {
			break
		}
		h.line(bytes.Clone(h.partial[:i]))
		h.partial = h.partial[i+1:]
	}
	if len(h.partial) == 0 {
		h.partial = nil
	}
	close(h.wake)
	h.wake = make(chan struct{})
	return len(p), nil
}

func (h *host) line(line []byte) {
	if !h.big {
		h.all = append(h.all, line)
	}
	if fault := messageFault(line); fault != "" {
		h.faults = append(h.faults, fault)
	} else if fault := cellFault(h.cell, line); fault != "" {
		h.faults = append(h.faults, fault)
	}
	for _, p := range h.may {
		if match(p, line, bindings{}) == nil {
			return
		}
	}
	h.lines = append(h.lines, line)
}

// messageFault says why a line is no JSON-RPC message, or nothing.
func messageFault(line []byte) string {
	switch {
	case !utf8.Valid(line):
		return fmt.Sprintf("stdout is not UTF-8: %q", clip(line))
	case !json.Valid(line):
		return fmt.Sprintf("stdout is not JSON: %q", clip(line))
	case bytes.ContainsAny(line, "\r"):
		return fmt.Sprintf("stdout has a raw CR: %q", clip(line))
	}
	if line[0] == '[' {
		return "" // a 2025-03-26 batch
	}
	var m struct {
		Version *string         `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    *int64  `json:"code"`
			Message *string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Sprintf("stdout is no JSON-RPC message (%v): %s", err, clip(line))
	}
	switch {
	case m.Version == nil || *m.Version != "2.0":
		return "a message without jsonrpc 2.0: " + clip(line)
	case m.Method != nil:
		return ""
	case (m.Result == nil) == (m.Error == nil):
		return "a response needs exactly one of result and error: " + clip(line)
	case m.ID == nil:
		return "a response without an id: " + clip(line)
	case m.Error != nil && (m.Error.Code == nil || m.Error.Message == nil):
		return "an error without code and message: " + clip(line)
	}
	return ""
}

// send writes bytes to stdin; it fails when the relay stops reading.
func (h *host) send(b []byte) error {
	done := make(chan error, 1)
	go func() { _, err := h.in.Write(b); done <- err }()
	timer := time.NewTimer(h.deadline)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		_ = h.in.CloseWithError(errors.New("the test gave up"))
		return fmt.Errorf("the relay does not read its stdin (%d bytes to write)", len(b))
	}
}

// next claims the next line, or the first that fits when loose.
func (h *host) next(pattern string, loose bool) error {
	return h.claim(loose, func(line []byte) error { return match(pattern, line, h.vars) })
}

func (h *host) claim(loose bool, fits func([]byte) error) error {
	timer := time.NewTimer(h.deadline)
	defer timer.Stop()
	var last error
	for {
		h.mu.Lock()
		wake := h.wake
		for i, line := range h.lines {
			err := fits(line)
			if err == nil {
				h.lines = append(h.lines[:i:i], h.lines[i+1:]...)
				h.mu.Unlock()
				return nil
			}
			if last = fmt.Errorf("%w\n  in %s", err, clip(line)); !loose {
				h.mu.Unlock()
				return last
			}
		}
		exited := h.exited
		h.mu.Unlock()
		if exited {
			return fmt.Errorf("nothing more will come, the relay has ended: %w", orNothing(last))
		}
		select {
		case <-wake:
		case err := <-h.result:
			h.ended(err)
		case <-timer.C:
			return fmt.Errorf("waited %s: %w", h.deadline, orNothing(last))
		}
	}
}

func orNothing(err error) error {
	if err == nil {
		return errors.New("nothing came")
	}
	return err
}

func (h *host) ended(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.exited, h.err = true, err
}

// waitEnd waits for the relay's Run to return.
func (h *host) waitEnd(within time.Duration) error {
	h.mu.Lock()
	exited := h.exited
	h.mu.Unlock()
	if !exited {
		timer := time.NewTimer(within)
		defer timer.Stop()
		select {
		case err := <-h.result:
			h.ended(err)
		case <-timer.C:
			return fmt.Errorf("the relay did not end within %s", within)
		}
	}
	if h.err != nil && !errors.Is(h.err, context.Canceled) {
		return fmt.Errorf("the relay ended with: %w", h.err)
	}
	return h.err
}

// quiet returns what waits unclaimed after a short wait for stragglers.
func (h *host) quiet(window time.Duration) [][]byte {
	timer := time.NewTimer(window)
	defer timer.Stop()
	for {
		h.mu.Lock()
		wake, lines := h.wake, h.lines
		h.mu.Unlock()
		if len(lines) > 0 {
			return lines
		}
		select {
		case <-wake:
		case <-timer.C:
			return nil
		}
	}
}
