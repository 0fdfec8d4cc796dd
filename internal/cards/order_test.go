package cards

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bridge/internal/fsrs"
)

// collection fills a workspace by chance. The same seed makes the same cards
// for another user, identifiers included.
func collection(t *testing.T, l *learner, seed uint64, base time.Time) (ws string, end time.Time) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	ids := rand.New(rand.NewPCG(seed, 2))
	old := l.b.newID
	l.b.at.set(base)
	ws = l.workspace(t) // its own identifier is by chance
	l.b.newID = func() string {
		return fmt.Sprintf("%08x-0000-4000-8000-%012x", ids.Uint32(), ids.Uint64()&0xffffffffffff)
	}
	tags := []string{"kanji", "Kanji", "grammar", "maths"}
	var cards []string
	for many := 2 + r.IntN(6); len(cards) < many; { // some are made in the same millisecond
		l.b.at.add(time.Duration(1+r.IntN(100_000)) * time.Millisecond)
		var values []string
		for range 1 + r.IntN(3) {
			values = append(values, fmt.Sprintf("('front %d', 'back', ('%s'))", len(cards)+len(values), tags[r.IntN(len(tags))]))
		}
		_, rows, err := client{l, ws}.execute(t.Context(), "INSERT INTO cards (front_text, back_text, tags) VALUES "+strings.Join(values, ", ")+" RETURNING card_id")
		var made []struct {
			ID string `json:"card_id"`
		}
		if err == nil {
			err = json.Unmarshal(rows, &made)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range made {
			cards = append(cards, m.ID)
		}
	}
	l.b.newID = old // a review's are unique in all workspaces
	for range r.IntN(2 * len(cards)) {
		l.b.at.add(time.Duration(1+r.IntN(60*60*20)) * time.Second / time.Duration(1+r.IntN(200)))
		review := Entry{ID: newID(), Card: cards[r.IntN(len(cards))], Rating: fsrs.Rating(r.IntN(4)).String(), Workspace: ws, Zone: "UTC"}
		if _, err := (client{l, ws}).submit(t.Context(), review); err != nil {
			t.Fatal(err)
		}
	}
	l.b.at.add(time.Duration(r.IntN(60*60*30)) * time.Second / time.Duration(1+r.IntN(100)))
	return ws, l.b.at.now()
}

// A turn is a card that was shown and what it was given.
type turn struct {
	card   string
	rating fsrs.Rating
}

const mostTurns = 8

// script is what a learner does after each card: the rating and how long the
// next one is read.
func script(seed uint64) func() (fsrs.Rating, time.Duration) {
	r := rand.New(rand.NewPCG(seed, 3))
	return func() (fsrs.Rating, time.Duration) {
		return fsrs.Rating(r.IntN(4)), time.Duration(1+r.IntN(200)) * time.Second
	}
}

// plainLoop reviews with the three tools and nothing else.
func plainLoop(t *testing.T, l *learner, ws string, f Filter, seed uint64) (turns []turn) {
	t.Helper()
	c := client{l, ws}
	next := script(seed)
	for len(turns) < mostTurns {
		card, err := c.next(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if card == nil {
			return turns
		}
		if len(turns) > 0 {
			_, wait := next()
			l.b.at.add(wait)
		}
		if _, err := c.reveal(t.Context(), card.ID); err != nil {
			t.Fatal(err)
		}
		rating, _ := next()
		if _, err := c.submit(t.Context(), Entry{ID: newID(), Card: card.ID, Rating: rating.String(), Workspace: ws, Zone: "UTC"}); err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn{card.ID, rating})
	}
	return turns
}

// throughSession reviews with a Session, which shows each card before the
// server has the grade of the one before. predicted counts those.
func throughSession(t *testing.T, l *learner, ws string, f Filter, seed uint64) (turns []turn, predicted int) {
	t.Helper()
	hold := time.Duration(seed%2) * time.Hour
	s := l.session(t, Options{Workspace: ws, Filter: f, Hold: hold})
	next := script(seed)
	drain(t, s)
	for len(turns) < mostTurns {
		v := s.View()
		if v.Phase == Finished {
			return turns, predicted
		}
		if v.Phase != Question {
			t.Fatalf("phase %d after %d turns, problem %v", v.Phase, len(turns), v.Problem)
		}
		if len(turns) > 0 {
			_, wait := next()
			l.b.at.add(wait)
		}
		drain(t, s)
		s.Reveal()
		drain(t, s)
		v = s.View()
		if v.Phase != Answer || v.Card.Back != "back" {
			t.Fatalf("phase %d with %q", v.Phase, v.Card.Back)
		}
		rating, _ := next()
		if err := s.Grade(rating); err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn{v.Card.ID, rating})
		if at := s.View(); at.Phase == Question {
			predicted++
			s.Settle()
			drain(t, s)
			if after := s.View(); after.Card.ID != at.Card.ID {
				t.Fatalf("the server took the card away that was shown")
			}
			continue
		}
		s.Settle()
		drain(t, s)
	}
	return turns, predicted
}

// TestOrderIsTheServers plays random collections twice: with a plain loop over
// the three tools, and with a session that shows each card ahead of the server.
func TestOrderIsTheServers(t *testing.T) {
	const parts = 2
	collections := uint64(500)
	if testing.Short() { // under the race detector
		collections = 30
	}
	var turns, predicted atomic.Int64
	t.Run("collections", func(t *testing.T) {
		for part := range uint64(parts) {
			t.Run(fmt.Sprint(part), func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				base := b.at.now()
				for seed := part; seed < collections; seed += parts {
					n, ahead := compareOrder(t, b, seed, base)
					turns.Add(n)
					predicted.Add(ahead)
				}
			})
		}
	})
	t.Logf("%d turns in %d collections, %d shown ahead of the server", turns.Load(), collections, predicted.Load())
	if predicted.Load() < turns.Load()/2 {
		t.Errorf("only %d of %d cards were shown ahead", predicted.Load(), turns.Load())
	}
}

func compareOrder(t *testing.T, b *bench, seed uint64, base time.Time) (turns, predicted int64) {
	t.Helper()
	one, two := b.learner(fmt.Sprintf("a%d@example.com", seed), "one"), b.learner(fmt.Sprintf("b%d@example.com", seed), "one")
	ws, end := collection(t, one, seed, base)
	var f Filter
	if seed%5 == 0 && hasTag(t, one, ws, "kanji") {
		f.Tags = []string{"kanji"}
	}
	want := plainLoop(t, one, ws, f, seed)
	ws, again := collection(t, two, seed, base)
	if !again.Equal(end) {
		t.Fatal("the collections differ")
	}
	got, ahead := throughSession(t, two, ws, f, seed)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("collection %d\n got %v\nwant %v", seed, got, want)
	}
	return int64(len(got)), int64(ahead)
}

func hasTag(t *testing.T, l *learner, ws, tag string) bool {
	t.Helper()
	tags, err := ListTags(t.Context(), l, ws)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tags {
		if x.Name == tag {
			return true
		}
	}
	return false
}
