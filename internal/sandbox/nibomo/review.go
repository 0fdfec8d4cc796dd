package nibomo

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bridge/internal/fsrs"
	"bridge/internal/sandbox/nibomo/dialect"
	"bridge/internal/sandbox/rpc"
)

// reviewed is the data of submit_review.
type reviewed struct {
	Workspace     string `json:"workspaceId"`
	CardID        string `json:"cardId"`
	ReviewID      string `json:"reviewId"`
	EventID       string `json:"reviewEventId"`
	Rating        string `json:"rating"`
	ReviewedAt    string `json:"reviewedAt"`
	DueAt         string `json:"dueAt"`
	Interval      int64  `json:"intervalSeconds"`
	ScheduledDays int    `json:"scheduledDays"`
	State         string `json:"state"`
	Reps          int    `json:"reps"`
	Lapses        int    `json:"lapses"`
}

// reviewSchedule is a card as a conflict reports it: as it is now, perhaps after
// a later review.
type reviewSchedule struct {
	CardID        string  `json:"cardId"`
	DueAt         *string `json:"dueAt"`
	Interval      *int64  `json:"intervalSeconds"`
	ScheduledDays int     `json:"scheduledDays"`
	State         string  `json:"state"`
	Reps          int     `json:"reps"`
	Lapses        int     `json:"lapses"`
}

// stored is a card's schedule in the database.
type stored struct {
	n                     int64
	state                 string
	due, last             *string
	step, days            *int
	stability, difficulty *float64
	reps, lapses          int
}

func (t *tx) stored(ctx context.Context, cardID, alive string) (c stored, err error) {
	err = t.conn.QueryRowContext(ctx, `SELECT n, state, due_at, last_reviewed_at, step, scheduled_days, stability, difficulty, reps, lapses
		FROM nb_card WHERE ws = ? AND card_id = ?`+alive, t.ws, cardID).
		Scan(&c.n, &c.state, &c.due, &c.last, &c.step, &c.days, &c.stability, &c.difficulty, &c.reps, &c.lapses)
	return c, err
}

// schedule turns a stored card into what fsrs takes.
func (c stored) schedule() (fsrs.State, error) {
	phase, err := fsrs.ParsePhase(c.state)
	if err != nil {
		return fsrs.State{}, err
	}
	s := fsrs.State{Phase: phase, Reps: c.reps, Lapses: c.lapses}
	if c.last != nil {
		if s.LastReview, err = unstamp(*c.last); err != nil {
			return fsrs.State{}, err
		}
	}
	if c.step != nil {
		s.Step = *c.step
	}
	if c.days != nil {
		s.ScheduledDays = *c.days
	}
	if c.stability != nil {
		s.Stability = *c.stability
	}
	if c.difficulty != nil {
		s.Difficulty = *c.difficulty
	}
	return s, nil
}

func (s *Service) submitReview(ctx context.Context, conn Connection, a arguments) (json.RawMessage, string, error) {
	ws, id, err := s.resolve(ctx, conn, a.workspaceID)
	if err != nil {
		return nil, "", err
	}
	out := reviewed{Workspace: id, CardID: a.cardID, ReviewID: a.reviewID, Rating: a.rating.String()}
	err = s.exclusive(ctx, func(t *tx) error {
		if err := t.in(ctx, ws); err != nil {
			return err
		}
		return t.review(ctx, conn, a, &out)
	})
	if err != nil {
		return nil, "", err
	}
	return rpc.Marshal(out), "The review is recorded. Forget this reviewId and go on with next_review_card.", nil
}

// review checks for a duplicate, then for the card, then writes: a repeated call
// must meet its own record, not the trace it left on the card.
func (t *tx) review(ctx context.Context, conn Connection, a arguments, out *reviewed) error {
	replica, err := t.replica(ctx, conn)
	if err != nil {
		return err
	}
	event := "agent-review:" + a.reviewID
	var cardID string
	err = t.conn.QueryRowContext(ctx, "SELECT card_id FROM nb_review WHERE ws = ? AND replica_id = ? AND client_event_id = ?",
		t.ws, replica, event).Scan(&cardID)
	switch {
	case err == nil && cardID == a.cardID:
		return t.conflict(ctx, a)
	case err == nil:
		return faultf(codeMismatch, "reviewId %s was recorded for card %s and cannot be used for card %s", a.reviewID, cardID, a.cardID)
	case !errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("look for review: %w", err)
	}
	c, err := t.stored(ctx, a.cardID, " AND deleted_at IS NULL")
	if errors.Is(err, sql.ErrNoRows) {
		return faultf(codeFailed, "Card not found")
	}
	if err != nil {
		return fmt.Errorf("read card: %w", err)
	}
	if c.last != nil && *c.last >= t.now {
		return faultf(codeStale, "Card %s was last reviewed at %s, which is not before now", a.cardID, *c.last)
	}
	now, err := unstamp(t.now)
	if err != nil {
		return err
	}
	o, err := t.rate(ctx, c, a.rating, now)
	if err != nil {
		return err
	}
	out.EventID = t.s.opts.NewID()
	if err := t.recordReview(ctx, c.n, o, event, replica, a, out.EventID); err != nil {
		return err
	}
	out.ReviewedAt, out.DueAt = t.now, stamp(o.Due())
	out.Interval, out.ScheduledDays = int64(o.Interval.Seconds()), o.State.ScheduledDays
	out.State, out.Reps, out.Lapses = o.State.Phase.String(), o.State.Reps, o.State.Lapses
	return nil
}

// rate computes the review with the workspace's settings.
func (t *tx) rate(ctx context.Context, c stored, r fsrs.Rating, now time.Time) (fsrs.Outcome, error) {
	var set fsrs.Settings
	var learning, relearning string
	err := t.conn.QueryRowContext(ctx, "SELECT retention, learning, relearning, maximum_days, fuzz FROM nb_workspace WHERE ws = ?", t.ws).
		Scan(&set.Retention, &learning, &relearning, &set.MaximumDays, &set.Fuzz)
	if err != nil {
		return fsrs.Outcome{}, fmt.Errorf("read settings: %w", err)
	}
	if err := errors.Join(json.Unmarshal([]byte(learning), &set.LearningSteps), json.Unmarshal([]byte(relearning), &set.RelearningSteps)); err != nil {
		return fsrs.Outcome{}, fmt.Errorf("read settings: %w", err)
	}
	state, err := c.schedule()
	if err == nil {
		var o fsrs.Outcome
		if o.State, o.Interval, err = fsrs.Next(state, r, now, set); err == nil {
			return o, nil
		}
	}
	return fsrs.Outcome{}, faultf(codeCardState, "The card's schedule is damaged: %v", err)
}

// recordReview writes the event and the card.
func (t *tx) recordReview(ctx context.Context, n int64, o fsrs.Outcome, event, replica string, a arguments, eventID string) error {
	when := stamp(o.State.LastReview)
	var row int64
	err := t.conn.QueryRowContext(ctx, `INSERT INTO nb_review (ws, review_event_id, card_id, replica_id, client_event_id, rating,
		reviewed_at_client, reviewed_at_server, time_zone) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
		t.ws, eventID, a.cardID, replica, event, int(a.rating), when, when, a.zone).Scan(&row)
	if err != nil {
		return fmt.Errorf("record review: %w", err)
	}
	if err := t.schedule(ctx, n, o); err != nil {
		return err
	}
	if _, err := t.record(ctx, dialect.Find("review_events"), []int64{row}, 1, false); err != nil {
		return err
	}
	_, err = t.record(ctx, dialect.Find("cards"), []int64{n}, 0, false)
	return err
}

// replica is who a connection is within a workspace; review events name it.
func (t *tx) replica(ctx context.Context, conn Connection) (string, error) {
	var id string
	err := t.conn.QueryRowContext(ctx, `INSERT INTO nb_replica (ws, user_id, connection_id, replica_id) VALUES (?, ?, ?, ?)
		ON CONFLICT (ws, user_id, connection_id) DO UPDATE SET replica_id = replica_id RETURNING replica_id`,
		t.ws, conn.user(), conn.ID, t.s.opts.NewID()).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("find replica: %w", err)
	}
	return id, nil
}

func (t *tx) conflict(ctx context.Context, a arguments) error {
	c, err := t.stored(ctx, a.cardID, "")
	if err != nil {
		return fmt.Errorf("read card: %w", err)
	}
	now := reviewSchedule{CardID: a.cardID, DueAt: c.due, State: c.state, Reps: c.reps, Lapses: c.lapses}
	if c.days != nil {
		now.ScheduledDays = *c.days
	}
	if c.due != nil && c.last != nil {
		due, err1 := unstamp(*c.due)
		last, err2 := unstamp(*c.last)
		if err1 == nil && err2 == nil {
			seconds := int64(due.Sub(last).Seconds())
			now.Interval = &seconds
		}
	}
	return &Fault{codeConflict, fmt.Sprintf("reviewId %s is already recorded for card %s", a.reviewID, a.cardID),
		map[string]any{"reviewSchedule": now}}
}
