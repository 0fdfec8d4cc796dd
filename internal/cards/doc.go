// Package cards is the flashcard vocabulary over MCP tools: which card is
// next, what is on its back, what a grade does, and how a grade reaches the
// server exactly once.
//
// It exists so that a terminal interface and a plain one review by the same
// code, and so that what must never be lost is in one place that a test can
// kill at every step. It calls tools through Caller and knows neither HTTP nor
// credentials.
//
// It refuses to decide the order of cards (the server does; what is computed
// here is only shown early and held against the server's own answer), to send
// a grade that is not on disk, and to send one a second time without knowing
// that the server will notice.
//
//	Session.Grade ──fsync──▶ outbox ──held a few seconds──▶ submit_review
//	      │                    ▲  │                              │
//	 next card at once         │  └── Undo takes it out          │
//	 (look-ahead)              └────── leaves the outbox ◀───────┘
package cards

import (
	"context"
	"encoding/json"
)

// A Caller calls one tool of an MCP server. It is safe for concurrent use. An
// error means that no answer came, and so that the call may have been carried
// out; what a tool refuses is a Reply with IsError.
type Caller interface {
	CallTool(ctx context.Context, name string, args any) (Reply, error)
}

// A Reply is what is read of a tool's result.
type Reply struct {
	Text       string          // the first text content
	Structured json.RawMessage // structuredContent; may be nil
	IsError    bool
}
