package pacecraft

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"bridge/internal/sandbox/pacecraft/blocks"
)

// today is the tests' clock: a Monday.
var today = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// fixture is an account with the two workspaces that the tests need: alfagift
// with content, and one whose name has blanks and letters beyond ASCII.
type fixture struct {
	t         *testing.T
	s         *Service
	db        *sql.DB
	rani      Account
	alfa, tea Workspace
	space     Space // in alfa
	doc       string
	overdue   Task
	teaSpace  Space
	teaDoc    string
	teaTask   Task
}

// openDB spares the tests a wait for the disk at each write: a killed process
// loses nothing by it, only a power cut would.
func openDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?_pragma=synchronous(normal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, db: openDB(t, filepath.Join(t.TempDir(), "sandbox.db"))}
	ctx := t.Context()
	f.s = must(Open(ctx, f.db, Options{Now: func() time.Time { return today }}))(t)
	f.rani = must(f.s.CreateAccount(ctx, "Rani Wijaya", "rani@example.com"))(t)
	budi := must(f.s.CreateAccount(ctx, "Budi Santoso", "budi@example.com"))(t)

	f.alfa = must(f.s.CreateWorkspace(ctx, f.rani.ID, "alfagift"))(t)
	f.space = must(f.s.CreateSpace(ctx, f.alfa.ID, "Rilis", "Rilis 2.4"))(t)
	f.doc = must(f.s.CreateDoc(ctx, budi.ID, f.space.ID, "Rencana", everyKind(t)))(t)
	add := func(k Task) Task {
		k.SpaceID = f.space.ID
		return must(f.s.CreateTask(ctx, f.rani.ID, k))(t)
	}
	f.overdue = add(Task{Title: "Terlambat", Description: "diskon 100% untuk kode_promo", AssigneeID: budi.ID, Deadline: today.Add(-time.Hour)})
	add(Task{Title: "Selesai terlambat", Status: StatusDone, Deadline: today.Add(-48 * time.Hour)})
	add(Task{Title: "Besok", Status: StatusInProgress, AssigneeID: f.rani.ID, Deadline: today.Add(24 * time.Hour)})
	add(Task{Title: "Tanpa tenggat"})

	f.tea = must(f.s.CreateWorkspace(ctx, f.rani.ID, "Kedai Teh Séruni"))(t)
	f.teaSpace = must(f.s.CreateSpace(ctx, f.tea.ID, "Toko", ""))(t)
	f.teaDoc = must(f.s.CreateDoc(ctx, f.rani.ID, f.teaSpace.ID, "Menu", md("# Menu\n")))(t)
	f.teaTask = must(f.s.CreateTask(ctx, f.rani.ID, Task{SpaceID: f.teaSpace.ID, Title: "Seduh", Deadline: today.Add(-time.Hour)}))(t)
	return f
}

// everyKind is a document with each kind of block.
func everyKind(t *testing.T) []blocks.Block {
	t.Helper()
	bs := must(blocks.Parse("# Satu\n\n## Dua\n\n### Tiga\n\nteks\n\n- a\n- b\n\n1. c\n\n> d\n\n```go\ne\n```\n\n---\n"))(t)
	return append(bs,
		blocks.Block{Type: blocks.Table, Rows: [][]string{{"isi-tabel"}}},
		blocks.Block{Type: blocks.Callout, Icon: "i", Text: blocks.Plain("isi-callout")},
		blocks.Block{Type: blocks.Checklist, Checks: []blocks.Check{{Done: true, Text: blocks.Plain("isi-checklist")}}},
		blocks.Block{Type: blocks.Toggle, Text: blocks.Plain("isi-toggle"), Blocks: []blocks.Block{{Type: blocks.Paragraph, Text: blocks.Plain("dalam-toggle")}}},
	)
}

// must lets a two-valued call be used in place and fails the test on its error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// result is a tools/call result.
type result struct {
	Content []struct{ Type, Text string }
	IsError bool
	Data    json.RawMessage `json:"structuredContent"`
}

func (r result) text() string { return r.Content[0].Text }

// call runs a tool in a workspace and checks the result's form.
func (f *fixture) call(workspace, tool, args string) result {
	f.t.Helper()
	raw, rpcErr := f.s.Call(f.t.Context(), f.rani, workspace, tool, json.RawMessage(args))
	if rpcErr != nil {
		f.t.Fatalf("%s %s: %v", tool, args, rpcErr)
	}
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		f.t.Fatalf("%s: %s: %v", tool, raw, err)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		f.t.Fatalf("%s: not one text item: %s", tool, raw)
	}
	return r
}

// ok is call in alfagift for what must succeed; its data goes to out.
func (f *fixture) ok(tool, args string, out any) result {
	f.t.Helper()
	r := f.call("alfagift", tool, args)
	if r.IsError {
		f.t.Fatalf("%s %s: %s", tool, args, r.text())
	}
	if out != nil {
		if err := json.Unmarshal(r.Data, out); err != nil {
			f.t.Fatalf("%s %s: %s: %v", tool, args, r.Data, err)
		}
	}
	return r
}

// fails is call in alfagift for what must fail with a text that holds each of parts.
func (f *fixture) fails(tool, args string, parts ...string) {
	f.t.Helper()
	r := f.call("alfagift", tool, args)
	if !r.IsError {
		f.t.Fatalf("%s %s succeeded: %s", tool, args, r.text())
	}
	for _, p := range parts {
		if !strings.Contains(r.text(), p) {
			f.t.Errorf("%s %s: message %q lacks %q", tool, args, r.text(), p)
		}
	}
}

// stored is everything the database holds of documents and activity, as text:
// two equal ones mean that nothing was written in between.
func (f *fixture) stored() string {
	f.t.Helper()
	var s string
	err := f.db.QueryRowContext(f.t.Context(), `SELECT
		(SELECT json_group_array(json_array(id, title, updated_at, next_seq, bytes)) FROM pc_docs) ||
		(SELECT json_group_array(json_array(doc_id, seq, body)) FROM pc_blocks) ||
		(SELECT json_group_array(json_array(id, kind, subject_id)) FROM pc_activity)`).Scan(&s)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// blocksOf returns a document's stored blocks, byte for byte.
func (f *fixture) blocksOf(doc string) []string {
	f.t.Helper()
	out, err := query(f.t.Context(), f.db, func(r *sql.Rows) (s string, err error) { return s, r.Scan(&s) },
		"SELECT body FROM pc_blocks WHERE doc_id = ? ORDER BY seq", doc)
	return must(out, err)(f.t)
}

func js(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func isUnauthorized(ctx context.Context, s *Service, token string) bool {
	_, err := s.Authenticate(ctx, token)
	return errors.Is(err, ErrUnauthorized)
}
