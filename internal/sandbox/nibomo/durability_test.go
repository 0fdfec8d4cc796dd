package nibomo

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestClients: 32 clients at once lose nothing and double nothing. The number of
// calls each makes can be raised with NIBOMO_CALLS.
func TestClients(t *testing.T) {
	const clients = 32
	calls := 100
	if n, err := strconv.Atoi(os.Getenv("NIBOMO_CALLS")); err == nil {
		calls = n
	}
	if testing.Short() {
		calls = 20
	}
	at := newClock()
	// synchronous off: this test is about order, not about power cuts.
	db := openDB(t, filepath.Join(t.TempDir(), "cards.db")+"?_pragma=synchronous(off)")
	s, err := Open(t.Context(), db, Options{Now: at.tick, MemoryFrom: 50})
	if err != nil {
		t.Fatal(err)
	}
	main := Connection{ID: "main"}
	if _, err := s.Workspaces(t.Context(), main); err != nil {
		t.Fatal(err)
	}
	var inserted, reviewed atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for c := range clients {
		wg.Go(func() {
			conn := Connection{ID: fmt.Sprint("client ", c)}
			call := func(tool, args string) (reply, bool) {
				r, err := try(t.Context(), s, conn, tool, args)
				if err != nil {
					t.Error(err)
				}
				return r, err == nil
			}
			id, review := "", ""
			for i := range calls {
				switch i % 5 {
				case 0:
					r, ok := call("sql_execute", fmt.Sprintf(`{"sql":"INSERT INTO cards (front_text, back_text, tags) VALUES ('c%d i%d', 'b', ('c%d'))"}`, c, i, c))
					if !ok || r.IsError {
						t.Error(r.Text)
						return
					}
					inserted.Add(1)
					id, _ = rowsOf(r.Data)[0]["card_id"].(string)
				case 1, 2: // the same review twice
					if i%5 == 1 {
						review = fmt.Sprintf("00000000-0000-4000-8000-%06x%06x", c, i)
					}
					r, ok := call("submit_review", fmt.Sprintf(`{"cardId":%q,"reviewId":%q,"rating":"Good","reviewedTimeZone":"UTC"}`, id, review))
					if !ok || r.IsError != (i%5 == 2) || r.IsError && r.Code != codeConflict {
						t.Error(r.Text)
					}
					if !r.IsError {
						reviewed.Add(1)
					}
				case 3:
					r, ok := call("sql_query", fmt.Sprintf(`{"sql":"SELECT COUNT(*) FROM cards WHERE tags OVERLAP ('c%d')"}`, c))
					if want := float64(i/5 + 1); !ok || r.IsError || rowsOf(r.Data)[0]["count"] != want {
						t.Errorf("client %d: %s, want %v", c, r.Text, want)
					}
				case 4:
					if r, ok := call("next_review_card", `{}`); !ok || r.IsError {
						t.Error(r.Text)
					}
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d calls in %v", clients*calls, time.Since(begin).Round(time.Millisecond))
	check := func(what, sql string, want int64) {
		t.Helper()
		var n int64
		if err := db.QueryRow(sql).Scan(&n); err != nil || n != want {
			t.Errorf("%s: %d, want %d (%v)", what, n, want, err)
		}
	}
	check("cards", "SELECT count(DISTINCT front) FROM nb_card", inserted.Load())
	check("rows", "SELECT count(*) FROM nb_card", inserted.Load())
	check("counted", "SELECT cards FROM nb_workspace", inserted.Load())
	check("reviews", "SELECT count(*) FROM nb_review", reviewed.Load())
	check("reps", "SELECT sum(reps) FROM nb_card", reviewed.Load())
	check("counted reviews", "SELECT reviews FROM nb_workspace", reviewed.Load())
	r, err := try(t.Context(), s, main, "sql_query", `{"sql":"SELECT COUNT(*), SUM(reps) FROM cards"}`)
	if err != nil || rowsOf(r.Data)[0]["count"] != float64(inserted.Load()) || rowsOf(r.Data)[0]["sum_reps"] != float64(reviewed.Load()) {
		t.Errorf("%s %v", r.Text, err)
	}
}

// TestKilled writes in a process of its own, kills it in the middle, and finds
// everything that was acknowledged.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cards.db")
	if p := os.Getenv("NIBOMO_WRITER"); p != "" {
		writeForever(p)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "NIBOMO_WRITER="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "card "); ok {
			if acknowledged = append(acknowledged, id); len(acknowledged) == 25 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	_ = cmd.Wait() // it was killed
	if len(acknowledged) < 25 {
		t.Fatalf("the writer made only %d cards", len(acknowledged))
	}
	s, err := Open(t.Context(), openDB(t, path), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{s, t, nil, Connection{ID: "one"}}
	for _, id := range acknowledged {
		rows := w.query("SELECT reps FROM cards WHERE card_id = '" + id + "'")
		if len(rows) != 1 || rows[0]["reps"] != 1.0 {
			t.Errorf("card %s: %v", id, rows)
		}
	}
	var bad string
	if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&bad); err != nil || bad != "ok" {
		t.Errorf("%s %v", bad, err)
	}
	// Nothing half written: each card with a review has its event, and is counted.
	var orphans, counted int
	err = s.db.QueryRow(`SELECT (SELECT count(*) FROM nb_card WHERE reps <> (SELECT count(*) FROM nb_review r WHERE r.card_id = nb_card.card_id)),
		(SELECT cards FROM nb_workspace) - (SELECT count(*) FROM nb_card)`).Scan(&orphans, &counted)
	if err != nil || orphans != 0 || counted != 0 {
		t.Errorf("%d orphans, count is off by %d (%v)", orphans, counted, err)
	}
}

// writeForever inserts and reviews cards until the process is killed.
func writeForever(path string) {
	ctx := context.Background()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		panic(err)
	}
	s, err := Open(ctx, db, Options{})
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		r, err := try(ctx, s, Connection{ID: "one"}, "sql_execute", `{"sql":"INSERT INTO cards (front_text, back_text, tags) VALUES ('q', 'a', ('t'))"}`)
		if err != nil || r.IsError {
			panic(fmt.Sprint(r.Text, err))
		}
		id, _ := rowsOf(r.Data)[0]["card_id"].(string)
		r, err = try(ctx, s, Connection{ID: "one"}, "submit_review",
			fmt.Sprintf(`{"cardId":%q,"reviewId":"00000000-0000-4000-8000-%012x","rating":"Good","reviewedTimeZone":"UTC"}`, id, i))
		if err != nil || r.IsError {
			panic(fmt.Sprint(r.Text, err))
		}
		fmt.Println("card " + id)
	}
}

// TestReopen: what was written is there again, and Open changes nothing.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cards.db")
	at := newClock()
	var before []map[string]any
	for i := range 2 {
		s, err := Open(t.Context(), openDB(t, path), Options{Now: at.now})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{s, t, at, Connection{ID: "one"}}
		if i == 0 {
			w.card("q", "a", "t")
			before = w.query("SELECT * FROM cards")
		} else if after := w.query("SELECT * FROM cards"); !reflect.DeepEqual(before, after) {
			t.Errorf("%v\n%v", before, after)
		}
	}
	db := openDB(t, path)
	if _, err := db.Exec("UPDATE nb_meta SET value = 99"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), db, Options{}); err == nil || !strings.Contains(err.Error(), "schema 99") {
		t.Errorf("a newer schema: %v", err)
	}
}

// TestOneConnection: a pool of one connection is enough.
func TestOneConnection(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "cards.db"))
	db.SetMaxOpenConns(1)
	at := newClock()
	s, err := Open(t.Context(), db, Options{Now: at.tick, MemoryFrom: 1})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{s, t, at, Connection{ID: "one"}}
	id := w.card("q", "a", "t")
	w.exec("UPDATE cards SET back_text = 'b' WHERE MATCH('q')")
	w.review(id, "Good")
	if rows := w.query("SELECT back_text, reps FROM cards"); fmt.Sprint(rows) != "[map[back_text:b reps:1]]" {
		t.Errorf("%v", rows)
	}
}

func TestSeed(t *testing.T) {
	at := newClock()
	dump := func() (*world, string) {
		w := &world{open(t, Options{Now: at.now}), t, at, Connection{ID: "one"}}
		if err := w.Seed(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		list, err := w.Workspaces(t.Context(), w.conn)
		if err != nil || len(list) != 2 || list[0].CardCount != 60 || list[1].CardCount != 40 {
			t.Fatalf("%+v %v", list, err)
		}
		all := ""
		for _, x := range list {
			if err := w.SelectWorkspace(t.Context(), w.conn, x.ID); err != nil {
				t.Fatal(err)
			}
			states := map[string]int{}
			for _, row := range w.query("SELECT fsrs_card_state AS s, COUNT(*) AS n FROM cards GROUP BY fsrs_card_state") {
				states[row["s"].(string)] = int(row["n"].(float64))
			}
			if states["new"] == 0 || states["learning"] == 0 || states["review"] == 0 {
				t.Errorf("%s: %v", x.Name, states)
			}
			for _, q := range []string{
				"SELECT COUNT(*) AS n FROM cards WHERE due_at <= NOW() AND fsrs_card_state = 'review'",
				"SELECT COUNT(*) AS n FROM cards WHERE due_at > NOW()",
				"SELECT COUNT(*) AS n FROM cards WHERE due_at <= NOW() AND fsrs_card_state = 'learning'",
				"SELECT COUNT(*) AS n FROM review_events",
				"SELECT COUNT(*) AS n FROM decks",
			} {
				if n := w.query(q)[0]["n"]; n == 0.0 {
					t.Errorf("%s: none: %s", x.Name, q)
				}
			}
			if n := w.query("SELECT COUNT(*) AS n FROM cards WHERE tags = ()")[0]["n"]; n != 0.0 {
				t.Errorf("%v cards without a tag", n)
			}
			all += fmt.Sprint(w.query("SELECT card_id, front_text, tags, due_at, reps, fsrs_stability FROM cards ORDER BY card_id"))
			for _, row := range w.query("SELECT front_text, back_text FROM cards") {
				all += fmt.Sprint(row)
			}
		}
		return w, all
	}
	w, first := dump()
	if _, second := dump(); first != second {
		t.Error("the same seed made other data")
	}
	for _, s := range []string{"```go", "$$", "図書館", "שלום", "كتاب", "👩‍🔬", "| --- |", "Apa arti", "\n\n"} {
		if !strings.Contains(first, s) {
			t.Errorf("no card has %q", s)
		}
	}
	if err := w.Seed(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	if list, err := w.Workspaces(t.Context(), w.conn); err != nil || len(list) != 2 {
		t.Errorf("seeding twice: %v %v", list, err)
	}
}
