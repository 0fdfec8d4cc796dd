// Package fsrs schedules flashcards with FSRS-6, the algorithm Nibomo's server
// uses, number for number: the same inputs give the same due date here and there.
//
// It exists so that the sandbox is a faithful server and so that a review can
// tell, before a grade is given, what each grade would do. It holds pure
// functions only. It refuses to read a clock, to draw a random number of its
// own (interval fuzz is a function of the review), to keep per-user weights, and
// to touch storage.
//
// All functions are safe for concurrent use. Instants are taken to the
// millisecond, and days are UTC calendar days: from 23:59 to 00:01 UTC is one
// day, and two reviews on one UTC day are zero days apart.
//
// Source of the rules: the FSRS-6 description of open-spaced-repetition, as
// ts-fsrs 5.2.3 carries it out.
package fsrs

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// What a caller can branch on. All errors of this package wrap one of these.
var (
	// ErrRating says the rating is not one of the four.
	ErrRating = errors.New("fsrs: unknown rating")
	// ErrState says the state cannot have come from this package: memory on a new
	// card, none on a seen one, or numbers out of range.
	ErrState = errors.New("fsrs: inconsistent card state")
	// ErrSettings says the settings cannot be scheduled with.
	ErrSettings = errors.New("fsrs: invalid settings")
	// ErrBackwards says the review is earlier than the last one.
	ErrBackwards = errors.New("fsrs: review is earlier than the last review")
)

// Rating is the learner's own grade. The numbers are those stored in Nibomo's
// review_events.rating.
type Rating uint8

// The four ratings. The zero value is Again.
const (
	Again Rating = iota // wrong, or nothing came
	Hard                // right with serious effort
	Good                // right
	Easy                // right without effort
)

// Ratings lists the four in rising order.
func Ratings() [4]Rating { return [4]Rating{Again, Hard, Good, Easy} }

// String gives the name used on the wire, such as "Good".
func (r Rating) String() string {
	switch r {
	case Again:
		return "Again"
	case Hard:
		return "Hard"
	case Good:
		return "Good"
	case Easy:
		return "Easy"
	}
	return fmt.Sprintf("Rating(%d)", uint8(r))
}

// ParseRating reads a name in any letter case. It returns ErrRating for others.
func ParseRating(name string) (Rating, error) {
	for _, r := range Ratings() {
		if strings.EqualFold(name, r.String()) {
			return r, nil
		}
	}
	return 0, fmt.Errorf("%w: %q", ErrRating, name)
}

// Phase is where a card stands in its life.
type Phase uint8

// The four phases. The zero value is New.
const (
	New        Phase = iota // never reviewed
	Learning                // in the short steps after the first review
	Review                  // scheduled in days
	Relearning              // in the short steps after a lapse
)

// String gives the name used on the wire, such as "relearning".
func (p Phase) String() string {
	switch p {
	case New:
		return "new"
	case Learning:
		return "learning"
	case Review:
		return "review"
	case Relearning:
		return "relearning"
	}
	return fmt.Sprintf("Phase(%d)", uint8(p))
}

// ParsePhase reads a wire name. It returns ErrState for others.
func ParsePhase(name string) (Phase, error) {
	for _, p := range [...]Phase{New, Learning, Review, Relearning} {
		if name == p.String() {
			return p, nil
		}
	}
	return 0, fmt.Errorf("%w: phase %q", ErrState, name)
}

// State is what has to be remembered about a card between reviews. The zero
// value is a card that was never reviewed.
type State struct {
	Phase Phase
	// Step is the position in the learning or relearning steps, from 0. It means
	// nothing, and is 0, in the other phases.
	Step int
	// Stability is the number of days after which recall has fallen to 90 %.
	// 0 for a new card, else within [0.001, 36500].
	Stability float64
	// Difficulty is 0 for a new card, else within [1, 10].
	Difficulty float64
	// LastReview is zero for a new card.
	LastReview time.Time
	// ScheduledDays is the interval given last, 0 while in steps.
	ScheduledDays int
	// Reps counts all reviews; Lapses counts Again given in phase Review.
	Reps, Lapses int
}

// Settings belong to a workspace. The zero value is not usable; see Default.
type Settings struct {
	// Retention is the recall probability aimed at, within (0, 1).
	Retention float64
	// LearningSteps and RelearningSteps are in minutes; at least one each.
	LearningSteps, RelearningSteps []int
	// MaximumDays caps what the algorithm proposes. Keeping Good after Hard and
	// Easy after Good may exceed it by up to two days, as upstream does.
	MaximumDays int
	// Fuzz spreads intervals of three days and more, deterministically.
	Fuzz bool
}

// Default returns the settings of a fresh workspace: retention 0.90, steps 1 and
// 10 minutes, relearning 10 minutes, 36,500 days, fuzz on.
func Default() Settings {
	return Settings{
		Retention:       0.90,
		LearningSteps:   []int{1, 10},
		RelearningSteps: []int{10},
		MaximumDays:     36_500,
		Fuzz:            true,
	}
}

// Outcome is what one rating leads to.
type Outcome struct {
	State State
	// Interval is from the review to the next one; State.LastReview.Add(Interval)
	// is the due time. Never less than a minute.
	Interval time.Duration
}

// Due is when the card comes up next.
func (o Outcome) Due() time.Time { return o.State.LastReview.Add(o.Interval) }

// Next gives the state after a review at now, and the time to the next one.
// The returned State.LastReview is now in UTC, cut to the millisecond.
func Next(s State, r Rating, now time.Time, set Settings) (State, time.Duration, error) {
	if r > Easy {
		return State{}, 0, fmt.Errorf("%w: %d", ErrRating, uint8(r))
	}
	v, err := begin(s, now, set)
	if err != nil {
		return State{}, 0, err
	}
	o := v.rate(r)
	return o.State, o.Interval, nil
}

// Preview gives all four outcomes of a review at now, indexed by Rating, so that
// a button can say what it does.
func Preview(s State, now time.Time, set Settings) ([4]Outcome, error) {
	var out [4]Outcome
	v, err := begin(s, now, set)
	if err != nil {
		return out, err
	}
	for _, r := range Ratings() {
		out[r] = v.rate(r)
	}
	return out, nil
}

// Retrievability is the probability, 0 to 1, that the card is remembered at now.
// It is 0 for a new card and 1 on the UTC day of the last review.
func Retrievability(s State, now time.Time) float64 {
	if s.Phase == New || s.Stability <= 0 {
		return 0
	}
	return forgetting(max(0, daysBetween(s.LastReview, now)), s.Stability)
}

func (s State) check() error {
	if s.Phase > Relearning {
		return fmt.Errorf("%w: phase %d", ErrState, uint8(s.Phase))
	}
	if s.Reps < 0 || s.Lapses < 0 || s.Step < 0 || s.ScheduledDays < 0 {
		return fmt.Errorf("%w: negative count", ErrState)
	}
	if s.Phase == New {
		if s.Stability != 0 || s.Difficulty != 0 || !s.LastReview.IsZero() || s.ScheduledDays != 0 || s.Step != 0 {
			return fmt.Errorf("%w: a new card has no memory", ErrState)
		}
		return nil
	}
	// Written so that NaN fails too.
	if !(s.Stability > 0 && s.Stability <= maxStability) || !(s.Difficulty >= 1 && s.Difficulty <= 10) {
		return fmt.Errorf("%w: stability %v, difficulty %v", ErrState, s.Stability, s.Difficulty)
	}
	if s.LastReview.IsZero() {
		return fmt.Errorf("%w: a %s card was reviewed at some time", ErrState, s.Phase)
	}
	if s.Phase == Review && s.Step != 0 {
		return fmt.Errorf("%w: a card in review has no step", ErrState)
	}
	return nil
}

func (set Settings) check() error {
	if !(set.Retention > 0 && set.Retention < 1) {
		return fmt.Errorf("%w: retention %v is not between 0 and 1", ErrSettings, set.Retention)
	}
	if set.MaximumDays < 1 || set.MaximumDays > 36_500 {
		return fmt.Errorf("%w: maximum interval of %d days", ErrSettings, set.MaximumDays)
	}
	for _, steps := range [][]int{set.LearningSteps, set.RelearningSteps} {
		if len(steps) == 0 {
			return fmt.Errorf("%w: no steps", ErrSettings)
		}
		for _, m := range steps {
			if m < 1 || m >= 24*60 {
				return fmt.Errorf("%w: a step of %d minutes", ErrSettings, m)
			}
		}
	}
	return nil
}
