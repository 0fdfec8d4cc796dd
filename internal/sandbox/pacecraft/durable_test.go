package pacecraft

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// 32 clients with 100 writes each, appends to one document and documents of
// their own: all there afterwards, none twice, each in the activity.
func TestConcurrentWritesLoseNothing(t *testing.T) {
	f := newFixture(t)
	const clients, writes = 32, 100
	var wg sync.WaitGroup
	errs := make(chan error, clients)
	for c := range clients {
		wg.Go(func() {
			for n := range writes {
				tool, args := "update_doc", map[string]any{"docId": f.teaDoc, "content": fmt.Sprintf("klien %d tulisan %d", c, n), "confirmed": true}
				if n%4 == 0 {
					tool, args = "create_doc", map[string]any{"spaceId": f.teaSpace.ID, "title": fmt.Sprintf("klien %d tulisan %d", c, n), "confirmed": true}
				}
				raw, rpcErr := f.s.Call(t.Context(), f.rani, f.tea.Name, tool, json.RawMessage(js(args)))
				if rpcErr != nil || strings.Contains(string(raw), `"isError":true`) {
					errs <- fmt.Errorf("client %d, write %d: %s %v", c, n, raw, rpcErr)
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	seen := map[string]int{}
	for _, b := range f.blocksOf(f.teaDoc)[1:] {
		var block struct{ Text []struct{ Text string } }
		if err := json.Unmarshal([]byte(b), &block); err != nil {
			t.Fatal(err)
		}
		seen[block.Text[0].Text]++
	}
	titles := must(query(t.Context(), f.db, func(r *sql.Rows) (s string, err error) { return s, r.Scan(&s) },
		"SELECT title FROM pc_docs WHERE id <> ? AND space_id = ?", f.teaDoc, f.teaSpace.ID))(t)
	for _, s := range titles {
		seen[s]++
	}
	for c := range clients {
		for n := range writes {
			if k := fmt.Sprintf("klien %d tulisan %d", c, n); seen[k] != 1 {
				t.Fatalf("%q is there %d times", k, seen[k])
			}
		}
	}
	var created, updated int
	if err := f.db.QueryRowContext(t.Context(), `SELECT count(*) FILTER (WHERE kind = 'DOC_CREATED'), count(*) FILTER (WHERE kind = 'DOC_UPDATED')
		FROM pc_activity WHERE space_id = ?`, f.teaSpace.ID).Scan(&created, &updated); err != nil {
		t.Fatal(err)
	}
	if wantC, wantU := clients*writes/4+1, clients*writes*3/4; created != wantC || updated != wantU {
		t.Errorf("activity: %d created, %d updated, want %d and %d", created, updated, wantC, wantU)
	}
}

// Two services on one file, as two processes would be, take turns. Appending
// reads before it writes; without the write lock from the start, one of two
// that have read would fail.
func TestTwoServicesShareAFile(t *testing.T) {
	f := newFixture(t)
	var file string
	if err := f.db.QueryRowContext(t.Context(), "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file); err != nil {
		t.Fatal(err)
	}
	other := must(Open(t.Context(), openDB(t, file), Options{}))(t)
	const writes = 200
	args := json.RawMessage(js(map[string]any{"docId": f.teaDoc, "content": "x", "confirmed": true}))
	var wg sync.WaitGroup
	for i, s := range []*Service{f.s, other} {
		wg.Go(func() {
			for n := range writes {
				if raw, rpcErr := s.Call(t.Context(), f.rani, f.tea.ID, "update_doc", args); rpcErr != nil || strings.Contains(string(raw), `"isError":true`) {
					t.Errorf("service %d, write %d: %s %v", i, n, raw, rpcErr)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := len(f.blocksOf(f.teaDoc)); n != 2*writes+1 {
		t.Errorf("%d blocks, want %d", n, 2*writes+1)
	}
}

const killEnv = "PACECRAFT_TEST_WRITER"

// TestMain makes the test's program also the writer that TestKill kills.
func TestMain(m *testing.M) {
	if path := os.Getenv(killEnv); path != "" {
		if err := writeUntilKilled(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// writeUntilKilled creates documents of three blocks and prints each one's id
// after the call was answered.
func writeUntilKilled(path string) error {
	ctx := context.Background()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		return err
	}
	s, err := Open(ctx, db, Options{})
	if err != nil {
		return err
	}
	a, err := s.Seed(ctx, 1)
	if err != nil {
		return err
	}
	spaces, err := query(ctx, db, func(r *sql.Rows) (s string, err error) { return s, r.Scan(&s) },
		"SELECT s.id FROM pc_spaces s JOIN pc_workspaces w ON w.id = s.workspace_id WHERE w.name = 'alfagift'")
	if err != nil {
		return err
	}
	for {
		raw, rpcErr := s.Call(ctx, a, "alfagift", "create_doc", json.RawMessage(js(map[string]any{
			"spaceId": spaces[0], "title": "bukti", "content": "# a\n\nb\n\n- c", "confirmed": true})))
		if rpcErr != nil {
			return rpcErr
		}
		var r struct{ StructuredContent written }
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		fmt.Println(r.StructuredContent.DocID)
	}
}

// Whatever was answered before a kill -9 is there, whole, and nothing is there
// by half.
func TestKillLosesNothingAnswered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandbox.db")
	answered := map[string]bool{}
	for round := range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), killEnv+"="+path)
		cmd.Stderr = os.Stderr
		out := must(cmd.StdoutPipe())(t)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 20+7*round && lines.Scan(); n++ {
			answered[lines.Text()] = true
		}
		if err := cmd.Process.Kill(); err != nil { // SIGKILL, in the middle of the next write
			t.Fatal(err)
		}
		for lines.Scan() {
			answered[lines.Text()] = true
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the writer ended by itself")
		}

		db := openDB(t, path)
		s := must(Open(t.Context(), db, Options{}))(t)
		var integrity string
		if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&integrity); err != nil || integrity != "ok" {
			t.Fatalf("integrity: %s, %v", integrity, err)
		}
		var docs, halves int
		err := db.QueryRowContext(t.Context(), `SELECT count(*), count(*) FILTER (WHERE
			(SELECT count(*) FROM pc_blocks b WHERE b.doc_id = d.id) <> 3 OR
			(SELECT count(*) FROM pc_activity a WHERE a.subject_id = d.id AND a.kind = 'DOC_CREATED') <> 1)
			FROM pc_docs d WHERE title = 'bukti'`).Scan(&docs, &halves)
		if err != nil || halves != 0 || docs < len(answered) {
			t.Fatalf("round %d: %d documents, %d by half, %d answered, %v", round, docs, halves, len(answered), err)
		}
		for id := range answered {
			bs := must(s.docBlocks(t.Context(), id))(t)
			if len(bs) != 3 {
				t.Fatalf("round %d: %s has %d blocks", round, id, len(bs))
			}
		}
		if len(answered) < 20*(round+1) {
			t.Fatalf("round %d: only %d answers", round, len(answered))
		}
	}
}

// BenchmarkAppend is one confirmed update_doc to a growing document.
func BenchmarkAppend(b *testing.B) {
	db, err := sql.Open("sqlite3", filepath.Join(b.TempDir(), "sandbox.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	s := must(Open(b.Context(), db, Options{Now: func() time.Time { return today }}))(b)
	a := must(s.CreateAccount(b.Context(), "Rani", "rani@example.com"))(b)
	w := must(s.CreateWorkspace(b.Context(), a.ID, "w"))(b)
	sp := must(s.CreateSpace(b.Context(), w.ID, "s", ""))(b)
	doc := must(s.CreateDoc(b.Context(), a.ID, sp.ID, "d", nil))(b)
	args := json.RawMessage(js(map[string]any{"docId": doc, "content": "x", "confirmed": true}))
	for b.Loop() {
		if _, rpcErr := s.Call(b.Context(), a, "", "update_doc", args); rpcErr != nil {
			b.Fatal(rpcErr)
		}
	}
}
