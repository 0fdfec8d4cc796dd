package nibomo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"bridge/internal/sandbox/nibomo/dialect"
)

// asker makes up statements, the same ones each time.
type asker struct{ *rand.Rand }

func newAsker(seed uint64) asker { return asker{rand.New(rand.NewPCG(seed, 2))} }

func (a asker) pick(list ...string) string { return list[a.IntN(len(list))] }

// text is a literal that finds something, or is awkward to look for.
func (a asker) text() string {
	return a.pick("'%a%'", "'_a%'", "'%apa%'", "'menunggu'", "'%\n%'", "'%*%'", "'%[%'", "'É%'", "'%語%'", "''", "'%e_a%'", "'indonesia'",
		"'%'", "'_'", "'%_%'", "'%b%'", "'%A_\n%'", "'b%a'", "'_é_%'", "'%__'", "'%\u2028%'", "'%aB%'", "'a'", "'B'", "'%ß%'", "'İ%'")
}

// cond is a condition; alias is the name that UNNEST gives, or empty.
func (a asker) cond(depth int, alias string) string {
	if depth > 0 && a.IntN(2) == 0 {
		return "(" + a.cond(depth-1, alias) + a.pick(" AND ", " OR ") + a.cond(depth-1, alias) + ")"
	}
	str := a.pick("front_text", "back_text", "card_id", "due_at", "created_at", "fsrs_card_state", "card_type")
	if alias != "" && a.IntN(3) == 0 {
		str = alias
	}
	return a.pick(
		str+a.pick(" LIKE ", " NOT LIKE ", " ILIKE ", " NOT ILIKE ")+a.text(),
		"LOWER("+str+")"+a.pick(" = ", " LIKE ", " NOT LIKE ")+a.text(),
		"LOWER("+str+")"+a.pick(" IN ", " NOT IN ")+"("+a.text()+", "+a.text()+")",
		str+a.pick(" = ", " < ", " >= ", " > ", " <= ")+a.pick(a.text(), "NOW()", "NULL", "3", "TRUE", "'2026-11-20'", "'m'", "-0.5"),
		str+" IN ("+a.text()+", NULL, 4)",
		str+a.pick(" IS NULL", " IS NOT NULL"),
		a.pick("reps", "lapses")+a.pick(" = ", " < ", " >= ", " > ")+a.pick("0", "1", "2.5", "3", "'3'", "NULL", "TRUE", "NOW()", "99999999999999999999"),
		a.pick("reps", "lapses")+" IN (0, 2, '1', NULL, 3.0)",
		a.pick("due_at", "reps")+a.pick(" IS NULL", " IS NOT NULL"),
		"tags "+a.pick("= ", "OVERLAP ")+a.pick("('indonesia','kosakata')", "('kosakata', 'indonesia')", "()", "('japanese')", "('a','a')", "('b','A')", "('a','B','ä')"),
		"MATCH("+a.pick("'apa'", "'KUCING'", "'2026-11'", "'indonesia kos'", "'語'", "'.'", "'8.29'", "'basic'", "'a b'", "'b\na'", "'ä'", "'t09:'", "'z'", "'-4'", "'{'", "'3'", "'İ'")+")",
	)
}

func (a asker) order(list ...string) string {
	if a.IntN(3) == 0 {
		return ""
	}
	out := " ORDER BY " + a.pick(list...)
	for a.IntN(2) == 0 {
		out += a.pick("", " DESC") + ", " + a.pick(list...)
	}
	return out + a.pick("", " DESC")
}

// statements are one of each shape.
func (a asker) statements() []string {
	page := fmt.Sprintf(" LIMIT %d OFFSET %d", 1+a.IntN(30), a.IntN(20))
	return []string{
		"SELECT card_id AS x, front_text, tags, reps, fsrs_stability, fsrs_scheduled_days FROM cards WHERE " + a.cond(2, "") +
			a.order("front_text", "back_text", "tags", "reps", "due_at", "x", "card_type", "updated_at", "created_at") + page,
		"SELECT tag, card_id FROM cards UNNEST tags AS tag WHERE " + a.cond(2, "tag") + a.order("tag", "lapses", "front_text") + page,
		"SELECT " + a.pick("tag", "fsrs_card_state") + " FROM cards UNNEST tags AS tag WHERE " + a.cond(1, "tag") + " GROUP BY tag, fsrs_card_state",
		"SELECT tag AS t, COUNT(*) AS n, SUM(reps), MIN(front_text) AS f, MAX(due_at) AS d, AVG(lapses) AS a FROM cards UNNEST tags AS tag WHERE " +
			a.cond(1, "tag") + " GROUP BY tag" + a.order("t", "n", "f", "d", "a", "sum_reps") + page,
		"SELECT COUNT(*), SUM(lapses), AVG(reps), MIN(back_text), MAX(card_id), MIN(tags), MAX(reps), AVG(fsrs_stability), SUM(fsrs_difficulty), MIN(due_at), MAX(fsrs_step_index) FROM cards WHERE " +
			a.cond(2, ""),
		"SELECT tags, fsrs_step_index, COUNT(*) AS n FROM cards WHERE " + a.cond(1, "") + " GROUP BY tags, fsrs_step_index" + a.order("tags", "n") + page,
		"SELECT front_text, due_at, MAX(updated_at) AS m, SUM(fsrs_stability) AS s FROM cards GROUP BY front_text, due_at, card_type" + a.order("front_text", "m", "s", "due_at", "card_type") + page,
		"SELECT * FROM cards" + a.order("front_text", "tags", "due_at") + page,
		"SELECT * FROM review_events WHERE " + a.pick("rating >= 2", "MATCH('a')", "reviewed_at_server < NOW()", "client_event_id LIKE '%0%1'", "rating IN (0, 3)") +
			a.order("rating", "card_id", "reviewed_at_client") + page,
		"SELECT rating, COUNT(*) AS n, MIN(reviewed_at_server) FROM review_events GROUP BY rating" + a.order("n", "rating"),
		"SELECT * FROM decks WHERE " + a.pick("tags = ('tata-bahasa','grammar')", "name ILIKE '%SEMUA%'", "tags OVERLAP ('a', 'B')", "MATCH('a')", "tags = ()") + a.order("name", "created_at"),
	}
}

// differ runs a statement through SQLite and through memory.
func differ(t *testing.T, s *Service, ws int64, at *clock, sql string) {
	t.Helper()
	st, err := dialect.ParseOne(sql)
	if err == nil {
		err = dialect.Check(st)
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	sel, _ := st.(*dialect.Select)
	env := dialect.Env{Workspace: ws, Now: stamp(at.now())}
	run := func(from int) (string, int) {
		s.opts.MemoryFrom = from
		rows, total, err := s.selectRows(t.Context(), sel, env)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		b, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		return string(b), total
	}
	want, total := run(-1)
	got, n := run(0)
	if s.shelf[place{ws, sel.Resource.Name}] == nil {
		t.Fatalf("%s is not in memory", sel.Resource.Name)
	}
	if total != n || want != got {
		t.Fatalf("%s\nSQLite %d %.2000s\nmemory %d %.2000s", sql, total, want, n, got)
	}
}

// TestEnginesAgree runs random statements through SQLite and through memory.
func TestEnginesAgree(t *testing.T) {
	at := newClock()
	s := open(t, Options{Now: at.now, NoFuzz: true, MemoryFrom: -1})
	if err := s.Seed(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	list, err := s.Workspaces(t.Context(), Connection{ID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	a := newAsker(1)
	for range 60 {
		for _, sql := range a.statements() {
			differ(t, s, list[0].ws, at, sql)
		}
	}
	for _, sql := range []string{"SELECT * FROM decks", "SELECT * FROM review_events LIMIT 40", "SELECT * FROM cards LIMIT 100"} {
		differ(t, s, list[0].ws, at, sql)
	}
}

// TestEnginesAgreeOnWrites does so while cards come, change and go: what is in
// memory follows each write. The texts are few and alike, so that keys are equal
// and letter case decides.
func TestEnginesAgreeOnWrites(t *testing.T) {
	at := newClock()
	w := &world{open(t, Options{Now: at.now, NoFuzz: true, MemoryFrom: -1}), t, at, Connection{ID: "one"}}
	if _, err := w.Workspaces(t.Context(), w.conn); err != nil {
		t.Fatal(err)
	}
	a := newAsker(5)
	word := func() string {
		return a.pick("a", "A", "b", "B", "ab", "aB", "é", "É", "ä", "a b", "b\na", "b\r\na", "a\u2028b", "ß", "İ", "語", "😀", "aaaaaaaaaaaa", "aaaaaaaaaaab", "AAAAAAAAAAAA", "%", "_", "{", "3")
	}
	text := func() string {
		var words []string
		for range 1 + a.IntN(3) {
			words = append(words, word())
		}
		return strings.Join(words, a.pick("", " "))
	}
	tags := func() string {
		var list []string
		for range a.IntN(4) {
			list = append(list, quoteSQL(a.pick("a", "A", "b", "B", "ä", "Ä", "a b", "indonesia")))
		}
		return "(" + strings.Join(list, ", ") + ")"
	}
	rounds := 25
	if testing.Short() {
		rounds = 8
	}
	for range rounds {
		for range 1 + a.IntN(4) {
			var values []string
			for range 1 + a.IntN(40) {
				values = append(values, fmt.Sprintf("(%s, %s, %s)", quoteSQL(text()+word()+"x"), quoteSQL(text()), tags()))
			}
			w.exec("INSERT INTO cards (front_text, back_text, tags) VALUES " + strings.Join(values, ", "))
			at.add(time.Duration(a.IntN(3)) * time.Second)
		}
		for _, row := range w.query(fmt.Sprintf("SELECT card_id FROM cards ORDER BY RANDOM() LIMIT %d", 1+a.IntN(10))) {
			id, _ := row["card_id"].(string)
			at.add(time.Second)
			switch a.IntN(4) {
			case 0:
				w.exec(fmt.Sprintf("UPDATE cards SET tags = %s, back_text = %s WHERE card_id = '%s'", tags(), quoteSQL(text()), id))
			case 1:
				w.exec("DELETE FROM cards WHERE card_id = '" + id + "'")
			default:
				w.review(id, a.pick("Again", "Hard", "Good", "Easy"))
			}
		}
		w.exec(fmt.Sprintf("INSERT INTO decks (name, tags) VALUES (%s, %s)", quoteSQL(word()+"x"), tags()))
		// Changes that meet in one statement, a hundred at a time.
		for range a.IntN(4) {
			for _, row := range w.query("SELECT created_at FROM cards ORDER BY RANDOM() LIMIT 1") {
				r := w.call("sql_execute", map[string]any{"sql": fmt.Sprintf("UPDATE cards SET card_type = %s WHERE created_at = '%v'", quoteSQL(word()), row["created_at"])})
				if r.IsError && !strings.Contains(r.Message, "at most 100") {
					t.Fatal(r.Text)
				}
			}
		}
		for _, sql := range a.statements() {
			differ(t, w.Service, 1, at, sql)
		}
	}
}
