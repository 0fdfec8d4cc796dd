package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"sync"
	"time"
)

// A standIn is a server for what is verified to speak to: it wants a token, and
// has one tool.
type standIn struct {
	url, token string
	close      func()

	mu      sync.Mutex
	refused int
}

func newStandIn() *standIn {
	s := &standIn{token: "verify-0123456789abcdef"}
	srv := httptest.NewServer(s)
	s.url, s.close = srv.URL+"/mcp", srv.Close
	return s
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+s.token {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var asked struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&asked); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if asked.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := `"error":{"code":-32601,"message":"no such method"}`
	switch asked.Method {
	case "initialize":
		answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"stand-in","version":"1"}}`
	case "tools/call":
		answer = `"result":{"content":[{"type":"text","text":"through"}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, asked.ID, answer)
}

// converse plays the host: it starts the command, makes the handshake and a
// call, closes stdin, and wants it to have ended well soon after.
func (s *standIn) converse(cmd *exec.Cmd) (took time.Duration, err error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	defer func() {
		if err != nil && stderr.Len() > 0 {
			err = fmt.Errorf("%w; it says:\n%s", err, stderr.Bytes())
		}
	}()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	cmd.WaitDelay = time.Second
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	defer late.Stop()

	lines := bufio.NewReader(stdout)
	talk := func() error {
		for _, step := range []struct{ say, want string }{
			{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"verify","version":"1"}}}`, `"stand-in"`},
			{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
			{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"try","arguments":{}}}`, `"through"`},
		} {
			if _, err := io.WriteString(stdin, step.say+"\n"); err != nil {
				return err
			}
			if step.want == "" {
				continue
			}
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return fmt.Errorf("no answer to %s: %w", step.say, err)
			}
			if !bytes.Contains(line, []byte(step.want)) {
				return fmt.Errorf("answered %s to %s", bytes.TrimSpace(line), step.say)
			}
		}
		return nil
	}
	err = talk()
	took = time.Since(began).Round(time.Millisecond)
	stdin.Close()
	closed := time.Now()
	rest, _ := io.ReadAll(lines)
	ended := cmd.Wait()
	switch {
	case err != nil:
		return 0, err
	case ended != nil:
		return 0, fmt.Errorf("after its stdin was closed: %w", ended)
	case len(rest) > 0:
		return 0, fmt.Errorf("said %q unasked", rest)
	case time.Since(closed) > 5*time.Second:
		return 0, fmt.Errorf("ended %s after its stdin was closed", time.Since(closed))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused > 0 {
		return 0, errors.New("came without the token")
	}
	return took, nil
}
