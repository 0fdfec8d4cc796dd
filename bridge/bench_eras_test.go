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

// benchCell runs a relay between a host and a server of an era each ("L" with
// sessions, "M" 2026-07-28), which answers every call with a text of size bytes,
// as JSON or as an event stream.
func benchCell(b *testing.B, host, remote string, size int, events bool) (call func()) {
	text := strings.Repeat(`{\"id\": 1207, \"title\": \"Café menu\"},\n`, size/40+1)[:size/40*40]
	called := `{"content":[{"type":"text","text":"` + text + `"}],"isError":false}`
	if remote == "M" {
		called = `{"resultType":"complete",` + called[1:]
	}
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
		result := called
		switch method := string(env.method); {
		case env.kind != request:
			w.WriteHeader(http.StatusAccepted)
			return
		case method == "initialize" && remote == "L":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`
		case method == "server/discover" && remote == "M":
			result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
		case method == "tools/list":
			result = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
		case method != "tools/call":
			http.NotFound(w, r)
			return
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
	b.Cleanup(func() {
		_ = stdin.Close()
		if err := <-done; err != nil {
			b.Error(err)
		}
		srv.Close()
	})
	lines := bufio.NewReaderSize(stdout, 1<<20)
	ask := func(format string, args ...any) {
		if _, err := fmt.Fprintf(stdin, format+"\n", args...); err != nil {
			b.Fatal(err)
		}
		first, err := lines.ReadSlice('\n')
		if strings.Contains(string(first[:min(len(first), 60)]), `"error"`) {
			b.Fatalf("%s", first)
		}
		for err == bufio.ErrBufferFull {
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	meta := ""
	if host == "L" {
		ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
		if _, err := fmt.Fprintln(stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
			b.Fatal(err)
		}
	} else {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	id := 0
	return func() {
		id++
		ask(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"size":%d}%s}}`, id, size, meta)
	}
}

// BenchmarkCell is a whole call in each of the four cells, host × server. Beside
// LxL and MxM, which pass through, LxM and MxL show what translating costs.
func BenchmarkCell(b *testing.B) {
	for _, size := range []int{256, 1 << 20} {
		for _, cell := range []string{"LxL", "MxM", "LxM", "MxL"} {
			b.Run(fmt.Sprintf("%s/%d", cell, size), func(b *testing.B) {
				call := benchCell(b, cell[:1], cell[2:], size, false)
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
