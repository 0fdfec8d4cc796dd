package bridge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// benchRelay runs a relay against a server that answers every call with a text
// of size bytes, as JSON or as an event stream.
func benchRelay(b *testing.B, size int, events bool) (call func()) {
	text := strings.Repeat(`{\"id\": 1207, \"title\": \"Café menu\"},\n`, size/40+1)[:size/40*40]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.Error(err)
		}
		env, err := scanEnvelope(body)
		if err != nil {
			b.Error(err)
		}
		result := `{"content":[{"type":"text","text":"` + text + `"}],"isError":false}`
		switch {
		case env.kind != request:
			w.WriteHeader(http.StatusAccepted)
			return
		case string(env.method) == "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, env.id, result)
		if events {
			w.Header().Set("Content-Type", "text/event-stream")
			answer = "event: message\ndata: " + answer + "\n\n"
		} else {
			w.Header().Set("Content-Type", "application/json")
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = io.WriteString(w, answer)
	}))
	r, err := New(Config{URL: srv.URL + "/mcp"})
	if err != nil {
		b.Fatal(err)
	}
	hostIn, stdin := io.Pipe()
	stdout, hostOut := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- r.Run(context.Background(), hostIn, hostOut) }()
	lines := bufio.NewReaderSize(stdout, 1<<20)
	answer := func() {
		for {
			if _, err := lines.ReadSlice('\n'); err == nil {
				return
			} else if err != bufio.ErrBufferFull {
				b.Fatal(err)
			}
		}
	}
	say := func(format string, args ...any) {
		if _, err := fmt.Fprintf(stdin, format+"\n", args...); err != nil {
			b.Fatal(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	answer()
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	b.Cleanup(func() {
		_ = stdin.Close()
		if err := <-done; err != nil {
			b.Error(err)
		}
		srv.Close()
	})
	id := 0
	return func() {
		id++
		say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"size":%d}}}`, id, size)
		answer()
	}
}

// BenchmarkCall is a whole call: the server's and the benchmark's own work are
// in it, so it is for comparing two versions, not for what a call costs.
func BenchmarkCall(b *testing.B) {
	for _, form := range []string{"json", "events"} {
		for _, size := range []int{256, 1 << 20, 10 << 20} {
			b.Run(fmt.Sprintf("%s/%d", form, size), func(b *testing.B) {
				call := benchRelay(b, size, form == "events")
				call()
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
			})
		}
	}
}

func BenchmarkEnvelope(b *testing.B) {
	msg := []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"search_tasks","arguments":{"overdueOnly":true,"query":"release plan"},"_meta":{"progressToken":17}}}`)
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := scanEnvelope(msg); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	stream := strings.Repeat("event: message\nid: 42\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}\n\n", 1000)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		p := newEventReader(strings.NewReader(stream), 1<<20)
		for {
			if _, err := p.next(); err != nil {
				break
			}
		}
	}
}
