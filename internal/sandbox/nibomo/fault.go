package nibomo

import (
	"context"
	"errors"
	"fmt"

	"bridge/internal/sandbox/nibomo/dialect"
)

// The codes of application errors that this service can give.
const (
	codeConflict    = "REVIEW_EVENT_CONFLICT"
	codeMismatch    = "REVIEW_ID_CARD_MISMATCH"
	codeStale       = "REVIEW_STALE"
	codeInput       = "REVIEW_INPUT_INVALID"
	codeFailed      = "REQUEST_FAILED"
	codeNoWorkspace = "WORKSPACE_NOT_FOUND"
	codeSelect      = "WORKSPACE_SELECTION_REQUIRED"
	codeSQL         = "QUERY_INVALID_SQL"
	codeSyntax      = "QUERY_UNSUPPORTED_SYNTAX"
	codeTooLarge    = "QUERY_RESULT_TOO_LARGE"
	codeTime        = "QUERY_TIME_LIMIT_EXCEEDED"
	codeCommit      = "DATABASE_COMMIT_OUTCOME_UNKNOWN"
	codeInternal    = "INTERNAL_ERROR"
	codeCardState   = "CARD_FSRS_STATE_INVALID"
)

// Fault is a failure that the application decided, as it stands in an envelope.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details any    `json:"details,omitempty"`
}

// Error gives code and message.
func (f *Fault) Error() string { return f.Code + ": " + f.Message }

func faultf(code, format string, args ...any) *Fault {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

type validation struct {
	Issues []issue `json:"validationIssues"`
}

type issue struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func sqlFault(code, message string) *Fault {
	return &Fault{code, message, validation{[]issue{{"sql", "invalid_sql", message}}}}
}

// asFault gives any error its place in the contract. What is not foreseen is an
// INTERNAL_ERROR whose text says nothing of the inside.
func asFault(err error) *Fault {
	var f *Fault
	var d *dialect.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &d) && d.Unsupported:
		return sqlFault(codeSyntax, d.Message)
	case errors.As(err, &d):
		return sqlFault(codeSQL, d.Message)
	case errors.Is(err, errCommit):
		return faultf(codeCommit, "The outcome of the commit is unknown")
	case errors.Is(err, context.DeadlineExceeded):
		return faultf(codeTime, "The statement took longer than %d seconds", int(timeBudget.Seconds()))
	}
	return faultf(codeInternal, "Internal error")
}

// inBatch says which statement of a batch failed. A failure while it ran, as
// against one while it was read, also quotes the statement.
func inBatch(err error, number int, statement string) error {
	f := *asFault(err)
	if f.Code == codeInternal || f.Code == codeTime || f.Code == codeCommit {
		return err
	}
	f.Message = fmt.Sprintf("SQL batch statement %d failed: %s", number, f.Message)
	if statement != "" {
		if r := []rune(statement); len(r) > 120 {
			statement = string(r[:117]) + "..."
		}
		f.Message += ". Statement: " + statement
	}
	if _, ok := f.Details.(validation); ok {
		f.Details = validation{[]issue{{"sql", "invalid_sql", f.Message}}}
	}
	return &f
}

// advice is the instructions member beside an error: what to do next.
func advice(f *Fault, tool string) string {
	switch f.Code {
	case codeConflict:
		return "This review is already recorded and the first rating stands. Treat it as done: do not send it again. error.details.reviewSchedule is the card's schedule now. Go on with next_review_card."
	case codeMismatch:
		return "Nothing was recorded. Make a new reviewId for this card and call submit_review again."
	case codeStale:
		return "Nothing was recorded: the card was reviewed elsewhere in the meantime. Do not repeat this review; go on with next_review_card."
	case codeInput:
		return "Correct tags or deckId using error.message, then call " + tool + " again. SELECT tag, COUNT(*) FROM cards UNNEST tags AS tag GROUP BY tag lists the tags in use."
	case codeNoWorkspace:
		return "Call list_workspaces and use a workspaceId from it."
	case codeSelect:
		return "Choose one workspaceId from error.details.workspaces, then call " + tool + " again with it."
	case codeSQL, codeSyntax:
		return "Correct the sql argument using error.message, then call " + tool + " again. get_guide with topic sql_dialect describes the dialect."
	case codeTooLarge:
		return "Nothing is wrong with the data. Name fewer columns, add WHERE, or lower LIMIT, then call " + tool + " again."
	case codeTime:
		return "Do less in one call: fewer statements or fewer rows. Nothing was changed."
	case codeCommit:
		if tool == "submit_review" {
			return "Send the identical call again, with the same reviewId: it is recorded once at most."
		}
		return "Do not repeat the write blindly. Read the rows back with sql_query, and repeat it only if the change is absent."
	case codeInternal, codeCardState:
		return "Call " + tool + " once more. If it fails again, report requestId."
	}
	return "Correct the call using error.message, then call " + tool + " again."
}
