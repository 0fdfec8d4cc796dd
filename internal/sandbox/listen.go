package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrNotLoopback means that an address would be reachable from elsewhere. The
// sandbox has known tokens and speaks plain HTTP; it never listens there.
var ErrNotLoopback = errors.New("the sandbox listens on loopback addresses only")

// closeBudget is how long answers under way may take when the sandbox ends.
const closeBudget = time.Second

// An origin is one listener and what is served on it. It can be restarted:
// every connection drops, the address stays.
type origin struct {
	addr    string // host:port, fixed after listen
	handler http.Handler

	mu     sync.Mutex
	ln     net.Listener
	server *http.Server
	done   chan struct{} // closed when server has ended
	closed bool
}

// loopback splits an address and makes sure nobody else can reach it.
func loopback(addr string) (host string, port int, err error) {
	host, p, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("address %q: %w", addr, err)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", 0, fmt.Errorf("address %q: %w", addr, ErrNotLoopback)
	}
	port, err = strconv.Atoi(p)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: the port must be a number from 0 to 65535", addr)
	}
	return host, port, nil
}

func listen(ctx context.Context, addr string) (*origin, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return &origin{addr: ln.Addr().String(), ln: ln}, nil
}

func (o *origin) url() string { return "http://" + o.addr }

// serve starts answering. The listener has been open since listen.
func (o *origin) serve() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.serveLocked()
}

func (o *origin) serveLocked() {
	server := &http.Server{
		Handler: thisMachine(o.handler), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // aborted answers are on purpose
	}
	done, ln := make(chan struct{}), o.ln
	o.server, o.done = server, done
	go func() {
		defer close(done)
		_ = server.Serve(ln) // always ErrServerClosed, or the listener's end
	}()
}

// thisMachine refuses requests that were meant for another host. A page in the
// user's browser may have its own name point here (DNS rebinding), and would
// then be let into forms that a person is meant to press: Nibomo's sign-in page
// has a button that needs no password. The words are those of Nibomo's service.
func thisMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]") // without a port
		}
		if ip := net.ParseIP(host); strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback() {
			next.ServeHTTP(w, r)
			return
		}
		said, _ := json.Marshal("Invalid Host header: " + r.Host) // a string always encodes
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":%s}}`, said) // the client may be gone
	})
}

// restart drops every connection and listens again on the same address.
func (o *origin) restart(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	_ = o.server.Close() // the connections go either way
	<-o.done
	deadline := time.Now().Add(5 * time.Second)
	for {
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
		if err == nil {
			o.ln = ln
			o.serveLocked()
			return nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fmt.Errorf("listen again: %w", err)
		}
		t := time.NewTimer(10 * time.Millisecond) // the system gives the port back in its own time
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		t.Stop()
	}
}

// close lets answers under way finish within the budget.
func (o *origin) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.server == nil {
		_ = o.ln.Close() // it never served
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeBudget)
	defer cancel()
	if o.server.Shutdown(ctx) != nil {
		_ = o.server.Close() // out of time: the rest is cut
	}
	<-o.done
}
