package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// What callers branch on.
var (
	// ErrSignInNeeded: nothing can be had until a person signs in. Link tells
	// whether a sign-in is under way.
	ErrSignInNeeded = errors.New("a sign-in is needed")
	// ErrRefused: the server did not take the credential, and signing in again
	// would not change that.
	ErrRefused = errors.New("the server refused the credential")
	// ErrDenied: the person, or the authorization server, said no.
	ErrDenied = errors.New("the sign-in was denied")
	// ErrTimeout: nobody finished the sign-in in time.
	ErrTimeout = errors.New("the sign-in was not finished in time")
	// ErrUnreachable: the authorization server does not answer as it should.
	// What is stored is as good as before.
	ErrUnreachable = errors.New("the authorization server does not answer")
	// ErrNoOAuth: the server offers no way to sign in that could be found.
	ErrNoOAuth = errors.New("the server offers no sign-in")
	// ErrNoClient: the authorization server wants a client registered by hand.
	ErrNoClient = errors.New("the authorization server takes registered clients only")
	// ErrUnsafe: a URL or a metadata document breaks the rules of this package.
	ErrUnsafe = errors.New("the server's metadata is not safe to follow")
	// ErrPortTaken: the port of the redirect URI is in use, and no other may be
	// used.
	ErrPortTaken = errors.New("the port for the sign-in is in use")
	// ErrNoBrowser: there is no program to open a page with.
	ErrNoBrowser = errors.New("no browser could be started")
	// ErrNotPending: a pasted address belongs to no sign-in that is under way.
	ErrNotPending = errors.New("this belongs to no pending sign-in")
)

// An Error is one of the errors above with what is known about it. Detail may
// come from a server; it is one line without control characters.
type Error struct {
	Kind   error // one of the sentinels
	Detail string
	Link   string // of a sign-in that is under way, or ""
	Scope  string // what a sign-in has to ask for, where the one there is will not do, or ""
	Err    error  // the cause, or nil
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Kind.Error()
	}
	return e.Kind.Error() + ": " + e.Detail
}

// Unwrap returns the sentinel and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

func failure(kind error, format string, args ...any) *Error {
	e := &Error{Kind: kind}
	if format != "" {
		e.Detail = fmt.Sprintf(format, args...)
	}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.Err = err
		}
	}
	return e
}

// A protocolError is an error answer by RFC 6749 §5.2 or RFC 7591 §3.2.2.
type protocolError struct {
	status int
	code   string
	text   string
}

func (e *protocolError) Error() string {
	if e.text == "" {
		return e.code
	}
	return e.code + " (" + e.text + ")"
}

// definite reports whether the error is one of the codes, said as the RFC
// wants it: a 4xx with a JSON body.
func definite(err error, codes ...string) bool {
	var p *protocolError
	if !errors.As(err, &p) {
		return false
	}
	for _, c := range codes {
		if p.code == c {
			return true
		}
	}
	return false
}

// A statusError is an answer that says nothing in the protocol's terms.
type statusError struct {
	status int
	media  string
	retry  time.Duration // Retry-After, or 0
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
	if e.media != "" && e.media != "application/json" {
		text += ", " + e.media
	}
	return strings.TrimSpace(text)
}

// plain makes a server's text fit to stand in a line: no control or invisible
// characters, bounded.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		if b.Len() > 200 {
			b.WriteString("…")
			break
		}
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf):
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
