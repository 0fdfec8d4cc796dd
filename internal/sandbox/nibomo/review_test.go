package nibomo

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestReviewTools walks the contract's examples: front, answer, rating, conflict.
func TestReviewTools(t *testing.T) {
	w := newWorld(t)
	if r := w.ok("next_review_card", `{}`); r.Data["card"] != nil || r.Data["workspaceId"] == nil {
		t.Errorf("empty queue: %v", r.Data)
	}
	card := w.card("hola", "hello", "spanish")
	for range 2 { // nothing is reserved
		r := w.ok("next_review_card", `{}`)
		if c, _ := r.Data["card"].(map[string]any); len(c) != 2 || c["cardId"] != card || c["frontText"] != "hola" {
			t.Errorf("%v", r.Data)
		}
	}
	if r := w.ok("reveal_answer", map[string]any{"cardId": card}); r.Data["backText"] != "hello" || len(r.Data) != 3 {
		t.Errorf("%v", r.Data)
	}
	w.at.add(time.Second)
	id := newReviewID()
	args := reviewArgs(card, strings.ToUpper(id), "Good")
	r := w.ok("submit_review", args)
	want := map[string]any{"cardId": card, "reviewId": id, "rating": "Good", "reviewedAt": "2026-11-30T09:41:05.527Z", "dueAt": "2026-11-30T09:51:05.527Z",
		"intervalSeconds": 600.0, "scheduledDays": 0.0, "state": "learning", "reps": 1.0, "lapses": 0.0}
	for name, v := range want {
		if r.Data[name] != v {
			t.Errorf("%s is %v, want %v", name, r.Data[name], v)
		}
	}
	if len(r.Data) != len(want)+2 {
		t.Errorf("%v", r.Data)
	}
	if c := w.next(nil); c != "" {
		t.Errorf("%s is due already", c)
	}
	rows := w.query("SELECT * FROM review_events WHERE client_event_id = 'agent-review:" + id + "'")
	if len(rows) != 1 || rows[0]["rating"] != 2.0 || rows[0]["card_id"] != card || rows[0]["reviewed_at_server"] != "2026-11-30T09:41:05.527Z" || rows[0]["review_event_id"] != r.Data["reviewEventId"] {
		t.Errorf("%v", rows)
	}

	// Again, with another rating: the first stands. A conflict comes before a stale card.
	args["rating"] = "Again"
	c := w.call("submit_review", args)
	schedule, _ := c.Details["reviewSchedule"].(map[string]any)
	if c.Code != codeConflict || fmt.Sprint(schedule) != fmt.Sprintf("map[cardId:%s dueAt:2026-11-30T09:51:05.527Z intervalSeconds:600 lapses:0 reps:1 scheduledDays:0 state:learning]", card) {
		t.Errorf("%+v", c)
	}
	other := w.card("adiós", "goodbye", "spanish")
	m := w.call("submit_review", reviewArgs(other, id, "Good"))
	if m.Code != codeMismatch || !strings.Contains(m.Message, card) || !strings.Contains(m.Message, other) || m.Details != nil {
		t.Errorf("%+v", m)
	}
	if s := w.call("submit_review", reviewArgs(card, newReviewID(), "Good")); s.Code != codeStale || s.Details != nil {
		t.Errorf("%+v", s)
	}
	w.at.add(-time.Minute)
	if s := w.call("submit_review", reviewArgs(card, newReviewID(), "Good")); s.Code != codeStale {
		t.Errorf("%+v", s)
	}
	w.at.add(2 * time.Minute)
	w.refused("submit_review", reviewArgs(newReviewID(), newReviewID(), "Good"), codeFailed, "Card not found")
	// A card that is not due may be reviewed, and the conflict shows the schedule of now.
	w.review(card, "Easy")
	c = w.call("submit_review", args)
	if schedule, _ := c.Details["reviewSchedule"].(map[string]any); schedule["reps"] != 2.0 || schedule["state"] != "review" || schedule["scheduledDays"] == 0.0 {
		t.Errorf("%+v", c)
	}
	w.exec("DELETE FROM cards WHERE card_id = '" + card + "'")
	w.refused("reveal_answer", map[string]any{"cardId": card}, codeFailed, "Card not found")
	w.refused("submit_review", reviewArgs(card, newReviewID(), "Good"), codeFailed, "Card not found")
	if n := w.query("SELECT COUNT(*) FROM review_events")[0]["count"]; n != 2.0 {
		t.Errorf("%v reviews are recorded", n)
	}
}

// TestReplicas: the key of a review is workspace, connection and reviewId.
func TestReplicas(t *testing.T) {
	w := newWorld(t)
	card := w.card("q", "a", "t")
	id := newReviewID()
	w.at.add(time.Second)
	w.ok("submit_review", reviewArgs(card, id, "Good"))
	w.at.add(time.Second)
	if r := w.callAs(Connection{ID: "two"}, "submit_review", reviewArgs(card, id, "Good")); r.IsError {
		t.Errorf("another connection: %s", r.Text)
	}
	rows := w.query("SELECT replica_id, COUNT(*) AS n FROM review_events WHERE client_event_id = 'agent-review:" + id + "' GROUP BY replica_id")
	if len(rows) != 2 {
		t.Errorf("%v", rows)
	}
	second, err := w.CreateWorkspace(t.Context(), w.conn, "Second")
	if err != nil {
		t.Fatal(err)
	}
	other := w.card("q2", "a2", "t") // creating selects
	if n := w.query("SELECT workspace_id FROM workspace")[0]["workspace_id"]; n != second.ID {
		t.Errorf("%v", n)
	}
	w.at.add(time.Second)
	if r := w.call("submit_review", reviewArgs(other, id, "Good")); r.IsError {
		t.Errorf("another workspace: %s", r.Text)
	}
}

// TestSchedule plays the contract's long chain through the tools.
func TestSchedule(t *testing.T) {
	w := newWorld(t)
	w.at.t = time.Date(2026, 1, 1, 7, 0, 0, 0, time.UTC)
	card := w.card("q", "a", "t")
	for i, c := range []struct {
		at, rating, state    string
		seconds, days, lapse float64
	}{
		{"2026-01-01T08:00", "Good", "learning", 600, 0, 0},
		{"2026-01-01T08:10", "Good", "review", 2 * 86400, 2, 0},
		{"2026-01-03T09:00", "Good", "review", 11 * 86400, 11, 0},
		{"2026-01-14T09:00", "Good", "review", 46 * 86400, 46, 0},
		{"2026-03-01T09:00", "Hard", "review", 116 * 86400, 116, 0},
		{"2026-04-01T09:00", "Again", "relearning", 600, 0, 1},
		{"2026-04-01T09:10", "Good", "review", 4 * 86400, 4, 1},
		{"2026-04-05T09:00", "Easy", "review", 12 * 86400, 12, 1},
	} {
		at, err := time.Parse("2006-01-02T15:04", c.at)
		if err != nil {
			t.Fatal(err)
		}
		w.at.t = at
		r := w.review(card, c.rating)
		if r["state"] != c.state || r["intervalSeconds"] != c.seconds || r["scheduledDays"] != c.days || r["lapses"] != c.lapse || r["reps"] != float64(i+1) {
			t.Errorf("%s: %v", c.at, r)
		}
	}
	row := w.query("SELECT * FROM cards")[0]
	if row["fsrs_stability"] != 12.27954672 || row["fsrs_difficulty"] != 7.64111476 || row["fsrs_step_index"] != nil || row["due_at"] != "2026-04-17T09:00:00.000Z" {
		t.Errorf("%v", row)
	}
}

// TestQueueOrder holds the order of the queue, bucket by bucket and tie by tie.
func TestQueueOrder(t *testing.T) {
	w := newWorld(t)
	start := w.at.now()
	now := start.Add(48 * time.Hour)
	// set gives a card any schedule.
	set := func(id string, due, last time.Duration, state string) {
		t.Helper()
		for _, q := range []string{
			"UPDATE nb_card SET state = ?, stability = 1, difficulty = 5, scheduled_days = 0, due_at = ?, last_reviewed_at = ? WHERE card_id = ?",
			"UPDATE nb_card_tag SET steps = (? IN ('learning', 'relearning')), due_at = ?, last_reviewed_at = ? WHERE card_id = ?",
		} {
			if _, err := w.db.Exec(q, state, stamp(now.Add(due)), stamp(now.Add(last)), id); err != nil {
				t.Fatal(err)
			}
		}
	}
	var cards []string
	for i := range 9 {
		cards = append(cards, w.card(fmt.Sprint("card ", i), "x", "all", fmt.Sprint("t", i%2)))
		w.at.add(time.Second)
	}
	w.at.t = now
	set(cards[0], -10*time.Hour, -40*time.Hour, "review")                // overdue
	set(cards[1], -5*time.Minute, -15*time.Minute, "learning")           // just reviewed: first
	set(cards[2], -5*time.Minute, -15*time.Minute, "relearning")         // same time, made later: second
	set(cards[3], -time.Minute, -61*time.Minute, "learning")             // an hour and more ago
	set(cards[4], -time.Minute+time.Millisecond, -time.Hour, "learning") // an hour ago exactly: third
	set(cards[5], time.Millisecond, -10*time.Minute, "learning")         // not due
	set(cards[6], 0, -40*time.Hour, "review")                            // due at this instant
	want := []string{cards[1], cards[2], cards[4], cards[0], cards[3], cards[6], cards[7], cards[8]}
	drain := func(args map[string]any, want []string) {
		t.Helper()
		var got []string
		for len(got) < len(want) {
			id := w.next(args)
			if id == "" {
				break
			}
			got = append(got, id)
			if _, err := w.db.Exec("UPDATE nb_card SET deleted_at = 'x' WHERE card_id = ?", id); err != nil {
				t.Fatal(err)
			}
			if _, err := w.db.Exec("UPDATE nb_card_tag SET ws = -ws WHERE card_id = ?", id); err != nil {
				t.Fatal(err)
			}
		}
		if id := w.next(map[string]any{}); args == nil && id != "" {
			t.Errorf("%s is not due", id)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v\n got %v\nwant %v", args, got, want)
		}
		if _, err := w.db.Exec("UPDATE nb_card SET deleted_at = NULL; UPDATE nb_card_tag SET ws = abs(ws)"); err != nil {
			t.Fatal(err)
		}
	}
	drain(nil, want)
	drain(map[string]any{"tags": []string{"ALL"}}, want)
	drain(map[string]any{"tags": []string{"t1"}}, []string{cards[1], cards[3], cards[7]})
	drain(map[string]any{"tags": []string{"t0", "T1", "all"}}, want)
}

func TestQueueFilters(t *testing.T) {
	w := newWorld(t)
	a := w.card("a", "x", "Spanish", "A1")
	w.at.add(time.Second)
	b := w.card("b", "x", "french")
	deck := func(name, tags string) string {
		id, _ := rowsOf(w.exec("INSERT INTO decks (name, tags) VALUES ('" + name + "', " + tags + ")").Data)[0]["deck_id"].(string)
		return id
	}
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"tags": []string{"FRENCH"}}, b},
		{map[string]any{"tags": []string{"french", "a1"}}, a},
		{map[string]any{"tags": []string{}}, ""},
		{map[string]any{"deckId": deck("all", "()")}, a},
		{map[string]any{"deckId": deck("french", "('French', 'nobody')")}, b},
		{map[string]any{"deckId": deck("unknown", "('nobody')")}, ""},
	} {
		if got := w.next(c.args); got != c.want {
			t.Errorf("%v: %q, want %q", c.args, got, c.want)
		}
	}
	w.refused("next_review_card", `{"tags":["x"]}`, codeInput, `Unknown tags: "x"`)
	w.refused("next_review_card", `{"tags":["french","1","2","3","4","5","6","7"]}`, codeInput, `Unknown tags: "1", "2", "3", "4", "5", and 2 more`)
	w.refused("next_review_card", map[string]any{"tags": []string{"french"}, "deckId": newReviewID()}, codeInput, "tags and deckId cannot be combined")
	w.refused("next_review_card", map[string]any{"deckId": newReviewID()}, codeFailed, "Deck not found")
}

func TestWorkspaces(t *testing.T) {
	w := newWorld(t)
	r := w.ok("list_workspaces", `{}`)
	list, _ := r.Data["workspaces"].([]any)
	first, _ := list[0].(map[string]any)
	if len(list) != 1 || first["name"] != "Personal" || first["isSelected"] != true || first["cardCount"] != 0.0 || first["lastActivityAt"] != nil || first["createdAt"] != "2026-11-30T09:41:04.527Z" {
		t.Errorf("%v", list)
	}
	w.at.add(time.Second)
	card := w.card("q", "a", "t")
	w.exec("INSERT INTO cards (front_text, back_text) VALUES ('x', 'y'), ('z', 'y'); DELETE FROM cards WHERE front_text = 'x'")
	list, _ = w.ok("list_workspaces", `{}`).Data["workspaces"].([]any)
	if first, _ = list[0].(map[string]any); first["cardCount"] != 2.0 || first["lastActivityAt"] != "2026-11-30T09:41:05.527Z" {
		t.Errorf("%v", list)
	}
	// A second one: this connection keeps its own, a new one must choose.
	if _, err := w.CreateWorkspace(t.Context(), Connection{ID: "other"}, "Second"); err != nil {
		t.Fatal(err)
	}
	if rows := w.query("SELECT name FROM workspace"); rows[0]["name"] != "Personal" {
		t.Errorf("%v", rows)
	}
	third := Connection{ID: "third"}
	s := w.callAs(third, "next_review_card", `{}`)
	choices, _ := s.Details["workspaces"].([]any)
	if s.Code != codeSelect || len(choices) != 2 {
		t.Errorf("%+v", s)
	}
	id, _ := first["workspaceId"].(string)
	if r := w.callAs(third, "reveal_answer", map[string]any{"cardId": card, "workspaceId": strings.ToUpper(id)}); r.IsError || r.Data["workspaceId"] != id {
		t.Errorf("%+v", r)
	}
	if err := w.SelectWorkspace(t.Context(), third, id); err != nil {
		t.Fatal(err)
	}
	if r := w.callAs(third, "next_review_card", `{}`); r.IsError {
		t.Errorf("%+v", r)
	}
	w.refused("next_review_card", map[string]any{"workspaceId": newReviewID()}, codeNoWorkspace, "Workspace not found")
	// Another user sees nothing of all this.
	stranger := Connection{ID: "one", User: "someone@example.com"}
	if r := w.callAs(stranger, "sql_query", map[string]any{"sql": "SELECT * FROM cards", "workspaceId": id}); r.Code != codeNoWorkspace {
		t.Errorf("%+v", r)
	}
	if r := w.callAs(stranger, "sql_query", `{"sql":"SELECT COUNT(*) FROM cards"}`); r.IsError || rowsOf(r.Data)[0]["count"] != 0.0 {
		t.Errorf("%+v", r)
	}
}

// TestSameReview: four copies at once give one success and three conflicts.
func TestSameReview(t *testing.T) {
	at := newClock()
	w := &world{open(t, Options{Now: at.tick}), t, at, Connection{ID: "one"}}
	card := w.card("q", "a", "t")
	args, _ := json.Marshal(reviewArgs(card, newReviewID(), "Good"))
	codes := make([]string, 4)
	var wg sync.WaitGroup
	for i := range codes {
		wg.Go(func() {
			r, err := try(t.Context(), w.Service, w.conn, "submit_review", string(args))
			if err != nil {
				t.Error(err)
			}
			codes[i] = r.Code
		})
	}
	wg.Wait()
	count := map[string]int{}
	for _, c := range codes {
		count[c]++
	}
	if count[""] != 1 || count[codeConflict] != 3 {
		t.Errorf("%v", count)
	}
}
