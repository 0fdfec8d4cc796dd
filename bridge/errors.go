package bridge

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// JSON-RPC 2.0 §5.1.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeMethod   = -32601
	codeParams   = -32602
	codeInternal = -32603
)

// The kinds of errors the bridge itself answers with, in error.data.kind. They
// are a contract with scripts: kinds are added, never renamed.
const (
	kindBadRequest   = "bad_request"   // the host's message was no MCP request
	kindBadResponse  = "bad_response"  // the remote answered, but not with MCP
	kindForbidden    = "forbidden"     // 403
	kindHTTP         = "http"          // any other refusal by status
	kindRedirect     = "redirect"      // a redirect that is not followed
	kindSessionLost  = "session_lost"  // the remote forgot the session
	kindShutdown     = "shutdown"      // the bridge is ending
	kindStreamLost   = "stream_lost"   // the answer's stream was cut
	kindTooLarge     = "too_large"     // over Config.MaxMessage
	kindUnauthorized = "unauthorized"  // 401, or nothing to sign in with
	kindUnreachable  = "unreachable"   // no connection to the remote
	kindNotAllowed   = "not_allowed"   // held back by the Gate
	kindUnsupported  = "not_supported" // what this face or leg cannot do
)

// A Failure is an error of the bridge's own, as the host gets to see it:
// `{"code":-32603,"message":"bridge: …","data":{"source":"bridge",…}}`.
type failure struct {
	code      int // 0 means codeInternal
	kind      string
	status    int // HTTP status, 0 if there was none
	retryable bool
	text      string // one plain sentence without a full stop
	err       error  // the cause, for the log; may be nil

	// raw is a JSON-RPC error object of the remote that is passed on as it is
	// instead of all of the above.
	raw []byte
	// wait is set when a person can mend it while the process runs.
	wait bool
	// silent is set when the remote took the request and did not answer.
	silent bool
}

func (f *failure) Error() string { return f.text }

func (f *failure) Unwrap() error { return f.err }

// line is the JSON-RPC error response to the request id; nil id means null.
func (f *failure) line(id []byte) []byte {
	if id == nil {
		id = []byte("null")
	}
	return responseLine(id, "error", f.object())
}

func (f *failure) object() []byte {
	if f.raw != nil {
		return f.raw
	}
	code := f.code
	if code == 0 {
		code = codeInternal
	}
	type data struct {
		Source    string `json:"source"`
		Kind      string `json:"kind"`
		Status    int    `json:"httpStatus,omitempty"`
		Retryable bool   `json:"retryable"`
	}
	b, err := json.Marshal(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    data   `json:"data"`
	}{code, "bridge: " + f.text, data{"bridge", f.kind, f.status, f.retryable}})
	if err != nil { // strings and numbers always marshal
		return []byte(`{"code":` + strconv.Itoa(code) + `,"message":"bridge: internal error"}`)
	}
	return b
}

// excerptLen is how much of a remote's text is quoted to a person, in bytes.
const excerptLen = 200

// excerpt makes foreign text fit to stand in a message: markup, control and
// invisible characters are dropped, blanks folded, the length bounded.
func excerpt(text []byte) string { return shortened(tidied(text, excerptLen+1)) }

// shortened bounds the length of what is fit to stand in a message.
func shortened(s string) string {
	if len(s) <= excerptLen {
		return s
	}
	end := excerptLen
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// tidied is excerpt without its bound, which is about limit here.
func tidied(text []byte, limit int) string {
	if len(text) > 64<<10 {
		text = text[:64<<10]
	}
	var b strings.Builder
	blank, tag := false, false
	for len(text) > 0 && b.Len() < limit {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case tag:
			tag = r != '>'
		case r == '<' && len(text) > 0 && (text[0] == '/' || text[0] == '!' || isLetter(text[0])):
			if skip := hiddenElement(text); skip > 0 {
				text = text[skip:]
			}
			tag, blank = true, true
		case unicode.IsSpace(r):
			blank = true
		case r == utf8.RuneError && size <= 1, unicode.IsControl(r), unicode.In(r, unicode.Cf):
		default:
			if blank && b.Len() > 0 {
				b.WriteByte(' ')
			}
			blank = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hiddenElement returns how much to skip of an element whose text is not for
// reading; text starts after its "<".
func hiddenElement(text []byte) int {
	for _, name := range []string{"style", "script"} {
		if len(text) > len(name) && strings.EqualFold(string(text[:len(name)]), name) {
			low := strings.ToLower(string(text))
			if end := strings.Index(low, "</"+name); end > 0 && len(low) == len(text) {
				return end
			}
			return len(text)
		}
	}
	return 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
