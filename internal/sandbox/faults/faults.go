// Package faults makes the sandbox go wrong on demand: slow, cut, refused,
// forgetful, duplicated or restarted, for a number of requests, on one service
// or one method. It exists because the way a relay behaves on a bad day is what
// it is judged by, and bad days do not come when a test runs.
//
// It refuses to choose by chance: a fault happens exactly when its terms say,
// so what a test saw once it sees again.
package faults

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kind names what goes wrong.
type Kind string

// The kinds, with what their value means.
const (
	Latency     Kind = "latency"     // a duration: wait before anything else
	Cut         Kind = "cut"         // bytes: serve the request, drop the connection after so many bytes of the answer
	Status      Kind = "status"      // an HTTP status with an HTML body, not served
	Busy        Kind = "busy"        // seconds: 429 with Retry-After, not served
	Unavailable Kind = "unavailable" // seconds: 503 with Retry-After and a JSON body, not served
	Empty       Kind = "empty"       // 200, 202 or 204 without a body, not served
	Type        Kind = "type"        // a media type: served, with this Content-Type
	SSE         Kind = "sse"         // cr, crlf, bom, split, comments or multiline: served, framed like this
	Duplicate   Kind = "duplicate"   // served, every event sent twice
	Twice       Kind = "twice"       // the request is served twice, the second answer is sent
	Forget      Kind = "forget"      // every session is forgotten first
	Expire      Kind = "expire"      // every access token expires first
	Revoke      Kind = "revoke"      // every token and key is revoked first
	Restart     Kind = "restart"     // the server restarts: every connection drops, the request is not served
)

// Always is the Fault.Times that never runs out.
const Always = -1

// Fault is one thing that goes wrong, and when.
type Fault struct {
	Kind   Kind   `json:"kind"`
	Value  string `json:"value,omitempty"`
	On     string `json:"on,omitempty"`     // the name of a service, or the beginning of a path; empty is everywhere
	Method string `json:"method,omitempty"` // a JSON-RPC method, or the grant_type at a token endpoint; empty is any
	Times  int    `json:"times"`            // how often; Always for no end
	After  int    `json:"after,omitempty"`  // how many matching requests pass first

	wait time.Duration
	n    int
}

// ErrSyntax means that a fault's text could not be understood.
var ErrSyntax = errors.New("not a fault")

// Parse reads "kind[=value][,on=WHERE][,method=M][,times=N|always][,after=N]".
// times defaults to 1. "refresh=503" and "refresh=html" are short for a status
// at the token endpoint when it is asked to refresh.
func Parse(text string) (Fault, error) {
	head, rest, more := strings.Cut(text, ",")
	kind, value, _ := strings.Cut(head, "=")
	f := Fault{Kind: Kind(strings.TrimSpace(kind)), Value: strings.TrimSpace(value), Times: 1}
	if f.Kind == "refresh" {
		f.Kind, f.On, f.Method = Status, "/token", "refresh_token"
		if f.Value == "html" {
			f.Value = "200"
		}
	}
	for opt := range strings.SplitSeq(rest, ",") {
		k, v, ok := strings.Cut(opt, "=")
		var err error
		switch strings.TrimSpace(k) {
		case "":
			if more || ok {
				err = ErrSyntax
			}
		case "on":
			f.On = v
		case "method":
			f.Method = v
		case "after":
			f.After, err = strconv.Atoi(v)
		case "times":
			if v == "always" {
				f.Times = Always
			} else {
				f.Times, err = strconv.Atoi(v)
			}
		default:
			err = ErrSyntax
		}
		if err != nil {
			return Fault{}, fmt.Errorf("%w: option %q of %q", ErrSyntax, opt, text)
		}
	}
	err := f.check()
	return f, err
}

// check reads the value once, so that a fault that was accepted works.
func (f *Fault) check() error {
	bad := func(want string) error {
		return fmt.Errorf("%w: %s takes %s, not %q", ErrSyntax, f.Kind, want, f.Value)
	}
	if f.Times < Always || f.Times == 0 || f.After < 0 {
		return fmt.Errorf("%w: times must be at least 1, after at least 0", ErrSyntax)
	}
	var err error
	switch f.Kind {
	case Latency:
		if f.wait, err = time.ParseDuration(f.Value); err != nil || f.wait < 0 || f.wait > 10*time.Minute {
			return bad("a duration up to 10m")
		}
	case Cut:
		if f.n, err = strconv.Atoi(f.Value); err != nil || f.n < 0 {
			return bad("a number of bytes")
		}
	case Status:
		if f.n, err = strconv.Atoi(f.Value); err != nil || f.n < 200 || f.n > 599 {
			return bad("an HTTP status from 200 to 599")
		}
	case Busy, Unavailable:
		if f.n, err = strconv.Atoi(f.Value); err != nil || f.n < 0 {
			return bad("a number of seconds")
		}
	case Empty:
		if f.n, err = strconv.Atoi(f.Value); err != nil || (f.n != http.StatusOK && f.n != http.StatusAccepted && f.n != http.StatusNoContent) {
			return bad("200, 202 or 204")
		}
	case Type:
		if f.Value == "" || strings.ContainsAny(f.Value, "\r\n") {
			return bad("a media type")
		}
	case SSE:
		switch f.Value {
		case "cr", "crlf", "bom", "split", "comments", "multiline":
		default:
			return bad("cr, crlf, bom, split, comments or multiline")
		}
	case Duplicate, Twice, Forget, Expire, Revoke, Restart:
		if f.Value != "" {
			return bad("no value")
		}
	default:
		return fmt.Errorf("%w: unknown kind %q", ErrSyntax, f.Kind)
	}
	return nil
}

// String is the text that Parse reads.
func (f Fault) String() string {
	s := string(f.Kind)
	if f.Value != "" {
		s += "=" + f.Value
	}
	if f.On != "" {
		s += ",on=" + f.On
	}
	if f.Method != "" {
		s += ",method=" + f.Method
	}
	switch {
	case f.Times == Always:
		s += ",times=always"
	case f.Times != 1:
		s += ",times=" + strconv.Itoa(f.Times)
	}
	if f.After > 0 {
		s += ",after=" + strconv.Itoa(f.After)
	}
	return s
}

// Kinds lists the kinds there are, for help texts.
func Kinds() []string {
	var out []string
	for _, k := range []Kind{Latency, Cut, Status, Busy, Unavailable, Empty, Type, SSE, Duplicate, Twice, Forget, Expire, Revoke, Restart} {
		out = append(out, string(k))
	}
	return append(out, "refresh")
}
