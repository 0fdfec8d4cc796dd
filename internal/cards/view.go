package cards

import (
	"time"

	"bridge/internal/fsrs"
)

// A Phase is what a session is doing.
type Phase int

// The phases.
const (
	Loading  Phase = iota // no card yet: the server is asked
	Question              // the front is shown
	Answer                // both sides are shown
	Finished              // nothing is due, or the limit is reached
)

// A Preview is what a grade would do.
type Preview struct {
	Interval time.Duration
	// About says that the server spreads intervals of this length.
	About bool
}

// A Snapshot is all that an interface shows, at one moment.
type Snapshot struct {
	Phase Phase
	Card  Card // without meaning while Loading and Finished
	// Revealing: the answer was asked for and is not here yet.
	Revealing bool
	Previews  *[4]Preview
	Counts    Counts // what is due now; the card shown is among them
	Counted   bool   // Counts are known
	Grades    [4]int
	Elapsed   time.Duration
	// Unsent counts grades that are on disk and not confirmed, the held one
	// included.
	Unsent int
	// Waiting counts those that wait for the server: found from before, or
	// without an answer.
	Waiting int
	// HeldFor is how long the last grade can still be undone; 0: not.
	HeldFor time.Duration
	Last    *Result
	Notice  Notice
	// Problem is why the server is not reached; nil when it is.
	Problem error
	// Stuck is why the server does not take a grade, for the first such.
	Stuck   error
	NextDue time.Time // when the next card comes due, as far as is known
	Limit   int
	Filter  Filter
}

// Done is how many grades were given.
func (v Snapshot) Done() int { return v.Grades[0] + v.Grades[1] + v.Grades[2] + v.Grades[3] }

// View tells what to show.
func (s *Session) View() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	s.tick()
	v := Snapshot{Counts: s.counts, Counted: s.known, Grades: s.grades, Elapsed: now.Sub(s.started), Unsent: len(s.box.entries),
		Notice: s.notice, Problem: s.problem, Limit: s.o.Limit, Filter: s.o.Filter, NextDue: s.pool.nextDue(s.now())}
	for _, e := range s.box.entries {
		if e.tried {
			v.Waiting++
		}
		if v.Stuck == nil {
			v.Stuck = e.stuck
		}
	}
	if s.held != nil {
		v.HeldFor = max(time.Millisecond, s.heldUntil.Sub(now))
	}
	if s.last != nil {
		last := *s.last
		v.Last = &last
	}
	switch {
	case s.current == nil && s.finished:
		v.Phase = Finished
	case s.current == nil:
		if best, certain := s.pool.pick(s.now(), s.busy); best == nil && certain && s.held != nil {
			v.Phase = Finished // as far as is known; the last grade is still held
		}
	case s.revealed && s.current.HasBack:
		v.Phase = Answer
	default:
		v.Phase = Question
	}
	if v.Phase == Finished && !s.graded.IsZero() {
		v.Elapsed = s.graded.Sub(s.started)
	}
	if s.current != nil {
		v.Card = *s.current
		v.Revealing = s.revealed && !s.current.HasBack
		v.Previews = s.preview()
	}
	return v
}

// preview computes without fuzz, which depends on the millisecond at which the
// server takes the grade.
func (s *Session) preview() *[4]Preview {
	if !s.current.Known || s.pool.read.IsZero() {
		return nil
	}
	set := s.pool.settings
	set.Fuzz = false
	outcomes, err := fsrs.Preview(s.current.State, s.now(), set)
	if err != nil {
		return nil
	}
	var out [4]Preview
	for i, o := range outcomes {
		out[i] = Preview{o.Interval, s.pool.settings.Fuzz && o.State.ScheduledDays >= 3}
	}
	return &out
}
