package dialect

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestTableFollows: a table that rows are put into and taken out of answers as
// one that was made of the rows that are left, also after it has moved them
// together.
func TestTableFollows(t *testing.T) {
	r := Find("cards")
	chance := rand.New(rand.NewPCG(3, 4))
	pick := func(list ...any) any { return list[chance.IntN(len(list))] }
	row := func(n int) *Row {
		v := make([]any, len(r.Columns))
		set := func(name string, x any) { v[r.Column(name).index] = x }
		set("card_id", fmt.Sprintf("%08x", n*7919%10007))
		set("created_at", fmt.Sprintf("2026-11-%02dT00:00:00.000Z", 1+n%28))
		set("updated_at", fmt.Sprint(chance.IntN(5)))
		set("front_text", pick("a", "A", "ab", "é", "É", fmt.Sprint(chance.IntN(50))))
		set("back_text", pick("x", "x\ny", ""))
		set("card_type", "basic")
		set("tags", pick([]string{}, []string{"a"}, []string{"a", "b"}, []string{"A"}, []string{fmt.Sprint("t", chance.IntN(40))}))
		set("due_at", pick(nil, "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"))
		set("reps", int64(chance.IntN(9)))
		set("lapses", int64(chance.IntN(2)))
		set("fsrs_card_state", pick("new", "review"))
		set("fsrs_stability", pick(nil, 0.5, 2.25, -1.0))
		return NewRow(v)
	}
	var statements []*Select
	for _, sql := range []string{
		"SELECT * FROM cards LIMIT 40 OFFSET 30",
		"SELECT card_id FROM cards ORDER BY front_text, tags DESC, due_at, reps, lapses, back_text LIMIT 50",
		"SELECT card_id FROM cards WHERE MATCH('é') OR front_text < 'aB' OR reps IN (3, 4) ORDER BY due_at DESC, card_id LIMIT 30 OFFSET 5",
		"SELECT front_text, tags, COUNT(*) AS n, SUM(fsrs_stability) FROM cards GROUP BY front_text, tags ORDER BY n DESC, front_text",
		"SELECT tag, MIN(front_text), MAX(due_at), AVG(reps) FROM cards UNNEST tags AS tag WHERE tag > 'a' OR reps > 2 GROUP BY tag ORDER BY tag",
		"SELECT COUNT(*), MIN(back_text) FROM cards WHERE tags OVERLAP ('a', 't3') AND back_text LIKE '%x%'",
	} {
		st, err := ParseOne(sql)
		if err == nil {
			err = Check(st)
		}
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		statements = append(statements, st.(*Select))
	}
	rows := map[int]*Row{}
	table := NewTable(r)
	compacted := 0
	for step := range 6000 {
		n := chance.IntN(800)
		before := table.slots
		if old := rows[n]; old != nil && chance.IntN(6) == 0 {
			table.Delete(old)
			delete(rows, n)
		} else {
			rows[n] = row(n)
			table.Put(rows[n])
		}
		if table.slots < before {
			compacted++
		}
		if table.Len() != len(rows) {
			t.Fatalf("%d rows, want %d", table.Len(), len(rows))
		}
		if chance.IntN(120) != 0 && table.slots >= before {
			continue
		}
		fresh := NewTable(r)
		for _, row := range rows {
			fresh.Append(row.v)
		}
		env := Env{Workspace: 1, Now: "2026-06-01T00:00:00.000Z"}
		for _, st := range statements {
			want, n := fresh.Select(st, env)
			got, m := table.Select(st, env)
			if n != m || !reflect.DeepEqual(want, got) {
				t.Fatalf("step %d: %s\nwant %d %v\n got %d %v", step, st.Normalized(), n, want, m, got)
			}
		}
	}
	if compacted < 2 {
		t.Errorf("moved together %d times", compacted)
	}
	if table.Size() < 1000 {
		t.Errorf("takes %d bytes", table.Size())
	}
}

// TestSort: texts sort bytewise, whatever they have in common.
func TestSort(t *testing.T) {
	chance := rand.New(rand.NewPCG(8, 1))
	var a arena
	var slots []int32
	for i := range 3000 {
		s := ""
		for range chance.IntN(4) {
			s += []string{"2026-11-", "a", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00\x00", "é", "\xff", "zzzzzzzzzzzzzzzzzzzzzzzz"}[chance.IntN(7)]
		}
		a.add(s)
		slots = append(slots, int32(i))
	}
	a.sort(slots)
	for i := 1; i < len(slots); i++ {
		if string(a.at(slots[i-1])) > string(a.at(slots[i])) {
			t.Fatalf("%q before %q", a.at(slots[i-1]), a.at(slots[i]))
		}
	}
}

// TestContaining: the search over all texts finds what one by one does.
func TestContaining(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 1))
	a := arena{grams: &grams{}}
	for range 20_000 {
		s := ""
		for range chance.IntN(6) {
			s += []string{"a", "b", "ab", "q", " ", "é"}[chance.IntN(6)]
		}
		a.add(s)
	}
	in := newBits(20_000)
	for i := range 20_000 {
		if i%3 != 0 {
			in.set(int32(i))
		}
	}
	few := newBits(20_000)
	few.set(17)
	few.set(19_999)
	for _, needle := range []string{"a", "q", "ab", "é", "qq ", "abab", "aab ", "nothing", "bébé", "b é", "abq"} {
		for _, set := range []bits{in, few} {
			got := a.containing([]byte(needle), set)
			for i := range int32(20_000) {
				if want := set.has(i) && strings.Contains(string(a.at(i)), needle); got.has(i) != want {
					t.Fatalf("%q in %q: %v", needle, a.at(i), got.has(i))
				}
			}
		}
	}
}
