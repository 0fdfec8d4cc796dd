package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// A server is the other end of a session's pipes, played line by line.
type server struct {
	t    *testing.T
	in   *bufio.Scanner
	out  io.WriteCloser
	gone chan struct{}
}

const hello = `{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"2","title":"S"},"capabilities":{"tools":{}},"x":1}`

// open starts a session whose server has answered initialize with result, and
// goes on with play. play's end closes the pipes.
func open(t *testing.T, o Options, result string, play func(*server)) (*Session, error) {
	t.Helper()
	fromClient, w := io.Pipe()
	r, toClient := io.Pipe()
	s := &server{t: t, in: bufio.NewScanner(fromClient), out: toClient, gone: make(chan struct{})}
	s.in.Buffer(nil, 1<<20)
	go func() {
		defer close(s.gone)
		defer toClient.Close()
		defer fromClient.Close()
		m := s.read()
		if m["method"] != "initialize" {
			t.Errorf("the first message is %v", m)
		}
		s.write(`{"jsonrpc":"2.0","id":%v,%s}`, m["id"], result)
		if play != nil {
			play(s)
		}
		for s.in.Scan() { // until the client hangs up
		}
	}()
	session, err := Open(t.Context(), r, w, o)
	t.Cleanup(func() {
		if session != nil {
			session.Close()
		}
		<-s.gone
	})
	return session, err
}

func (s *server) read() map[string]any {
	if !s.in.Scan() {
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal(s.in.Bytes(), &m); err != nil {
		s.t.Errorf("the client wrote %q: %v", s.in.Text(), err)
	}
	return m
}

func (s *server) write(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

func TestOpen(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	saw := make(chan map[string]any, 1)
	s, err := open(t, Options{Name: "me", Version: "1"}, `"result":`+hello, func(s *server) { saw <- s.read() })
	if err != nil {
		t.Fatal(err)
	}
	if m := <-saw; m["method"] != "notifications/initialized" || m["id"] != nil {
		t.Errorf("after initialize the client wrote %v", m)
	}
	h := s.Hello()
	if h.ProtocolVersion != "2025-06-18" || h.ServerInfo.Title != "S" || h.Capabilities["tools"] == nil || string(h.Raw) != hello {
		t.Errorf("hello = %+v", h)
	}
	s.Close()
	if _, err := s.Call(t.Context(), "ping", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after Close: %v", err)
	}
}

func TestOpenFails(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, tt := range []struct{ name, answer, want string }{
		{"an error", `"error":{"code":-32000,"message":"no"}`, "no"},
		{"neither", `"other":1`, "neither a result nor an error"},
		{"a revision of the future", `"result":{"protocolVersion":"2099-01-01"}`, `"2099-01-01"`},
		{"no object", `"result":[]`, "cannot unmarshal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := open(t, Options{}, tt.answer, nil)
			if s != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Open = %v, %v", s, err)
			}
		})
	}
}

func TestCallReturnsTheServersBytes(t *testing.T) {
	const result = `{"b":1, "a":[1.50,"\u00e9"],"big":12345678901234567890}`
	s, err := open(t, Options{}, `"result":`+hello, func(s *server) {
		s.read()
		m := s.read()
		s.write(`not json`)
		s.write(`{"jsonrpc":"2.0","id":99,"result":{}}`)
		s.write(`{"jsonrpc":"2.0","id":"1","result":{}}`)
		s.write(`{"jsonrpc":"2.0","id":%v,"result":%s}`, m["id"], result)
		m = s.read()
		s.write(`{"jsonrpc":"2.0","id":%v,"error":{"code":-32601,"message":"what?","data":{"x":1}}}`, m["id"])
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := s.Call(t.Context(), "tools/list", map[string]string{"cursor": "c"})
	if string(raw) != result || err != nil {
		t.Errorf("Call = %s, %v", raw, err)
	}
	var e *Error
	if _, err := s.Call(t.Context(), "what", nil); !errors.As(err, &e) || e.Code != CodeMethodNotFound || string(e.Data) != `{"x":1}` {
		t.Errorf("Call = %v", err)
	}
}

func TestInterruptedCallTellsTheServer(t *testing.T) {
	asked, told := make(chan struct{}), make(chan map[string]any, 1)
	s, err := open(t, Options{}, `"result":`+hello, func(s *server) {
		s.read()
		s.read()
		close(asked)
		told <- s.read()
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := s.Call(ctx, "tools/call", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Call = %v", err)
	}
	m := <-told
	if params, _ := m["params"].(map[string]any); m["method"] != "notifications/cancelled" || params["requestId"] != 2.0 {
		t.Errorf("the server was told %v", m)
	}
}

// A server that takes nothing more does not hold up an interrupted command.
func TestInterruptedCallDoesNotWaitForADeafServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		deaf := make(chan struct{})
		s, err := open(t, Options{}, `"result":`+hello, func(s *server) {
			s.read()
			s.read()
			close(asked)
			<-deaf
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		began := time.Now()
		if _, err := s.Call(ctx, "tools/call", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Call = %v", err)
		}
		if took := time.Since(began); took != cancelWait {
			t.Errorf("an interrupted call took %v", took)
		}
		close(deaf)
	})
}

func TestServerGoesAway(t *testing.T) {
	s, err := open(t, Options{}, `"result":`+hello, func(s *server) {
		s.read()
		s.read()
		s.out.(*io.PipeWriter).CloseWithError(errors.New("torn"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(t.Context(), "tools/call", nil); !errors.Is(err, ErrClosed) || !strings.Contains(err.Error(), "torn") {
		t.Errorf("Call = %v", err)
	}
}

// What a server asks is answered in its order, one question at a time; a ping
// is answered while a question is open, and a question taken back is not
// answered.
func TestServerAsks(t *testing.T) {
	open1, taken := make(chan struct{}), make(chan struct{})
	var told []string
	o := Options{
		Answer: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			switch method {
			case "slow":
				close(open1)
				<-ctx.Done()
				close(taken)
				return nil, ctx.Err()
			case "echo":
				return params, nil
			}
			return nil, &Error{Code: CodeMethodNotFound, Message: "no " + method}
		},
		Notify: func(method string, params json.RawMessage) { told = append(told, method+string(params)) },
	}
	done := make(chan []map[string]any, 1)
	s, err := open(t, o, `"result":`+hello, func(s *server) {
		s.read()
		call := s.read()
		s.write(`{"jsonrpc":"2.0","id":"q1","method":"slow"}`)
		<-open1
		s.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`)
		s.write(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
		got := []map[string]any{s.read()}
		s.write(`{"jsonrpc":"2.0","id":7,"method":"echo","params":{"x":1}}`)
		s.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q1"}}`)
		<-taken
		got = append(got, s.read())
		s.write(`{"jsonrpc":"2.0","id":8,"method":"sampling/createMessage"}`)
		got = append(got, s.read())
		s.write(`{"jsonrpc":"2.0","id":%v,"result":{}}`, call["id"])
		done <- got
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(t.Context(), "tools/call", nil); err != nil {
		t.Fatal(err)
	}
	got := <-done
	text, _ := json.Marshal(got)
	want := `[{"id":0,"jsonrpc":"2.0","result":{}},{"id":7,"jsonrpc":"2.0","result":{"x":1}},{"error":{"code":-32601,"message":"no sampling/createMessage"},"id":8,"jsonrpc":"2.0"}]`
	if string(text) != want {
		t.Errorf("answers\n%s, want\n%s", text, want)
	}
	if len(told) != 1 || told[0] != `notifications/progress{"progress":1}` {
		t.Errorf("told %q", told)
	}
}

// A server that asks without end is refused, not kept.
func TestFloodOfQuestions(t *testing.T) {
	o := Options{Answer: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	refused := make(chan map[string]any, 1)
	s, err := open(t, o, `"result":`+hello, func(s *server) {
		s.read()
		for i := range queued + 2 {
			s.write(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create"}`, i+100)
		}
		refused <- s.read()
	})
	if err != nil {
		t.Fatal(err)
	}
	m := <-refused
	if e, _ := m["error"].(map[string]any); e == nil || m["id"].(float64) < 100 {
		t.Errorf("the server got %v", m)
	}
	s.Close()
}
