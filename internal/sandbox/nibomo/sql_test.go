package nibomo

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func (w *world) refused(tool string, args any, code, message string) {
	w.t.Helper()
	r := w.call(tool, args)
	start, cut := strings.CutSuffix(message, "…")
	if r.Code != code || r.Message != message && !(cut && strings.HasPrefix(r.Message, start)) {
		w.t.Errorf("%s %v\n got %s %q\nwant %s %q", tool, args, r.Code, r.Message, code, message)
	}
	if code == codeSQL || code == codeSyntax {
		issues, _ := r.Details["validationIssues"].([]any)
		if len(issues) != 1 || !reflect.DeepEqual(issues[0], map[string]any{"path": "sql", "code": "invalid_sql", "message": r.Message}) {
			w.t.Errorf("%v: details %v", args, r.Details)
		}
	}
}

// TestSQLRefusals holds the messages that depend on the tool and on running.
func TestSQLRefusals(t *testing.T) {
	w := newWorld(t)
	q := func(sql string) map[string]any { return map[string]any{"sql": sql} }
	w.card("a", "b", "t")
	w.refused("sql_query", q("DROP TABLE cards"), codeSQL, "Unsupported SQL statement")
	w.refused("sql_query", q("SELECT DISTINCT reps FROM cards"), codeSyntax, "DISTINCT is not supported")
	w.refused("sql_query", q("DELETE FROM cards WHERE reps = 0"), codeSQL, "sql_query is read-only and accepts only …")
	w.refused("sql_execute", q("SELECT * FROM cards"), codeSQL, "sql_execute is write-only and accepts only …")
	w.refused("sql_execute", q("SELECT * FROM cards; DELETE FROM cards WHERE reps = 0"), codeSQL, "sql_execute is write-only and accepts only …")
	w.refused("sql_query", q("SHOW TABLES; DELETE FROM cards WHERE reps = 0"), codeSQL, "sql_query is read-only and accepts only …")
	w.refused("sql_query", q("SHOW TABLES; SELECT nope FROM cards"), codeSQL, "SQL batch statement 2 failed: Unknown column for cards: nope")
	w.refused("sql_query", q("SHOW TABLES; SELECT * FROM cards LIMIT 0"), codeSQL,
		"SQL batch statement 2 failed: LIMIT must be greater than 0. Statement: SELECT * FROM cards LIMIT 0")
	w.refused("sql_query", q(strings.Repeat("SHOW TABLES;", 51)), codeSQL, "SQL batch must contain at most 50 statements")
	w.refused("sql_execute", q("INSERT INTO cards (front_text, back_text) VALUES "+strings.Repeat("('q','a'),", 100)+"('q','a')"), codeSQL,
		"INSERT may affect at most 100 records per statement")
	w.refused("sql_execute", q("INSERT INTO cards (front_text, back_text) VALUES (' ', 'a')"), codeFailed, "frontText must not be empty")
	w.refused("sql_execute", q("INSERT INTO cards (back_text) VALUES ('a')"), codeSQL, "front_text is required for INSERT INTO cards")
	w.refused("sql_execute", q("INSERT INTO cards (front_text) VALUES ('a')"), codeSQL, "back_text is required for INSERT INTO cards")
	w.refused("sql_execute", q("INSERT INTO decks (tags) VALUES (('a'))"), codeSQL, "name is required for INSERT INTO decks")
	w.refused("sql_execute", q("UPDATE cards SET front_text = 5 WHERE reps = 0"), codeSQL, "front_text must be a string")
	w.refused("sql_execute", q("INSERT INTO cards (front_text, back_text) VALUES ('kept?', 'no'); INSERT INTO cards (front_text, back_text) VALUES (' ', 'a')"), codeFailed,
		"SQL batch statement 2 failed: frontText must not be empty. Statement: INSERT INTO cards …")
	// The failed batch left nothing.
	if rows := w.query("SELECT front_text FROM cards WHERE front_text = 'kept?'"); len(rows) != 0 {
		t.Errorf("a failed batch was kept: %v", rows)
	}
}

// TestWriteLimits: 100 rows a statement, for each kind.
func TestWriteLimits(t *testing.T) {
	w := newWorld(t)
	values := strings.TrimSuffix(strings.Repeat("('q','a'),", 100), ",")
	if r := w.exec("INSERT INTO cards (front_text, back_text) VALUES " + values); r.Data["affectedCount"] != 100.0 {
		t.Errorf("%v", r.Data["affectedCount"])
	}
	if r := w.exec("UPDATE cards SET back_text = 'b' WHERE front_text = 'q'"); r.Data["affectedCount"] != 100.0 {
		t.Errorf("%v", r.Data["affectedCount"])
	}
	w.card("q", "a")
	w.refused("sql_execute", map[string]any{"sql": "UPDATE cards SET back_text = 'c' WHERE front_text = 'q'"}, codeSQL, "UPDATE may affect at most 100 records per statement")
	w.refused("sql_execute", map[string]any{"sql": "DELETE FROM cards WHERE front_text = 'q'"}, codeSQL, "DELETE may affect at most 100 records per statement")
	if n := w.query("SELECT COUNT(*) FROM cards WHERE back_text = 'c'")[0]["count"]; n != 0.0 {
		t.Errorf("%v rows were changed", n)
	}
	batch := strings.Repeat("INSERT INTO cards (front_text, back_text) VALUES "+values+";", 50)
	if r := w.exec(batch); r.Data["affectedCountTotal"] != 5000.0 || r.Data["statementCount"] != 50.0 {
		t.Errorf("%v %v", r.Data["affectedCountTotal"], r.Data["statementCount"])
	}
}

func TestSelectResult(t *testing.T) {
	w := newWorld(t)
	for _, front := range []string{"perro", "gato", "casa", "rojo"} {
		w.card(front, "x", "spanish")
		w.at.add(time.Second)
	}
	sql := "SELECT card_id, front_text, tags, due_at FROM cards\nWHERE front_text LIKE '%o' ORDER BY front_text LIMIT 2 OFFSET 1;"
	r := w.ok("sql_query", map[string]any{"sql": sql})
	want := map[string]any{"statementType": "select", "resource": "cards", "rowCount": 2.0, "limit": 2.0, "offset": 1.0, "hasMore": false,
		"sql": sql, "normalizedSql": "SELECT card_id, front_text, tags, due_at FROM cards WHERE front_text LIKE '%o' ORDER BY front_text LIMIT 2 OFFSET 1",
		"totalRowCount": 3.0, "rowsTruncated": false}
	for name, v := range want {
		if r.Data[name] != v {
			t.Errorf("%s is %v, want %v", name, r.Data[name], v)
		}
	}
	rows := rowsOf(r.Data)
	if rows[0]["front_text"] != "perro" || rows[0]["due_at"] != nil || !reflect.DeepEqual(rows[0]["tags"], []any{"spanish"}) {
		t.Errorf("%v", rows)
	}
	if !strings.Contains(r.Text, `"rows":[{"card_id":`) {
		t.Errorf("columns are out of order: %s", r.Text)
	}
	if r := w.ok("sql_query", `{"sql":"SELECT * FROM cards LIMIT 500"}`); r.Data["limit"] != 100.0 {
		t.Errorf("limit %v", r.Data["limit"])
	}
	if r := w.ok("sql_query", `{"sql":"SELECT * FROM cards WHERE reps = 7"}`); fmt.Sprint(r.Data["rows"], r.Data["rowCount"], r.Data["hasMore"]) != "[] 0 false" {
		t.Errorf("%v", r.Data)
	}
	d := w.ok("sql_query", `{"sql":"DESCRIBE cards"}`)
	if d.Data["limit"] != nil || d.Data["offset"] != nil || d.Data["resource"] != "cards" || len(rowsOf(d.Data)) != 18 {
		t.Errorf("%v", d.Data)
	}
	if s := w.ok("sql_query", `{"sql":"SHOW TABLES LIKE 'c%'"}`); s.Data["resource"] != nil || len(rowsOf(s.Data)) != 1 {
		t.Errorf("%v", s.Data)
	}
	b := w.ok("sql_query", `{"sql":"SHOW TABLES; SELECT COUNT(*) FROM cards"}`)
	if b.Data["statementType"] != "batch" || b.Data["affectedCountTotal"] != nil || b.Data["statementCount"] != 2.0 {
		t.Errorf("%v", b.Data)
	}
}

func TestWriteResult(t *testing.T) {
	w := newWorld(t)
	r := w.exec("INSERT INTO cards (front_text, back_text, tags) VALUES ('  a ', ' b ', ('x', 'y', 'x')) RETURNING front_text, back_text, tags, fsrs_card_state, card_type")
	if got := fmt.Sprint(rowsOf(r.Data)[0]); got != "map[back_text:b card_type:basic front_text:a fsrs_card_state:new tags:[x y]]" {
		t.Errorf("%s", got)
	}
	w.at.add(time.Minute)
	if r := w.exec("UPDATE cards SET back_text = 'c' WHERE front_text = 'a'"); len(rowsOf(r.Data)) != 1 || len(rowsOf(r.Data)[0]) != 1 || r.Data["affectedCount"] != 1.0 {
		t.Errorf("%v", r.Data)
	}
	row := w.query("SELECT created_at, updated_at FROM cards")[0]
	if row["created_at"] != "2026-11-30T09:41:04.527Z" || row["updated_at"] != "2026-11-30T09:42:04.527Z" {
		t.Errorf("%v", row)
	}
	// A batch sees its own changes, and DELETE returns what was there.
	b := w.exec("UPDATE cards SET tags = () WHERE tags OVERLAP ('x'); DELETE FROM cards WHERE tags = () RETURNING back_text, deleted_at")
	st, _ := b.Data["statements"].([]any)
	last, _ := st[1].(map[string]any)
	if got := fmt.Sprint(rowsOf(last)); got != "[map[back_text:c deleted_at:<nil>]]" || b.Data["affectedCountTotal"] != 2.0 {
		t.Errorf("%s %v", got, b.Data)
	}
	// Nothing matched is no error.
	if r := w.exec("DELETE FROM cards WHERE front_text = 'a'"); r.Data["affectedCount"] != 0.0 || len(rowsOf(r.Data)) != 0 {
		t.Errorf("%v", r.Data)
	}
	if r := w.exec("INSERT INTO decks (name) VALUES ('D')"); len(rowsOf(r.Data)) != 1 || rowsOf(r.Data)[0]["deck_id"] == nil {
		t.Errorf("%v", r.Data)
	}
	if rows := w.query("SELECT name, tags FROM decks"); fmt.Sprint(rows) != "[map[name:D tags:[]]]" {
		t.Errorf("%v", rows)
	}
}

// TestLineFeeds: LIKE does not cross them, MATCH does.
func TestLineFeeds(t *testing.T) {
	w := newWorld(t)
	w.card("one line word", "x")
	w.card("word\nsecond", "x")
	for where, want := range map[string]int{
		"front_text LIKE '%word%'":                  1,
		"front_text ILIKE '%WORD%'":                 1,
		"front_text NOT LIKE '%word%'":              1,
		"MATCH('WORD')":                             2,
		"front_text LIKE 'word\n%'":                 1,
		"LOWER(front_text) = 'WORD\nsecond'":        1,
		"front_text LIKE '%Word%'":                  0,
		"front_text = 'it's'":                       0,
		"LOWER(front_text) NOT IN ('word\nsecond')": 1,
	} {
		if rows := w.query("SELECT card_id FROM cards WHERE " + where); len(rows) != want {
			t.Errorf("%q: %d rows, want %d", where, len(rows), want)
		}
	}
}

func TestResultBudget(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("é", 1500)
	w.exec("INSERT INTO cards (front_text, back_text) VALUES " + strings.TrimSuffix(strings.Repeat("('q', '"+long+"'),", 60), ","))
	r := w.ok("sql_query", `{"sql":"SELECT card_id, back_text FROM cards ORDER BY card_id"}`)
	if n := units([]byte(r.Text)); n > maxResult || n < maxResult-3000 {
		t.Errorf("%d characters", n)
	}
	if r.Data["rowsTruncated"] != true || r.Data["hasMore"] != true || r.Data["totalRowCount"] != 60.0 || int(r.Data["rowCount"].(float64)) != len(rowsOf(r.Data)) {
		t.Errorf("%v %v %v", r.Data["rowsTruncated"], r.Data["hasMore"], r.Data["rowCount"])
	}
	// Continuing at offset + rowCount meets every row once.
	seen := map[any]bool{}
	for offset := 0; ; {
		r := w.ok("sql_query", map[string]any{"sql": fmt.Sprintf("SELECT card_id, back_text FROM cards ORDER BY card_id OFFSET %d", offset)})
		for _, row := range rowsOf(r.Data) {
			if seen[row["card_id"]] {
				t.Fatalf("twice: %v", row["card_id"])
			}
			seen[row["card_id"]] = true
		}
		offset += int(r.Data["rowCount"].(float64))
		if r.Data["hasMore"] != true {
			break
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d rows", len(seen))
	}
	w.refused("sql_query", `{"sql":"SELECT back_text FROM cards; SELECT COUNT(*) FROM cards"}`, codeTooLarge, "The result is too large (…")
	// Writes are never refused for their size.
	u := w.exec("UPDATE cards SET front_text = 'r' WHERE front_text = 'q' RETURNING *")
	if u.Data["rowsOmitted"] != true || u.Data["sqlOmitted"] != false || u.Data["affectedCount"] != 60.0 || len(rowsOf(u.Data)) != 0 {
		t.Errorf("%v %v", u.Data["rowsOmitted"], u.Data["affectedCount"])
	}
	huge := strings.Repeat("x", 30_000)
	i := w.exec("INSERT INTO cards (front_text, back_text, tags) VALUES ('huge', '" + huge + "', ()) RETURNING *")
	if i.Data["rowsOmitted"] != true || i.Data["sqlOmitted"] != true || i.Data["sql"] != "" {
		t.Errorf("%v %v", i.Data["rowsOmitted"], i.Data["sqlOmitted"])
	}
	w.exec("UPDATE cards SET front_text = '" + huge + "' WHERE front_text = 'huge'")
	w.refused("sql_query", `{"sql":"SELECT front_text, back_text FROM cards WHERE MATCH('xxxxx')"}`, codeTooLarge, "…")
}

func TestUnits(t *testing.T) {
	for s, want := range map[string]int{"": 0, "ab": 2, "é": 1, "語": 1, "😀": 2} {
		if got := units([]byte(s)); got != want {
			t.Errorf("%q: %d", s, got)
		}
	}
}

// TestMemoryFollows: what is written is read at once from memory as well.
func TestMemoryFollows(t *testing.T) {
	at := newClock()
	w := &world{open(t, Options{Now: at.tick, NoFuzz: true, MemoryFrom: 1}), t, at, Connection{ID: "one"}}
	plain := func() []map[string]any {
		t.Helper()
		w.opts.MemoryFrom = -1
		defer func() { w.opts.MemoryFrom = 1 }()
		return w.query("SELECT * FROM cards ORDER BY card_id")
	}
	for i := range 30 {
		id := w.card(fmt.Sprint("front ", i), "back", "t", fmt.Sprint("n", i%3))
		if i%2 == 0 {
			w.review(id, "Good")
		}
		if i%5 == 0 {
			w.exec("UPDATE cards SET tags = ('changed'), back_text = 'new' WHERE MATCH('front 1')")
		}
		if i%7 == 0 {
			w.exec("INSERT INTO cards (front_text, back_text) VALUES ('gone', 'x'); UPDATE cards SET back_text = 'y' WHERE front_text = 'gone'; DELETE FROM cards WHERE back_text = 'y'")
		}
		if a, b := w.query("SELECT * FROM cards ORDER BY card_id"), plain(); !reflect.DeepEqual(a, b) {
			t.Fatalf("after %d\nmemory %v\nSQLite %v", i, a, b)
		}
	}
	if h := w.shelf[place{1, "cards"}]; h == nil || h.table.Len() != 30 {
		t.Errorf("nothing was held in memory: %+v", h)
	}
	if n := w.query("SELECT COUNT(*) FROM review_events")[0]["count"]; n != 15.0 {
		t.Errorf("%v reviews", n)
	}
	// Another process writes.
	if _, err := w.db.Exec("UPDATE nb_card SET back = 'outside', back_fold = 'outside' WHERE n = 1; UPDATE nb_workspace SET version = version + 1"); err != nil {
		t.Fatal(err)
	}
	if rows := w.query("SELECT card_id FROM cards WHERE back_text = 'outside'"); len(rows) != 1 {
		t.Errorf("%v", rows)
	}
}
