package nibomo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridge/internal/fsrs"
	"bridge/internal/sandbox/nibomo/dialect"
)

// collection makes a workspace of n cards: a tenth new, the others reviewed, a third
// of them due. They were made one after the other, as the service makes them.
func collection(tb testing.TB, s *Service, n int) {
	tb.Helper()
	chance := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("alpha beta gamma delta épsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega")
	text := func(k int) string {
		out := make([]string, k)
		for i := range out {
			out[i] = words[chance.IntN(len(words))]
		}
		return strings.Join(out, " ")
	}
	ctx := context.Background()
	if _, err := s.CreateWorkspace(ctx, Connection{ID: "one"}, "Large"); err != nil {
		tb.Fatal(err)
	}
	ws, _, err := s.resolve(ctx, Connection{ID: "one"}, "")
	if err != nil {
		tb.Fatal(err)
	}
	now := s.now()
	reviews := 0
	for done := 0; done < n; {
		err := s.exclusive(ctx, func(t *tx) error {
			if err := t.in(ctx, ws); err != nil {
				return err
			}
			for range min(10_000, n-done) {
				id := sampleID(chance)
				back := text(20)
				if chance.IntN(4) == 0 {
					back += "\n\n" + text(10)
				}
				row, err := t.newCard(ctx, card{ID: id, Front: text(5) + fmt.Sprint(" ", done), Back: back, Kind: "basic",
					Tags:    []string{words[done%12], fmt.Sprint("set-", done%97)},
					Created: stamp(now.Add(-time.Duration(n-done) * 10 * time.Second))})
				if err != nil {
					return err
				}
				done++
				if done%10 == 0 {
					continue
				}
				o := fsrs.Outcome{State: fsrs.State{Phase: fsrs.Review, Stability: 5 + float64(chance.IntN(100)), Difficulty: 1 + float64(chance.IntN(9)),
					LastReview: now.Add(-time.Duration(chance.IntN(3000)) * time.Minute), ScheduledDays: 1 + done%3, Reps: 1 + chance.IntN(20), Lapses: chance.IntN(4)}}
				o.Interval = time.Duration(o.State.ScheduledDays) * 24 * time.Hour
				if err := t.schedule(ctx, row, o); err != nil {
					return err
				}
				reviews++
				when := stamp(o.State.LastReview)
				if err := t.exec(ctx, "INSERT INTO nb_review VALUES (NULL, ?, ?, ?, 'r', ?, ?, ?, ?, 'UTC')", ws, sampleID(chance), id,
					"agent-review:"+sampleID(chance), chance.IntN(4), when, when); err != nil {
					return err
				}
			}
			return t.exec(ctx, "UPDATE nb_workspace SET cards = ?, reviews = ?, version = version + 1 WHERE ws = ?", done, reviews, ws)
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// queries are the statements of dialect/testdata/large.sql.
func queries(tb testing.TB) []string {
	tb.Helper()
	text, err := os.ReadFile("dialect/testdata/large.sql")
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if line != "" && line[0] != '#' {
			out = append(out, strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return out
}

// large is shared by the benchmarks: it takes a while to make.
func large(b *testing.B) *Service {
	b.Helper()
	db := openDB(b, filepath.Join(b.TempDir(), "cards.db")+"?_pragma=synchronous(normal)")
	s, err := Open(context.Background(), db, Options{})
	if err != nil {
		b.Fatal(err)
	}
	collection(b, s, 100_000)
	return s
}

func (s *Service) mustCall(tb testing.TB, tool, args string) {
	r, err := try(context.Background(), s, Connection{ID: "one"}, tool, args)
	if err != nil || r.IsError {
		tb.Fatalf("%s %s: %v %s", tool, args, err, r.Text)
	}
}

// timed reports the median and the best time of f, which other work on the
// machine only ever adds to, and the processor time of each.
func timed(b *testing.B, f func() time.Duration) {
	var times []time.Duration
	used := cpuTime()
	for b.Loop() {
		times = append(times, f())
	}
	b.ReportMetric(float64((cpuTime()-used).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	slices.Sort(times)
	b.ReportMetric(float64(times[0].Microseconds())/1000, "best-ms")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "median-ms")
}

// BenchmarkLarge measures a collection of 100,000 cards with 90,000 reviews. The
// bounds are 5 ms for next_review_card and 50 ms for a query.
func BenchmarkLarge(b *testing.B) {
	s := large(b)
	query := func(args string) func() time.Duration {
		return func() time.Duration {
			start := time.Now()
			s.mustCall(b, "sql_query", args)
			return time.Since(start)
		}
	}
	for _, q := range queries(b) {
		b.Run(q, func(b *testing.B) {
			run := query(fmt.Sprintf(`{"sql":%s}`, quote(q)))
			run() // the first loads the table
			timed(b, run)
		})
	}
	b.Run("after a write", func(b *testing.B) {
		run := query(`{"sql":"SELECT card_id FROM cards WHERE back_text LIKE '%beta%' OR reps > 3 ORDER BY due_at, back_text DESC, front_text, updated_at"}`)
		timed(b, func() time.Duration {
			s.mustCall(b, "sql_execute", `{"sql":"UPDATE cards SET back_text = 'changed', tags = ('t') WHERE front_text LIKE '% 7777'"}`)
			return run()
		})
	})
	b.Run("50 statements", func(b *testing.B) {
		timed(b, query(`{"sql":`+quote(strings.Repeat("SELECT tag, COUNT(*) AS n, MIN(back_text) FROM cards UNNEST tags AS tag WHERE MATCH('omega psi') GROUP BY tag ORDER BY n DESC LIMIT 1;", 50))+`}`))
	})
	for name, args := range map[string]string{"all": `{}`, "tags": `{"tags":["beta","SET-5","set-7"]}`} {
		b.Run("next_review_card "+name, func(b *testing.B) {
			for b.Loop() {
				s.mustCall(b, "next_review_card", args)
			}
		})
	}
	b.Run("submit_review", func(b *testing.B) {
		for b.Loop() {
			r, err := try(context.Background(), s, Connection{ID: "one"}, "next_review_card", `{}`)
			if err != nil {
				b.Fatal(err)
			}
			c, _ := r.Data["card"].(map[string]any)
			s.mustCall(b, "submit_review", fmt.Sprintf(`{"cardId":%q,"reviewId":%q,"rating":"Good","reviewedTimeZone":"UTC"}`, c["cardId"], newReviewID()))
		}
	})
	b.Run("insert and update", func(b *testing.B) {
		for b.Loop() {
			s.mustCall(b, "sql_execute", `{"sql":"INSERT INTO cards (front_text, back_text, tags) VALUES ('bench', 'b', ('bench')); UPDATE cards SET back_text = 'c' WHERE MATCH('bench') AND back_text = 'b'; DELETE FROM cards WHERE tags = ('bench')"}`)
		}
	})
	b.Run("load", func(b *testing.B) {
		ws, _, err := s.resolve(context.Background(), Connection{ID: "one"}, "")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			h, err := s.fetch(context.Background(), ws, dialect.Find("cards"))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(h.table.Size())/(1<<20), "MB")
		}
	})
}
