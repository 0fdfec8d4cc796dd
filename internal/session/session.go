// Package session is the client's end of an MCP session: it writes requests to
// a pair of streams, one JSON-RPC message a line, and hands back the bytes of
// each result as the server sent them.
//
// It exists so that the command line can ask a server something through the
// relay, and see what a client of another make would see. It knows the session
// revisions (2024-11-05 to 2025-11-25), since the relay translates for servers
// of another era. It refuses to model what it carries: params and results are
// JSON, and their meaning is the caller's.
//
//	Call ──▶ pending[id] ──▶ line ──▶ relay
//	                                    │
//	Call ◀── pending[id] ◀── read ◀── line      a response
//	Options.Notify     ◀──── read               a notification
//	Options.Answer  ◀─ queue ◀ read             a request of the server, one at a time
//	       └──────────────────────▶ line        its answer
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Revision is what Open offers: the newest of the session revisions.
const Revision = "2025-11-25"

// revisions are those a server may answer initialize with (MCP 2025-11-25,
// Lifecycle, Version negotiation).
var revisions = [...]string{Revision, "2025-06-18", "2025-03-26", "2024-11-05"}

// cancelWait bounds how long an interrupted call waits until the other side has
// taken the cancellation.
const cancelWait = 500 * time.Millisecond

// ErrClosed is what a call returns when the other side has gone.
var ErrClosed = errors.New("the session has ended")

// An Error is a JSON-RPC error that a request was answered with (JSON-RPC 2.0,
// section 5.1). Message and Data are the server's words.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Codes of JSON-RPC 2.0 and MCP that callers look for.
const (
	CodeMethodNotFound         = -32601
	CodeURLElicitationRequired = -32042 // MCP 2025-11-25, Elicitation
	CodeInvalidParams          = -32602
	codeInternal               = -32603
)

// Options say who asks, and what a server may do in the middle of a session.
// The zero value offers the server nothing.
type Options struct {
	Name, Version string // clientInfo
	// Capabilities is the client's, as JSON; nil for none.
	Capabilities json.RawMessage
	// Answer is asked what the server requests, but for ping. It is called for
	// one request at a time; its context ends when the server cancels the
	// request or the session ends. An *Error is passed on as it is. Without it
	// every request is answered with "method not found".
	Answer func(ctx context.Context, method string, params json.RawMessage) (result any, err error)
	// Notify is told of notifications, in their order. It must not block.
	Notify func(method string, params json.RawMessage)
}

// A Session is open until Close is called or the other side ends it. It is safe
// for use by several goroutines.
type Session struct {
	opts  Options
	hello Hello

	write sync.Mutex
	w     io.WriteCloser

	mu      sync.Mutex
	last    int64
	pending map[int64]chan answer
	asking  map[string]context.CancelFunc // requests of the server, by their id's JSON
	err     error                         // why there is nothing more to read

	requests chan request
	replies  chan reply
	ctx      context.Context // ends with the session
	end      context.CancelFunc
	running  sync.WaitGroup
}

type answer struct {
	result json.RawMessage
	err    *Error
}

// A Hello is what a server says of itself in its answer to initialize.
type Hello struct {
	ProtocolVersion string `json:"protocolVersion"`
	ServerInfo      struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	} `json:"serverInfo"`
	Capabilities map[string]json.RawMessage `json:"capabilities"`
	Instructions string                     `json:"instructions"`
	Raw          json.RawMessage            `json:"-"` // all of it
}

// Open shakes hands over r and w. The session owns w, and closes it in Close.
// Whoever holds the other ends has to close r's when w is closed, or when there
// will be nothing more to read. If Open returns an error, w is closed and no
// goroutine is left, provided that r ends.
func Open(ctx context.Context, r io.Reader, w io.WriteCloser, o Options) (*Session, error) {
	s := &Session{opts: o, w: w, pending: map[int64]chan answer{}, asking: map[string]context.CancelFunc{}, requests: make(chan request, queued), replies: make(chan reply, queued)}
	s.ctx, s.end = context.WithCancel(context.WithoutCancel(ctx))
	s.running.Go(func() { s.read(r) })
	s.running.Go(s.answerAll)
	s.running.Go(s.replyAll)
	if err := s.initialize(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Session) initialize(ctx context.Context) error {
	capabilities := s.opts.Capabilities
	if capabilities == nil {
		capabilities = json.RawMessage(`{}`)
	}
	raw, err := s.Call(ctx, "initialize", map[string]any{
		"protocolVersion": Revision,
		"capabilities":    capabilities,
		"clientInfo":      map[string]string{"name": s.opts.Name, "version": s.opts.Version},
	})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &s.hello); err != nil {
		return fmt.Errorf("read the answer to initialize: %w", err)
	}
	if !slices.Contains(revisions[:], s.hello.ProtocolVersion) {
		return fmt.Errorf("the server speaks revision %q, which is not known here", s.hello.ProtocolVersion)
	}
	s.hello.Raw = raw
	return s.send(outgoing{Method: "notifications/initialized"})
}

// Hello is what the server said of itself. It is not to be changed.
func (s *Session) Hello() *Hello { return &s.hello }

// Call sends a request and waits for its answer. params is marshalled; nil
// stands for none. The error is an *Error if the server answered with one,
// ctx's when ctx has ended, in which case the server has been told (MCP,
// Cancellation), or wraps ErrClosed.
func (s *Session) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ch := make(chan answer, 1)
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return nil, s.err
	}
	s.last++
	id := s.last
	s.pending[id] = ch
	s.mu.Unlock()
	if err := s.send(outgoing{ID: id, Method: method, Params: params}); err != nil {
		s.forget(id)
		return nil, err
	}
	select {
	case a, open := <-ch:
		switch {
		case !open:
			s.mu.Lock()
			defer s.mu.Unlock()
			return nil, s.err
		case a.err != nil:
			return nil, a.err
		}
		return a.result, nil
	case <-ctx.Done():
		s.forget(id)
		if method != "initialize" { // which must not be cancelled
			s.cancel(id)
		}
		return nil, ctx.Err()
	}
}

func (s *Session) forget(id int64) {
	s.mu.Lock()
	delete(s.pending, id)
	s.mu.Unlock()
}

// cancel tells the server that nobody waits any more. The other side takes a
// message at once unless something is wrong with it, and an interrupted command
// does not wait for that.
func (s *Session) cancel(id int64) {
	told := make(chan struct{})
	late := time.NewTimer(cancelWait)
	defer late.Stop()
	select {
	case s.replies <- reply{outgoing{Method: "notifications/cancelled", Params: map[string]any{"requestId": id, "reason": "interrupted"}}, told}:
	case <-late.C:
		return
	case <-s.ctx.Done():
		return
	}
	select {
	case <-told:
	case <-late.C:
	case <-s.ctx.Done():
	}
}

// Close ends the session and waits until nothing of it runs any more.
func (s *Session) Close() {
	s.end()
	_ = s.w.Close() // the other side ends then, and with it what is read
	s.running.Wait()
}

// An outgoing is a message of ours. ID is nil in a notification.
type outgoing struct {
	JSONRPC string `json:"jsonrpc"`
	ID      any    `json:"id,omitempty"`
	Method  string `json:"method,omitempty"`
	Params  any    `json:"params,omitempty"`
	Result  any    `json:"result,omitempty"`
	Error   *Error `json:"error,omitempty"`
}

func (s *Session) send(m outgoing) error {
	m.JSONRPC = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write %s: %w", m.Method, err)
	}
	s.write.Lock()
	defer s.write.Unlock()
	if _, err := s.w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return nil
}
