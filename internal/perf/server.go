package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// server is the remote: an MCP endpoint with one tool, whose answers are made
// ahead of time. The path of a URL says how it answers: /json, /sse, and /slow
// for JSON after a delay.
type server struct {
	base string // origin
	http *http.Server
	done chan struct{}

	mu    sync.Mutex
	tails map[int][]byte // by the size of the text
}

// slowDelay is how long /slow waits: a server some way off.
const slowDelay = 20 * time.Millisecond

func startServer() (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{base: "http://" + l.Addr().String(), done: make(chan struct{}), tails: make(map[int][]byte)}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // until stop
	}()
	return s, nil
}

func (s *server) stop() {
	_ = s.http.Close()
	<-s.done
}

// request is what the server needs of a message.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Arguments struct {
			Size int `json:"size"`
		} `json:"arguments"`
	} `json:"params"`
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
	case http.MethodDelete:
		w.WriteHeader(http.StatusOK)
		return
	default: // no standing stream: a figure is about calls
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	var req request
	if err != nil || json.Unmarshal(body, &req) != nil {
		http.Error(w, "not a message", http.StatusBadRequest)
		return
	}
	if req.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var tail []byte
	switch req.Method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", "perf")
		tail = []byte(`,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"perf","version":"1"}}}`)
	case "ping":
		tail = []byte(`,"result":{}}`)
	case "tools/list":
		tail = toolList()
	case "tools/call":
		tail = s.tail(req.Params.Arguments.Size)
	default:
		tail = []byte(`,"error":{"code":-32601,"message":"method not found"}}`)
	}
	if r.URL.Path == "/slow" && req.Method == "tools/call" {
		select {
		case <-time.After(slowDelay):
		case <-r.Context().Done():
			return
		}
	}
	answer(w, r.URL.Path == "/sse", req.ID, tail)
}

func answer(w http.ResponseWriter, events bool, id json.RawMessage, tail []byte) {
	head := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s`, id)
	if events {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(append([]byte("data: "), head...))
		_, _ = w.Write(tail)
		_, _ = io.WriteString(w, "\n\n")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(tail)))
	_, _ = w.Write(head)
	_, _ = w.Write(tail)
}

// tail is everything after the id of a call's answer with so much text. The text
// holds what makes text costly to whoever decodes it: escapes and letters of two
// bytes.
func (s *server) tail(size int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tails[size]; ok {
		return t
	}
	const piece = `The café \"Warung\" opens at 8.\nNaïve façade, jalan-jalan. `
	var t bytes.Buffer
	t.WriteString(`,"result":{"content":[{"type":"text","text":"`)
	for range size / len(piece) {
		t.WriteString(piece)
	}
	t.WriteString(strings.Repeat(".", size%len(piece)))
	t.WriteString(`"}]}}`)
	s.tails[size] = t.Bytes()
	return t.Bytes()
}

// toolList is a list of twelve tools, about 8 kB.
func toolList() []byte {
	t := []byte(`,"result":{"tools":[`)
	for i := range 12 {
		if i > 0 {
			t = append(t, ',')
		}
		t = fmt.Appendf(t, `{"name":"tool_%d","description":%q,"inputSchema":{"type":"object","properties":{"size":{"type":"integer"}}}}`,
			i, strings.Repeat("Describes what it does. ", 25))
	}
	return append(t, `]}}`...)
}
