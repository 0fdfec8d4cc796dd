package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"bridge/internal/sandbox/rpc"
)

// bodyLimit bounds what is read to find a request's method.
const bodyLimit = 64 << 20

// Hooks are the faults that happen inside the sandbox rather than on the wire.
// A nil hook does nothing. Restart must return before the server is gone.
type Hooks struct {
	Forget, Expire, Revoke, Restart func()
}

// Set holds the faults that are armed. It is safe for concurrent use.
type Set struct {
	hooks Hooks

	mu    sync.Mutex
	armed []*Fault
}

// NewSet returns an empty set.
func NewSet(hooks Hooks) *Set { return &Set{hooks: hooks} }

// Add arms a fault.
func (s *Set) Add(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = append(s.armed, &f)
	return nil
}

// Clear disarms everything.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = nil
}

// List returns what is armed, with what is left of it.
func (s *Set) List() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Fault, 0, len(s.armed))
	for _, f := range s.armed {
		out = append(out, *f)
	}
	return out
}

// take counts a request against every fault that matches it, and returns
// those that strike.
func (s *Set) take(service, path, method string) (strike []Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.armed[:0:0]
	for _, f := range s.armed {
		if (f.On == "" || f.On == service || strings.HasPrefix(f.On, "/") && strings.HasPrefix(path, f.On)) && (f.Method == "" || f.Method == method) {
			if f.After > 0 {
				f.After--
			} else {
				strike = append(strike, *f)
				if f.Times != Always {
					f.Times--
				}
			}
		}
		if f.Times != 0 {
			left = append(left, f)
		}
	}
	s.armed = left
	return strike
}

func (s *Set) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.armed) == 0
}

// Wrap puts the set in front of a service's handler.
func (s *Set) Wrap(service string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.idle() {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
		if err != nil {
			http.Error(w, "the body could not be read", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.serve(w, r, body, s.take(service, r.URL.Path, methodOf(r, body)), next)
	})
}

// methodOf is the JSON-RPC method, or the grant type of a form.
func methodOf(r *http.Request, body []byte) string {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		form, _ := url.ParseQuery(string(body)) // what cannot be read has no method
		return form.Get("grant_type")
	}
	var m struct {
		Method string `json:"method"`
	}
	_ = json.Unmarshal(body, &m) // likewise
	return m.Method
}

func (s *Set) serve(w http.ResponseWriter, r *http.Request, body []byte, strike []Fault, next http.Handler) {
	call := func(h func()) {
		if h != nil {
			h()
		}
	}
	twice := false
	bend := &bender{ResponseWriter: w, cut: -1}
	for _, f := range strike {
		switch f.Kind {
		case Latency:
			t := time.NewTimer(f.wait)
			select {
			case <-r.Context().Done():
				t.Stop()
				panic(http.ErrAbortHandler)
			case <-t.C:
			}
		case Forget:
			call(s.hooks.Forget)
		case Expire:
			call(s.hooks.Expire)
		case Revoke:
			call(s.hooks.Revoke)
		case Restart:
			call(s.hooks.Restart)
			panic(http.ErrAbortHandler)
		case Status:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(f.n)
			_, _ = fmt.Fprintf(w, "<!doctype html><html><head><title>%d %s</title></head><body><h1>%s</h1><p>gateway</p></body></html>\n", f.n, http.StatusText(f.n), http.StatusText(f.n))
			return
		case Busy:
			w.Header().Set("Retry-After", f.Value)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"message":"Too Many Requests"}`)
			return
		case Unavailable:
			w.Header().Set("Retry-After", f.Value)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write(rpc.Marshal(map[string]string{"error": "Service is temporarily unavailable", "code": "SERVICE_UNAVAILABLE"}))
			return
		case Empty:
			w.WriteHeader(f.n)
			return
		case Cut:
			bend.cut = f.n
		case Type:
			bend.media = f.Value
		case SSE:
			bend.style = f.Value
		case Duplicate:
			bend.double = true
		case Twice:
			twice = true
		}
	}
	if twice {
		first := r.Clone(r.Context())
		first.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(&sink{header: http.Header{}}, first)
	}
	next.ServeHTTP(bend, r)
	bend.end()
}

// sink is a ResponseWriter that nobody reads.
type sink struct{ header http.Header }

// Header implements http.ResponseWriter.
func (s *sink) Header() http.Header { return s.header }

// Write implements http.ResponseWriter.
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader implements http.ResponseWriter.
func (s *sink) WriteHeader(int) {}

// FlushError is what http.ResponseController calls.
func (s *sink) FlushError() error { return nil }
