package cards

import (
	"cmp"
	"time"

	"bridge/internal/fsrs"
)

// A Card is a card as far as it is known. Front and Back are the author's
// Markdown: untrusted text.
type Card struct {
	ID      string
	Front   string
	Back    string
	HasBack bool
	// Known says whether what follows has been read.
	Known   bool
	Tags    []string
	Created time.Time
	Due     time.Time // zero for a new card
	State   fsrs.State

	lost bool // its state cannot be read
}

// A Kind is how a card is counted, as flashcard programs do.
type Kind int

// The kinds. Learning is every card in short steps.
const (
	KindNew Kind = iota
	KindLearning
	KindDue
)

// Kind of the card.
func (c *Card) Kind() Kind { return kindOf(c.State.Phase) }

func kindOf(p fsrs.Phase) Kind {
	switch p {
	case fsrs.New:
		return KindNew
	case fsrs.Learning, fsrs.Relearning:
		return KindLearning
	}
	return KindDue
}

// row is a card as sql_query gives it.
type row struct {
	ID            string     `json:"card_id"`
	Front         string     `json:"front_text"`
	Back          string     `json:"back_text"`
	Tags          []string   `json:"tags"`
	Created       *time.Time `json:"created_at"`
	Due           *time.Time `json:"due_at"`
	Reps          int        `json:"reps"`
	Lapses        int        `json:"lapses"`
	Phase         string     `json:"fsrs_card_state"`
	Step          *int       `json:"fsrs_step_index"`
	Stability     *float64   `json:"fsrs_stability"`
	Difficulty    *float64   `json:"fsrs_difficulty"`
	Last          *time.Time `json:"fsrs_last_reviewed_at"`
	ScheduledDays *int       `json:"fsrs_scheduled_days"`
}

const rowColumns = "card_id, front_text, back_text, tags, created_at, due_at, reps, lapses, fsrs_card_state, " +
	"fsrs_step_index, fsrs_stability, fsrs_difficulty, fsrs_last_reviewed_at, fsrs_scheduled_days"

func (r row) card() *Card {
	phase, _ := fsrs.ParsePhase(r.Phase)
	return &Card{ID: r.ID, Front: r.Front, Back: r.Back, HasBack: true, Known: true, Tags: r.Tags,
		Created: value(r.Created), Due: value(r.Due),
		State: fsrs.State{Phase: phase, Step: value(r.Step), Stability: value(r.Stability), Difficulty: value(r.Difficulty),
			LastReview: value(r.Last), ScheduledDays: value(r.ScheduledDays), Reps: r.Reps, Lapses: r.Lapses}}
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// The server's queue at an instant: cards due that were reviewed within the
// past hour, other cards due, new cards; within each by due time, creation,
// identifier. Which way creation goes among equals is not documented; see
// pool.newest.
const (
	bucketSteps = iota
	bucketDue
	bucketNew
	bucketNone // not in the queue
)

func (c *Card) bucket(now time.Time) int {
	switch {
	case c.Due.IsZero():
		return bucketNew
	case c.Due.After(now):
		return bucketNone
	case !c.State.LastReview.Before(now.Add(-time.Hour)) && !c.State.LastReview.After(now):
		return bucketSteps
	}
	return bucketDue
}

// compare orders two cards of the queue.
func (c *Card) compare(d *Card, now time.Time, newest bool) int {
	created := c.Created.Compare(d.Created)
	if newest {
		created = -created
	}
	return cmp.Or(c.bucket(now)-d.bucket(now), c.Due.Compare(d.Due), created, cmp.Compare(c.ID, d.ID))
}
