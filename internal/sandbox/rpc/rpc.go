// Package rpc holds the few JSON-RPC shapes that the sandbox's services and its
// HTTP front have in common. It exists so that a service can be written, and
// tested, without an HTTP server near it.
//
// It refuses to decode what it carries: ids, params and results stay raw JSON.
package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The error codes of JSON-RPC 2.0 §5.1 and of MCP (2026-07-28, basic §Error
// Codes) that the sandbox answers with.
const (
	CodeParse           = -32700
	CodeInvalidRequest  = -32600
	CodeMethodNotFound  = -32601
	CodeInvalidParams   = -32602
	CodeInternal        = -32603
	CodeServer          = -32000 // the catch-all of the HTTP transport's own refusals
	CodeSessionNotFound = -32001
	CodeHeaderMismatch  = -32020
	CodeCapability      = -32021
	CodeRevision        = -32022
)

// Error is a JSON-RPC error object. A service returns one only for a failure
// of the protocol; a tool that ran and failed is a result with isError.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error makes an Error usable as a Go error.
func (e *Error) Error() string { return fmt.Sprintf("json-rpc error %d: %s", e.Code, e.Message) }

// Errorf returns an Error with a formatted message and no data.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Description is what a service says about itself in initialize and
// server/discover. Both raw members must be JSON objects.
type Description struct {
	ServerInfo   json.RawMessage
	Capabilities json.RawMessage
	Instructions string // left out of the answer when empty
}

// Text returns a tools/call result with one text item. isError is left out
// when false, as both services do.
func Text(text string, isError bool) json.RawMessage {
	var r struct {
		Content [1]struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError,omitempty"`
	}
	r.Content[0].Type, r.Content[0].Text, r.IsError = "text", text, isError
	return Marshal(r)
}

// Marshal encodes v without HTML escaping: the services' text is shown by
// clients, never placed into a page. It panics for a value that encoding/json
// cannot encode, which is a fault of the program and not of its input.
func Marshal(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("rpc: encode %T: %v", v, err))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
