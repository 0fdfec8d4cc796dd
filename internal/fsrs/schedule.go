package fsrs

import (
	"fmt"
	"math"
	"time"
)

// visit is one review before its rating is known.
type visit struct {
	from State
	set  Settings
	now  time.Time
	days int // UTC days since the last review
	seed string
}

func begin(s State, now time.Time, set Settings) (visit, error) {
	if err := s.check(); err != nil {
		return visit{}, err
	}
	if err := set.check(); err != nil {
		return visit{}, err
	}
	v := visit{from: s, set: set, now: now.UTC().Truncate(time.Millisecond)}
	if s.Phase != New {
		if v.now.Before(s.LastReview) {
			return visit{}, fmt.Errorf("%w: %s, last %s", ErrBackwards,
				v.now.Format(time.RFC3339Nano), s.LastReview.UTC().Format(time.RFC3339Nano))
		}
		v.days = daysBetween(s.LastReview, v.now)
	}
	v.seed = fuzzSeed(v.now, s.Reps+1, s.Difficulty*s.Stability)
	return v, nil
}

func (v visit) rate(r Rating) Outcome {
	next := v.from
	next.Reps++
	next.LastReview = v.now
	m := memory{v.from.Stability, v.from.Difficulty}
	relearning := len(v.set.RelearningSteps)
	switch v.from.Phase {
	case New:
		next.Phase = Learning
		return v.step(next, first(r), r, v.set.LearningSteps)
	case Learning:
		return v.step(next, m.shortTerm(r, relearning), r, v.set.LearningSteps)
	case Relearning:
		return v.step(next, m.shortTerm(r, relearning), r, v.set.RelearningSteps)
	}
	if r == Again {
		next.Lapses++
		next.Phase = Relearning
		return inSteps(next, m.longTerm(Again, v.days, relearning), 0, v.set.RelearningSteps[0])
	}
	return v.review(next, m, r)
}

// step moves through the learning or relearning steps, or out of them.
func (v visit) step(next State, m memory, r Rating, steps []int) Outcome {
	at := v.from.Step
	switch r {
	case Again:
		return inSteps(next, m, 0, steps[0])
	case Hard:
		return inSteps(next, m, at, hardMinutes(steps))
	case Good:
		// ts-fsrs counts a Good in learning twice: once for the review, once for
		// the step it leads to.
		if v.from.Phase == Learning {
			at++
		}
		if at++; at < len(steps) {
			return inSteps(next, m, at, steps[at])
		}
	}
	return inDays(next, m, v.interval(m.stability))
}

// review orders the three passing grades: hard ≤ good < easy.
func (v visit) review(next State, m memory, r Rating) Outcome {
	var to [4]memory
	var days [4]int
	for _, g := range []Rating{Hard, Good, Easy} {
		to[g] = m.longTerm(g, v.days, len(v.set.RelearningSteps))
		days[g] = v.interval(to[g].stability)
	}
	days[Hard] = min(days[Hard], days[Good])
	days[Good] = max(days[Good], days[Hard]+1)
	days[Easy] = max(days[Easy], days[Good]+1)
	return inDays(next, to[r], days[r])
}

// interval is the number of days after which recall falls to the wanted
// retention, at least one, fuzzed where the settings ask for it.
func (v visit) interval(stability float64) int {
	modifier := round8((math.Pow(v.set.Retention, 1/decay) - 1) / factor)
	days := int(clamp(math.Round(stability*modifier), 1, float64(v.set.MaximumDays)))
	if !v.set.Fuzz || days < 3 {
		return days
	}
	return fuzz(days, v.days, v.set.MaximumDays, v.seed)
}

// hardMinutes is between the first two steps, or half as long again as the only one.
func hardMinutes(steps []int) int {
	if len(steps) == 1 {
		return int(math.Round(float64(steps[0]) * 1.5))
	}
	return int(math.Round(float64(steps[0]+steps[1]) / 2))
}

func inSteps(next State, m memory, step, minutes int) Outcome {
	next.Step, next.ScheduledDays = step, 0
	next.Stability, next.Difficulty = m.stability, m.difficulty
	return Outcome{next, time.Duration(minutes) * time.Minute}
}

func inDays(next State, m memory, days int) Outcome {
	next.Phase, next.Step, next.ScheduledDays = Review, 0, days
	next.Stability, next.Difficulty = m.stability, m.difficulty
	return Outcome{next, time.Duration(days) * 24 * time.Hour}
}
