package bridge

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// An early dialer has a connection to the remote begun while the relay is still
// being made and the host's first line read: a journey to the server and back, and
// on the same machine some of the server's own work. It is handed to the first
// request, and given up when none comes. A connection that could not be made is
// that request's error, as if it had dialled itself.
type earlyDialer struct {
	net.Dialer
	addr   string // host:port, as net/http writes it
	open   atomic.Bool
	result chan dialed
	cancel context.CancelFunc
	timer  *time.Timer
}

type dialed struct {
	conn net.Conn
	err  error
	at   time.Time
}

const (
	// earlyLife is how long a connection waits for the first request. Servers
	// hang up on who says nothing.
	earlyLife = 5 * time.Second
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

// begin starts to connect to u's host. It returns at once, and is called once.
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
	e.timer = time.AfterFunc(earlyLife, e.expire)
	go func() {
		conn, err := e.Dialer.DialContext(ctx, "tcp", e.addr)
		e.result <- dialed{conn, err, time.Now()}
	}()
}

// DialContext is http.Transport's.
func (e *earlyDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if addr != e.addr || !e.open.CompareAndSwap(true, false) {
		return e.Dialer.DialContext(ctx, network, addr)
	}
	e.timer.Stop()
	select {
	case d := <-e.result:
		if d.err == nil || time.Since(d.at) < earlyWord {
			return d.conn, d.err
		}
		return e.Dialer.DialContext(ctx, network, addr)
	case <-ctx.Done():
		e.giveUp()
		return nil, ctx.Err()
	}
}

// close gives the connection up if nobody has taken it.
func (e *earlyDialer) close() {
	if e.timer != nil {
		e.timer.Stop()
	}
	e.expire()
}

func (e *earlyDialer) expire() {
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
