package bridge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// Transport says which of the two HTTP transports of the session revisions a
// relay may speak to the remote.
type Transport int

const (
	// TransportAuto speaks Streamable HTTP and falls back to HTTP+SSE when the
	// remote refuses the handshake with 400, 404 or 405.
	TransportAuto Transport = iota
	// TransportSSEFirst tries HTTP+SSE first and falls back to Streamable HTTP.
	TransportSSEFirst
	// TransportHTTPOnly never falls back to HTTP+SSE.
	TransportHTTPOnly
	// TransportSSEOnly speaks the 2024-11-05 HTTP+SSE transport only.
	TransportSSEOnly
)

// Protocol says which era of MCP the remote speaks.
type Protocol int

const (
	// ProtocolAuto finds out, and remembers it for the life of the relay.
	ProtocolAuto Protocol = iota
	// ProtocolLegacy is the revisions with sessions, 2024-11-05 to 2025-11-25.
	ProtocolLegacy
	// ProtocolModern is 2026-07-28 and later: stateless, no initialize.
	ProtocolModern
)

// DefaultMaxMessage is the largest message carried when Config.MaxMessage is
// zero: 256 MiB.
const DefaultMaxMessage = 256 << 20

// Config describes one relay. Only URL is needed.
type Config struct {
	// URL is the remote's MCP endpoint: https, or http on a loopback host, or
	// any http when AllowHTTP is set. User info and fragments are refused.
	URL string

	// Header is sent with every request to the remote, and never to another
	// origin. An Authorization in it turns the Authorizer off: the user has
	// said what to send, so a 401 then means that it was refused.
	Header http.Header

	// Authorizer supplies the Authorization header; nil sends none.
	Authorizer Authorizer

	// Gate decides which tools exist for the host; nil lets all pass.
	Gate Gate

	// Transport chooses the HTTP transport; the zero value finds out.
	Transport Transport

	// Protocol is the remote's era; the zero value finds out. The host's era is
	// seen from each of its messages, and where the two differ, the relay
	// translates.
	Protocol Protocol

	// Transparent answers a host of 2026-07-28 that asks with server/discover what
	// a remote with sessions is: "no such method". A host which speaks both eras
	// then begins with initialize, and nothing is translated. Its requests of
	// 2026-07-28 are translated all the same.
	Transparent bool

	// AllowHTTP permits plain http to a host that is not loopback.
	AllowHTTP bool

	// Timeouts bound single phases; zero fields take their defaults. There is
	// no bound on a whole request: that one is the host's.
	Timeouts Timeouts

	// MaxMessage is the largest message in bytes carried in either direction;
	// zero means DefaultMaxMessage. A larger one costs an error answer.
	MaxMessage int64

	// RootCAs are trusted instead of the system's pool; nil means the system's.
	// A caller who wants extra certificates adds them to a copy of that pool.
	RootCAs func() *x509.CertPool

	// ClientCertificate returns the certificate to show to the remote when it
	// asks for one; nil means none. It is called with each connection on which
	// the remote asks, by several goroutines, so that a renewed certificate is
	// taken up. Its error is what the requests of that connection are answered
	// with: one line, for whoever reads the answer. Nobody but the remote is
	// shown it: an https proxy is not used beside it.
	ClientCertificate func() (*tls.Certificate, error)

	// InsecureTLS leaves the remote's certificate unchecked: whoever is between
	// can then read and change everything, credentials included. It holds for
	// nobody else: an https proxy is not used beside it, and the Authorizer has
	// clients of its own.
	InsecureTLS bool

	// Proxy chooses the proxy of a request; nil means
	// http.ProxyFromEnvironment.
	Proxy func(*http.Request) (*url.URL, error)

	// UserAgent is sent with every request; empty means "bridge".
	UserAgent string

	// Log receives what a person has to know; nil discards it. Neither secrets
	// nor message bodies are logged.
	Log *slog.Logger

	// Say words what is found out about the remote, for whoever reads the answer
	// to a request. format is one of package fmt and in English, and the result
	// is one line; nil is fmt.Sprintf. It may be called by several goroutines.
	Say func(format string, args ...any) string

	// Trace, when not nil, receives a line for every message and every HTTP
	// exchange, with secrets redacted. Writes to it are serialized.
	Trace io.Writer

	// FailFast answers initialize with an error when the first handshake fails.
	// It is for a caller who waits for that error; a host would give up on the
	// server for good. Without it the relay goes on trying.
	FailFast bool

	// Recall returns the InitializeResult the remote last gave (a JSON
	// object), or nil. It is asked only when an interim answer is needed.
	Recall func() []byte

	// Remember is told the InitializeResult of a successful handshake. It is
	// called off the message path, at most once per handshake.
	Remember func(initializeResult []byte)

	// RecallEra returns what RememberEra was last told for a host of that era,
	// or ProtocolAuto when there is nothing or it is old. It is asked at most
	// once for each era of the host, before the first request, and what it says
	// is advice: a remote that turns out otherwise is found out about as usual.
	// It is not asked when Protocol says what the remote is.
	RecallEra func(host Protocol) Protocol

	// RememberEra is told, for a host of one era, in which one the remote was
	// found: ProtocolLegacy or ProtocolModern. It is told only what differs
	// from what RecallEra returned, the host's own era being the same as
	// nothing, and off the message path.
	RememberEra func(host, remote Protocol)

	// Waiting, when not nil, is called once, when the first request has been
	// written to the remote. The relay has nothing to do then but wait for the
	// answer, so that what a start can do later is done without a delay to
	// anybody. It must not block, and is not called when no request gets so far.
	Waiting func()

	// SignIn, when not nil, is run by the interim tool bridge_sign_in; it
	// starts a sign-in if none is under way and returns the text to show.
	SignIn func(ctx context.Context) (text string, err error)
}

// Timeouts bound the phases of an exchange in which a long wait helps nobody.
// A zero field means the default; a negative one means no limit.
type Timeouts struct {
	// Connect bounds DNS, TCP and proxy; default 15 s.
	Connect time.Duration
	// TLS bounds the TLS handshake; default 10 s.
	TLS time.Duration
	// Response bounds the wait for the status line of a relayed request. It
	// has no limit by default: a tool may take as long as its host lets it.
	Response time.Duration
	// Probe bounds each of the bridge's own requests: the handshake it
	// repeats, the wait for the endpoint event; default 10 s.
	Probe time.Duration
	// Initialize bounds the wait for the remote's answer to initialize before
	// the host gets an interim one; default 20 s.
	Initialize time.Duration
	// Input bounds how long a call of a legacy remote stays open for a modern
	// host that was asked something and has to come back with the answer;
	// default 10 min.
	Input time.Duration
	// Retry caps a single wait between two tries, Retry-After included;
	// default 60 s.
	Retry time.Duration
}

// Authorizer supplies and renews the credential of one remote. Both methods
// are called from many goroutines at once.
type Authorizer interface {
	// Authorization returns the value of the Authorization header for the next
	// request, or "" to send none. It is called for every request, so it must
	// return what it holds without I/O once it holds something. A *SignInError
	// means that nothing can be had until a person acts.
	Authorization(ctx context.Context) (string, error)

	// Challenge is told that the remote refused a request. A nil error means
	// that Authorization may now return something better, and the request is
	// sent once more; a *SignInError says what the person has to do.
	Challenge(ctx context.Context, c Challenge) error
}

// A Challenge is a 401 or a 403 of the remote.
type Challenge struct {
	Status       int      // 401 or 403
	Authenticate []string // the WWW-Authenticate header values as received
	Used         string   // the Authorization value the request carried, or ""
}

// SignInError is how an Authorizer says that no credential can be had for now.
type SignInError struct {
	// Message is one plain sentence for the host's user, naming the command
	// that mends it. It holds no secret.
	Message string
	// Refused means that a credential was sent and the remote did not take it.
	Refused bool
	// Waiting means that the credential may turn up while the process runs (a
	// sign-in is pending, a keychain is locked, `bridge login` may be run), so
	// the host gets an interim answer to initialize instead of an error.
	Waiting bool
}

func (e *SignInError) Error() string { return e.Message }

// Gate decides which tools the host sees and may call. It is asked for every
// tools/call and for each tool of a tools/list result, from many goroutines.
type Gate interface {
	// Allow returns "" when the tool may be used, else the reason, one plain
	// sentence that becomes the answer to the call. Such a tool is also
	// removed from tools/list.
	Allow(t Tool) (reason string)
}

// Tool is what the relay knows of a tool from the lists that passed by.
type Tool struct {
	Name string
	// Known is false for a tool that no list named yet; the hints are then
	// unset and mean nothing.
	Known bool
	// The hints are the remote's own, and absent ones take the defaults of the
	// specification: not read-only, destructive, not idempotent.
	ReadOnly, Destructive, Idempotent bool
}
