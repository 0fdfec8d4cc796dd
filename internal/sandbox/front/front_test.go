package front_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/lab"
)

const both = "application/json, text/event-stream"

func mount(t *testing.T, o front.Options) (*httptest.Server, *front.Server) {
	t.Helper()
	l := &lab.Lab{}
	if o.Handler == nil {
		o.Handler = l
	}
	s := front.New(o)
	l.Broadcast = s.Broadcast
	h := httptest.NewServer(front.WithRequestID(s))
	t.Cleanup(func() { s.Close(); h.Close() })
	return h, s
}

// do sends one request; headers come as "Name: value".
func do(t *testing.T, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		k, v, _ := strings.Cut(h, ": ")
		if k == "Host" {
			req.Host = v
			continue
		}
		req.Header.Add(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func read(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// event is one parsed SSE event, id and data.
type event struct{ id, data string }

type events struct{ *bufio.Reader }

func stream(r *http.Response) events { return events{bufio.NewReader(r.Body)} }

// next returns the next event, or ok false at the end of the stream.
func (e events) next() (ev event, ok bool) {
	for {
		line, err := e.ReadString('\n')
		if err != nil {
			return event{}, false
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			return ev, true
		}
		k, v, _ := strings.Cut(line, ":")
		v = strings.TrimPrefix(v, " ")
		switch k {
		case "id":
			ev.id = v
		case "data":
			ev.data += v
		case "retry":
			ev.data += "retry=" + v
		}
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// strict is the set of demands that the stricter of the two services makes.
var strict = front.Options{
	StrictAccept: true, StrictContentType: true, StrictRevision: true, Batches: true,
	Revisions: []string{front.Rev20251125, front.Rev20250618, front.Rev20250326, front.Rev20241105, front.Rev20241007},
	Authenticate: func(r *http.Request) (any, *front.Denial) {
		if r.Header.Get("Authorization") != "Bearer ok" {
			return nil, &front.Denial{Status: 401, Header: http.Header{"Www-Authenticate": {"Bearer"}}, Body: []byte(`{"error":"invalid_token"}`)}
		}
		return "ani", nil
	},
	NotAllowed: &front.Denial{Status: 405, Header: http.Header{"Allow": {"POST"}}, Body: []byte(`{"error":"method_not_allowed"}`)},
}

func TestRefusals(t *testing.T) {
	o := strict
	o.BodyLimit = 1000
	h, _ := mount(t, o)
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	auth, accept, ct := "Authorization: Bearer ok", "Accept: "+both, "Content-Type: application/json"
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		want               string
	}{
		{"plain", "POST", ping, []string{auth, accept, ct}, 200, `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{"no token", "POST", ping, []string{accept, ct}, 401, "invalid_token"},
		{"no token, wrong method", "GET", "", nil, 401, "invalid_token"},
		{"preflight without token", "OPTIONS", "", nil, 401, "invalid_token"},
		{"GET", "GET", "", []string{auth}, 405, "method_not_allowed"},
		{"DELETE", "DELETE", "", []string{auth}, 405, "method_not_allowed"},
		{"no Accept", "POST", ping, []string{auth, ct, "Accept: "}, 406, "-32000"},
		{"any Accept", "POST", ping, []string{auth, ct, "Accept: */*"}, 406, "-32000"},
		{"json alone", "POST", ping, []string{auth, ct, "Accept: application/json"}, 406, "-32000"},
		{"Accept on two lines", "POST", ping, []string{auth, ct, "Accept: application/json;q=0.9", "Accept: Text/Event-Stream"}, 200, "result"},
		{"text", "POST", ping, []string{auth, accept, "Content-Type: text/plain"}, 415, "-32000"},
		{"charset", "POST", ping, []string{auth, accept, "Content-Type: application/json; charset=utf-8"}, 200, "result"},
		{"bad JSON", "POST", `{"jsonrpc":`, []string{auth, accept, ct}, 400, "Parse error: Invalid JSON\""},
		{"empty", "POST", ``, []string{auth, accept, ct}, 400, "-32700"},
		{"not JSON-RPC", "POST", `{"hello":1}`, []string{auth, accept, ct}, 400, "-32700"},
		{"id null", "POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, []string{auth, accept, ct}, 400, "-32700"},
		{"id zero", "POST", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, []string{auth, accept, ct}, 200, `"id":0,`},
		{"id empty string", "POST", `{"jsonrpc":"2.0","id":"","method":"ping"}`, []string{auth, accept, ct}, 200, `"id":"",`},
		{"id beyond a double", "POST", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, []string{auth, accept, ct}, 200, `"id":9007199254740993,`},
		{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{auth, accept, ct}, 202, ""},
		{"unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, []string{auth, accept, ct}, 200, "-32601"},
		{"discover", "POST", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, []string{auth, accept, ct}, 200, "-32601"},
		{"batch", "POST", "[" + ping + "," + ping + "]", []string{auth, accept, ct}, 200, `[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":7,"result":{}}]`},
		{"empty batch", "POST", "[]", []string{auth, accept, ct}, 400, "-32600"},
		{"initialize in a batch", "POST", "[" + initialize + "," + ping + "]", []string{auth, accept, ct}, 400, "-32600"},
		{"old revision", "POST", ping, []string{auth, accept, ct, "MCP-Protocol-Version: 2024-10-07"}, 200, "result"},
		{"wrong revision", "POST", ping, []string{auth, accept, ct, "MCP-Protocol-Version: 2023-01-01"}, 400, "-32000"},
		{"modern revision", "POST", ping, []string{auth, accept, ct, "MCP-Protocol-Version: 2026-07-28"}, 400, "-32000"},
		{"session ignored", "POST", ping, []string{auth, accept, ct, "Mcp-Session-Id: nonsense"}, 200, "result"},
		{"too large", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("a", 1000) + `"}}`, []string{auth, accept, ct}, 413, "-32000"},
		{"origin unchecked", "POST", ping, []string{auth, accept, ct, "Origin: https://elsewhere.example"}, 200, "result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := do(t, c.method, h.URL, c.body, c.headers...)
			got := read(t, resp)
			if resp.StatusCode != c.status || !strings.Contains(got, c.want) || (c.want == "" && got != "") {
				t.Errorf("%d %s, want %d with %q", resp.StatusCode, got, c.status, c.want)
			}
			if len(resp.Header.Get("X-Request-Id")) != 32 {
				t.Errorf("X-Request-Id %q", resp.Header.Get("X-Request-Id"))
			}
			if resp.Header.Get("Mcp-Session-Id") != "" {
				t.Error("a stateless mount gave a session")
			}
		})
	}
}

func TestHostAndOrigin(t *testing.T) {
	h, _ := mount(t, front.Options{Host: "mcp.example", StrictOrigin: true})
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	if got := read(t, do(t, "POST", h.URL, ping)); !strings.Contains(got, "Invalid Host header: 127.0.0.1") {
		t.Errorf("wrong host: %s", got)
	}
	for origin, status := range map[string]int{"http://localhost:3000": 200, "http://[::1]:1": 200, "https://evil.example": 403, "null": 403} {
		if r := do(t, "POST", h.URL, ping, "Host: mcp.example", "Origin: "+origin); r.StatusCode != status {
			t.Errorf("origin %s: %d, want %d", origin, r.StatusCode, status)
		}
	}
}

func TestNegotiation(t *testing.T) {
	h, _ := mount(t, strict)
	for asked, want := range map[string]string{"2025-03-26": "2025-03-26", "2024-10-07": "2024-10-07", "2026-07-28": "2025-11-25", "1": "2025-11-25"} {
		body := strings.Replace(initialize, "2025-06-18", asked, 1)
		got := read(t, do(t, "POST", h.URL, body, "Authorization: Bearer ok", "Accept: "+both, "Content-Type: application/json"))
		if !strings.Contains(got, `"protocolVersion":"`+want+`"`) {
			t.Errorf("%s: %s", asked, got)
		}
	}
}

func open(t *testing.T, url string) (session string) {
	t.Helper()
	r := do(t, "POST", url, initialize, "Accept: "+both)
	_ = read(t, r)
	session = r.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatal("no session")
	}
	return session
}

func TestSession(t *testing.T) {
	h, s := mount(t, front.Options{Sessions: true, Stream: true})
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if r := do(t, "POST", h.URL, list); r.StatusCode != http.StatusBadRequest {
		t.Errorf("without a session: %d", r.StatusCode)
	}
	if r := do(t, "POST", h.URL, list, "Mcp-Session-Id: nope"); r.StatusCode != http.StatusNotFound {
		t.Errorf("unknown session: %d", r.StatusCode)
	}
	id := "Mcp-Session-Id: " + open(t, h.URL)
	if got := read(t, do(t, "POST", h.URL, list, id)); !strings.Contains(got, `"name":"echo"`) {
		t.Errorf("list: %s", got)
	}
	standing := do(t, "GET", h.URL, "", id)
	if r := do(t, "GET", h.URL, "", id); r.StatusCode != http.StatusConflict {
		t.Errorf("second stream: %d", r.StatusCode)
	}
	s.Broadcast("notifications/tools/list_changed", nil)
	if ev, _ := stream(standing).next(); !strings.Contains(ev.data, "list_changed") {
		t.Errorf("standing stream: %q", ev.data)
	}
	if r := do(t, "DELETE", h.URL, "", id); r.StatusCode != http.StatusOK {
		t.Errorf("DELETE: %d", r.StatusCode)
	}
	if r := do(t, "POST", h.URL, list, id); r.StatusCode != http.StatusNotFound {
		t.Errorf("after DELETE: %d", r.StatusCode)
	}
	id = "Mcp-Session-Id: " + open(t, h.URL)
	if n := s.Forget(); n != 1 {
		t.Errorf("forgot %d sessions", n)
	}
	if r := do(t, "POST", h.URL, list, id); r.StatusCode != http.StatusNotFound {
		t.Errorf("after Forget: %d", r.StatusCode)
	}
}

func TestSessionBelongsToItsOpener(t *testing.T) {
	h, _ := mount(t, front.Options{Sessions: true, Authenticate: func(r *http.Request) (any, *front.Denial) { return r.Header.Get("Authorization"), nil }})
	r := do(t, "POST", h.URL, initialize, "Authorization: a")
	id := "Mcp-Session-Id: " + r.Header.Get("Mcp-Session-Id")
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	if r := do(t, "POST", h.URL, ping, id, "Authorization: b"); r.StatusCode != http.StatusNotFound {
		t.Errorf("somebody else's session: %d", r.StatusCode)
	}
	if r := do(t, "POST", h.URL, ping, id, "Authorization: a"); r.StatusCode != http.StatusOK {
		t.Errorf("own session: %d", r.StatusCode)
	}
}

// A stream that is cut after its first event is resumed, and the answer
// arrives exactly once.
func TestResume(t *testing.T) {
	h, _ := mount(t, front.Options{Sessions: true, Stream: true, Answer: front.AnswerSSE, EventIDs: true, Priming: true, Retry: 300e6})
	id := "Mcp-Session-Id: " + open(t, h.URL)
	ctx, cut := context.WithCancel(t.Context())
	defer cut()
	const call = `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"count","arguments":{"steps":3,"waitMs":10},"_meta":{"progressToken":"p"}}}`
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, strings.NewReader(call))
	req.Header.Set("Mcp-Session-Id", strings.TrimPrefix(id, "Mcp-Session-Id: "))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ev := stream(resp)
	if e, _ := ev.next(); e.data != "retry=300" {
		t.Errorf("retry: %+v", e)
	}
	prime, _ := ev.next()
	if prime.id == "" || prime.data != "" {
		t.Errorf("priming event: %+v", prime)
	}
	first, _ := ev.next()
	cut()

	again := stream(do(t, "GET", h.URL, "", id, "Last-Event-ID: "+first.id))
	var got []string
	for e, ok := again.next(); ok; e, ok = again.next() {
		if e.id != "" && e.data != "" {
			got = append(got, e.data)
		}
	}
	if len(got) != 3 || !strings.Contains(got[2], `"id":"x","result"`) {
		t.Errorf("after resuming: %q", got)
	}
	if r := do(t, "GET", h.URL, "", id, "Last-Event-ID: nonsense"); r.StatusCode != http.StatusBadRequest {
		t.Errorf("unknown event id: %d", r.StatusCode)
	}
}

// A server may hang up and keep the answer for the one who comes back.
func TestHangup(t *testing.T) {
	h, _ := mount(t, front.Options{Sessions: true, Stream: true, Answer: front.AnswerSSE, EventIDs: true, Priming: true})
	id := "Mcp-Session-Id: " + open(t, h.URL)
	ev := stream(do(t, "POST", h.URL, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_reconnection"}}`, id))
	prime, _ := ev.next()
	if e, ok := ev.next(); ok {
		t.Fatalf("the server did not hang up: %+v", e)
	}
	ev = stream(do(t, "GET", h.URL, "", id, "Last-Event-ID: "+prime.id))
	if e, _ := ev.next(); e != prime {
		t.Errorf("primed with %+v, want %+v", e, prime)
	}
	if e, _ := ev.next(); !strings.Contains(e.data, `"id":5,"result"`) {
		t.Errorf("after coming back: %+v", e)
	}
}

func TestAskAndCancel(t *testing.T) {
	h, _ := mount(t, front.Options{Sessions: true, Answer: front.AnswerSSE})
	id := "Mcp-Session-Id: " + open(t, h.URL)
	ev := stream(do(t, "POST", h.URL, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}`, id))
	q, _ := ev.next()
	var ask struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal([]byte(q.data), &ask) != nil || ask.Method != "elicitation/create" {
		t.Fatalf("question: %s", q.data)
	}
	r := do(t, "POST", h.URL, `{"jsonrpc":"2.0","id":`+string(ask.ID)+`,"result":{"action":"accept","content":{"name":"Ani"}}}`, id)
	if r.StatusCode != http.StatusAccepted {
		t.Errorf("answer: %d", r.StatusCode)
	}
	if a, _ := ev.next(); !strings.Contains(a.data, "Hello, Ani") {
		t.Errorf("after answering: %s", a.data)
	}

	ev = stream(do(t, "POST", h.URL, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count","arguments":{"steps":2,"waitMs":60000},"_meta":{"progressToken":1}}}`, id))
	if p, _ := ev.next(); !strings.Contains(p.data, "progress") {
		t.Fatalf("progress: %s", p.data)
	}
	do(t, "POST", h.URL, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`, id)
	if e, ok := ev.next(); ok {
		t.Errorf("after cancelling: %+v", e)
	}
}

// Close does not wait for a call that has a minute to go.
func TestCloseEndsCalls(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count","arguments":{"steps":2,"waitMs":60000},"_meta":{"progressToken":1}}}`
	for name, o := range map[string]front.Options{
		"stateless": {Answer: front.AnswerSSE},
		"session":   {Answer: front.AnswerSSE, Sessions: true},
	} {
		t.Run(name, func(t *testing.T) {
			h, s := mount(t, o)
			session := "X: y"
			if o.Sessions {
				session = "Mcp-Session-Id: " + open(t, h.URL)
			}
			ev := stream(do(t, "POST", h.URL, call, session))
			if e, _ := ev.next(); !strings.Contains(e.data, "progress") {
				t.Fatalf("progress: %+v", e)
			}
			closed := make(chan struct{})
			go func() { s.Close(); close(closed) }()
			select {
			case <-closed:
			case <-time.After(10 * time.Second):
				t.Fatal("Close waits for the call")
			}
		})
	}
}

// A client that stays is not pushed out by those that come and go.
func TestSessionsComeAndGo(t *testing.T) {
	h, _ := mount(t, front.Options{Sessions: true})
	stays := "Mcp-Session-Id: " + open(t, h.URL)
	for range 1100 {
		do(t, "DELETE", h.URL, "", "Mcp-Session-Id: "+open(t, h.URL)).Body.Close()
	}
	if r := do(t, "POST", h.URL, `{"jsonrpc":"2.0","id":7,"method":"ping"}`, stays); r.StatusCode != http.StatusOK {
		t.Errorf("the first session: %d", r.StatusCode)
	}
}

func TestEndpointTransport(t *testing.T) {
	h, _ := mount(t, front.Options{Endpoint: true})
	ev := stream(do(t, "GET", h.URL+"/sse", ""))
	e, _ := ev.next()
	if !strings.HasPrefix(e.data, "/sse?sessionId=") {
		t.Fatalf("endpoint: %+v", e)
	}
	for _, c := range [][2]string{{initialize, `"protocolVersion":"2025-06-18"`}, {`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}`, `{\"a\":1}`}} {
		if r := do(t, "POST", h.URL+e.data, c[0]); r.StatusCode != http.StatusAccepted {
			t.Errorf("POST: %d", r.StatusCode)
		}
		if a, _ := ev.next(); !strings.Contains(a.data, c[1]) {
			t.Errorf("answer: %s", a.data)
		}
	}
	if r := do(t, "POST", h.URL+"/sse", initialize); r.StatusCode != http.StatusMethodNotAllowed || strings.Contains(read(t, r), "jsonrpc") {
		t.Errorf("as Streamable HTTP: %d", r.StatusCode)
	}
	if r := do(t, "POST", h.URL+"/sse?sessionId=x", initialize); r.StatusCode != http.StatusNotFound {
		t.Errorf("unknown session: %d", r.StatusCode)
	}
}
