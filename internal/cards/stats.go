package cards

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"bridge/internal/fsrs"
)

// A DueCount is how many cards are due, and when more come due, so that it can
// be told for a while without asking again.
type DueCount struct {
	Counts
	At   time.Time   // when it was counted
	Next []time.Time // when cards come due within a day after that, rising
}

// mostUpcoming bounds what is remembered for the next day.
const mostUpcoming = 1000

// CountDue counts the cards of a filter.
func CountDue(ctx context.Context, c Caller, workspace string, f Filter, now time.Time) (DueCount, error) {
	cl := client{c, workspace}
	out := DueCount{At: now}
	scope, err := cl.scope(ctx, f)
	if err != nil {
		return out, err
	}
	if out.Counts, err = cl.count(ctx, now, scope); err != nil {
		return out, err
	}
	type line struct {
		Due time.Time `json:"due_at"`
	}
	rows, _, err := all[line](ctx, cl, "SELECT due_at FROM cards WHERE due_at > "+stampSQL(now)+" AND due_at <= "+stampSQL(now.Add(24*time.Hour))+
		scope+" ORDER BY due_at ASC", mostUpcoming)
	for _, r := range rows {
		out.Next = append(out.Next, r.Due)
	}
	return out, err
}

// Total is how many are due at now, as far as was known.
func (d DueCount) Total(now time.Time) int {
	n := d.Counts.Total()
	for _, t := range d.Next {
		if !t.After(now) {
			n++
		}
	}
	return n
}

// NextDue is when the next card comes due after now; zero if not known.
func (d DueCount) NextDue(now time.Time) time.Time {
	for _, t := range d.Next {
		if t.After(now) {
			return t
		}
	}
	return time.Time{}
}

// A Day and what happens in it.
type Day struct {
	Date  time.Time // its beginning, in the learner's zone
	Count int
}

// Stats is a learner's record in one workspace.
type Stats struct {
	Cards    Counts // due now
	ByState  [4]int // all cards, by fsrs.Phase
	Forecast []Day  // cards that come due, from today on; those overdue are today's
	Reviews  []Day  // reviews given, up to today
	Ratings  [4]int // of the past 30 days, by fsrs.Rating
	Tags     []Tag  // with the most cards
	Now      time.Time
}

// The spans of Stats.
const (
	forecastDays = 30
	yearDays     = 371 // 53 whole weeks
	ratingDays   = 30
)

// maxBatch is how many statements the service takes at once.
const maxBatch = 50

// ReadStats reads the record. Days are those of now's location.
func ReadStats(ctx context.Context, c Caller, workspace string, f Filter, now time.Time) (Stats, error) {
	cl := client{c, workspace}
	s := Stats{Now: now}
	scope, err := cl.scope(ctx, f)
	if err != nil {
		return s, err
	}
	if s.Cards, err = cl.count(ctx, now, scope); err != nil {
		return s, err
	}
	type line struct {
		Phase  string `json:"fsrs_card_state"`
		Rating int    `json:"rating"`
		N      int    `json:"n"`
	}
	where := strings.Replace(scope, " AND ", " WHERE ", 1)
	rows, _, err := query[line](ctx, cl, "SELECT fsrs_card_state, COUNT(*) AS n FROM cards"+where+" GROUP BY fsrs_card_state LIMIT 10")
	if err != nil {
		return s, err
	}
	for _, r := range rows {
		if p, err := fsrs.ParsePhase(r.Phase); err == nil {
			s.ByState[p] += r.N
		}
	}
	today := midnight(now)
	from := today.AddDate(0, 0, 1-ratingDays)
	if rows, _, err = query[line](ctx, cl, "SELECT rating, COUNT(*) AS n FROM review_events WHERE reviewed_at_server >= "+stampSQL(from)+" GROUP BY rating LIMIT 10"); err != nil {
		return s, err
	}
	for _, r := range rows {
		if r.Rating >= 0 && r.Rating < len(s.Ratings) {
			s.Ratings[r.Rating] += r.N
		}
	}
	s.Forecast, err = cl.perDay(ctx, "cards", "due_at", scope, today, forecastDays, true)
	if err != nil {
		return s, err
	}
	// A year ends with today and begins with a Monday.
	first := today.AddDate(0, 0, -364-(int(today.Weekday())+6)%7)
	if s.Reviews, err = cl.perDay(ctx, "review_events", "reviewed_at_server", "", first, days(first, today)+1, false); err != nil {
		return s, err
	}
	s.Tags, err = cl.tags(ctx)
	return s, err
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// days counts calendar days from a to b, which are midnights.
func days(a, b time.Time) (n int) {
	for d := a; d.Before(b) && n < yearDays; d = d.AddDate(0, 0, 1) {
		n++
	}
	return n
}

// perDay counts rows by day. The dialect has no dates to group by, so each day
// is a statement, as many a call as the service takes.
func (c client) perDay(ctx context.Context, table, column, scope string, first time.Time, n int, sinceEver bool) ([]Day, error) {
	out := make([]Day, n)
	var statements []string
	for i := range out {
		out[i].Date = first.AddDate(0, 0, i)
		where := column + " >= " + stampSQL(out[i].Date) + " AND "
		if i == 0 && sinceEver {
			where = ""
		}
		statements = append(statements, "SELECT COUNT(*) AS n FROM "+table+" WHERE "+where+column+" < "+stampSQL(first.AddDate(0, 0, i+1))+scope)
	}
	at := 0
	for batch := range slices.Chunk(statements, maxBatch) {
		var answer struct {
			Rows       []countRow `json:"rows"` // of a single statement
			Statements []struct {
				Rows []countRow `json:"rows"`
			} `json:"statements"`
		}
		if err := call(ctx, c, "sql_query", map[string]any{"sql": strings.Join(batch, "; "), "workspaceId": c.workspace}, &answer); err != nil {
			return nil, err
		}
		if len(batch) == 1 {
			answer.Statements = append(answer.Statements, struct {
				Rows []countRow `json:"rows"`
			}{answer.Rows})
		}
		if len(answer.Statements) != len(batch) {
			return nil, fmt.Errorf("sql_query: %d answers to %d statements: %w", len(answer.Statements), len(batch), ErrForeign)
		}
		for _, s := range answer.Statements {
			if len(s.Rows) > 0 {
				out[at].Count = s.Rows[0].N
			}
			at++
		}
	}
	return out, nil
}

type countRow struct {
	N int `json:"n"`
}

// Remembered is the share of grades that were not Again, in percent; ok is
// false where there are none.
func (s Stats) Remembered() (percent int, ok bool) {
	n := s.Ratings[0] + s.Ratings[1] + s.Ratings[2] + s.Ratings[3]
	if n == 0 {
		return 0, false
	}
	return (100*(n-s.Ratings[fsrs.Again]) + n/2) / n, true
}

// Streak is how many days in a row have reviews, up to today or yesterday.
func (s Stats) Streak() (n int) {
	i := len(s.Reviews) - 1
	if i >= 0 && s.Reviews[i].Count == 0 {
		i-- // today is not over
	}
	for ; i >= 0 && s.Reviews[i].Count > 0; i-- {
		n++
	}
	return n
}
