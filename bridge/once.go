package bridge

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// What net/http sends again by itself, with HTTP/2, is more than may be: not
// only what was refused (REFUSED_STREAM, or a GOAWAY that leaves it out), but
// also what was broken off with PROTOCOL_ERROR, which may have been processed,
// and that on one new connection after the other for as long as the remote goes
// on. It cannot be told to do the one and not the other, so it is kept from
// both, and retry.go decides.
//
// onceOnly does so, for a remote with TLS: without GetBody, net/http cannot
// repeat a request whose body it has begun to read. With HTTP/1.1 it needs it,
// and uses it only when not a byte of the request was written, which it alone
// knows. Which of the two the remote speaks is known after its first answer.
type onceOnly struct {
	*http.Transport
	http1 atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (o *onceOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.GetBody != nil && req.Body != nil && req.Body != http.NoBody {
		bare := *req // http.Client needs GetBody to follow a redirect
		bare.GetBody = nil
		if o.http1.Load() {
			bare.GetBody = unwritten(req)
		}
		req = &bare
	}
	resp, err := o.Transport.RoundTrip(req)
	if err == nil {
		if http1 := resp.ProtoMajor == 1; http1 != o.http1.Load() {
			o.http1.Store(http1)
		}
	}
	return resp, err
}

// unwritten is the request's GetBody, if it is not HTTP/2 all the same.
func unwritten(req *http.Request) func() (io.ReadCloser, error) {
	a, _ := req.Context().Value(attemptKey{}).(*attempt)
	again := req.GetBody
	return func() (io.ReadCloser, error) {
		if a != nil {
			if c, ok := a.conn.(*tls.Conn); ok && c.ConnectionState().NegotiatedProtocol == "h2" {
				return nil, errNotAgain
			}
		}
		return again()
	}
}

var (
	errNotAgain     = errors.New("the connection was lost")
	errTooManyDials = errors.New("the remote ends every connection at once")
)

// unprocessed reports whether HTTP/2 says for certain that the remote has not
// looked at a request. net/http tells that in words only.
func unprocessed(err error) bool {
	text := err.Error()
	return strings.Contains(text, "cannot retry err [") &&
		(strings.Contains(text, "; REFUSED_STREAM; ") || strings.Contains(text, "graceful shutdown GOAWAY"))
}

// maxDials is how many connections one try may begin. It takes one, and one for
// each redirect; a request without a body, such as that for a stream, would be
// given any number of them by net/http, if the remote breaks it off on each.
const maxDials = 10

// dial is net/http's way to a connection.
func (r *remote) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok && a.dials.Add(1) > maxDials {
		return nil, errTooManyDials
	}
	return r.dialer.DialContext(ctx, network, addr)
}
