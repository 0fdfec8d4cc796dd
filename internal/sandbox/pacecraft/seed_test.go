package pacecraft

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"bridge/internal/sandbox/pacecraft/blocks"
)

func seeded(t *testing.T, seed int64) *fixture {
	t.Helper()
	f := &fixture{t: t, db: openDB(t, filepath.Join(t.TempDir(), "sandbox.db"))}
	f.s = must(Open(t.Context(), f.db, Options{Now: func() time.Time { return today }}))(t)
	f.rani = must(f.s.Seed(t.Context(), seed))(t)
	return f
}

func TestSeedLooksLivedIn(t *testing.T) {
	f := seeded(t, 7)
	ws := must(f.s.Workspaces(t.Context(), f.rani.ID))(t)
	if len(ws) != 2 {
		t.Fatalf("workspaces %v", ws)
	}
	var blanksAndBeyond bool
	kinds := map[blocks.Kind]bool{}
	var all strings.Builder
	for _, w := range ws {
		blanksAndBeyond = blanksAndBeyond || strings.Contains(w.Name, " ") && strings.ContainsFunc(w.Name, func(r rune) bool { return r > unicode.MaxASCII })
		for _, tool := range []string{"list_spaces", "list_docs", "search_tasks", "list_activity"} {
			r := f.call(w.Name, tool, `{}`)
			if r.IsError || strings.Contains(r.text(), `"total":0`) {
				t.Errorf("%s in %s: %s", tool, w.Name, r.text())
			}
			all.WriteString(r.text())
		}
		overdue := f.call(w.Name, "search_tasks", `{"overdueOnly":true}`).text()
		late := f.call(w.Name, "search_tasks", `{}`).text()
		if n := strings.Count(overdue, `"overdue":true`); n == 0 || n == strings.Count(late, `"overdue":`) {
			t.Errorf("%s: %d overdue of %s", w.Name, n, late)
		}
	}
	if !blanksAndBeyond {
		t.Errorf("no name with blanks and letters beyond ASCII in %v", ws)
	}
	rows, err := f.db.QueryContext(t.Context(), "SELECT DISTINCT body ->> 'type' FROM pc_blocks")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var k blocks.Kind
		if err := rows.Scan(&k); err != nil {
			t.Fatal(err)
		}
		kinds[k] = true
	}
	for _, k := range []blocks.Kind{blocks.Heading, blocks.Paragraph, blocks.Bullets, blocks.Ordered, blocks.Quote, blocks.Code, blocks.Rule,
		blocks.Table, blocks.Callout, blocks.Checklist, blocks.Toggle} {
		if !kinds[k] {
			t.Errorf("no block of kind %s", k)
		}
	}
	for _, s := range []string{"Rencana Rilis 2.4", "API Guidelines"} {
		if !strings.Contains(all.String(), s) {
			t.Errorf("%q is missing", s)
		}
	}
}

func TestSeedIsRepeatable(t *testing.T) {
	a, b, c := seeded(t, 7), seeded(t, 7), seeded(t, 8)
	if a.stored() != b.stored() || a.rani != b.rani {
		t.Error("the same seed made two things")
	}
	if a.stored() == c.stored() || a.rani == c.rani {
		t.Error("two seeds made the same thing")
	}
	before := a.stored()
	for _, seed := range []int64{7, 8} {
		if again := must(a.s.Seed(t.Context(), seed))(t); again != a.rani || a.stored() != before {
			t.Errorf("seeding again, with %d, changed something", seed)
		}
	}
}
