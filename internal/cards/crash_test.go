package cards

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bridge/internal/fsrs"
)

// killed is how a session ends in these tests: at a step, without a word.
type killed struct{ at string }

// An actor is a learner whose process is killed again and again, whose network
// loses questions and answers, and who signs in anew from time to time.
type actor struct {
	*learner
	t      *testing.T
	r      *rand.Rand
	ws     string
	path   string
	ledger []turn // what was written to disk and not taken back
	giving turn
	conns  int
	kills  map[string]int
	left   int // steps until the next kill
}

func (a *actor) step(at string) {
	switch at {
	case "after the grade is written":
		a.ledger = append(a.ledger, a.giving)
	case "after the grade is taken back":
		a.ledger = a.ledger[:len(a.ledger)-1]
	}
	if a.left--; a.left < 0 {
		a.left = a.r.IntN(14)
		a.kills[at]++
		panic(killed{at})
	}
}

// weather makes calls fail: lost on the way, refused for a while, answered
// into the void, an identifier that is taken.
func (a *actor) weather() {
	a.before = func(tool string) error {
		a.b.at.add(time.Second)
		switch n := a.r.IntN(40); {
		case n < 2:
			return errLost
		case n == 2:
			return &ToolError{Code: codeUnavailable, Message: "busy"}
		case n == 3 && tool == "submit_review":
			return &ToolError{Code: codeMismatch, Message: "belongs to another card"}
		}
		return nil
	}
	a.after = func(tool string) error {
		switch n := a.r.IntN(20); {
		case n < 2:
			return errLost
		case n == 2 && tool == "submit_review":
			return &ToolError{Code: codeUnknownCommit, Message: "who knows"}
		}
		return nil
	}
}

// life is one process: it reviews until it is killed or has given enough.
func (a *actor) life(enough int) {
	box, err := OpenOutbox(a.path)
	if err != nil {
		a.t.Fatal(err)
	}
	defer box.Close() // as the system does for the dead
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
		}
	}()
	if a.r.IntN(3) == 0 { // a new sign-in: a new connection
		a.conns++
		a.conn.ID = fmt.Sprintf("connection %d", a.conns)
	}
	s := New(Options{Caller: a, Outbox: box, Workspace: a.ws, Zone: "Asia/Jakarta", Now: a.b.at.now, Hold: 5 * time.Second, step: a.step})
	for len(a.ledger) < enough {
		a.work(s)
		switch v := s.View(); v.Phase {
		case Question:
			s.Reveal()
		case Answer:
			a.giving = turn{v.Card.ID, fsrs.Rating(a.r.IntN(4))}
			if err := s.Grade(a.giving.rating); err != nil {
				a.t.Fatal(err)
			}
			if a.r.IntN(6) == 0 {
				if err := s.Undo(); err != nil && err != ErrSent {
					a.t.Fatal(err)
				}
			}
		case Finished:
			a.b.at.add(10 * time.Minute)
			s.Again()
		}
	}
	if a.r.IntN(2) == 0 {
		s.Finish(a.t.Context())
	}
}

// work steps for a while, as long as a person would look at a card.
func (a *actor) work(s *Session) {
	for range a.r.IntN(12) {
		if did, wait := s.Step(a.t.Context()); !did {
			a.b.at.add(min(wait, 30*time.Second))
		}
	}
}

// settle is the last process, on a clear day: it sends what is left.
func (a *actor) settle() {
	a.before, a.after = func(string) error { a.b.at.add(time.Second); return nil }, nil
	a.conn.ID = "the last connection"
	box, err := OpenOutbox(a.path)
	if err != nil {
		a.t.Fatal(err)
	}
	defer box.Close()
	s := New(Options{Caller: a, Outbox: box, Workspace: a.ws, Zone: "Asia/Jakarta", Now: a.b.at.now})
	if n := s.Finish(a.t.Context()); n != 0 {
		a.t.Fatalf("%d grades are left", n)
	}
}

type event struct {
	Card   string `json:"card_id"`
	Event  string `json:"client_event_id"`
	Rating int    `json:"rating"`
}

func (l *learner) events(t testing.TB, ws string) []event {
	t.Helper()
	events, _, err := all[event](t.Context(), client{l, ws}, "SELECT card_id, client_event_id, rating FROM review_events ORDER BY reviewed_at_server ASC", 5000)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// TestEachReviewExactlyOnce kills the session at every step of 1,000 reviews,
// with faults and changes of the credential in between. The server ends with
// each grade that was on disk exactly once, each card's in the order given.
func TestEachReviewExactlyOnce(t *testing.T) {
	const reviews = 20
	scripts := 50
	if testing.Short() { // under the race detector
		scripts = 12
	}
	kills := map[string]int{}
	var lives atomic.Int64
	b := newBench(t)
	for script := range uint64(scripts) {
		a := &actor{learner: b.learner(fmt.Sprintf("c%d@example.com", script), "connection 0"), t: t,
			r: rand.New(rand.NewPCG(script, 4)), path: filepath.Join(t.TempDir(), "outbox.json"), kills: kills}
		a.ws = a.workspace(t)
		for i := range 5 {
			a.add(t, a.ws, Draft{fmt.Sprintf("front %d", i), "back", []string{"x"}})
		}
		a.weather()
		for len(a.ledger) < reviews {
			a.life(reviews)
			lives.Add(1)
		}
		a.settle()
		events := a.events(t, a.ws)
		seen := map[string]bool{}
		var got, want []string
		for _, e := range events {
			if seen[e.Event] {
				t.Fatalf("script %d: %s is there twice", script, e.Event)
			}
			seen[e.Event] = true
			got = append(got, fmt.Sprint(e.Card, e.Rating))
		}
		for _, g := range a.ledger {
			want = append(want, fmt.Sprint(g.card, int(g.rating)))
		}
		// The order matters within a card only.
		byCard := func(x, y string) int { return strings.Compare(x[:36], y[:36]) }
		slices.SortStableFunc(got, byCard)
		slices.SortStableFunc(want, byCard)
		if !slices.Equal(got, want) {
			t.Fatalf("script %d: the server has %d reviews, %d were given\n got %v\nwant %v", script, len(got), len(want), got, want)
		}
	}
	t.Logf("%d lives for %d reviews; killed at %v", lives.Load(), scripts*reviews, kills)
	for _, at := range []string{"before the grade is written", "after the grade is written", "before the grade is sent", "after the answer came",
		"before the new id is written", "before the grade leaves the outbox", "after the grade left the outbox",
		"before the grade is taken back", "after the grade is taken back"} {
		if kills[at] == 0 {
			t.Errorf("never killed %s", at)
		}
	}
}
