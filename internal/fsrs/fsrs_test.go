package fsrs

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"
	"testing/quick"
	"time"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestUpstreamVectors replays the sequences the service tests itself with.
func TestUpstreamVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/nibomo-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name     string
		Settings struct {
			DesiredRetention                             float64
			LearningStepsMinutes, RelearningStepsMinutes []int
			MaximumIntervalDays                          int
			EnableFuzz                                   bool
		}
		Reviews []struct {
			At     string
			Rating Rating
		}
		Expected struct {
			DueAt                         string
			Reps, Lapses                  int
			FsrsCardState                 string
			FsrsStepIndex                 *int
			FsrsStability, FsrsDifficulty float64
			FsrsLastReviewedAt            string
			FsrsScheduledDays             int
		}
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 10 {
		t.Fatalf("only %d vectors", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			set := Settings{c.Settings.DesiredRetention, c.Settings.LearningStepsMinutes,
				c.Settings.RelearningStepsMinutes, c.Settings.MaximumIntervalDays, c.Settings.EnableFuzz}
			var s State
			var wait time.Duration
			for _, r := range c.Reviews {
				s, wait, err = Next(s, r.Rating, at(t, r.At), set)
				if err != nil {
					t.Fatal(err)
				}
			}
			e := c.Expected
			want := State{Stability: e.FsrsStability, Difficulty: e.FsrsDifficulty, LastReview: at(t, e.FsrsLastReviewedAt),
				ScheduledDays: e.FsrsScheduledDays, Reps: e.Reps, Lapses: e.Lapses}
			if e.FsrsStepIndex != nil {
				want.Step = *e.FsrsStepIndex
			}
			if want.Phase, err = ParsePhase(e.FsrsCardState); err != nil {
				t.Fatal(err)
			}
			if s != want {
				t.Errorf("state\n got %+v\nwant %+v", s, want)
			}
			if due := s.LastReview.Add(wait); !due.Equal(at(t, e.DueAt)) {
				t.Errorf("due %s, want %s", due, e.DueAt)
			}
		})
	}
}

// review is one step of a sequence; fuzzed is 0 where fuzz changes nothing.
type review struct {
	at         string
	rating     Rating
	wait       time.Duration
	fuzzed     time.Duration
	phase      Phase
	step       int
	s, d       float64
	lapses     int
	memoryFree bool // only the interval is known
}

const day = 24 * time.Hour

// TestSequences holds the vectors computed with the service's own engine.
func TestSequences(t *testing.T) {
	sequences := map[string][]review{
		"new again": {{at: "2026-01-01T08:00:00Z", rating: Again, wait: time.Minute, phase: Learning, s: 0.212, d: 6.4133}},
		"new hard":  {{at: "2026-01-01T08:00:00Z", rating: Hard, wait: 6 * time.Minute, phase: Learning, s: 1.2931, d: 5.11217071}},
		"new good":  {{at: "2026-01-01T08:00:00Z", rating: Good, wait: 10 * time.Minute, phase: Learning, step: 1, s: 2.3065, d: 2.11810397}},
		"new easy":  {{at: "2026-01-01T08:00:00.000Z", rating: Easy, wait: 8 * day, fuzzed: 10 * day, phase: Review, s: 8.2956, d: 1}},
		"again then good": {
			{at: "2026-01-01T08:00:00Z", rating: Again, wait: time.Minute, phase: Learning, s: 0.212, d: 6.4133},
			{at: "2026-01-01T08:01:00Z", rating: Good, wait: day, phase: Review, s: 0.24668919, d: 6.40211507},
		},
		"hard then hard": {
			{at: "2026-01-01T08:00:00Z", rating: Hard, wait: 6 * time.Minute, phase: Learning, s: 1.2931, d: 5.11217071},
			{at: "2026-01-01T08:06:00Z", rating: Hard, wait: 6 * time.Minute, phase: Learning, s: 0.77654945, d: 6.74045952},
		},
		"long chain": {
			{at: "2026-01-01T08:00:00Z", rating: Good, wait: 10 * time.Minute, phase: Learning, step: 1, memoryFree: true},
			{at: "2026-01-01T08:10:00Z", rating: Good, wait: 2 * day, phase: Review, s: 2.3065, d: 2.11121424},
			{at: "2026-01-03T09:00:00Z", rating: Good, wait: 11 * day, fuzzed: 13 * day, phase: Review, s: 10.97104786, d: 2.1043314},
			{at: "2026-01-14T09:00:00Z", rating: Good, wait: 46 * day, fuzzed: 48 * day, phase: Review, s: 46.31685657, d: 2.09745544},
			{at: "2026-03-01T09:00:00Z", rating: Hard, wait: 116 * day, fuzzed: -1, phase: Review, s: 116.48998752, d: 4.73915103},
			{at: "2026-04-01T09:00:00Z", rating: Again, wait: 10 * time.Minute, phase: Relearning, s: 3.57326729, d: 8.25602309, lapses: 1},
			{at: "2026-04-01T09:10:00Z", rating: Good, wait: 4 * day, fuzzed: 5 * day, phase: Review, s: 3.57326729, d: 8.24299544, lapses: 1},
			{at: "2026-04-05T09:00:00Z", rating: Easy, wait: 12 * day, fuzzed: 13 * day, phase: Review, s: 12.27954672, d: 7.64111476, lapses: 1},
		},
		"same UTC day": {
			{at: "2026-01-01T08:00:00Z", rating: Easy, wait: 8 * day, fuzzed: 10 * day, phase: Review, s: 8.2956, d: 1},
			{at: "2026-01-01T20:00:00Z", rating: Good, wait: 9 * day, fuzzed: -1, phase: Review, s: 8.2956, d: 1},
		},
	}
	for name, steps := range sequences {
		for _, fuzzOn := range []bool{false, true} {
			set := Default()
			set.Fuzz = fuzzOn
			var s State
			for i, r := range steps {
				var wait time.Duration
				var err error
				s, wait, err = Next(s, r.rating, at(t, r.at), set)
				if err != nil {
					t.Fatalf("%s %d: %v", name, i, err)
				}
				want := r.wait
				if fuzzOn && r.fuzzed != 0 {
					want = r.fuzzed
				}
				if want > 0 && wait != want {
					t.Errorf("%s %d (fuzz %v): interval %v, want %v", name, i, fuzzOn, wait, want)
				}
				if s.Phase != r.phase || s.Step != r.step || s.Lapses != r.lapses || s.Reps != i+1 {
					t.Errorf("%s %d: %+v", name, i, s)
				}
				if !r.memoryFree && (s.Stability != r.s || s.Difficulty != r.d) {
					t.Errorf("%s %d: S %v D %v, want %v %v", name, i, s.Stability, s.Difficulty, r.s, r.d)
				}
			}
		}
	}
}

func TestRelearningSteps(t *testing.T) {
	set := Default()
	s := State{Phase: Relearning, Stability: 3, Difficulty: 5, LastReview: at(t, "2026-01-01T08:00:00Z"), Reps: 3, Lapses: 1}
	o, err := Preview(s, at(t, "2026-01-01T08:10:00Z"), set)
	if err != nil {
		t.Fatal(err)
	}
	if o[Again].Interval != 10*time.Minute || o[Hard].Interval != 15*time.Minute || o[Good].State.Phase != Review || o[Easy].State.Phase != Review {
		t.Errorf("%+v", o)
	}
	if o[Again].State.Lapses != 1 {
		t.Error("Again outside review is not a lapse")
	}
}

// history plays a pseudo-random life of a card and hands every visit to check.
func history(t *testing.T, set Settings, check func(s State, now time.Time, o [4]Outcome)) {
	t.Helper()
	f := func(start uint32, moves [24]uint16) bool {
		now := time.Unix(int64(start), 0).UTC()
		var s State
		for _, m := range moves {
			o, err := Preview(s, now, set)
			if err != nil {
				t.Errorf("%+v: %v", s, err)
				return false
			}
			check(s, now, o)
			pick := o[m%4]
			s = pick.State
			// From at once to twice the interval (three would overflow a time.Duration).
			now = now.Add(time.Duration(float64(pick.Interval) * float64((m>>2)%201) / 100)).Truncate(time.Millisecond)
			if now.Year() > 9000 {
				break
			}
		}
		return !t.Failed()
	}
	if err := quick.Check(f, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

func TestProperties(t *testing.T) {
	for _, fuzzOn := range []bool{false, true} {
		set := Default()
		set.Fuzz = fuzzOn
		history(t, set, func(s State, now time.Time, o [4]Outcome) {
			if s.Phase == Review {
				if o[Hard].Interval > o[Good].Interval || o[Good].Interval >= o[Easy].Interval {
					t.Errorf("fuzz %v: not monotone from %+v: %v %v %v", fuzzOn, s, o[Hard].Interval, o[Good].Interval, o[Easy].Interval)
				}
			}
			for r, x := range o {
				if r > 0 && !fuzzOn && x.Interval < o[r-1].Interval {
					t.Errorf("%s is sooner than %s from %+v", Rating(r), Rating(r-1), s)
				}
				n := x.State
				if !(n.Stability >= minStability && n.Stability <= maxStability) || !(n.Difficulty >= 1 && n.Difficulty <= 10) {
					t.Errorf("out of bounds: %+v", n)
				}
				if n.Stability != round8(n.Stability) || n.Difficulty != round8(n.Difficulty) {
					t.Errorf("not rounded: %+v", n)
				}
				if x.Interval < time.Minute || x.Interval > time.Duration(set.MaximumDays+2)*day {
					t.Errorf("interval %v from %+v", x.Interval, s)
				}
				if n.Phase == Review && x.Interval != time.Duration(n.ScheduledDays)*day || n.Phase != Review && n.ScheduledDays != 0 {
					t.Errorf("days and interval disagree: %+v %v", n, x.Interval)
				}
				if n.Reps != s.Reps+1 || !n.LastReview.Equal(now) || !x.Due().Equal(now.Add(x.Interval)) {
					t.Errorf("bookkeeping: %+v", n)
				}
				again, wait, err := Next(s, Rating(r), now, set)
				if err != nil || again != n || wait != x.Interval {
					t.Errorf("Next and Preview disagree: %+v %v %v", again, wait, err)
				}
			}
		})
	}
}

func TestUTCDays(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"2026-01-01T23:59:00Z", "2026-01-02T00:01:00Z", 1},
		{"2026-01-01T00:00:00Z", "2026-01-01T23:59:59.999Z", 0},
		{"2026-01-02T06:59:00+07:00", "2026-01-02T07:01:00+07:00", 1},
		{"2026-02-28T12:00:00Z", "2026-03-01T12:00:00Z", 1},
		{"2028-02-28T12:00:00Z", "2028-03-01T12:00:00Z", 2},
		{"1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", 1},
	} {
		if got := daysBetween(at(t, c.a), at(t, c.b)); got != c.want {
			t.Errorf("%s → %s: %d days, want %d", c.a, c.b, got, c.want)
		}
	}
	// The zone of the caller's clock changes nothing.
	s := State{Phase: Review, Stability: 5, Difficulty: 5, LastReview: at(t, "2026-01-01T23:59:00Z"), ScheduledDays: 5, Reps: 1}
	a, _, err1 := Next(s, Good, at(t, "2026-01-02T00:01:00Z"), Default())
	b, _, err2 := Next(s, Good, at(t, "2026-01-02T07:01:00+07:00"), Default())
	if err1 != nil || err2 != nil || a != b {
		t.Errorf("%+v %+v %v %v", a, b, err1, err2)
	}
}

func TestFuzzRange(t *testing.T) {
	for _, c := range []struct{ days, elapsed, maximum, lo, hi int }{
		{3, 0, 36500, 2, 4},      // delta 1.075
		{8, 0, 36500, 6, 10},     // delta 1.775
		{8, 6, 36500, 7, 10},     // later than elapsed
		{8, 9, 36500, 6, 10},     // already over: no lower end
		{20, 0, 36500, 17, 23},   // delta 2.975
		{100, 0, 36500, 93, 107}, // delta 6.975
		{100, 0, 100, 93, 100},
	} {
		if lo, hi := fuzzRange(c.days, c.elapsed, c.maximum); lo != c.lo || hi != c.hi {
			t.Errorf("%+v: got [%d, %d]", c, lo, hi)
		}
	}
}

func TestAlea(t *testing.T) {
	seen := map[int]int{}
	for i := range 2000 {
		x := firstAlea(fuzzSeed(time.UnixMilli(int64(1_767_000_000_000+i*37)), i%7, 0))
		if x < 0 || x >= 1 {
			t.Fatalf("%v is outside [0, 1)", x)
		}
		seen[int(x*10)]++
	}
	for b := range 10 {
		if n := seen[b]; n < 120 || n > 280 {
			t.Errorf("decile %d drawn %d times of 2000", b, n)
		}
	}
	if got := fuzzSeed(time.UnixMilli(1767254400000), 3, 0.30000000000000004); got != "1767254400000_3_0.30000000000000004" {
		t.Error(got)
	}
	if got := fuzzSeed(time.UnixMilli(5), 1, 0); got != "5_1_0" {
		t.Error(got)
	}
}

func TestFactor(t *testing.T) {
	if want := round8(math.Exp(math.Log(0.9)/decay) - 1); factor != want {
		t.Errorf("factor is %v, want %v", factor, want)
	}
}

func TestRound8(t *testing.T) {
	for in, want := range map[float64]float64{
		0.123456785: 0.12345678, // just below a half in binary
		1.0 / 512:   0.00195313, // exactly a half
		-1.0 / 512:  -0.00195313,
		3.0 / 512:   0.00585938,
		2.5:         2.5,
		36500:       36500,
	} {
		if got := round8(in); got != want {
			t.Errorf("round8(%v) = %v, want %v", in, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	now := at(t, "2026-01-01T08:00:00Z")
	seen := State{Phase: Review, Stability: 5, Difficulty: 5, LastReview: now, Reps: 1}
	bad := func(f func(*State)) State { s := seen; f(&s); return s }
	for name, c := range map[string]struct {
		s    State
		r    Rating
		now  time.Time
		set  Settings
		want error
	}{
		"rating":         {State{}, 4, now, Default(), ErrRating},
		"new, memory":    {State{Stability: 1}, Good, now, Default(), ErrState},
		"seen, none":     {State{Phase: Learning, LastReview: now}, Good, now, Default(), ErrState},
		"NaN":            {bad(func(s *State) { s.Stability = math.NaN() }), Good, now, Default(), ErrState},
		"never reviewed": {bad(func(s *State) { s.LastReview = time.Time{} }), Good, now, Default(), ErrState},
		"step in review": {bad(func(s *State) { s.Step = 1 }), Good, now, Default(), ErrState},
		"phase":          {bad(func(s *State) { s.Phase = 9 }), Good, now, Default(), ErrState},
		"backwards":      {seen, Good, now.Add(-time.Second), Default(), ErrBackwards},
		"no settings":    {State{}, Good, now, Settings{}, ErrSettings},
		"no steps":       {State{}, Good, now, Settings{Retention: .9, MaximumDays: 10}, ErrSettings},
	} {
		if _, _, err := Next(c.s, c.r, c.now, c.set); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if c.r <= Easy {
			if _, err := Preview(c.s, c.now, c.set); !errors.Is(err, c.want) {
				t.Errorf("%s: Preview: %v", name, err)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, r := range Ratings() {
		if got, err := ParseRating(r.String()); err != nil || got != r {
			t.Errorf("%v %v", got, err)
		}
	}
	if _, err := ParseRating("Fine"); !errors.Is(err, ErrRating) {
		t.Error(err)
	}
	if _, err := ParsePhase("gone"); !errors.Is(err, ErrState) {
		t.Error(err)
	}
}

func TestRetrievability(t *testing.T) {
	s := State{Phase: Review, Stability: 10, Difficulty: 5, LastReview: at(t, "2026-01-01T08:00:00Z")}
	if r := Retrievability(s, s.LastReview); r != 1 {
		t.Error(r)
	}
	if r := Retrievability(s, s.LastReview.Add(10*day)); math.Abs(r-0.9) > 1e-7 {
		t.Error(r)
	}
	if r := Retrievability(State{}, s.LastReview); r != 0 {
		t.Error(r)
	}
}

func BenchmarkNext(b *testing.B) {
	now := time.Date(2026, 1, 14, 9, 0, 0, 0, time.UTC)
	s := State{Phase: Review, Stability: 10.97104786, Difficulty: 2.1043314, LastReview: now.Add(-11 * day), ScheduledDays: 11, Reps: 3}
	set := Default()
	for b.Loop() {
		if _, _, err := Next(s, Good, now, set); err != nil {
			b.Fatal(err)
		}
	}
}
