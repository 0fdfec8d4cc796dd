package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"bridge/internal/say"
)

// A server repeats in its errors the token that it was sent, as those made in
// a hurry do. A command showed it on the terminal.
func TestServersErrorsDoNotRepeatTheToken(t *testing.T) {
	const token = "pc_s3cret0123456789abcd"
	for _, failing := range []string{"initialize", "tools/list", "tools/call"} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			answer := `"result":{}`
			switch {
			case m.ID == nil:
				w.WriteHeader(http.StatusAccepted)
				return
			case m.Method == failing:
				answer = fmt.Sprintf(`"error":{"code":-32000,"message":"no such user: %s"}`, r.Header.Get("Authorization"))
			case m.Method == "initialize":
				answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}`
			case m.Method == "tools/list":
				answer = `"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer) //nolint:errcheck // the test reads the other end
		}))
		t.Setenv("BRIDGE_HOME", t.TempDir())
		t.Setenv("BRIDGE_TOKEN", token)
		var out, errs bytes.Buffer
		status := run(t.Context(), []string{"call", web.URL, "t"}, &streams{out: &out, err: &errs})
		web.Close()
		if shown := out.String() + errs.String(); status == 0 || !strings.Contains(shown, "no such user: Bearer [redacted]") || strings.Contains(shown, token) {
			t.Errorf("%s: status %d, shown: %s", failing, status, shown)
		}
	}
}

// A server goes on talking after its answer is complete. net/http quoted that
// on stderr, the token too if the server repeated it.
func TestWhatAServerSaysOutOfTurnIsNotShown(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // only the test used it
	go func() {
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			conn, buffered, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer conn.Close() //nolint:errcheck // it is the end of it
			const body = `{"jsonrpc":"2.0","id":1,"result":{}}`
			fmt.Fprintf(buffered, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s%s", //nolint:errcheck // the test reads the other end
				len(body), body, "out of turn: "+r.Header.Get("Authorization"))
			_ = buffered.Flush()
			_, _ = conn.Read(make([]byte, 1)) // until the client has hung up
		})}
		_ = server.Serve(listener)
	}()
	before := log.Writer()
	defer log.SetOutput(before)
	var shown safeBuffer
	log.SetOutput(&shown)
	t.Setenv("BRIDGE_HOME", t.TempDir())
	t.Setenv("BRIDGE_TOKEN", "s3cret0123456789")
	run(t.Context(), []string{"ping", "http://" + listener.Addr().String()}, &streams{out: &shown, err: &shown})
	if got := shown.String(); strings.Contains(got, "s3cret") || strings.Contains(got, "out of turn") || !strings.Contains(got, "bridge: error") {
		t.Errorf("shown: %s", got)
	}
}

// A safeBuffer is written to by what outlives the command, too.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// In Indonesian one label was wider than the rest, so that its value stood
// apart from theirs.
func TestLabelsOfStatusLineUp(t *testing.T) {
	for _, lang := range []say.Lang{say.English, say.Indonesian} {
		width := 0
		for _, label := range []string{
			say.In(lang, "address:   "), say.In(lang, "workspace: "), say.In(lang, "signed in: "),
			say.In(lang, "issuer:    "), say.In(lang, "scopes:    "), say.In(lang, "until:     "),
		} {
			if width == 0 {
				width = len(label)
			}
			if len(label) != width {
				t.Errorf("%s: %q is %d wide, not %d", lang, label, len(label), width)
			}
		}
	}
}
