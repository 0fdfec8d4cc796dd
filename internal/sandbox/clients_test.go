package sandbox_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bridge/internal/sandbox"
)

// Many clients read and write at once, over HTTP and into a file: nothing is
// lost, nothing is written twice. NIBOMO_CALLS says how many calls each makes.
func TestManyClients(t *testing.T) {
	const clients = 32
	calls := 10
	if n, err := strconv.Atoi(os.Getenv("NIBOMO_CALLS")); err == nil {
		calls = n
	}
	s := start(t, sandbox.Options{Data: filepath.Join(t.TempDir(), "sandbox.db")})
	i := s.Info().Nibomo
	data, _ := envelope(t, i.URL, i.Key, "list_workspaces", "{}")
	w, _ := data["workspaces"].([]any)[0].(map[string]any)
	where := `"workspaceId":"` + w["workspaceId"].(string) + `"`
	before, _ := envelope(t, i.URL, i.Key, "sql_query", `{"sql":"SELECT COUNT(*) AS n FROM review_events",`+where+`}`)

	// One connection a client, kept.
	httpClient := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer httpClient.CloseIdleConnections()
	ask := func(tool, args string) string {
		r, err := send(t, httpClient, "POST", i.URL, call(tool, `{`+where+`,`+args+`}`), accept, isJSON, "Authorization: Bearer "+i.Key)
		if err != nil || r.status != http.StatusOK {
			t.Errorf("%s %s: %d %v %.300s", tool, args, r.status, err, r.body)
		}
		return r.body
	}
	member := func(body, name string) string {
		_, rest, _ := strings.Cut(body, `\"`+name+`\":\"`)
		v, _, _ := strings.Cut(rest, `\"`)
		return v
	}
	var inserted, reviewed atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for c := range clients {
		wg.Go(func() {
			card, review := "", ""
			for n := range calls {
				body, want := "", ""
				switch n % 5 {
				case 0:
					body = ask("sql_execute", fmt.Sprintf(`"sql":"INSERT INTO cards (front_text, back_text, tags) VALUES ('client %d call %d', 'x', ('load', 'c%d'))"`, c, n, c))
					card, want = member(body, "card_id"), `\"affectedCount\":1`
					inserted.Add(1)
				case 1, 2: // the same review twice
					want = `REVIEW_EVENT_CONFLICT`
					if n%5 == 1 {
						review, want = fmt.Sprintf("00000000-0000-4000-8000-%06x%06x", c, n), `\"ok\":true`
						reviewed.Add(1)
					}
					body = ask("submit_review", fmt.Sprintf(`"cardId":%q,"reviewId":%q,"rating":"Good","reviewedTimeZone":"UTC"`, card, review))
				case 3: // a client reads what it wrote
					body, want = ask("sql_query", fmt.Sprintf(`"sql":"SELECT COUNT(*) FROM cards WHERE tags OVERLAP ('c%d')"`, c)), fmt.Sprintf(`[{\"count\":%d}]`, n/5+1)
				case 4:
					body, want = ask("next_review_card", `"tags":[]`), `\"card\":null`
				}
				if !strings.Contains(body, want) {
					t.Errorf("client %d call %d: no %s in %.600s", c, n, want, body)
					return
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d calls over HTTP in %v", clients*calls, time.Since(begin).Round(time.Millisecond))
	check := func(sql, want string) {
		t.Helper()
		if body := ask("sql_query", `"sql":"`+sql+`"`); !strings.Contains(body, want) {
			t.Errorf("%s: %.600s, want %s", sql, body, want)
		}
	}
	check("SELECT COUNT(*) AS n, SUM(reps) AS r FROM cards WHERE tags OVERLAP ('load')", fmt.Sprintf(`[{\"n\":%d,\"r\":%d}]`, inserted.Load(), reviewed.Load()))
	check("SELECT front_text FROM cards WHERE tags OVERLAP ('load') GROUP BY front_text LIMIT 1", fmt.Sprintf(`\"totalRowCount\":%d`, inserted.Load()))
	rows, _ := before["rows"].([]any)
	old, _ := rows[0].(map[string]any)
	check("SELECT COUNT(*) AS n FROM review_events", fmt.Sprintf(`[{\"n\":%d}]`, int64(old["n"].(float64))+reviewed.Load()))

	// The same review from all at once: one success, the rest conflicts.
	card := member(ask("sql_query", `"sql":"SELECT card_id FROM cards WHERE tags OVERLAP ('load') LIMIT 1"`), "card_id")
	var ok, conflict atomic.Int64
	for range clients {
		wg.Go(func() {
			switch body := ask("submit_review", fmt.Sprintf(`"cardId":%q,"reviewId":"11111111-2222-4333-8444-555555555555","rating":"Good","reviewedTimeZone":"UTC"`, card)); {
			case strings.Contains(body, "REVIEW_EVENT_CONFLICT"):
				conflict.Add(1)
			case strings.Contains(body, `\"ok\":true`):
				ok.Add(1)
			}
		})
	}
	wg.Wait()
	if ok.Load() != 1 || conflict.Load() != clients-1 {
		t.Errorf("%d successes and %d conflicts, want 1 and %d", ok.Load(), conflict.Load(), clients-1)
	}
}
