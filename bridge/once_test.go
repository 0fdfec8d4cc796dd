package bridge_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"bridge/bridge"
)

// The frames and errors of HTTP/2 that the tests need (RFC 9113 §6, §7).
const (
	frameData      = 0x0
	frameHeaders   = 0x1
	frameRST       = 0x3
	frameSettings  = 0x4
	framePing      = 0x6
	frameGoAway    = 0x7
	flagEnd        = 0x1 // of a stream; an acknowledgement elsewhere
	flagEndHeaders = 0x4

	errProtocol = 0x1
	errInternal = 0x2
	errRefused  = 0x7
)

// A crude is the server's end of HTTP/2 as far as a relay needs it, for what no
// server of Go's can be made to do.
type crude struct {
	mu     sync.Mutex
	counts map[string]int // requests by method and, for calls, the tool's name
	// end ends the stream of a request otherwise than with an answer, and
	// reports whether it did. nth counts from 1.
	end func(write func(kind, flags byte, stream uint32, payload []byte), what string, nth int, stream uint32) bool
}

func (c *crude) count(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[what]
}

func (c *crude) serve(_ *http.Server, conn *tls.Conn, _ http.Handler) {
	defer conn.Close()
	if _, err := io.CopyN(io.Discard, conn, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	write := func(kind, flags byte, stream uint32, payload []byte) {
		head := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags}
		head = binary.BigEndian.AppendUint32(head, stream)
		_, _ = conn.Write(append(head, payload...))
	}
	write(frameSettings, 0, 0, nil)
	bodies := map[uint32][]byte{}
	for {
		var head [9]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(conn, payload); err != nil {
			return
		}
		kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])
		switch kind {
		case frameSettings, framePing:
			if flags&flagEnd == 0 {
				if kind == frameSettings {
					payload = nil
				}
				write(kind, flagEnd, 0, payload)
			}
			continue
		case frameHeaders, frameData:
			if kind == frameData {
				bodies[stream] = append(bodies[stream], payload...)
			}
			if flags&flagEnd != 0 {
				c.answer(write, stream, bodies[stream])
			}
		}
	}
}

// answer ends the stream of a request; one without a body is a GET or DELETE.
func (c *crude) answer(write func(kind, flags byte, stream uint32, payload []byte), stream uint32, body []byte) {
	what := "stream"
	if len(body) > 0 {
		var m struct{ Params struct{ Name string } }
		_ = json.Unmarshal(body, &m)
		if what = rpcName(body); m.Params.Name != "" {
			what += " " + m.Params.Name
		}
	}
	c.mu.Lock()
	c.counts[what]++
	nth := c.counts[what]
	c.mu.Unlock()
	if c.end(write, what, nth, stream) {
		return
	}
	w := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
	if what == "stream" {
		req.Method = http.MethodGet
	}
	if !usual(w, req, body) {
		echoServer(w, req, body)
	}
	const media = "application/json"
	fields := append([]byte{0x08, 0x03}, fmt.Sprint(w.Code)...)             // :status
	fields = append(append(fields, 0x0f, 0x10, byte(len(media))), media...) // content-type
	write(frameHeaders, flagEndHeaders, stream, fields)
	write(frameData, flagEnd, stream, w.Body.Bytes())
}

// TestBrokenOffByHTTP2 ends requests in the ways that HTTP/2 has. One that may
// have been processed is sent once, and one that was not is sent again; whatever
// the remote goes on doing, there is an answer, and not many tries (RFC 9113
// §8.7).
func TestBrokenOffByHTTP2(t *testing.T) {
	t.Parallel()
	code := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	type writer = func(kind, flags byte, stream uint32, payload []byte)
	reset := func(n uint32) func(writer, uint32) {
		return func(write writer, stream uint32) { write(frameRST, 0, stream, code(n)) }
	}
	goAway := func(write writer, stream uint32) {
		write(frameGoAway, 0, 0, append(code(stream-1), code(0)...)) // the one before was the last
	}
	tests := []struct {
		name       string
		end        func(writer, uint32)
		first      bool // only the first request is ended
		call, list int  // how often each is seen at the most: a try may end before it is
		want       string
	}{
		{"PROTOCOL_ERROR", reset(errProtocol), false, 1, 3, "error"},
		{"INTERNAL_ERROR", reset(errInternal), false, 1, 3, "error"},
		{"REFUSED_STREAM", reset(errRefused), false, 3, 3, "error"},
		{"REFUSED_STREAM once", reset(errRefused), true, 2, 2, "result"},
		{"GOAWAY", goAway, false, 3, 3, "error"},
		{"GOAWAY once", goAway, true, 2, 2, "result"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &crude{counts: map[string]int{}}
			c.end = func(write func(kind, flags byte, stream uint32, payload []byte), what string, nth int, stream uint32) bool {
				if what != "stream" && what != "tools/call x" && what != "tools/list" || tt.first && nth > 1 {
					return false
				}
				tt.end(write, stream)
				return true
			}
			p := startPeer(t, func(cfg *bridge.Config, s *httptest.Server) {
				s.TLS = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}}
				s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": c.serve}
				s.StartTLS()
				pool := x509.NewCertPool()
				pool.AddCert(s.Certificate())
				cfg.RootCAs = func() *x509.CertPool { return pool }
			}, nil)
			p.call(1, "x", tt.want)
			if n := c.count("tools/call x"); n < min(1, tt.call-1) || n > tt.call {
				t.Errorf("the call was seen %d times, want %d", n, tt.call)
			}
			p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
			p.want(`{"jsonrpc":"2.0","id":2,"` + tt.want + `":"*"}`)
			if n := c.count("tools/list"); n < 1 || n > tt.list {
				t.Errorf("the list was seen %d times, want %d", n, tt.list)
			}
			p.alive()
			if n := c.count("stream"); n > 100 {
				t.Errorf("the stream was asked for %d times", n)
			}
		})
	}
}
