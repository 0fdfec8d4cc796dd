package auth

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bridge/internal/servers"
)

// A Callback says where the browser comes back to. The zero value is
// http://127.0.0.1:PORT/callback with the port of the last registration, else
// any free one.
type Callback struct {
	Host string // in the redirect URI only: 127.0.0.1 or localhost
	Port int    // 0: any; otherwise this one or none
	Path string // empty: /callback
	// SuccessURL is where the browser goes after a sign-in, instead of to the
	// page of this package.
	SuccessURL string
}

// A Page is what the browser shows at the end of a sign-in. Both texts are
// escaped. The zero value is plain English.
type Page struct{ Lang, Title, Text string }

// A listener waits on 127.0.0.1 for the browser to come back. It answers
// nothing but GET on its path, and repeats nothing of the request.
type listener struct {
	redirect string
	net      net.Listener
	server   *http.Server
	visits   chan visit
	done     chan struct{} // the server has ended
}

// A visit is a request to the redirect URI. The browser waits for reply.
type visit struct {
	params url.Values
	reply  chan reply
}

// A reply to a visit: nil error means signed in; ErrNotPending means that the
// visit had nothing to do with this sign-in.
type reply struct{ err error }

// listen binds the port before anything is registered or opened.
// preferred is the port of the last registration, or 0.
func (s *Session) listen(ctx context.Context, preferred int) (*listener, error) {
	cb := s.o.Callback
	host, path := cb.Host, cb.Path
	if host == "" {
		host = "127.0.0.1"
	}
	if !servers.Loopback(host) {
		return nil, failure(ErrUnsafe, "the callback host has to be 127.0.0.1 or localhost")
	}
	if path == "" {
		path = "/callback"
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	var config net.ListenConfig
	ports := []int{cb.Port}
	if cb.Port == 0 && preferred != 0 {
		ports = []int{preferred, 0}
	}
	var l net.Listener
	var err error
	for _, port := range ports {
		l, err = config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			break
		}
	}
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) || cb.Port != 0 {
			return nil, &Error{Kind: ErrPortTaken, Detail: strconv.Itoa(cb.Port), Err: err}
		}
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		l.Close()
		return nil, errors.New("listen for the browser: no TCP address")
	}
	redirect := url.URL{Scheme: "http", Host: net.JoinHostPort(host, strconv.Itoa(addr.Port)), Path: path}
	cl := &listener{redirect: redirect.String(), net: l, visits: make(chan visit), done: make(chan struct{})}
	cl.server = &http.Server{
		Handler:           s.callback(cl, path),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          nil,
	}
	cl.server.SetKeepAlivesEnabled(false)
	go func() {
		defer close(cl.done)
		_ = cl.server.Serve(l) // it ends by close
	}()
	return cl, nil
}

// close gives the page that is being sent a moment, and then the port back.
func (l *listener) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close()
	}
	<-l.done
}

func (s *Session) callback(l *listener, path string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		if r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet {
			h.Set("Allow", http.MethodGet)
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		v := visit{params: r.URL.Query(), reply: make(chan reply, 1)}
		select {
		case l.visits <- v:
		case <-r.Context().Done():
			return
		case <-l.done:
			return
		}
		select {
		case answer := <-v.reply:
			s.page(w, r, answer.err)
		case <-r.Context().Done():
		}
	})
}

// page tells the person at the browser how it went.
func (s *Session) page(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusOK
	switch {
	case errors.Is(err, ErrNotPending):
		status = http.StatusBadRequest
	case err != nil:
		status = http.StatusForbidden
	case s.o.Callback.SuccessURL != "":
		if u, uerr := s.net().checkURL(s.o.Callback.SuccessURL); uerr == nil {
			http.Redirect(w, r, u.String(), http.StatusFound)
			return
		}
	}
	p := s.o.Page(err)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<!doctype html>
<html lang="%s"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>%s</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color:#1b1b1b;background:#fff}
@media (prefers-color-scheme:dark){body{color:#eee;background:#161616}}</style></head>
<body><main><h1>%s</h1><p>%s</p></main></body></html>
`, html.EscapeString(p.Lang), html.EscapeString(p.Title), html.EscapeString(p.Title), html.EscapeString(p.Text))
}

func plainPage(err error) Page {
	switch {
	case err == nil:
		return Page{"en", "You are signed in", "You can close this window and go back to your program."}
	case errors.Is(err, ErrNotPending):
		return Page{"en", "Nothing to do here", "This address belongs to no sign-in that is waiting."}
	case errors.Is(err, ErrDenied):
		return Page{"en", "Not signed in", "The sign-in was denied. You can close this window."}
	}
	return Page{"en", "Not signed in", "The sign-in did not work. Your program says why."}
}
