package bridge_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bridge/bridge"
)

// TestHostileStdin feeds the relay lines that no host should write. Each costs
// at most one error answer, under the id of the line or null, and an ordinary
// call works afterwards (S-14).
func TestHostileStdin(t *testing.T) {
	t.Parallel()
	const anyID = `"/^(1|null)$/"`
	deep := strings.Repeat("[", 100_000)
	tests := []struct {
		name, line string
		codes      string // of the error; empty: whatever, but one answer
		id         string // its pattern; empty: null
		silent     bool   // no answer at all is right
	}{
		{name: "NUL in a string", line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x00b\"}", codes: "-32700", id: anyID},
		{name: "NUL alone", line: "\x00", codes: "-32700"},
		{name: "NULs around a message", line: "\x00{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\x00", codes: "-32700", id: anyID},
		{name: "invalid UTF-8 in a string", line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\xff\xfe\"}}", id: anyID},
		{name: "invalid UTF-8 alone", line: "\xff\xfe\xfd", codes: "-32700"},
		{name: "UTF-16", line: "{\x00\"\x00i\x00d\x00\"\x00:\x001\x00}\x00", codes: "-32700", id: anyID},
		{name: "lone surrogate", line: `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\ud800"}}`, id: anyID},
		{name: "deep nesting", line: `{"jsonrpc":"2.0","id":1,"method":"x","params":` + deep + strings.Repeat("]", 100_000) + `}`, id: anyID},
		{name: "deep nesting unclosed", line: deep, codes: "-32700|-32600"},
		{name: "deep nesting in front of the id", line: `{"params":` + deep + strings.Repeat("]", 100_000) + `,"id":1,"method":"x","jsonrpc":"2.0"}`, id: anyID},
		{name: "huge number", line: `{"jsonrpc":"2.0","id":1,"method":"x","params":[` + strings.Repeat("9", 100_000) + `,1e999999]}`, id: anyID},
		{name: "bad number", line: `{"jsonrpc":"2.0","id":1,"method":"x","params":[01]}`, codes: "-32700", id: anyID},
		{name: "NaN", line: `{"jsonrpc":"2.0","id":1,"method":"x","params":[NaN]}`, codes: "-32700", id: anyID},
		{name: "fractional id", line: `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, id: `"/^(1.5|null)$/"`},
		{name: "exponent id", line: `{"jsonrpc":"2.0","id":1e2,"method":"x"}`, id: `"/^(1e2|null)$/"`},
		{name: "boolean id", line: `{"jsonrpc":"2.0","id":true,"method":"x"}`, codes: "-32600"},
		{name: "array id", line: `{"jsonrpc":"2.0","id":[1],"method":"x"}`, codes: "-32600"},
		{name: "null id", line: `{"jsonrpc":"2.0","id":null,"method":"x"}`, codes: "-32600"},
		{name: "duplicate ids", line: `{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}`, id: `"/^(1|2|null)$/"`},
		{name: "duplicate methods", line: `{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}`, id: anyID},
		{name: "truncated", line: `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"b`, codes: "-32700", id: anyID},
		{name: "two values", line: `{"jsonrpc":"2.0","id":1,"method":"x"}{"jsonrpc":"2.0","id":1,"method":"x"}`, codes: "-32700|-32600", id: anyID},
		{name: "trailing comma", line: `{"jsonrpc":"2.0","id":1,"method":"x",}`, codes: "-32700", id: anyID},
		{name: "comment", line: `{"jsonrpc":"2.0","id":1,/* hi */"method":"x"}`, codes: "-32700", id: anyID},
		{name: "single quotes", line: `{'jsonrpc':'2.0','id':1,'method':'x'}`, codes: "-32700", id: anyID},
		{name: "byte order mark", line: "\ufeff\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}", id: anyID},
		{name: "array", line: `[{"jsonrpc":"2.0","id":1,"method":"x"}]`, codes: "-32600"},
		{name: "empty array", line: `[]`, codes: "-32600"},
		{name: "array of arrays", line: `[[]]`, codes: "-32600"},
		{name: "no version", line: `{"id":1,"method":"x"}`, id: anyID},
		{name: "version 1.0", line: `{"jsonrpc":"1.0","id":1,"method":"x"}`, id: anyID},
		{name: "version as a number", line: `{"jsonrpc":2.0,"id":1,"method":"x"}`, id: anyID},
		{name: "method null", line: `{"jsonrpc":"2.0","id":1,"method":null}`, codes: "-32600", id: anyID},
		{name: "params a string", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}`, id: anyID},
		{name: "params missing", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, id: anyID},
		{name: "name a number", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, id: anyID},
		{name: "response with result and error", line: `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, silent: true},
		{name: "HTTP", line: "GET / HTTP/1.1", codes: "-32700"},
		{name: "escape sequences", line: "\x1b[2J\x1b]0;title\x07", codes: "-32700"},
		{name: "control characters in a message", line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\tb\"}", codes: "-32700", id: anyID},
		{name: "vertical whitespace", line: "\v\f", silent: true},
		{name: "a megabyte of blanks", line: strings.Repeat(" ", 1<<20), silent: true},
		{name: "a megabyte of a", line: strings.Repeat("a", 1<<20), codes: "-32700"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startPeer(t, nil, echoServer)
			if tt.silent {
				p.may(`{"jsonrpc":"2.0","id":` + anyID + `,"error":"*"}`)
			}
			p.send(tt.line + "\n")
			if !tt.silent {
				id := tt.id
				if id == "" {
					id = "null"
				}
				if tt.codes == "" {
					p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"*":"*"}`, id))
				} else {
					p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":"/^(%s)$/","message":"*","*":"*"}}`, id, tt.codes))
				}
			}
			p.alive()
		})
	}
}

// echoServer answers every request with an empty result under its own id.
func echoServer(w http.ResponseWriter, _ *http.Request, body []byte) {
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal(body, &m); err != nil || m.ID == nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	reply(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
}

// TestLineAboveTheCap holds a line larger than MaxMessage to one error, under
// its id when that can be found, and to nothing else (S-12).
func TestLineAboveTheCap(t *testing.T) {
	const limit = 128 << 10
	filler := `"params":{"x":"` + strings.Repeat("y", 3*limit) + `"}`
	tests := []struct{ name, line, id string }{
		{"id in front", `{"jsonrpc":"2.0","id":7,"method":"x",` + filler + "}\n", "7"},
		{"string id in front", `{"id":"a\"b","jsonrpc":"2.0","method":"x",` + filler + "}\n", `"a\"b"`},
		{"id behind", `{"jsonrpc":"2.0","method":"x",` + filler + `,"id":7}` + "\n", `"/^(7|null)$/"`},
		{"an id inside params", `{"jsonrpc":"2.0","params":{"id":3,"x":"` + strings.Repeat("y", 3*limit) + `"},"method":"x","id":7}` + "\n", `"/^(7|null)$/"`},
		{"no JSON", strings.Repeat("z", 3*limit) + "\n", "null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) { c.MaxMessage = limit }, echoServer)
			p.send(tt.line)
			p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":"*","message":"*","*":"*"}}`, tt.id))
			p.alive()
		})
	}
	t.Run("a notification", func(t *testing.T) {
		p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) { c.MaxMessage = limit }, echoServer)
		p.may(`{"jsonrpc":"2.0","id":null,"error":"*"}`) // nobody can know it for one without reading it all
		p.send(`{"jsonrpc":"2.0","method":"notifications/x",` + filler + "}\n")
		p.alive()
	})
	t.Run("never ending", func(t *testing.T) {
		p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) { c.MaxMessage = limit }, echoServer)
		p.may(`{"jsonrpc":"2.0","id":null,"error":"*"}`)
		p.send(strings.Repeat("z", 20*limit)) // and EOF without a newline
	})
}

// TestGateIsNotBypassed sends calls that parsers read differently. Whatever the
// relay makes of them, no remote may see a call of the refused tool, whether it
// takes the first or the last of two equal names.
func TestGateIsNotBypassed(t *testing.T) {
	lines := []string{
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"fine","name":"danger"}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"danger","name":"fine"}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"fine","\u006eame":"danger"}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"fine"},"params":{"name":"danger"}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"danger"},"params":{"name":"fine"}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"tools/list","method":"tools/call","params":{"name":"danger"}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","method":"tools/list","params":{"name":"danger"}}`,
		`{"jsonrpc":"2.0","id":%d,"meth\u006fd":"tools/call","params":{"name":"danger"}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"tools\/call","params":{"name":"danger"}}`,
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"\u0064anger"}}`,
		`{"params":{"arguments":{"name":"fine"},"name":"danger"},"method":"tools/call","id":%d,"jsonrpc":"2.0"}`,
		`[{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"danger"}}]`,
	}
	var mu sync.Mutex
	var bad []string
	p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) { c.Gate = ignoring{"danger"} },
		func(w http.ResponseWriter, req *http.Request, body []byte) {
			if bytes.Contains(body, []byte("anger")) {
				mu.Lock()
				bad = append(bad, string(body))
				mu.Unlock()
			}
			echoServer(w, req, body)
		})
	for i, line := range lines {
		p.send(fmt.Sprintf(line, i) + "\n")
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":"/^(%d|null)$/","*":"*"}`, i))
	}
	p.alive()
	mu.Lock()
	defer mu.Unlock()
	for _, b := range bad {
		t.Errorf("the remote saw %s", b)
	}
}

// raw answers with bytes that need not be HTTP, then closes the connection.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		if head, rest, ok := strings.Cut(text, "\r\n"); ok && strings.HasPrefix(head, "HTTP/1.1") && !strings.Contains(text, "Connection:") {
			text = head + "\r\nConnection: close\r\n" + rest // else the next call might meet the closing connection
		}
		_, _ = conn.Write([]byte(text))
		_ = conn.Close()
	}
}

// endless repeats a piece until the relay hangs up, 64 MiB at the most.
func endless(head, piece string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		block := []byte(strings.Repeat(piece, 1+65536/len(piece)))
		if _, err := conn.Write([]byte(head)); err != nil {
			return
		}
		for sent := 0; sent < 64<<20; sent += len(block) {
			if _, err := conn.Write(block); err != nil {
				return
			}
		}
	}
}

func jsonAnswer(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

func eventAnswer(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + body
}

// TestHostileRemote answers a call with what no server should send. The call
// gets exactly one answer, the others live on.
func TestHostileRemote(t *testing.T) {
	t.Parallel()
	ok := `{"jsonrpc":"2.0","id":1,"result":{}}`
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	zipped := func(b []byte) string {
		var buf bytes.Buffer
		z := gzip.NewWriter(&buf)
		_, _ = z.Write(b)
		_ = z.Close()
		return buf.String()
	}
	gzipAnswer := func(body string) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	tests := []struct {
		name   string
		handle http.HandlerFunc
		want   string // "result", "error" or "" for one answer of any kind
	}{
		{"gzip", raw(gzipAnswer(zipped([]byte(ok)))), "result"},
		{"gzip bomb", raw(gzipAnswer(zipped(append([]byte(ok), bytes.Repeat([]byte(" "), 32<<20)...)))), "error"},
		{"gzip bomb of events", raw(strings.Replace(gzipAnswer(zipped(append([]byte("data: "), bytes.Repeat([]byte("x"), 32<<20)...))), "application/json", "text/event-stream", 1)), "error"},
		{"gzip cut", raw(gzipAnswer(zipped([]byte(ok))[:20])), "error"},
		{"gzip that is none", raw(gzipAnswer(ok)), "error"},
		{"unknown content coding", raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\n\x0b\x01\x80"), "error"},
		{"endless headers", endless("HTTP/1.1 200 OK\r\n", "X-A: "+strings.Repeat("b", 1000)+"\r\n"), "error"},
		{"endless header line", endless("HTTP/1.1 200 OK\r\nX-A: ", "b"), "error"},
		{"endless status line", endless("HTTP/1.1 200 ", "O"), "error"},
		{"endless interim answers", endless("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), "error"},
		{"endless body", endless("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", "[1,"), "error"},
		{"endless blanks", endless("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", " "), "error"},
		{"endless event line", endless("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ", "x"), "error"},
		{"endless data lines", endless("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", "data: xxxxxxxxxxxx\n"), "error"},
		{"endless event id", endless("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: ", "7"), "error"},
		{"endless error page", endless("HTTP/1.1 418 Teapot\r\nContent-Type: text/html\r\n\r\n", "<p>no</p>"), "error"},
		{"no HTTP", raw("SSH-2.0-OpenSSH_9.6\r\n"), "error"},
		{"nothing", raw(""), "error"},
		{"bad status", raw("HTTP/1.1 99999 What\r\n\r\n"), "error"},
		{"status 0", raw("HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n"), "error"},
		{"status 199", raw("HTTP/1.1 199 Odd\r\n\r\n"), "error"},
		{"status 299", raw("HTTP/1.1 299 Odd\r\nContent-Length: 0\r\n\r\n"), "error"},
		{"status 600", raw("HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n"), "error"},
		{"switching protocols", raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), "error"},
		{"negative length", raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: -5\r\n\r\n"), "error"},
		{"huge length", raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9223372036854775807\r\n\r\n{}"), "error"},
		{"two lengths", raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"), "error"},
		{"bad chunk", raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"), "error"},
		{"chunk too long", raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n{}"), "error"},
		{"redirect to nowhere", raw("HTTP/1.1 307 Go\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n"), "error"},
		{"redirect to a script", raw("HTTP/1.1 307 Go\r\nLocation: javascript:alert(1)\r\nContent-Length: 0\r\n\r\n"), "error"},
		{"redirect to a file", raw("HTTP/1.1 308 Go\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"), "error"},
		{"redirect without a location", raw("HTTP/1.1 307 Go\r\nContent-Length: 0\r\n\r\n"), "error"},
		{"NUL in the body", raw(jsonAnswer("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\x00\"}")), "error"},
		{"invalid UTF-8 in the body", raw(jsonAnswer("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}")), ""},
		{"deep nesting", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1,"result":` + deep + `}`)), ""},
		{"deep nesting unclosed", raw(jsonAnswer(strings.Repeat("[", 100_000))), "error"},
		{"deep nesting in front of the id", raw(jsonAnswer(`{"result":` + deep + `,"id":1,"jsonrpc":"2.0"}`)), ""},
		{"null", raw(jsonAnswer("null")), "error"},
		{"true", raw(jsonAnswer("true")), "error"},
		{"a number", raw(jsonAnswer("17")), "error"},
		{"a string", raw(jsonAnswer(`"ok"`)), "error"},
		{"an empty object", raw(jsonAnswer("{}")), "error"},
		{"an empty array", raw(jsonAnswer("[]")), "error"},
		{"an array of rubbish", raw(jsonAnswer(`[1,null,"x",[]]`)), "error"},
		{"two messages in a body", raw(jsonAnswer(ok + ok)), ""},
		{"a trailing comma", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1,"result":{},}`)), "error"},
		{"rubbish behind the message", raw(jsonAnswer(ok + "xyz")), "error"},
		{"unknown id", raw(jsonAnswer(`{"jsonrpc":"2.0","id":999,"result":{}}`)), "error"},
		{"id of another type", raw(jsonAnswer(`{"jsonrpc":"2.0","id":"1","result":{}}`)), "error"},
		{"fractional id", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1.5,"result":{}}`)), "error"},
		{"object id", raw(jsonAnswer(`{"jsonrpc":"2.0","id":{"a":1},"result":{}}`)), "error"},
		{"result without an id", raw(jsonAnswer(`{"jsonrpc":"2.0","result":{}}`)), ""},
		{"error without an id", raw(jsonAnswer(`{"jsonrpc":"2.0","error":{"code":-1,"message":"x"}}`)), "error"},
		{"error with id null", raw(jsonAnswer(`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}`)), "error"},
		{"error is a string", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1,"error":"no"}`)), "error"},
		{"error without a code", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}`)), "error"},
		{"error code is a string", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1,"error":{"code":"E1","message":"no"}}`)), "error"},
		{"result and error", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`)), ""},
		{"neither result nor error", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1}`)), "error"},
		{"no version", raw(jsonAnswer(`{"id":1,"result":{}}`)), ""},
		{"another version", raw(jsonAnswer(`{"jsonrpc":"1.0","id":1,"result":{}}`)), ""},
		{"duplicate ids", raw(jsonAnswer(`{"jsonrpc":"2.0","id":2,"id":1,"result":{}}`)), ""},
		{"a request instead of an answer", raw(jsonAnswer(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)), "error"},
		{"twice as events", raw(eventAnswer("data: " + ok + "\n\ndata: " + ok + "\n\n")), "result"},
		{"twice in an array", raw(jsonAnswer("[" + ok + "," + ok + "]")), "result"},
		{"unknown id as an event", raw(eventAnswer("data: {\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}\n\n")), "error"},
		{"id of another type as an event", raw(eventAnswer("data: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n\n")), "error"},
		{"rubbish events around it", raw(eventAnswer("data: }{\n\n\x00\x01\n\ndata: [[[\n\ndata: " + ok + "\n\n")), "result"},
		{"a session id that is no header", raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: \x01\x02\r\nContent-Length: 36\r\n\r\n" + ok), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) {
				c.MaxMessage = 512 << 10
				c.Transport = bridge.TransportHTTPOnly
			}, func(w http.ResponseWriter, req *http.Request, _ []byte) { tt.handle(w, req) })
			p.may(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
			p.call(1, "x", tt.want)
			p.alive()
		})
	}
}

// TestRedirectLoop holds a redirect to itself to a bounded number of requests.
func TestRedirectLoop(t *testing.T) {
	var mu sync.Mutex
	n := 0
	p := startPeer(t, nil, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		mu.Lock()
		n++
		mu.Unlock()
		w.Header().Set("Location", "/mcp")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}` + "\n")
	p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"bridge: *","*":"*"}}`)
	mu.Lock()
	defer mu.Unlock()
	if n > 11 {
		t.Errorf("%d requests", n)
	}
	p.alive()
}

// TestCutAtEveryByte ends the connection after each byte of an answer, headers
// included. The call gets one error, or its result when that was whole, and is
// never made a second time.
func TestCutAtEveryByte(t *testing.T) {
	const id = 100_000 // six digits, so that every answer is as long as the first
	body := func(n int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"é":[1,"}"]}}`, n) }
	event := func(n int) string { return eventAnswer("event: message\ndata: " + body(n) + "\n\n") }
	tests := []struct {
		name  string
		whole func(n int) string
	}{
		{"JSON", func(n int) string { return jsonAnswer(body(n)) }},
		{"events", event},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			length := len(tt.whole(id))
			p := startPeer(t, nil, func(w http.ResponseWriter, req *http.Request, b []byte) {
				var m struct{ ID int }
				if err := json.Unmarshal(b, &m); err != nil {
					return
				}
				raw(tt.whole(m.ID)[:m.ID-id])(w, req) // it holds a Connection header, so raw adds none
			})
			for cut := range length + 1 {
				want := "error"
				if cut == length {
					want = "result"
				}
				p.call(id+cut, "x", want)
			}
			p.alive()
		})
	}
}

// TestBodyThatNeverEnds breaks off in the middle of a body that the relay only
// reads to quote it. The call is answered all the same.
func TestBodyThatNeverEnds(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, head string }{
		{"an error", "HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\n"},
		{"an error in JSON", "HTTP/1.1 400 Oh\r\nContent-Type: application/json\r\n"},
		{"no token", "HTTP/1.1 401 Who\r\nContent-Type: text/plain\r\n"},
		{"asked too often", "HTTP/1.1 429 Slow\r\nContent-Type: text/plain\r\n"},
		{"a session that is gone", "HTTP/1.1 404 Gone\r\nContent-Type: text/plain\r\n"},
		{"a redirect", "HTTP/1.1 302 Elsewhere\r\nLocation: https://example.com/\r\n"},
		{"a page", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startPeer(t, nil, func(w http.ResponseWriter, req *http.Request, _ []byte) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				defer conn.Close()
				if _, err := conn.Write([]byte(tt.head + "Content-Length: 1000\r\n\r\nthe beginning")); err == nil {
					_, _ = conn.Read(make([]byte, 1)) // until the relay hangs up
				}
			})
			began := time.Now()
			p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}` + "\n")
			p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"bridge: *","*":"*"}}`)
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("answered after %s", took)
			}
			p.alive()
		})
	}
}

// TestAnswerWithoutAnEnd sends the whole of an answer and never says that this was
// all.
func TestAnswerWithoutAnEnd(t *testing.T) {
	t.Parallel()
	p := startPeer(t, nil, func(w http.ResponseWriter, req *http.Request, body []byte) {
		echoServer(w, req, body)
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	})
	began := time.Now()
	p.call(1, "x", "result")
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("answered after %s", took)
	}
	p.alive()
}

// TestTooManyParts answers with what is small on the wire and would be large
// once it is taken apart.
func TestTooManyParts(t *testing.T) {
	t.Parallel()
	zeros := "[" + strings.Repeat("0,", 200_000) + "0]"
	tests := []struct{ name, method, media, body string }{
		{"an array", "tools/call", "application/json", zeros},
		{"an array as an event", "tools/call", "text/event-stream", "data: " + zeros + "\n\n"},
		{"tools", "tools/list", "application/json", `{"jsonrpc":"2.0","id":1,"result":{"tools":` + zeros + `}}`},
		{"tools as an event", "tools/list", "text/event-stream", `data: {"jsonrpc":"2.0","id":1,"result":{"tools":` + zeros + "}}\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) { c.Gate = ignoring{"danger"} },
				func(w http.ResponseWriter, _ *http.Request, _ []byte) {
					w.Header().Set("Content-Type", tt.media)
					_, _ = w.Write([]byte(tt.body))
				})
			p.send(`{"jsonrpc":"2.0","id":1,"method":"` + tt.method + `","params":{"name":"x"}}` + "\n")
			p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"bridge: *","*":"*"}}`)
			p.alive()
		})
	}
	for _, era := range []bridge.Protocol{bridge.ProtocolLegacy, bridge.ProtocolModern} {
		t.Run("members of a translated result", func(t *testing.T) {
			t.Parallel()
			modern := `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
			if era == bridge.ProtocolModern {
				modern = "" // the remote is, and the host is not
			}
			p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) { c.Protocol = era },
				modernResult(strings.Repeat(`"a":0,`, 200_000)))
			p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"` + modern + `}}` + "\n")
			p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"bridge: *","data":{"source":"bridge","kind":"too_large","*":"*"}}}`)
			p.alive()
		})
	}
}

// modernResult is a remote of 2026-07-28 that answers every call with a result
// which begins with members.
func modernResult(members string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, body []byte) {
		var m struct{ ID json.RawMessage }
		_ = json.Unmarshal(body, &m)
		if rpcName(body) == "server/discover" {
			reply(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`, m.ID)
			return
		}
		reply(w, `{"jsonrpc":"2.0","id":%s,"result":{%s"b":0}}`, m.ID, members)
	}
}

// TestManyMembersToTakeOut has a modern remote repeat what is taken out of a result
// for a legacy host: the time that takes must not grow with the square of them.
func TestManyMembersToTakeOut(t *testing.T) {
	t.Parallel()
	p := startPeer(t, func(c *bridge.Config, _ *httptest.Server) { c.Protocol = bridge.ProtocolModern },
		modernResult(strings.Repeat(`"ttlMs":0,`, 99_000)))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}` + "\n")
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"b":0}}`)
	p.alive()
}
