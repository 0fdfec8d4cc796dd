package dialect

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// run parses and checks, as the service does.
func run(sql string) ([]Statement, error) {
	parts, err := Split(sql)
	if err != nil {
		return nil, err
	}
	var out []Statement
	for _, p := range parts {
		st, err := Parse(p)
		if err == nil {
			err = Check(st)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}

// TestMessages holds the dialect's refusals, word for word. A text that ends in
// … is a beginning.
func TestMessages(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("('q','a'),", 101), ",")
	deep := strings.Repeat("(", 18) + "reps = 1" + strings.Repeat(")", 18)
	for sql, want := range map[string]string{
		"DROP TABLE cards":                                         "Unsupported SQL statement",
		"SELECT * FROM users":                                      "Unknown resource: users",
		"DESCRIBE users":                                           "Unknown resource: users",
		"SELECT nope FROM cards":                                   "Unknown column for cards: nope",
		"SELECT * FROM cards WHERE nope = 1":                       "Unknown column for cards: nope",
		"SELECT * FROM cards WHERE deleted_at IS NULL":             "Column is not filterable: deleted_at",
		"SELECT * FROM cards ORDER BY fsrs_stability":              "Column is not sortable: fsrs_stability",
		"SELECT * FROM decks ORDER BY tags":                        "Column is not sortable: tags",
		"SELECT * FROM cards ORDER BY nope":                        "Unknown ORDER BY target: nope",
		"SELECT * FROM cards LIMIT 0":                              "LIMIT must be greater than 0",
		"SELECT * FROM cards LIMIT -1":                             "LIMIT must be a non-negative integer",
		"SELECT * FROM cards LIMIT 1.5":                            "LIMIT must be a non-negative integer",
		"SELECT * FROM cards OFFSET -1":                            "OFFSET must be a non-negative integer",
		"SELECT * FROM cards WHERE tags LIKE '%a%'":                "LIKE is not supported for column: tags",
		"SELECT * FROM cards WHERE reps LIKE '1'":                  "LIKE is not supported for column: reps",
		"SELECT * FROM cards WHERE front_text NOT IN ('a')":        "Unsupported predicate: front_text NOT IN ('a')",
		"SELECT * FROM cards WHERE reps != 1":                      "Unsupported predicate: reps != 1",
		"SELECT * FROM cards WHERE reps <> 1":                      "Unsupported literal: > 1",
		`SELECT * FROM cards WHERE front_text = "a"`:               `Unsupported literal: "a"`,
		"SELECT * FROM cards JOIN decks":                           "Unsupported SELECT statement",
		"SELECT * FROM cards, decks":                               "Unsupported SELECT statement",
		"SELECT * FROM cards -- all":                               "Unsupported SELECT statement",
		"SELECT * /* all */ FROM cards":                            "Unsupported SELECT statement",
		"-- all\nSELECT * FROM cards":                              "Unsupported SQL statement",
		"SELECT 1":                                                 "Unsupported SELECT statement",
		"SELECT * FROM cards OFFSET 1 LIMIT 1":                     "Invalid SELECT clause order near LIMIT",
		"SELECT * FROM cards WHERE reps = 1 WHERE reps = 2":        "Duplicate SELECT clause: WHERE",
		"SELECT *, reps FROM cards":                                "SELECT * cannot be mixed with other projections",
		"SELECT reps, COUNT(*) FROM cards":                         "Grouped SELECT must list reps in GROUP BY",
		"SELECT * FROM cards GROUP BY reps":                        "GROUP BY is not supported with SELECT *",
		"SELECT SUM(front_text) FROM cards":                        "SUM only supports numeric columns",
		"SELECT LENGTH(front_text) FROM cards":                     "Unsupported SELECT item: LENGTH(front_text)",
		"SELECT name FROM decks UNNEST tags AS tag":                "UNNEST is only supported for cards.tags",
		"SELECT reps FROM cards ORDER BY RANDOM() DESC":            "RANDOM() does not support ASC or DESC",
		"SELECT reps FROM cards ORDER BY reps, RANDOM()":           "RANDOM() must be the only ORDER BY item",
		"SELECT reps FROM cards ORDER BY reps + 1":                 "Unsupported ORDER BY item: reps + 1",
		"SELECT * FROM cards WHERE MATCH(' ')":                     "MATCH query must not be empty",
		"SELECT * FROM cards WHERE ()":                             "WHERE clause contains an empty predicate group",
		"SELECT * FROM cards WHERE reps = 1 AND":                   "WHERE clause contains an empty predicate group",
		"SELECT * FROM cards WHERE " + deep:                        "WHERE clause nests parenthesized groups deeper than the supported limit of 16",
		"SELECT * FROM cards WHERE NOT reps = 1":                   "Unsupported predicate: NOT reps = 1",
		"SELECT * FROM cards WHERE LOWER(front_text) IN (1)":       "LOWER(column) IN (...) only supports string literals",
		"SELECT * FROM cards WHERE tags = 'a'":                     `Array column "tags" expects a parenthesized list…`,
		"INSERT INTO review_events (rating) VALUES (1)":            "INSERT is not supported for review_events",
		"UPDATE workspace SET name = 'x' WHERE name = 'y'":         "UPDATE is not supported for workspace",
		"DELETE FROM review_events WHERE rating = 1":               "DELETE is not supported for review_events",
		"UPDATE cards SET due_at = NULL WHERE reps = 1":            "Column is read-only: due_at",
		"INSERT INTO cards (card_id) VALUES ('x')":                 "Column is read-only: card_id",
		"UPDATE cards SET front_text = 'x'":                        "Unsupported UPDATE statement",
		"DELETE FROM cards":                                        "Unsupported DELETE statement",
		"INSERT INTO cards VALUES ('a', 'b')":                      "INSERT must list columns explicitly, …",
		"INSERT INTO cards (front_text, tags) VALUES ('a', 'b')":   `Array column "tags" expects a parenthesized list…`,
		"INSERT INTO cards (front_text, back_text) VALUES ('a')":   "VALUES row does not match the 2 declared column(s) …",
		"INSERT INTO cards (front_text) VALUES ('a', 'b')":         "VALUES row does not match the 1 declared column(s) …",
		"INSERT INTO cards (front_text, back_text) VALUES " + many: "INSERT may affect at most 100 records per statement",
		"DELETE FROM cards WHERE reps = 1 RETURNING nope":          "Unknown column for cards: nope",
		"DELETE FROM cards WHERE reps = 1 RETURNING a b":           "Unsupported RETURNING item: a b. …",
		"SELECT 1; ; SELECT 2":                                     "SQL batch contains an empty statement",
		"  ":                                                       "sql must not be empty",
		"SELECT * FROM cards WHERE front_text = 'a\x00b'":          "sql must not contain NUL characters",
		// Well known, but outside: these carry another code.
		"!SELECT DISTINCT reps FROM cards":                                           "DISTINCT is not supported",
		"!SELECT reps, COUNT(*) FROM cards GROUP BY reps HAVING x = 1":               "HAVING is not supported",
		"!SELECT reps FROM cards UNION SELECT reps FROM cards":                       "UNION is not supported",
		"!SELECT * FROM (SELECT * FROM cards)":                                       "Sub-queries are not supported",
		"!SELECT * FROM cards WHERE card_id IN (SELECT card_id FROM cards)":          "Sub-queries are not supported",
		"!WITH x AS (SELECT * FROM cards) SELECT * FROM x":                           "WITH is not supported",
		"!UPDATE cards SET front_text = (SELECT name FROM workspace) WHERE reps = 1": "Sub-queries are not supported",
	} {
		sql, foreign := strings.CutPrefix(sql, "!")
		_, err := run(sql)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s\n got %v, want %q", sql, err, want)
			continue
		}
		start, cut := strings.CutSuffix(want, "…")
		if e.Message != want && !(cut && strings.HasPrefix(e.Message, start)) {
			t.Errorf("%s\n got %q\nwant %q", sql, e.Message, want)
		}
		if e.Unsupported != foreign {
			t.Errorf("%s: unsupported is %v", sql, e.Unsupported)
		}
	}
}

// TestAccepted holds one example of everything the dialect has.
func TestAccepted(t *testing.T) {
	for _, sql := range []string{
		"SHOW TABLES", "show tables like 'c%'", "DESCRIBE cards", "SHOW COLUMNS FROM review_events",
		"SELECT * FROM cards;",
		"SELECT card_id AS id, front_text FROM cards WHERE reps >= 2 AND (lapses = 0 OR due_at <= NOW()) ORDER BY id DESC LIMIT 5 OFFSET 5",
		"SELECT COUNT(*), SUM(reps), AVG(fsrs_stability) AS s, MIN(due_at), MAX(front_text) FROM cards",
		"SELECT tag, COUNT(*) FROM cards UNNEST tags AS tag WHERE tag LIKE 'a%' GROUP BY tag ORDER BY count DESC, tag",
		"SELECT * FROM cards ORDER BY RANDOM() LIMIT 1",
		"SELECT * FROM cards WHERE front_text ILIKE '%a%' AND back_text NOT LIKE '_b' AND card_id LIKE '0%' AND due_at ILIKE '2026%'",
		"SELECT * FROM cards WHERE LOWER(front_text) = 'a' AND LOWER(front_text) LIKE 'a%' AND LOWER(front_text) NOT LIKE 'b%' AND LOWER(front_text) IN ('a') AND LOWER(front_text) NOT IN ('b', 'c')",
		"SELECT * FROM cards WHERE reps IN (1, 2, -3) AND due_at IS NULL AND due_at IS NOT NULL AND reps IN ()",
		"SELECT * FROM cards WHERE tags = ('a','b') OR tags = () OR tags OVERLAP ('a','b') OR tags = ARRAY['a'] OR tags = ['a'] OR tags = '{a,\"b c\"}'",
		"SELECT * FROM cards WHERE MATCH('it''s') AND fsrs_card_state = 'new'",
		"SELECT * FROM workspace WHERE enable_fuzz = TRUE AND desired_retention > 0.85",
		"INSERT INTO cards (front_text, back_text, tags) VALUES ('a;b', 'b', ('x', 'y')), ('c', 'd', ()) RETURNING *",
		"UPDATE decks SET name = 'n', tags = {a, b} WHERE deck_id = 'x' RETURNING deck_id, tags",
		"DELETE FROM cards WHERE card_id = 'x'; DELETE FROM decks WHERE name = 'y'",
	} {
		if _, err := run(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestNormalized(t *testing.T) {
	for sql, want := range map[string]string{
		"  select  *\n from\tcards ; ":                      "select * from cards",
		"SELECT * FROM cards WHERE front_text = 'a  b;'   ": "SELECT * FROM cards WHERE front_text = 'a  b;'",
		"SELECT(*)FROM x":                                   "SELECT(*)FROM x",
	} {
		parts, err := Split(sql)
		if err != nil || len(parts) != 1 || parts[0].s.text != want {
			t.Errorf("%q: %q, %v", sql, parts[0].s.text, err)
		}
	}
}

// TestStrayQuote: a quote that was not doubled is taken into the string.
func TestStrayQuote(t *testing.T) {
	st, err := ParseOne("SELECT * FROM cards WHERE front_text = 'it's'")
	if err != nil {
		t.Fatal(err)
	}
	if c := st.(*Select).Where.(*Compare); c.Value != "it's" {
		t.Errorf("%q", c.Value)
	}
}

func TestPrecedence(t *testing.T) {
	st, err := ParseOne("SELECT * FROM cards WHERE reps = 1 OR reps = 2 AND lapses = 3")
	if err != nil {
		t.Fatal(err)
	}
	or, ok := st.(*Select).Where.(*Bool)
	if !ok || !or.Or || len(or.Args) != 2 {
		t.Fatalf("%#v", or)
	}
	if and, ok := or.Args[1].(*Bool); !ok || and.Or {
		t.Errorf("%#v", or.Args[1])
	}
}

// TestColumns holds the table of columns: name, type, and the flags W, F, S, ?.
func TestColumns(t *testing.T) {
	want := map[string]string{
		"workspace":     "workspace_id uuid FS|name string FS|created_at datetime FS|algorithm string FS|desired_retention number FS|learning_steps_minutes integer[] |relearning_steps_minutes integer[] |maximum_interval_days integer FS|enable_fuzz boolean FS",
		"cards":         "card_id uuid FS|front_text string WFS|back_text string WFS|card_type string WFS|metadata json |tags string[] WFS|due_at datetime FS?|created_at datetime FS|reps integer FS|lapses integer FS|updated_at datetime FS|deleted_at datetime ?|fsrs_card_state string F|fsrs_step_index integer ?|fsrs_stability number ?|fsrs_difficulty number ?|fsrs_last_reviewed_at datetime ?|fsrs_scheduled_days integer ?",
		"decks":         "deck_id uuid FS|name string WFS|tags string[] WF|created_at datetime FS|updated_at datetime FS|deleted_at datetime ?",
		"review_events": "review_event_id uuid FS|card_id uuid FS|replica_id uuid F|client_event_id string F|rating integer FS|reviewed_at_client datetime FS|reviewed_at_server datetime FS",
	}
	for _, name := range Names() {
		r := Find(name)
		var got []string
		for _, c := range r.Columns {
			flags := ""
			if c.Writable {
				flags += "W"
			}
			if c.Filterable {
				flags += "F"
			}
			if c.Sortable {
				flags += "S"
			}
			if c.Nullable {
				flags += "?"
			}
			got = append(got, fmt.Sprintf("%s %s %s", c.Name, c.Type, flags))
			if c.Description == "" {
				t.Errorf("%s.%s has no description", name, c.Name)
			}
		}
		if s := strings.Join(got, "|"); s != want[name] {
			t.Errorf("%s\n got %s\nwant %s", name, s, want[name])
		}
	}
}

// TestLikeMatch compares with the regular expression that the service makes of
// a pattern: % is .*, _ is ., and the dot does not match line terminators.
func TestLikeMatch(t *testing.T) {
	parts := []string{"a", "b", "%", "_", "\n", "é", "%"}
	var patterns []string
	for _, x := range parts {
		for _, y := range parts {
			for _, z := range parts {
				patterns = append(patterns, x+y+z, x+y+z+"%b", "a%"+x+y)
			}
		}
	}
	values := []string{"", "a", "b", "ab", "a\nb", "aab", "ba", "éb", "a\u2028b", "\na", "ab\n", "aéb\nab", "bbb", "a\n\nb"}
	for _, p := range patterns {
		var b strings.Builder
		b.WriteString("^")
		for _, r := range p {
			switch r {
			case '%':
				b.WriteString("[^\n\r\u2028\u2029]*")
			case '_':
				b.WriteString("[^\n\r\u2028\u2029]")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		re := regexp.MustCompile(b.String() + "$")
		for _, v := range values {
			if got, want := LikeMatch(p, v), re.MatchString(v); got != want {
				t.Errorf("%q LIKE %q is %v, want %v", v, p, got, want)
			}
		}
	}
	for _, c := range [][2]string{{"%x%", "x\ny"}, {"x%", "x\ny"}} {
		if LikeMatch(c[0], c[1]) {
			t.Errorf("%q crosses a line feed in %q", c[0], c[1])
		}
	}
}

// vocabulary is every word that compiled SQLite text may have.
func vocabulary() map[string]bool {
	words := map[string]bool{}
	add := func(s string) {
		for _, w := range regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`).FindAllString(s, -1) {
			words[w] = true
		}
	}
	for _, name := range Names() {
		r := Find(name)
		add(r.from + " " + r.where + " " + r.order)
		for _, c := range r.Columns {
			add(c.expr + " " + c.fold + " " + c.textExpr())
		}
	}
	add(unnested("x", 0).expr + " " + unnested("x", 0).fold)
	add(`SELECT FROM WHERE JOIN ON AND OR NOT IN IS NULL EXISTS GROUP ORDER BY DESC LIMIT OFFSET AS OVER CASE WHEN THEN ELSE END CAST GLOB
		count row_number random min max sum avg coalesce ifnull instr lower char length replace json_each json_array_length value n p pos t c nb_card_tag`)
	return words
}

// checkCompiled fails if anything but constants stands in the text of q.
func checkCompiled(t *testing.T, words map[string]bool, q Query) {
	t.Helper()
	// The constants with quotes, taken out first.
	rest := q.SQL
	for _, s := range []string{"''", "'%.15g'", "'false'", "'true'", "'[]'", "','", "' '", " - length("} {
		rest = strings.ReplaceAll(rest, s, "")
	}
	if strings.ContainsAny(rest, "'\"`;\\-") {
		t.Fatalf("foreign text in %s", q.SQL)
	}
	for _, w := range regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`).FindAllString(rest, -1) {
		if !words[w] && !regexp.MustCompile(`^[agho][0-9]+$`).MatchString(w) {
			t.Fatalf("foreign word %q in %s", w, q.SQL)
		}
	}
	if n := strings.Count(rest, "?"); n != len(q.Args) {
		t.Fatalf("%d placeholders and %d values in %s", n, len(q.Args), q.SQL)
	}
}

// FuzzParse: no input panics, and no text of the input reaches SQLite unbound.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"SELECT * FROM cards WHERE front_text = 'it''s' AND (tags OVERLAP ('a') OR due_at <= NOW()) ORDER BY RANDOM() LIMIT 3",
		"SELECT tag AS x, COUNT(*) AS y, MIN(front_text) FROM cards UNNEST tags AS tag WHERE LOWER(tag) NOT IN ('a') GROUP BY tag ORDER BY y DESC, tag",
		"INSERT INTO cards (front_text, back_text, tags) VALUES ('a', 'b', ARRAY['x']), ('c', 'd', '{e,\"f\"}') RETURNING *",
		"UPDATE decks SET name = 'x', tags = () WHERE name ILIKE '%[*?]%' RETURNING deck_id; DELETE FROM cards WHERE MATCH('q')",
		"SHOW TABLES LIKE '%c%'", "DESCRIBE cards", "SELECT ((((", "SELECT * FROM cards WHERE a IN (((1", "';--", "SELECT '", "-1", "\xff\xfe",
	} {
		f.Add(s)
	}
	words := vocabulary()
	f.Fuzz(func(t *testing.T, sql string) {
		parts, err := Split(sql)
		if err != nil {
			return
		}
		env := Env{Workspace: 1, Now: "2026-01-01T00:00:00.000Z"}
		for _, p := range parts {
			st, err := Parse(p)
			if err != nil {
				continue
			}
			again, err := ParseOne(st.Normalized())
			if err != nil || again.Normalized() != st.Normalized() {
				t.Fatalf("%q does not survive its own normal form %q: %v", sql, st.Normalized(), err)
			}
			if Check(st) != nil {
				continue
			}
			switch st := st.(type) {
			case *Select:
				total, rows := st.Compile(env)
				checkCompiled(t, words, total)
				checkCompiled(t, words, rows)
				NewTable(st.Resource).Select(st, env)
			case *Update:
				checkCompiled(t, words, Targets(st.Resource, st.Where, env))
			case *Delete:
				checkCompiled(t, words, Targets(st.Resource, st.Where, env))
			}
		}
	})
}
