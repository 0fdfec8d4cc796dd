package nibomo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"bridge/internal/sandbox/nibomo/dialect"
)

// TestUndoneIsForgotten: a batch that loads the table in the middle and then
// fails leaves nothing of itself in memory.
func TestUndoneIsForgotten(t *testing.T) {
	at := newClock()
	w := &world{open(t, Options{Now: at.tick, NoFuzz: true, MemoryFrom: 1}), t, at, Connection{ID: "one"}}
	w.card("first", "b", "t")
	w.forgetAll()
	r := w.call("sql_execute", map[string]any{"sql": "INSERT INTO cards (front_text, back_text) VALUES ('ghost', 'x'); " +
		"UPDATE cards SET back_text = 'y' WHERE front_text = 'ghost'; INSERT INTO cards (front_text, back_text) VALUES (' ', 'x')"})
	if !r.IsError {
		t.Fatal(r.Text)
	}
	if rows := w.query("SELECT front_text FROM cards"); fmt.Sprint(rows) != "[map[front_text:first]]" {
		t.Errorf("%v", rows)
	}
}

func (w *world) forgetAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.shelf)
}

// TestLoadDuringWrites: what is committed while a table is being loaded is in it.
func TestLoadDuringWrites(t *testing.T) {
	at := newClock()
	w := &world{open(t, Options{Now: at.tick, NoFuzz: true, MemoryFrom: 1}), t, at, Connection{ID: "one"}}
	w.card("first", "b", "t")
	const writers, cards = 4, 25
	var wg sync.WaitGroup
	for c := range writers {
		wg.Go(func() {
			for i := range cards {
				sql := fmt.Sprintf("INSERT INTO cards (front_text, back_text, tags) VALUES ('c%d i%d', 'b', ('n'))", c, i)
				if i%3 == 2 {
					sql += fmt.Sprintf("; DELETE FROM cards WHERE front_text = 'c%d i%d'", c, i-1)
				}
				if r, err := try(t.Context(), w.Service, w.conn, "sql_execute", fmt.Sprintf(`{"sql":%q}`, sql)); err != nil || r.IsError {
					t.Error(r.Text, err)
				}
			}
		})
	}
	written := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-written:
				return
			default:
			}
			w.forgetAll()
			if r, err := try(t.Context(), w.Service, w.conn, "sql_query", `{"sql":"SELECT COUNT(*) FROM cards"}`); err != nil || r.IsError {
				t.Error(r.Text, err)
			}
		}
	})
	wg.Wait()
	close(written)
	reader.Wait()
	memory := w.query("SELECT * FROM cards ORDER BY card_id LIMIT 100")
	w.opts.MemoryFrom = -1
	if plain := w.query("SELECT * FROM cards ORDER BY card_id LIMIT 100"); !reflect.DeepEqual(memory, plain) || len(plain) != 1+writers*(cards-cards/3) {
		t.Errorf("%d rows in memory, %d in SQLite", len(memory), len(plain))
	}
}

// TestOneConnectionIsShared: readers and writers do not wait for each other in a
// ring when there is one connection for all.
func TestOneConnectionIsShared(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "cards.db"))
	db.SetMaxOpenConns(1)
	s, err := Open(t.Context(), db, Options{Now: newClock().tick, MemoryFrom: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Workspaces(t.Context(), Connection{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), timeBudget/2)
	defer cancel()
	var wg sync.WaitGroup
	for c := range 8 {
		wg.Go(func() {
			for range 20 {
				tool, args := "sql_query", `{"sql":"SELECT COUNT(*) FROM cards WHERE MATCH('q')"}`
				if c%2 == 0 {
					tool, args = "sql_execute", `{"sql":"INSERT INTO cards (front_text, back_text) VALUES ('q', 'a')"}`
				}
				if r, err := try(ctx, s, Connection{}, tool, args); err != nil || r.IsError {
					t.Error(r.Text, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestWarm: what is large is in memory before anybody asks, what is small is not.
func TestWarm(t *testing.T) {
	at := newClock()
	w := &world{open(t, Options{Now: at.now, MemoryFrom: 3}), t, at, Connection{ID: "one"}}
	for i := range 3 {
		w.card(fmt.Sprint("q", i), "a", "t")
	}
	w.exec("INSERT INTO decks (name) VALUES ('d')")
	w.forgetAll()
	if err := w.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := w.shelf[place{1, "cards"}]
	if h == nil || h.table.Len() != 3 || w.shelf[place{1, "decks"}] != nil {
		t.Errorf("%v", w.shelf)
	}
	w.forgetAll()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Warm(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// Another may try again.
	if rows := w.query("SELECT COUNT(*) FROM cards"); rows[0]["count"] != 3.0 {
		t.Errorf("%v", rows)
	}
}

// TestBudgetEndsASelect: a statement that searches for longer than a call may
// take is given up, and the rest is not searched.
func TestBudgetEndsASelect(t *testing.T) {
	at := newClock()
	s := open(t, Options{Now: at.now, MemoryFrom: 1})
	w := &world{s, t, at, Connection{ID: "one"}}
	w.card("q", "a", "t")
	st, err := dialect.ParseOne("SELECT COUNT(*) FROM cards WHERE MATCH('q')")
	if err != nil {
		t.Fatal(err)
	}
	w.query("SELECT COUNT(*) FROM cards")
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	w.mu.RLock()
	rows, _ := w.shelf[place{1, "cards"}].table.Select(st.(*dialect.Select), dialect.Env{Workspace: 1, Now: stamp(at.now()), Done: ctx.Done()})
	w.mu.RUnlock()
	if fmt.Sprint(rows) != "[[0]]" {
		t.Errorf("searched for %v", rows)
	}
	if _, _, err := s.selectRows(ctx, st.(*dialect.Select), dialect.Env{Workspace: 1, Now: stamp(at.now())}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
