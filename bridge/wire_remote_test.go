package bridge_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bridge/bridge"
)

// A remote is the HTTP end of a conversation. Each request becomes an exchange
// that waits until a step of the conversation claims and answers it.
type remote struct {
	name     string
	settings *settings
	deadline time.Duration
	addr     string
	url      string
	server   *httptest.Server

	mu      sync.Mutex
	queue   []*exchange
	wake    chan struct{}
	faults  []string
	deletes int
	cell    string
	mayPost []string
	clock   int64 // counts arrivals and answers
	end     chan struct{}
}

// An exchange is one HTTP request and the answer that is being given to it.
type exchange struct {
	remote   *remote
	method   string
	uri      string
	header   http.Header
	body     []byte
	rpc      string
	arrived  time.Time
	seq      int64
	answered atomic.Int64 // when its status line was sent, in the remote's clock
	do       chan action
	gone     chan struct{} // closed when the relay hung up
	over     chan struct{} // closed when the handler returned
}

// An action is run by the handler of an exchange; it reports whether the
// exchange is over.
type action struct {
	run  func(w http.ResponseWriter) (over bool, err error)
	done chan error
}

func newRemote(name string, s *settings, deadline time.Duration) (*remote, error) {
	r := &remote{name: name, settings: s, deadline: deadline, wake: make(chan struct{}), end: make(chan struct{})}
	r.mayPost = slices.Clone(s.mayPost)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r.addr = l.Addr().String()
	if s.down && name == "remote" {
		r.url = "http://" + r.addr
		return r, l.Close()
	}
	r.serve(l)
	return r, nil
}

func (r *remote) serve(l net.Listener) {
	server := httptest.NewUnstartedServer(r)
	_ = server.Listener.Close()
	server.Listener = l
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if r.settings.tls != "" {
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		server.StartTLS()
	} else {
		server.Start()
	}
	r.server, r.url = server, server.URL
}

// up starts a remote that was down, on the address it always had.
func (r *remote) up() error {
	l, err := net.Listen("tcp", r.addr)
	if err != nil {
		return err
	}
	r.serve(l)
	return nil
}

// down ends the listener and every connection.
func (r *remote) down() {
	if r.server == nil {
		return
	}
	_ = r.server.Config.Close()
	r.server.CloseClientConnections()
}

func (r *remote) close() {
	close(r.end)
	r.down()
	if r.server != nil {
		r.server.Close()
	}
}

func (r *remote) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the relay gave the request up while it was sending it
	}
	ex := &exchange{
		remote: r, method: req.Method, uri: req.RequestURI, header: req.Header.Clone(), body: body,
		rpc: rpcName(body), arrived: time.Now(),
		do: make(chan action), gone: make(chan struct{}), over: make(chan struct{}),
	}
	defer close(ex.over)
	r.check(ex)
	if status, ok := r.settings.auto[req.Method]; ok && !r.settings.scripted[req.Method] && r.name == "remote" {
		r.mu.Lock()
		if req.Method == http.MethodDelete {
			r.deletes++
		}
		r.mu.Unlock()
		w.WriteHeader(status)
		return
	}
	r.mu.Lock()
	may := slices.Contains(r.mayPost, ex.rpc)
	r.mu.Unlock()
	if may {
		if strings.HasPrefix(ex.rpc, "notifications/") {
			w.WriteHeader(http.StatusAccepted)
		} else {
			w.WriteHeader(http.StatusNotFound)
		}
		return
	}
	r.mu.Lock()
	r.clock++
	ex.seq = r.clock
	r.queue = append(r.queue, ex)
	close(r.wake)
	r.wake = make(chan struct{})
	r.mu.Unlock()
	for {
		select {
		case a := <-ex.do:
			over, err := a.run(w)
			a.done <- err
			if over {
				return
			}
		case <-req.Context().Done():
			close(ex.gone)
			return
		case <-r.end:
			panic(http.ErrAbortHandler)
		}
	}
}

// check holds what every request to a remote owes: the media types of H-01,
// the configured headers and no others' (H-06, H-07), no Origin (H-10).
func (r *remote) check(ex *exchange) {
	fault := func(format string, args ...any) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.faults = append(r.faults, fmt.Sprintf("%s %s %s: ", r.name, ex.method, ex.rpc)+fmt.Sprintf(format, args...))
	}
	if ex.method == http.MethodPost {
		if t, _, _ := mime.ParseMediaType(ex.header.Get("Content-Type")); t != "application/json" {
			fault("Content-Type %q", ex.header.Get("Content-Type"))
		}
		accept := strings.Join(ex.header.Values("Accept"), ",")
		streamable := r.settings.transport != bridge.TransportSSEOnly && strings.HasPrefix(ex.uri, r.settings.path)
		if streamable && (!strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream")) {
			fault("Accept %q", accept)
		}
	}
	r.mu.Lock()
	cell := r.cell
	r.mu.Unlock()
	for _, f := range eraFaults(cell, ex) {
		fault("%s", f)
	}
	if _, ok := ex.header["Origin"]; ok {
		fault("it sends an Origin header")
	}
	for _, h := range r.settings.header {
		got := ex.header.Values(h[0])
		if r.name == "remote" && !slices.Contains(got, h[1]) {
			fault("the configured header %s is missing, got %q", h[0], got)
		}
		if r.name != "remote" && slices.Contains(got, h[1]) {
			fault("the configured header %s went to another origin", h[0])
		}
	}
	if r.name != "remote" {
		for name := range ex.header {
			if name == "Authorization" || name == "Cookie" || strings.HasPrefix(name, "Mcp-") {
				fault("%s went to another origin", name)
			}
		}
	}
	for _, secret := range r.settings.secrets {
		if strings.Contains(ex.uri, secret) {
			fault("a secret is in the request's URI")
		}
	}
}

// claim takes the next waiting request of an HTTP method, or the first that
// fits when loose.
func (r *remote) claim(method string, loose bool, fits func(*exchange) error) (*exchange, error) {
	timer := time.NewTimer(r.deadline)
	defer timer.Stop()
	var last error
	for {
		r.mu.Lock()
		wake := r.wake
		for i, ex := range r.queue {
			if ex.method != method {
				continue
			}
			err := fits(ex)
			if err == nil {
				r.queue = slices.Delete(r.queue, i, i+1)
				r.mu.Unlock()
				return ex, nil
			}
			if last = fmt.Errorf("%w\n  in %s %s %s", err, ex.method, ex.uri, clip(ex.body)); !loose {
				r.mu.Unlock()
				return nil, last
			}
		}
		r.mu.Unlock()
		select {
		case <-wake:
		case <-timer.C:
			return nil, fmt.Errorf("waited %s for a %s: %w", r.deadline, method, orNothing(last))
		}
	}
}

// quiet returns the requests that wait unclaimed after a short wait.
func (r *remote) quiet(window time.Duration) []*exchange {
	timer := time.NewTimer(window)
	defer timer.Stop()
	for {
		r.mu.Lock()
		wake, queue := r.wake, slices.Clone(r.queue)
		r.mu.Unlock()
		if len(queue) > 0 {
			return queue
		}
		select {
		case <-wake:
		case <-timer.C:
			return nil
		}
	}
}

// errGone says that the relay hung up before the step.
var errGone = errors.New("the relay has closed this exchange")

func (ex *exchange) act(run func(w http.ResponseWriter) (bool, error)) error {
	a := action{run: run, done: make(chan error, 1)}
	timer := time.NewTimer(ex.remote.deadline)
	defer timer.Stop()
	select {
	case ex.do <- a:
	case <-ex.gone:
		return errGone
	case <-ex.over:
		return errGone
	case <-timer.C:
		return errors.New("the handler is stuck")
	}
	select {
	case err := <-a.done:
		return err
	case <-timer.C:
		return errors.New("the relay does not read the answer")
	}
}

func (ex *exchange) mark() {
	ex.remote.mu.Lock()
	defer ex.remote.mu.Unlock()
	if ex.answered.Load() == 0 {
		ex.remote.clock++
		ex.answered.Store(ex.remote.clock)
	}
}

// answer sends a status, headers and a body. An event stream stays open.
func (ex *exchange) answer(status int, contentType string, header [][2]string, body []byte) error {
	return ex.act(func(w http.ResponseWriter) (bool, error) {
		for _, h := range header {
			w.Header().Add(h[0], h[1])
		}
		switch {
		case contentType != "":
			w.Header().Set("Content-Type", contentType)
		case w.Header().Get("Content-Type") == "":
			w.Header()["Content-Type"] = nil // and no sniffing
		}
		ex.mark()
		w.WriteHeader(status)
		open := status == 200 && strings.HasPrefix(strings.ToLower(contentType), "text/event-stream")
		if len(body) > 0 {
			if _, err := w.Write(body); err != nil {
				return true, err
			}
		}
		if open {
			return false, http.NewResponseController(w).Flush()
		}
		return true, nil
	})
}

// write sends a piece of an open stream.
func (ex *exchange) write(piece []byte) error {
	return ex.act(func(w http.ResponseWriter) (bool, error) {
		if _, err := w.Write(piece); err != nil {
			return true, err
		}
		return false, http.NewResponseController(w).Flush()
	})
}

// finish ends an open stream the way HTTP ends a body.
func (ex *exchange) finish() error {
	return ex.act(func(http.ResponseWriter) (bool, error) { ex.mark(); return true, nil })
}

// cut closes the connection in the middle; reset makes that a RST.
func (ex *exchange) cut(reset bool) error {
	return ex.act(func(w http.ResponseWriter) (bool, error) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return true, err
		}
		ex.mark()
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0)
		}
		return true, conn.Close()
	})
}

// event renders one SSE event: "id=… event=… retry=…" in any number, then data.
func event(text string) []byte {
	var b bytes.Buffer
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		key, value, ok := strings.Cut(word, "=")
		if !ok || (key != "id" && key != "event" && key != "retry") {
			break
		}
		fmt.Fprintf(&b, "%s: %s\n", key, value)
		text = strings.TrimSpace(rest)
	}
	fmt.Fprintf(&b, "data: %s\n\n", text)
	return b.Bytes()
}
