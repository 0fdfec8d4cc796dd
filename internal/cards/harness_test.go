package cards

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	_ "github.com/ncruces/go-sqlite3/driver"

	"bridge/internal/sandbox/nibomo"
)

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 11, 30, 9, 41, 4, 527_000_000, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = t
}

// bench is the sandbox's flashcard service without HTTP.
type bench struct {
	*nibomo.Service
	at    *clock
	newID func() string
}

func newBench(t testing.TB) *bench {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "cards.db")+"?_pragma=synchronous(0)&_pragma=journal_mode(memory)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	b := &bench{at: newClock(), newID: uuid.NewString}
	b.Service, err = nibomo.Open(t.Context(), db, nibomo.Options{Now: b.at.now, NewID: func() string { return b.newID() }})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A learner is an account and one of its connections.
type learner struct {
	b    *bench
	conn nibomo.Connection
	// before may answer in the service's place; after may lose its answer.
	before func(tool string) error
	after  func(tool string) error
	calls  map[string]int
	mu     sync.Mutex
}

var errLost = errors.New("the connection is lost")

// CallTool implements Caller.
func (l *learner) CallTool(ctx context.Context, name string, args any) (Reply, error) {
	l.mu.Lock()
	if l.calls == nil {
		l.calls = map[string]int{}
	}
	l.calls[name]++
	l.mu.Unlock()
	if l.before != nil {
		var e *ToolError
		switch err := l.before(name); {
		case errors.As(err, &e):
			return Reply{Text: fmt.Sprintf(`{"ok":false,"data":{},"error":{"code":%q,"message":%q}}`, e.Code, e.Message), IsError: true}, nil
		case err != nil:
			return Reply{}, err
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return Reply{}, err
	}
	res, rpcErr := l.b.Call(ctx, l.conn, name, raw)
	if rpcErr != nil {
		return Reply{}, rpcErr
	}
	var out struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(res, &out); err != nil {
		return Reply{}, err
	}
	if l.after != nil {
		if err := l.after(name); err != nil {
			return Reply{}, err
		}
	}
	return Reply{Text: out.Content[0].Text, Structured: out.StructuredContent, IsError: out.IsError}, nil
}

func (b *bench) learner(user, conn string) *learner {
	return &learner{b: b, conn: nibomo.Connection{ID: conn, User: user}}
}

// workspace is the learner's first.
func (l *learner) workspace(t testing.TB) string {
	t.Helper()
	list, err := Workspaces(t.Context(), l)
	if err != nil || len(list) == 0 {
		t.Fatalf("workspaces: %v %v", list, err)
	}
	return list[0].ID
}

func (l *learner) add(t testing.TB, ws string, d Draft) string {
	t.Helper()
	id, err := Add(t.Context(), l, ws, d)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func openBox(t testing.TB, path string) *Outbox {
	t.Helper()
	b, err := OpenOutbox(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// quiet saves without the disk, for tests that are about something else.
func quiet(b *Outbox) *Outbox {
	b.save = func(string, []byte) error { return nil }
	return b
}

// session is a session of the learner, with the outbox at path or none.
func (l *learner) session(t testing.TB, o Options) *Session {
	t.Helper()
	o.Caller, o.Now = l, l.b.at.now
	if o.Workspace == "" {
		o.Workspace = l.workspace(t)
	}
	if o.Zone == "" {
		o.Zone = "Asia/Jakarta"
	}
	if o.Outbox == nil {
		o.Outbox = quiet(openBox(t, filepath.Join(t.TempDir(), "outbox.json")))
	}
	return New(o)
}

// drain steps until nothing is to be done.
func drain(t testing.TB, s *Session) {
	t.Helper()
	for range 200 {
		if did, _ := s.Step(t.Context()); !did {
			return
		}
	}
	t.Fatal("the session does not come to rest")
}
