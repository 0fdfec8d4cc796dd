package bridge

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

// An early dialer has a connection to the remote begun while the relay is still
// being made and the host's first line read: a journey to the server and back, and
// on the same machine some of the server's own work. It is handed to the first
// request, unless that comes late. A connection that could not be made is
// that request's error, as if it had dialled itself.
type earlyDialer struct {
	net.Dialer
	addr   string // host:port, as net/http writes it
	open   atomic.Bool
	result chan dialed
	until  time.Time // when the attempt is over, if the dialer has a limit
	cancel context.CancelFunc
}

type dialed struct {
	conn net.Conn
	err  error
	at   time.Time
}

const (
	// earlyLife is how old a connection may be that the first request gets.
	// Servers hang up on who says nothing.
	earlyLife = 5 * time.Second
	// earlyTrust is how old it may be before it is looked at whether the server
	// has hung up already, and earlyLook is how long that takes.
	earlyTrust = 100 * time.Millisecond
	earlyLook  = time.Millisecond
	// earlyWord is how long the failure of one is believed.
	earlyWord = 250 * time.Millisecond
)

// direct says whether requests for u go to its host, not to a proxy.
func direct(u *url.URL, proxy func(*http.Request) (*url.URL, error)) bool {
	if proxy == nil {
		return true
	}
	by, err := proxy(&http.Request{URL: u})
	return by == nil && err == nil
}

// begin starts to connect to u's host. It does not wait, and is called once.
func (e *earlyDialer) begin(ctx context.Context, u *url.URL) {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	e.addr = net.JoinHostPort(u.Hostname(), port)
	ctx, e.cancel = context.WithCancel(ctx)
	e.result = make(chan dialed, 1)
	e.open.Store(true)
	if e.Timeout > 0 {
		// As a context's own, a deadline would be a timer: while there is one, a
		// thread that has nothing to do looks after it, and the start needs another.
		e.until = time.Now().Add(e.Timeout)
		ctx = untimed{ctx, e.until}
	}
	go func() {
		conn, err := e.Dialer.DialContext(ctx, "tcp", e.addr)
		e.result <- dialed{conn, err, time.Now()}
	}()
	// Here and now it is on its way sooner than on another processor that has
	// to be woken for it.
	runtime.Gosched()
}

// untimed has a deadline that net keeps to as it connects, but that is no reason
// for the context to end.
type untimed struct {
	context.Context
	deadline time.Time
}

func (u untimed) Deadline() (time.Time, bool) { return u.deadline, true }

// DialContext is http.Transport's.
func (e *earlyDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if addr != e.addr || !e.open.CompareAndSwap(true, false) {
		return e.Dialer.DialContext(ctx, network, addr)
	}
	var d dialed
	select {
	case d = <-e.result:
	default:
		var late <-chan time.Time
		if !e.until.IsZero() {
			t := time.NewTimer(time.Until(e.until))
			defer t.Stop()
			late = t.C
		}
		select {
		case d = <-e.result:
		case <-late: // some resolvers know no deadline
			e.giveUp()
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
		case <-ctx.Done():
			e.giveUp()
			return nil, ctx.Err()
		}
	}
	switch age := time.Since(d.at); {
	case d.err != nil && age < earlyWord, d.err == nil && (age < earlyTrust || age < earlyLife && quiet(d.conn)):
		return d.conn, d.err
	case d.conn != nil:
		_ = d.conn.Close()
	}
	return e.Dialer.DialContext(ctx, network, addr)
}

// quiet says whether the server has neither hung up nor said anything, as some do
// before they hang up. To net/http the connection is a new one, and a request that is
// lost with it is not sent again.
func quiet(conn net.Conn) bool {
	if conn.SetReadDeadline(time.Now().Add(earlyLook)) != nil {
		return false
	}
	n, err := conn.Read(make([]byte, 1))
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && conn.SetReadDeadline(time.Time{}) == nil
}

// close gives the connection up if nobody has taken it.
func (e *earlyDialer) close() {
	if e.open.CompareAndSwap(true, false) {
		e.giveUp()
	}
}

func (e *earlyDialer) giveUp() {
	e.cancel()
	if d := <-e.result; d.conn != nil { // comes at once, or is there
		_ = d.conn.Close()
	}
}
