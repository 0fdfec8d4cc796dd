package cards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The codes that this package branches on. Others are passed on as they are.
const (
	codeConflict      = "REVIEW_EVENT_CONFLICT"
	codeMismatch      = "REVIEW_ID_CARD_MISMATCH"
	codeStale         = "REVIEW_STALE"
	codeFailed        = "REQUEST_FAILED"
	codeNoWorkspace   = "WORKSPACE_NOT_FOUND"
	codeUnknownCommit = "DATABASE_COMMIT_OUTCOME_UNKNOWN"
	codeUnavailable   = "SERVICE_UNAVAILABLE"
	codeTimeLimit     = "QUERY_TIME_LIMIT_EXCEEDED"
	codeInternal      = "INTERNAL_ERROR"
	codeArguments     = "INVALID_ARGUMENTS" // ours: the protocol layer's -32602
)

// A ToolError is a tool's refusal.
type ToolError struct {
	Tool    string
	Code    string // the service's, such as REVIEW_STALE; REQUEST_FAILED is its catch-all
	Message string // the service's words: untrusted text
	Details json.RawMessage
}

func (e *ToolError) Error() string { return e.Tool + ": " + e.Message }

// ErrForeign means that the server answered, and not as the flashcard service
// does.
var ErrForeign = errors.New("not an answer of the flashcard service")

type envelope struct {
	OK    *bool           `json:"ok"`
	Data  json.RawMessage `json:"data"`
	Error *struct {
		Code    string          `json:"code"`
		Message string          `json:"message"`
		Details json.RawMessage `json:"details"`
	} `json:"error"`
}

// call calls a tool and decodes its data into out. The text of the result is
// the primary source: structuredContent came later and has had two forms.
func call(ctx context.Context, c Caller, tool string, args, out any) error {
	r, err := c.CallTool(ctx, tool, args)
	if err != nil {
		return err
	}
	var e envelope
	if json.Unmarshal([]byte(r.Text), &e) != nil || e.OK == nil && e.Data == nil {
		if r.IsError {
			code := codeFailed
			if strings.HasPrefix(r.Text, "MCP error -32602") {
				code = codeArguments
			}
			return &ToolError{Tool: tool, Code: code, Message: r.Text}
		}
		e = envelope{}
		if json.Unmarshal(r.Structured, &e) != nil || e.Data == nil {
			return fmt.Errorf("%s: %w", tool, ErrForeign)
		}
	}
	if r.IsError || e.Error != nil || e.OK != nil && !*e.OK {
		te := &ToolError{Tool: tool, Code: codeFailed, Message: "refused"}
		if e.Error != nil {
			te.Code, te.Message, te.Details = e.Error.Code, e.Error.Message, e.Error.Details
		}
		return te
	}
	if err := json.Unmarshal(e.Data, out); err != nil {
		return fmt.Errorf("%s: %w: %w", tool, ErrForeign, err)
	}
	return nil
}

// codeOf is the service's code in err, or "".
func codeOf(err error) string {
	var e *ToolError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// transient says whether the same call may succeed later: no answer came, or
// one that says so.
func transient(err error) bool {
	switch codeOf(err) {
	case "":
		return err != nil
	case codeUnknownCommit, codeUnavailable, codeTimeLimit, codeInternal:
		return true
	}
	return false
}
