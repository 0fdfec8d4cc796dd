package cards

import (
	"context"
	"errors"
	"slices"
	"time"

	"bridge/internal/fsrs"
)

// Run does what there is to do with the server until ctx ends. It returns when
// nothing of its work is under way any more.
func (s *Session) Run(ctx context.Context) {
	for ctx.Err() == nil {
		did, wait := s.Step(ctx)
		if did {
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// idle is how long Run sleeps when nothing is to be done.
const idle = time.Minute

// Step does the one thing that is most urgent: send a grade, ask for the next
// card, fetch the answer, look ahead. It says whether it did something, and if
// not, after what time there may be something to do.
func (s *Session) Step(ctx context.Context) (did bool, wait time.Duration) {
	s.mu.Lock()
	now := s.o.Now()
	if s.held != nil && !s.heldUntil.After(now) {
		s.release()
		signal(s.changed)
	}
	wait = idle
	if s.held != nil {
		wait = min(wait, s.heldUntil.Sub(now))
	}
	if s.retry.After(now) {
		s.mu.Unlock()
		return false, min(wait, s.retry.Sub(now))
	}
	if e := s.sendable(); e != nil {
		s.mu.Unlock()
		s.deliver(ctx, e)
		return true, 0
	}
	switch {
	case s.scope == nil:
		return s.resolve(ctx), 0
	case s.current == nil && !s.finished && s.ask && s.held == nil:
		return s.confirm(ctx), 0
	case s.current != nil && !s.current.HasBack:
		return s.fetchBack(ctx), 0
	case !s.finished && s.pool.short(s.now(), s.busy):
		return s.refill(ctx), 0
	case s.current != nil && !s.current.Known && !s.current.lost:
		return s.fetchState(ctx), 0
	case s.ask && s.held == nil && s.current != nil:
		return s.confirm(ctx), 0
	}
	s.mu.Unlock()
	return false, max(wait, time.Millisecond)
}

// sendable is the oldest entry that may be sent now. An entry that the server
// does not take holds back only later ones of the same card.
func (s *Session) sendable() *Entry {
	var blocked []string
	for _, e := range s.box.entries {
		switch {
		case e == s.held:
		case e.stuck != nil:
			blocked = append(blocked, e.Card)
		case !slices.Contains(blocked, e.Card):
			return e
		}
	}
	return nil
}

// attempt judges the outcome of a call and unlocks s.mu-protected fields: it
// is called with the lock held. It returns whether the call succeeded.
func (s *Session) attempt(ctx context.Context, err error) bool {
	if err == nil {
		if s.problem != nil {
			signal(s.changed)
		}
		s.problem, s.tries, s.retry = nil, 0, time.Time{}
		return true
	}
	if ctx.Err() != nil {
		return false
	}
	s.problem = err
	s.tries++
	s.retry = s.o.Now().Add(min(time.Second<<min(s.tries-1, 5), 30*time.Second))
	if s.current == nil && !s.finished {
		// Without the server, what was seen ahead is better than nothing.
		if best, _ := s.pool.pick(s.now(), s.busy); best != nil {
			s.current, s.revealed = best, false
		}
	}
	signal(s.changed)
	return false
}

// The functions below are called with the lock held and give it up while they
// wait for the server. Each returns true: it did something.

func (s *Session) resolve(ctx context.Context) bool {
	filter, gen := s.o.Filter, s.gen
	s.mu.Unlock()
	scope, err := s.c.scope(ctx, filter)
	s.mu.Lock()
	defer s.mu.Unlock()
	if gen != s.gen {
		return true
	}
	if err != nil && !transient(err) {
		err = nil // the look-ahead does without; next_review_card will say what is wrong
		scope = " AND card_id IS NULL"
	}
	if s.attempt(ctx, err) {
		s.scope = &scope
	}
	return true
}

// confirm asks the server for its next card and holds what is shown against it.
func (s *Session) confirm(ctx context.Context) bool {
	filter, gen := s.o.Filter, s.gen
	s.mu.Unlock()
	card, err := s.c.next(ctx, filter)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.attempt(ctx, err)
		return true
	}
	s.attempt(ctx, nil)
	if gen != s.gen {
		return true // the answer is about a queue that is no more
	}
	defer signal(s.changed)
	s.ask = false
	if card == nil {
		switch {
		case s.current == nil:
			s.finished = true
		case !s.revealed:
			s.current, s.finished, s.notice = nil, true, NoticeElsewhere
			s.pool.read = time.Time{}
		}
		return true
	}
	if s.busy(card.ID) {
		// A grade that the server does not take keeps its card at the head.
		s.passOver()
		return true
	}
	if known := s.pool.cards[card.ID]; known != nil {
		if known.Front != card.Front {
			known.Front, known.HasBack = card.Front, false
		}
		card = known
	}
	switch {
	case s.current == nil:
		s.current, s.revealed = card, false
	case s.current.ID == card.ID:
	default:
		s.disagree(card)
	}
	return true
}

// passOver shows another card than the server's, whose grade is stuck.
func (s *Session) passOver() {
	if s.current != nil {
		return
	}
	if best, _ := s.pool.pick(s.now(), s.busy); best != nil {
		s.current, s.revealed = best, false
	} else {
		s.finished = true
	}
}

// disagree deals with a server that names another card than the one that is
// being read. That one is not taken away from under the reader's eyes: the
// server's comes after it, and what was seen ahead is read again.
func (s *Session) disagree(card *Card) {
	s.forced = card
	if s.current.Due.Equal(card.Due) && s.current.bucket(s.now()) == card.bucket(s.now()) && !s.current.Created.Equal(card.Created) {
		s.pool.newest = card.Created.After(s.current.Created)
	}
	s.pool.read = time.Time{}
}

func (s *Session) fetchBack(ctx context.Context) bool {
	card := s.current
	s.mu.Unlock()
	back, err := s.c.reveal(ctx, card.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && codeOf(err) == codeFailed && s.gone != card.ID {
		// The card was deleted while it was on the screen. If the server names
		// it again, that is not why.
		s.gone = card.ID
		s.attempt(ctx, nil)
		delete(s.pool.cards, card.ID)
		if s.current == card {
			s.counts.add(card.Kind(), -1)
			s.gen++
			s.advance()
			s.notice = NoticeElsewhere
			signal(s.changed)
		}
		return true
	}
	if s.attempt(ctx, err) {
		card.Back, card.HasBack = back, true
		signal(s.changed)
	}
	return true
}

func (s *Session) fetchState(ctx context.Context) bool {
	card := s.current
	s.mu.Unlock()
	full, err := s.c.byID(ctx, card.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !transient(err) {
		s.attempt(ctx, nil)
		card.lost = full == nil
		if full != nil {
			s.pool.adopt(card, full)
		}
		signal(s.changed)
		return true
	}
	s.attempt(ctx, err)
	return true
}

// adopt puts what was read into the card that is on the screen, and the pool.
func (p *pool) adopt(card, full *Card) {
	*card = *full
	if p.cards != nil {
		p.cards[card.ID] = card
	}
}

func (s *Session) refill(ctx context.Context) bool {
	scope, gen, newest, at := *s.scope, s.gen, s.pool.newest, s.now()
	s.mu.Unlock()
	fresh, counts, err := s.c.look(ctx, at, scope, newest)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !transient(err) {
		// This server's SQL is not ours: go on with the three tools.
		s.attempt(ctx, nil)
		s.pool = pool{cards: map[string]*Card{}, read: at, settings: fsrs.Default(), moreWindow: true}
		return true
	}
	if !s.attempt(ctx, err) {
		return true
	}
	// Grades that were confirmed while the rows were read are newer than they.
	if gen != s.gen && len(s.pool.cards) > 0 {
		for id, c := range s.pool.cards {
			if c.State.LastReview.After(at) {
				fresh.cards[id] = c
			}
		}
	}
	s.counts, s.counted, s.known = counts, at, true
	for _, e := range s.box.entries {
		if c := fresh.cards[e.Card]; c != nil && c.bucket(at) != bucketNone {
			s.counts.add(c.Kind(), -1)
		}
	}
	if s.current != nil {
		full := fresh.cards[s.current.ID]
		waits := full != nil && full.bucket(at) == bucketNone || full == nil && !fresh.moreWindow && !fresh.moreOverdue && !fresh.moreFresh
		if waits && s.forced != nil && !s.revealed {
			// The server named another card, and this one is no longer due.
			s.pool = *fresh
			s.gen++
			s.advance()
			s.notice = NoticeElsewhere
			signal(s.changed)
			return true
		}
		if full != nil {
			*s.current = *full
			fresh.cards[full.ID] = s.current
		}
	}
	if s.forced != nil {
		if full := fresh.cards[s.forced.ID]; full != nil {
			s.forced = full
		}
	}
	s.pool = *fresh
	if s.current == nil && s.held != nil && !s.finished {
		s.advance()
	}
	signal(s.changed)
	return true
}

// deliver sends one entry and does with it what the answer asks for.
func (s *Session) deliver(ctx context.Context, e *Entry) {
	if e.tried {
		found, err := s.recorded(ctx, e)
		if err != nil {
			s.mu.Lock()
			if !transient(err) {
				e.stuck = err
				err = nil
				signal(s.changed)
			}
			s.attempt(ctx, err)
			s.mu.Unlock()
			return
		}
		if found {
			s.settle(ctx, e, Recorded{}, nil)
			return
		}
	}
	s.o.step("before the grade is sent")
	r, err := s.c.submit(ctx, e.copy())
	s.o.step("after the answer came")
	if codeOf(err) == codeConflict {
		var te *ToolError
		errors.As(err, &te)
		r, err = schedule(te.Details), nil
	}
	s.settle(ctx, e, r, err)
}

func (e *Entry) copy() Entry { return *e }

// recorded looks whether the server has a review already, through whatever
// connection it came.
func (s *Session) recorded(ctx context.Context, e *Entry) (bool, error) {
	type line struct {
		ID string `json:"review_event_id"`
	}
	c := client{s.o.Caller, e.Workspace}
	rows, _, err := query[line](ctx, c, "SELECT review_event_id FROM review_events WHERE client_event_id = "+Quote("agent-review:"+e.ID)+" LIMIT 1")
	return len(rows) > 0, err
}

// maxRenames bounds how often a grade gets another ID. Two random ones are never
// the same, so that a server which goes on means something else.
const maxRenames = 8

// settle takes an entry out of the outbox where the answer allows it.
func (s *Session) settle(ctx context.Context, e *Entry, r Recorded, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer signal(s.changed)
	notice := NoticeNone
	switch code := codeOf(err); {
	case err == nil:
	case code == codeMismatch:
		if e.renamed++; e.renamed > maxRenames {
			e.stuck = err
			return
		}
		s.o.step("before the new id is written")
		if err := s.box.rename(e, s.o.NewID()); err != nil {
			e.stuck = err
		}
		return
	case code == codeStale:
		notice = NoticeStale
	case code == codeFailed:
		notice = NoticeGone
	case code == codeArguments && e.Zone != "UTC":
		e.Zone = "UTC" // this server does not know ours
		return
	case transient(err):
		e.tried = true
		s.attempt(ctx, err)
		return
	default:
		e.stuck = err
		return
	}
	s.attempt(ctx, nil)
	s.o.step("before the grade leaves the outbox")
	if err := s.box.remove(e); err != nil {
		e.stuck, e.tried = err, true
		return
	}
	s.o.step("after the grade left the outbox")
	s.apply(e, r, notice)
}

// apply brings what is known of the card up to date.
func (s *Session) apply(e *Entry, r Recorded, notice Notice) {
	if notice != NoticeNone {
		s.notice = notice
	}
	if s.last != nil && s.last.entry == e {
		s.last.Told, s.last.Recorded = notice == NoticeNone, r
	}
	card := s.pool.cards[e.Card]
	if card == nil {
		return
	}
	rating, _ := fsrs.ParseRating(e.Rating)
	if r.ReviewedAt.IsZero() || notice != NoticeNone {
		// What the card is now has to be read.
		delete(s.pool.cards, e.Card)
		s.pool.read = time.Time{}
		return
	}
	s.offset = r.ReviewedAt.Sub(s.o.Now())
	state, _, err := fsrs.Next(card.State, rating, r.ReviewedAt, s.pool.settings)
	if err != nil || state.Phase != r.Phase || state.Reps != r.Reps {
		// Reviewed elsewhere in between: our copy of its memory is old.
		delete(s.pool.cards, e.Card)
		s.pool.read = time.Time{}
		return
	}
	card.State, card.Due = state, r.Due
	if !r.Due.After(s.counted) {
		s.counts.add(card.Kind(), 1)
	}
}

// tick counts the cards that came due since it was last called.
func (s *Session) tick() {
	now := s.now()
	for id, c := range s.pool.cards {
		if c.Due.After(s.counted) && !c.Due.After(now) && !s.busy(id) {
			s.counts.add(c.Kind(), 1)
		}
	}
	s.counted = now
}

// Finish sends what is held and what waits, each once, and returns how many
// grades remain on disk.
func (s *Session) Finish(ctx context.Context) (unsent int) {
	s.mu.Lock()
	s.release()
	s.retry = time.Time{}
	s.mu.Unlock()
	for ctx.Err() == nil {
		s.mu.Lock()
		e, failed := s.sendable(), s.retry.After(s.o.Now())
		s.mu.Unlock()
		if e == nil || failed {
			break
		}
		s.deliver(ctx, e)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.box.entries)
}
