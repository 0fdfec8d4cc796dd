package bridge

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"time"
)

// accepting is a listener and the connections that came to it.
func accepting(t *testing.T) (*url.URL, <-chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	came := make(chan net.Conn, 10)
	go func() {
		defer close(came)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			came <- c
		}
	}()
	t.Cleanup(func() {
		l.Close()
		for c := range came {
			c.Close()
		}
	})
	return &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/mcp"}, came
}

func TestEarlyConnectionIsTheFirstOnes(t *testing.T) {
	u, came := accepting(t)
	var e earlyDialer
	e.begin(t.Context(), u)
	defer e.close()
	server := <-came // before anything is asked for
	conn, err := e.DialContext(t.Context(), "tcp", u.Host)
	if err != nil || conn.LocalAddr().String() != server.RemoteAddr().String() {
		t.Fatalf("the first gets %v, %v", conn, err)
	}
	conn.Close()
	conn, err = e.DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	if next := <-came; next.RemoteAddr().String() != conn.LocalAddr().String() {
		t.Error("the second does not get one of its own")
	}
	conn.Close()
}

func TestEarlyConnectionIsGivenUp(t *testing.T) {
	for name, giveUp := range map[string]func(*earlyDialer){
		"at the end": (*earlyDialer).close,
		"when it is old": func(e *earlyDialer) {
			old := <-e.result
			old.at = old.at.Add(-earlyLife)
			e.result <- old
			conn, err := e.DialContext(t.Context(), "tcp", e.addr)
			if err != nil || conn == old.conn {
				t.Errorf("the request gets %v, %v", conn, err)
			} else {
				conn.Close()
			}
		},
		"with a request's end":  func(e *earlyDialer) { e.open.Store(false); e.giveUp() },
		"for another address's": func(e *earlyDialer) { _, _ = e.DialContext(t.Context(), "tcp", "127.0.0.1:1"); e.close() },
	} {
		t.Run(name, func(t *testing.T) {
			u, came := accepting(t)
			var e earlyDialer
			e.begin(t.Context(), u)
			server := <-came
			giveUp(&e)
			_ = server.SetReadDeadline(time.Now().Add(5 * time.Second))
			if _, err := server.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("the server sees %v", err)
			}
			e.close() // again
		})
	}
}

// A server that had hung up while the host was silent cost the first request a
// wait, or was its failure, if that could not be sent again.
func TestEarlyConnectionIsLookedAt(t *testing.T) {
	for name, tt := range map[string]struct {
		server func(net.Conn)
		same   bool
	}{
		"open":    {func(net.Conn) {}, true},
		"closed":  {func(c net.Conn) { c.Close() }, false},
		"reset":   {func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); c.Close() }, false},
		"refused": {func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 408 Request Timeout\r\n\r\n")) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			u, came := accepting(t)
			var e earlyDialer
			e.begin(t.Context(), u)
			defer e.close()
			server := <-came
			defer server.Close()
			old := <-e.result
			tt.server(server)
			old.at = old.at.Add(-earlyTrust)
			for end := time.Now().Add(5 * time.Second); !tt.same && quiet(old.conn) && time.Now().Before(end); {
				// What the server did is on its way.
			}
			e.result <- old
			conn, err := e.DialContext(t.Context(), "tcp", u.Host)
			if err != nil || (conn == old.conn) != tt.same {
				t.Fatalf("the request gets %v, %v", conn, err)
			}
			defer conn.Close()
			if !tt.same {
				server = <-came
			}
			time.AfterFunc(2*earlyLook, func() { _, _ = server.Write([]byte("x")) })
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Errorf("it cannot be read: %v", err)
			}
		})
	}
}

// The failure of an early connection is the first request's own; one that is
// old is tried again.
func TestEarlyConnectionFails(t *testing.T) {
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	tries := 0
	var e earlyDialer
	e.Control = func(string, string, syscall.RawConn) error { tries++; return errors.New("no way") }
	e.begin(t.Context(), u)
	if _, err := e.DialContext(t.Context(), "tcp", u.Host); err == nil || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
	e.open.Store(true)
	e.result <- dialed{err: errors.New("once"), at: time.Now().Add(-time.Second)}
	if _, err := e.DialContext(t.Context(), "tcp", u.Host); err == nil || err.Error() == "once" || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

func TestEarlyConnectionWaitsNoLongerThanTheRequest(t *testing.T) {
	hold := make(chan struct{})
	var e earlyDialer
	e.ControlContext = func(ctx context.Context, _, _ string, _ syscall.RawConn) error {
		defer close(hold)
		<-ctx.Done()
		return ctx.Err()
	}
	e.begin(t.Context(), &url.URL{Scheme: "https", Host: "127.0.0.1"})
	if e.addr != "127.0.0.1:443" {
		t.Errorf("it goes to %s", e.addr)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := e.DialContext(ctx, "tcp", e.addr); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ends with %v", err)
	}
	<-hold // the attempt has been given up
}

// A resolver that knows no deadline does not hold the first request up for longer
// than a connection may take.
func TestEarlyConnectionWaitsNoLongerThanItsLimit(t *testing.T) {
	var e earlyDialer
	e.Timeout = time.Millisecond
	e.ControlContext = func(ctx context.Context, _, _ string, _ syscall.RawConn) error {
		<-ctx.Done()
		return ctx.Err()
	}
	e.begin(t.Context(), &url.URL{Scheme: "https", Host: "127.0.0.1"})
	var slow net.Error
	if _, err := e.DialContext(t.Context(), "tcp", e.addr); !errors.As(err, &slow) || !slow.Timeout() {
		t.Errorf("it ends with %v", err)
	}
}

// Behind a proxy nothing goes to the remote's own address.
func TestNoEarlyConnectionBesideAProxy(t *testing.T) {
	u := &url.URL{Scheme: "https", Host: "mcp.example.com"}
	by := &url.URL{Scheme: "http", Host: "proxy.example:3128"}
	for _, tt := range []struct {
		name  string
		proxy func(*http.Request) (*url.URL, error)
		want  bool
	}{
		{"no proxy", nil, true},
		{"none for this host", func(*http.Request) (*url.URL, error) { return nil, nil }, true},
		{"a proxy", http.ProxyURL(by), false},
		{"a proxy that cannot be read", func(*http.Request) (*url.URL, error) { return nil, errors.New("what?") }, false},
	} {
		if got := direct(u, tt.proxy); got != tt.want {
			t.Errorf("%s: direct = %v", tt.name, got)
		}
	}
}
