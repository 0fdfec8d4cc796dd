package nibomo

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"
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

// tick is a clock that moves on by a millisecond whenever it is read.
func (c *clock) tick() time.Time {
	c.add(time.Millisecond)
	return c.now()
}

func openDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func open(t testing.TB, opts Options) *Service {
	t.Helper()
	s, err := Open(t.Context(), openDB(t, filepath.Join(t.TempDir(), "cards.db")), opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// world is a service with a clock, no fuzz and one connection.
type world struct {
	*Service
	t    testing.TB
	at   *clock
	conn Connection
}

func newWorld(t testing.TB) *world {
	at := newClock()
	return &world{open(t, Options{Now: at.now, NoFuzz: true}), t, at, Connection{ID: "one"}}
}

// reply is a tool's result, taken apart.
type reply struct {
	Text       string // content[0].text
	IsError    bool
	Data       map[string]any
	Code       string
	Message    string
	Details    map[string]any
	Structured map[string]any
	Raw        json.RawMessage
	Envelope   map[string]any
}

func (w *world) call(tool string, args any) reply { return w.callAs(w.conn, tool, args) }

func (w *world) callAs(conn Connection, tool string, args any) reply {
	w.t.Helper()
	raw, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			w.t.Fatal(err)
		}
		raw = string(b)
	}
	r, err := try(w.t.Context(), w.Service, conn, tool, raw)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// try calls a tool and takes the answer apart, as any goroutine may.
func try(ctx context.Context, s *Service, conn Connection, tool, args string) (reply, error) {
	res, rpcErr := s.Call(ctx, conn, tool, json.RawMessage(args))
	if rpcErr != nil {
		return reply{}, rpcErr
	}
	var out struct {
		Content           []struct{ Type, Text string }
		StructuredContent map[string]any
		IsError           *bool
	}
	if err := json.Unmarshal(res, &out); err != nil {
		return reply{}, err
	}
	if len(out.Content) != 1 || out.Content[0].Type != "text" {
		return reply{}, fmt.Errorf("content of %s", res)
	}
	r := reply{Text: out.Content[0].Text, IsError: out.IsError != nil && *out.IsError, Structured: out.StructuredContent, Raw: res}
	if out.IsError != nil && !*out.IsError {
		return r, fmt.Errorf("isError is false instead of absent: %s", res)
	}
	if strings.HasPrefix(r.Text, "MCP error") {
		return r, nil
	}
	var env struct {
		OK    bool
		Data  map[string]any
		Error *struct {
			Code, Message string
			Details       map[string]any
		}
	}
	if err := json.Unmarshal([]byte(r.Text), &env); err != nil {
		return r, fmt.Errorf("envelope %q: %w", r.Text, err)
	}
	if err := json.Unmarshal([]byte(r.Text), &r.Envelope); err != nil {
		return r, err
	}
	r.Data = env.Data
	if env.OK == r.IsError || env.OK != (env.Error == nil) || env.OK != (r.Structured != nil) {
		return r, fmt.Errorf("ok, isError and structuredContent disagree: %s", res)
	}
	if env.Error != nil {
		r.Code, r.Message, r.Details = env.Error.Code, env.Error.Message, env.Error.Details
	}
	return r, nil
}

// ok calls a tool that must work.
func (w *world) ok(tool string, args any) reply {
	w.t.Helper()
	r := w.call(tool, args)
	if r.IsError {
		w.t.Fatalf("%s %v: %s", tool, args, r.Text)
	}
	return r
}

// query runs a read and gives its rows.
func (w *world) query(sql string) []map[string]any {
	w.t.Helper()
	return rowsOf(w.ok("sql_query", map[string]any{"sql": sql}).Data)
}

func rowsOf(data map[string]any) []map[string]any {
	var out []map[string]any
	list, _ := data["rows"].([]any)
	for _, r := range list {
		row, _ := r.(map[string]any)
		out = append(out, row)
	}
	return out
}

func (w *world) exec(sql string) reply {
	w.t.Helper()
	return w.ok("sql_execute", map[string]any{"sql": sql})
}

// card inserts a card and gives its id.
func (w *world) card(front, back string, tags ...string) string {
	w.t.Helper()
	quoted := make([]string, len(tags))
	for i, tag := range tags {
		quoted[i] = quoteSQL(tag)
	}
	r := w.exec(fmt.Sprintf("INSERT INTO cards (front_text, back_text, tags) VALUES (%s, %s, (%s))",
		quoteSQL(front), quoteSQL(back), strings.Join(quoted, ", ")))
	id, _ := rowsOf(r.Data)[0]["card_id"].(string)
	return id
}

func quoteSQL(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// next gives the id of the next card, "" for none.
func (w *world) next(args map[string]any) string {
	w.t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	card, _ := w.ok("next_review_card", args).Data["card"].(map[string]any)
	id, _ := card["cardId"].(string)
	return id
}

var reviewNumber struct {
	sync.Mutex
	n int
}

func newReviewID() string {
	reviewNumber.Lock()
	defer reviewNumber.Unlock()
	reviewNumber.n++
	return fmt.Sprintf("00000000-0000-0000-0000-%012x", reviewNumber.n)
}

func reviewArgs(card, review, rating string) map[string]any {
	return map[string]any{"cardId": card, "reviewId": review, "rating": rating, "reviewedTimeZone": "Asia/Jakarta"}
}

func (w *world) review(card, rating string) map[string]any {
	w.t.Helper()
	return w.ok("submit_review", reviewArgs(card, newReviewID(), rating)).Data
}
