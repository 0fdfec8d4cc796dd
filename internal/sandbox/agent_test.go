package sandbox_test

import (
	"strings"
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
