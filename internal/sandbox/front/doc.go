// Package front is the HTTP side of the sandbox: one MCP server core on plain
// net/http that every mount of the sandbox shares. It exists because the
// services behind it differ from each other, and from what an SDK does, in
// exactly the places a relay trips over: sessions or none, JSON or event
// streams, which headers are demanded, which revision is refused and how. Each
// difference is a field of Options, so one suite can be run against all of them.
//
// It refuses to decode what it carries. Ids, params and results stay raw JSON;
// only the members that routing needs are read. It knows no service by name.
//
// The way of a request:
//
//	ServeHTTP ─ authenticate ─ method ─ host, origin ─┬─ POST ─ headers ─ body ─ era ─┬─ legacy ─┐
//	                                                  ├─ GET     (stream, resume)     └─ modern ─┤
//	                                                  └─ DELETE  (end of session)                │
//	                                    JSON answer or event stream ◀── Handler.Handle ◀─────────┘
package front

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"bridge/internal/sandbox/rpc"
)

// The revisions of MCP, newest first. Modern is the one without a handshake.
const (
	Modern      = "2026-07-28"
	Rev20251125 = "2025-11-25"
	Rev20250618 = "2025-06-18"
	Rev20250326 = "2025-03-26"
	Rev20241105 = "2024-11-05"
	Rev20241007 = "2024-10-07"
)

// Handler answers the requests of one service. It must be safe for concurrent
// use. The front answers initialize, server/discover and ping itself; every
// other method reaches Handle, which returns MethodNotFound for what it lacks.
type Handler interface {
	Describe() rpc.Description
	// Handle answers one request. The result must be a JSON object. ctx ends
	// when the client cancels, when its session ends, and, where there is no
	// session, when its connection closes.
	Handle(ctx context.Context, call *Call) (json.RawMessage, *rpc.Error)
}

// Call is one request on its way to a Handler.
type Call struct {
	Method    string
	Params    json.RawMessage // nil when absent
	ID        json.RawMessage // as the client wrote it
	Revision  string          // the revision in force; for a client that said none, the oldest the transport allows
	Principal any             // what Options.Authenticate returned
	Query     url.Values      // of the URL that was called
	SessionID string          // empty on a mount without sessions

	// Capabilities are what a client of the modern era declared with this
	// request; nil in the legacy era.
	Capabilities json.RawMessage

	// Notify sends a notification that belongs to this request, ahead of its
	// answer. It is dropped where the answer is plain JSON.
	Notify func(method string, params json.RawMessage)
	// Hangup closes the connection that waits for the answer, but not its
	// stream: the client fetches the rest with Last-Event-ID (2025-11-25,
	// transports §Sending Messages). Where streams cannot be resumed it does
	// nothing.
	Hangup func()
	// Ask sends a request to the client and waits for its answer. It fails
	// with MethodNotFound where no stream can carry it.
	Ask func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *rpc.Error)
}

// Era says which handshake a mount speaks.
type Era uint8

// The zero value of Options.Era means EraLegacy.
const (
	EraLegacy Era = 1 << iota // initialize, up to 2025-11-25
	EraModern                 // server/discover and _meta, 2026-07-28
	EraBoth   = EraLegacy | EraModern
)

// Answer is the form in which a request is answered.
type Answer uint8

// AnswerJSON is the zero value.
const (
	AnswerJSON Answer = iota
	AnswerSSE
)

// Denial is an HTTP refusal that is not JSON-RPC.
type Denial struct {
	Status int
	Header http.Header // may be nil
	Body   []byte      // JSON unless Header names another Content-Type
}

// Options are the differences between one mount and the next. The zero value
// plus a Handler is a lenient, stateless, POST-only server that answers JSON.
type Options struct {
	Handler Handler

	Era       Era
	Endpoint  bool     // the HTTP+SSE transport of 2024-11-05 instead of Streamable HTTP; Sessions, Stream and Answer then mean nothing
	Revisions []string // legacy revisions served, newest first; the first answers an unknown one; nil means all
	Sessions  bool     // initialize opens a session; other requests must name it
	Stream    bool     // GET opens the stream for what the server says unasked; needs Sessions
	Answer    Answer
	EventIDs  bool          // events carry ids and a stream can be resumed; needs Sessions
	Priming   bool          // a stream starts with an event of an id and empty data; needs EventIDs
	Retry     time.Duration // sent as retry: at the start of a stream; 0 sends none
	Batches   bool          // arrays are accepted
	BodyLimit int64         // bytes; 0 means 4 MiB

	StrictAccept      bool   // Accept must name both media types, else 406
	StrictContentType bool   // else 415
	StrictRevision    bool   // an unsupported MCP-Protocol-Version is answered 400
	Host              string // the only Host accepted; empty means any
	StrictOrigin      bool   // an Origin that is not loopback is answered 403

	// Authenticate names the caller or says why not. Nil lets everybody in.
	Authenticate func(*http.Request) (principal any, denial *Denial)
	MethodFirst  bool    // refuse a method before asking who calls
	NotAllowed   *Denial // the answer to a method the mount lacks; nil is a JSON-RPC error with 405

	// Terms of the modern era; zero values are answered as they are.
	TTL        time.Duration // ttlMs of cacheable results
	CacheScope string        // "" means private
}
