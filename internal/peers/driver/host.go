package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// exitTimeout is how long a bridge may take to end after its stdin did.
const exitTimeout = 2 * time.Second

// message is a JSON-RPC message of any kind. Only its envelope is decoded.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// params are a request's parameters as the scripts write them.
type params map[string]any

// host is an MCP client on the pipes of a bridge process. call and notify may be
// used from many goroutines.
type host struct {
	era   era
	trace bool
	cmd   *exec.Cmd
	dir   string // the bridge's home; removed by close

	sending sync.Mutex
	stdin   io.WriteCloser

	mu      sync.Mutex
	last    int
	waiting map[string]chan message

	done    chan struct{} // closed when stdout ended
	problem error         // why reading ended, other than by EOF; read after done
}

func startHost(ctx context.Context, argv []string) (*host, error) {
	era, err := eraFor(os.Getenv("DRIVER_ERA"))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "driver")
	if err != nil {
		return nil, err
	}
	h := &host{era: era, trace: os.Getenv("DRIVER_TRACE") != "", dir: dir,
		waiting: make(map[string]chan message), done: make(chan struct{})}
	// The process is bound to no context: close ends it, and says how it ended.
	h.cmd = exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...)
	h.cmd.Stderr = os.Stderr
	if h.cmd.Env, err = freshHome(dir); err != nil {
		return nil, err
	}
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := h.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the bridge: %w", err)
	}
	go h.read(stdout)
	return h, nil
}

// close ends the bridge the way a host does: stdin first. What it returns is
// what was wrong with the bridge rather than with the scenario.
func (h *host) close() error {
	defer os.RemoveAll(h.dir)
	_ = h.stdin.Close()
	late := time.AfterFunc(exitTimeout, func() { _ = h.cmd.Process.Kill() })
	<-h.done
	err := h.cmd.Wait()
	switch {
	case !late.Stop():
		return fmt.Errorf("the bridge had not ended %v after its stdin", exitTimeout)
	case err != nil:
		return fmt.Errorf("the bridge ended with: %w", err)
	}
	return h.problem
}

func (h *host) send(m message) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	h.sending.Lock()
	defer h.sending.Unlock()
	if h.trace {
		fmt.Fprintf(os.Stderr, "host ▶ %s\n", line)
	}
	_, err = h.stdin.Write(append(line, '\n'))
	return err
}

func (h *host) notify(method string) error { return h.send(message{Method: method}) }

// call sends one request and returns its result.
func (h *host) call(ctx context.Context, method string, p params) (json.RawMessage, error) {
	raw, err := json.Marshal(h.era.stamp(p))
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	h.mu.Lock()
	h.last++
	id := strconv.Itoa(h.last)
	h.waiting[id] = answer
	h.mu.Unlock()
	if err := h.send(message{ID: json.RawMessage(id), Method: method, Params: raw}); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %w", method, m.Error)
		}
		return m.Result, nil
	case <-h.done:
		return nil, fmt.Errorf("%s: the bridge closed its stdout", method)
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
}

func (h *host) read(stdout io.Reader) {
	defer close(h.done)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if h.trace {
				fmt.Fprintf(os.Stderr, "host ◀ %s\n", bytes.TrimSpace(line))
			}
			if bad := h.receive(line); bad != nil {
				h.problem = errors.Join(h.problem, bad)
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				h.problem = errors.Join(h.problem, err)
			}
			return
		}
	}
}

func (h *host) receive(line []byte) error {
	var m message
	if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" {
		return fmt.Errorf("not a JSON-RPC message on stdout: %.200q", line)
	}
	switch {
	case m.Method != "" && m.ID != nil:
		if !h.era.allowsServerRequests() {
			return fmt.Errorf("a request of the server's, %s, reached a host of an era without such requests", m.Method)
		}
		// From a goroutine: a bridge that is not reading now must not keep us
		// from reading. It ends with stdin at the latest.
		go func() { _ = h.send(reply(m)) }()
	case m.Method != "": // a notification
	case m.ID != nil:
		h.mu.Lock()
		answer := h.waiting[string(m.ID)]
		delete(h.waiting, string(m.ID))
		h.mu.Unlock()
		if answer == nil {
			return fmt.Errorf("an answer nobody waits for: %.200q", line)
		}
		answer <- m
	default:
		return fmt.Errorf("neither request, notification nor answer on stdout: %.200q", line)
	}
	return nil
}

func reply(request message) message {
	result, err := answer(request.Method, request.Params)
	if err != nil {
		return message{ID: request.ID, Error: &rpcError{Code: -32601, Message: err.Error()}}
	}
	return message{ID: request.ID, Result: result}
}
