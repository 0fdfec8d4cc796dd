package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"bridge/internal/sandbox"
)

// The REST twins answer as the tools do, with HTTP statuses.
func TestAgentRoutes(t *testing.T) {
	s := start(t, sandbox.Options{})
	i := s.Info().Nibomo
	base := strings.TrimSuffix(i.API, "/") + "/agent/"
	key := "Authorization: ApiKey " + i.Key
	const nobody = "00000000-0000-4000-8000-000000000000"
	for _, c := range []struct {
		name, method, path, body, auth string
		status                         int
		want                           string
	}{
		{"me", "GET", "me", "", key, 200, `"email":"` + i.Email + `"`},
		{"no key", "GET", "workspaces?limit=1", "", "X: y", 401, `"code":"AUTH_UNAUTHORIZED"`},
		{"Bearer", "GET", "workspaces?limit=1", "", "Authorization: Bearer " + i.Key, 401, `"code":"AUTH_UNAUTHORIZED"`},
		{"workspaces", "GET", "workspaces?limit=100", "", key, 200, `"nextCursor":null`},
		{"a page of workspaces", "GET", "workspaces?limit=1", "", key, 200, `"nextCursor":"`},
		{"no limit", "GET", "workspaces", "", key, 400, "limit must be"},
		{"limit too high", "GET", "workspaces?limit=101", "", key, 400, "limit must be"},
		{"unknown cursor", "GET", "workspaces?limit=1&cursor=x", "", key, 400, "cursor"},
		{"create without a name", "POST", "workspaces", "{}", key, 400, "name is required"},
		{"create", "POST", "workspaces", `{"name":"Jepang"}`, key, 201, `"name":"Jepang"`},
		{"select nobody's", "POST", "workspaces/" + nobody + "/select", "", key, 404, "WORKSPACE_NOT_FOUND"},
		{"query", "POST", "sql/query", `{"sql":"SELECT COUNT(*) FROM cards"}`, key, 200, `"rowCount":1`},
		{"bad query", "POST", "sql/query", `{"sql":"DROP TABLE cards"}`, key, 400, "QUERY_"},
		{"bad argument", "POST", "sql/query", `{"sql":"SHOW TABLES","x":1}`, key, 400, "Unrecognized key"},
		{"no JSON", "POST", "sql/query", `[]`, key, 400, "INVALID_REQUEST"},
		{"guide", "GET", "guide/review_flow", "", key, 200, `"topic":"review_flow"`},
		{"usage", "GET", "usage-limits", "", key, 200, `"accountKind"`},
		{"next", "POST", "reviews/next", `{}`, key, 200, `"card":`},
		{"reveal nothing", "POST", "reviews/reveal", `{"cardId":"` + nobody + `"}`, key, 404, "Card not found"},
		{"unknown route", "GET", "nope", "", key, 404, "NOT_FOUND"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := must(t, c.method, base+c.path, c.body, c.auth, isJSON)
			if r.status != c.status || !strings.Contains(r.body, c.want) {
				t.Errorf("%d %.400s, want %d with %s", r.status, r.body, c.status, c.want)
			}
		})
	}
}

// Many clients write at once: nothing is lost, nothing is written twice.
func TestManyClients(t *testing.T) {
	const clients, calls = 16, 8
	s := start(t, sandbox.Options{})
	i := s.Info().Nibomo
	data, _ := envelope(t, i.URL, i.Key, "list_workspaces", "{}")
	w, _ := data["workspaces"].([]any)[0].(map[string]any)
	where := `"workspaceId":"` + w["workspaceId"].(string) + `"`
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for n := range calls {
				sql := fmt.Sprintf("INSERT INTO cards (front_text, back_text, tags) VALUES ('client %d call %d', 'x', ('load'))", c, n)
				r, err := send(t, http.DefaultClient, "POST", i.URL, call("sql_execute", `{"sql":"`+sql+`",`+where+`}`), accept, isJSON, "Authorization: Bearer "+i.Key)
				if err != nil || !strings.Contains(r.body, `\"affectedCount\":1`) {
					t.Errorf("client %d call %d: %v %s", c, n, err, r.body)
				}
			}
		})
	}
	wg.Wait()
	data, code := envelope(t, i.URL, i.Key, "sql_query", `{"sql":"SELECT COUNT(*) FROM cards WHERE tags OVERLAP ('load')",`+where+`}`)
	if rows, _ := data["rows"].([]any); code != "" || len(rows) != 1 || fmt.Sprint(rows[0]) != fmt.Sprintf("map[count:%d]", clients*calls) {
		t.Errorf("%v %s, want %d cards", data["rows"], code, clients*calls)
	}

	// The same review from all at once: one success, the rest conflicts.
	data, _ = envelope(t, i.URL, i.Key, "sql_query", `{"sql":"SELECT card_id FROM cards WHERE tags OVERLAP ('load') LIMIT 1",`+where+`}`)
	card, _ := data["rows"].([]any)[0].(map[string]any)
	args := `{` + where + `,"cardId":"` + card["card_id"].(string) + `","reviewId":"11111111-2222-4333-8444-555555555555","rating":"Good","reviewedTimeZone":"UTC"}`
	var mu sync.Mutex
	codes := map[string]int{}
	for range clients {
		wg.Go(func() {
			r, err := send(t, http.DefaultClient, "POST", i.URL, call("submit_review", args), accept, isJSON, "Authorization: Bearer "+i.Key)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				t.Error(err)
			case strings.Contains(r.body, "REVIEW_EVENT_CONFLICT"):
				codes["conflict"]++
			case strings.Contains(r.body, `\"ok\":true`):
				codes["ok"]++
			}
		})
	}
	wg.Wait()
	if codes["ok"] != 1 || codes["conflict"] != clients-1 {
		t.Errorf("%v, want one success and %d conflicts", codes, clients-1)
	}
}
