package nibomo

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"bridge/internal/fsrs"
	"bridge/internal/sandbox/nibomo/dialect"
)

//go:embed samples/sample.json
var sample []byte

type sampleData struct {
	Workspaces []struct {
		Name  string
		Cards []struct {
			Front, Back string
			Tags        []string
		}
		Decks []struct {
			Name string
			Tags []string
		}
	}
}

// Seed gives DefaultUser two workspaces with cards, decks and some weeks of
// reviews, so that new, learning and due cards are there now. The same seed and
// clock make the same data, identifiers included. A user who has a workspace
// already is left alone.
func (s *Service) Seed(ctx context.Context, seed int64) error {
	var data sampleData
	if err := json.Unmarshal(sample, &data); err != nil {
		return fmt.Errorf("read sample cards: %w", err)
	}
	chance := rand.New(rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15))
	now := s.now()
	conn := Connection{ID: "sample"}
	had, err := s.workspaces(ctx, s.db, conn)
	if err != nil || len(had) > 0 {
		return err
	}
	for i, w := range data.Workspaces {
		err := s.exclusive(ctx, func(t *tx) error {
			begun := now.AddDate(0, 0, -60).Add(time.Duration(i) * time.Hour)
			t.now = stamp(begun)
			made, err := t.seeded(chance).createWorkspace(ctx, conn, w.Name)
			if err != nil {
				return err
			}
			if err := t.in(ctx, made.ws); err != nil {
				return err
			}
			t.now = stamp(now)
			for k, c := range w.Cards {
				created := begun.Add(time.Duration(k) * 7 * time.Minute)
				n, err := t.newCard(ctx, card{ID: sampleID(chance), Front: c.Front, Back: c.Back, Kind: "basic", Tags: c.Tags, Created: stamp(created)})
				if err != nil {
					return err
				}
				if _, err := t.record(ctx, dialect.Find("cards"), []int64{n}, 1, false); err != nil {
					return err
				}
				if err := t.live(ctx, conn, chance, n, k, now); err != nil {
					return err
				}
			}
			for _, d := range w.Decks {
				n, err := t.newDeck(ctx, sampleID(chance), d.Name, distinct(d.Tags), stamp(begun))
				if err != nil {
					return err
				}
				if _, err := t.record(ctx, dialect.Find("decks"), []int64{n}, 1, false); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("make sample workspace %s: %w", w.Name, err)
		}
	}
	return nil
}

// seeded is t with identifiers drawn from chance.
func (t *tx) seeded(chance *rand.Rand) *tx {
	s := &Service{db: t.s.db, opts: t.s.opts}
	s.opts.NewID = func() string { return sampleID(chance) }
	return &tx{conn: t.conn, s: s, now: t.now, ws: t.ws}
}

// sampleID is a version 4 UUID drawn from chance.
func sampleID(chance *rand.Rand) string {
	a, b := chance.Uint64(), chance.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&0xffffffffffff)
}

// live plays the past of card number k. Every fifth is in its short steps now,
// every fifth is new, and the others were reviewed for weeks, as a learner does
// who sometimes comes late.
func (t *tx) live(ctx context.Context, conn Connection, chance *rand.Rand, n int64, k int, now time.Time) error {
	var cardID string
	if err := t.conn.QueryRowContext(ctx, "SELECT card_id FROM nb_card WHERE n = ?", n).Scan(&cardID); err != nil {
		return fmt.Errorf("read card: %w", err)
	}
	at := now.AddDate(0, 0, -45+chance.IntN(20)).Add(time.Duration(chance.IntN(600)) * time.Minute)
	last := now.Add(-2 * time.Hour)
	switch k % 5 {
	case 0:
		return nil
	case 1:
		at, last = now.Add(-time.Duration(12+chance.IntN(20))*time.Minute), now.Add(-11*time.Minute)
	}
	replica, err := t.seeded(chance).replica(ctx, conn)
	if err != nil {
		return err
	}
	for at.Before(last) {
		c, err := t.stored(ctx, cardID, "")
		if err != nil {
			return fmt.Errorf("read card: %w", err)
		}
		rating := fsrs.Good
		switch p := chance.IntN(10); {
		case k%5 == 1:
			rating = fsrs.Rating(chance.IntN(2)) // Again or Hard: it stays in the steps
		case p == 0:
			rating = fsrs.Again
		case p <= 2:
			rating = fsrs.Hard
		case p == 9:
			rating = fsrs.Easy
		}
		o, err := t.rate(ctx, c, rating, at)
		if err != nil {
			return err
		}
		a := arguments{cardID: cardID, rating: rating, zone: "Asia/Jakarta"}
		if err := t.recordReview(ctx, n, o, "agent-review:"+sampleID(chance), replica, a, sampleID(chance)); err != nil {
			return err
		}
		late := time.Duration(chance.IntN(90)) * time.Minute
		if o.State.ScheduledDays > 0 {
			late = time.Duration(chance.IntN(2*o.State.ScheduledDays*24)) * time.Hour / 4
		} else if k%5 == 1 {
			return nil
		}
		at = o.Due().Add(late)
	}
	return nil
}
