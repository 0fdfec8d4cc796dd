package bridge_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"bridge/bridge"
)

// TestSizes carries messages around the sizes at which buffers end, in each
// direction and form, and compares what arrives byte by byte.
func TestSizes(t *testing.T) {
	sizes := []int{1 << 10, 4095, 4096, 4097, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20}
	if !testing.Short() {
		sizes = append(sizes, 20<<20, 64<<20)
	}
	var mu sync.Mutex
	var got [sha256.Size]byte
	p := startPeer(t, nil, func(w http.ResponseWriter, req *http.Request, body []byte) {
		mu.Lock()
		got = sha256.Sum256(body)
		mu.Unlock()
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Size int }
		}
		if err := json.Unmarshal(body, &m); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer := padded(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"x":"`, m.ID), `"}}`, m.Params.Size)
		if m.Method == "x/events" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: "))
			_, _ = w.Write(answer)
			_, _ = w.Write([]byte("\n\n"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
	for _, size := range sizes {
		up := padded(fmt.Sprintf(`{"jsonrpc":"2.0","id":"up%d","method":"x/up","params":{"x":"`, size), `"}}`, size)
		p.send(string(up) + "\n")
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":"up%d","result":"*"}`, size))
		mu.Lock()
		if got != sha256.Sum256(up) {
			t.Errorf("%d bytes of the host arrived changed", size)
		}
		mu.Unlock()
		for _, form := range []string{"json", "events"} {
			id := fmt.Sprintf(`"%s%d"`, form, size)
			want := padded(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"x":"`, id), `"}}`, size)
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"x/%s","params":{"size":%d}}`+"\n", id, form, size))
			if err := p.host.claim(true, func(line []byte) error {
				if !bytes.Equal(line, want) {
					return fmt.Errorf("%d bytes, want %d", len(line), len(want))
				}
				return nil
			}); err != nil {
				t.Fatalf("%s of %d bytes: %v", form, size, err)
			}
		}
	}
	p.alive()
}

// padded fills a message up to a size with text that is not ASCII only.
func padded(head, tail string, size int) []byte {
	n := max(0, size-len(head)-len(tail))
	var b bytes.Buffer
	b.WriteString(head)
	for n >= 4 {
		b.WriteString("é\\n")
		n -= 4
	}
	b.WriteString(strings.Repeat("z", n))
	b.WriteString(tail)
	return b.Bytes()
}

// TestManyAtOnce answers 200 requests in random order while one stays open:
// each gets its own answer and nobody waits for another.
func TestManyAtOnce(t *testing.T) {
	const n = 200
	var mu sync.Mutex
	held := map[int]chan struct{}{}
	all := make(chan struct{})
	p := startPeer(t, nil, func(w http.ResponseWriter, req *http.Request, body []byte) {
		var m struct{ ID int }
		if err := json.Unmarshal(body, &m); err != nil {
			return
		}
		turn := make(chan struct{})
		mu.Lock()
		held[m.ID] = turn
		if len(held) == n {
			close(all)
		}
		mu.Unlock()
		select {
		case <-turn:
		case <-req.Context().Done():
			return
		}
		if m.ID%2 == 0 {
			reply(w, `{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, m.ID, m.ID)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"n\":%d}}\n\n", m.ID, m.ID)
	})
	for i := range n {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`+"\n", i))
	}
	<-all
	p.alive() // all are in flight, and another one still goes through
	for _, i := range rand.Perm(n) {
		mu.Lock()
		turn := held[i]
		mu.Unlock()
		close(turn)
		if i%10 == 0 {
			p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, i, i))
		}
	}
	for i := range n {
		if i%10 != 0 {
			p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, i, i))
		}
		if c := p.count(fmt.Sprint(i)); c != 1 {
			t.Errorf("request %d was made %d times", i, c)
		}
	}
	p.alive()
}

// TestHTTP2 holds that a remote which offers HTTP/2 is spoken to in it.
func TestHTTP2(t *testing.T) {
	var mu sync.Mutex
	var proto string
	p := startPeer(t, func(c *bridge.Config, s *httptest.Server) {
		s.EnableHTTP2 = true
		s.StartTLS()
		c.RootCAs = func() *x509.CertPool {
			pool := x509.NewCertPool()
			pool.AddCert(s.Certificate())
			return pool
		}
	}, func(w http.ResponseWriter, req *http.Request, body []byte) {
		mu.Lock()
		proto = req.Proto
		mu.Unlock()
		echoServer(w, req, body)
	})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
	p.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	mu.Lock()
	defer mu.Unlock()
	if proto != "HTTP/2.0" {
		t.Errorf("it speaks %s", proto)
	}
	p.alive()
}

// TestNewRefuses names the addresses that no relay is made for, and those that
// are fine (config.go URL). The error holds no secret.
func TestNewRefuses(t *testing.T) {
	for _, u := range []string{
		"", "mcp", "//host/mcp", "://", "ftp://host/mcp", "file:///mcp", "javascript:alert(1)", "https://", "https:///mcp",
		"http://example.com/mcp", "http://10.0.0.1/mcp", "http://localhost.example.com/mcp", "http://127.0.0.1.example.com/",
		"https://user:hunter22@example.com/mcp", "https://user@example.com/mcp", "https://example.com/mcp#fragment",
		"http://[::1", "https://example.com:99999999/mcp", "https://exa mple.com/",
	} {
		_, err := bridge.New(bridge.Config{URL: u})
		if err == nil {
			t.Errorf("New takes %q", u)
		} else if strings.Contains(err.Error(), "hunter22") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
	for _, u := range []string{
		"https://example.com/mcp", "https://example.com", "https://example.com:8443/a/b?x=y", "http://localhost/mcp",
		"http://127.0.0.1:3000/mcp", "http://[::1]:3000/mcp", "http://127.1.2.3/mcp", "HTTPS://EXAMPLE.COM/mcp",
	} {
		if _, err := bridge.New(bridge.Config{URL: u}); err != nil {
			t.Errorf("New refuses %q: %v", u, err)
		}
	}
	if _, err := bridge.New(bridge.Config{URL: "http://example.com/mcp", AllowHTTP: true}); err != nil {
		t.Errorf("New refuses plain http although it is allowed: %v", err)
	}
}
