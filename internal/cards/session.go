package cards

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"bridge/internal/fsrs"
)

// Options of a Session. Caller, Outbox and Workspace are needed.
type Options struct {
	Caller    Caller
	Outbox    *Outbox
	Workspace string
	Filter    Filter
	// Limit ends the session after so many grades; 0 means no limit.
	Limit int
	// Hold is how long the last grade can be undone; 0 sends at once.
	Hold time.Duration
	// Zone is an IANA name; empty means LocalZone.
	Zone string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// NewID makes reviewIds; nil means random UUIDs.
	NewID func() string

	// step is told each point at which a process may die; for tests.
	step func(at string)
}

// DefaultHold is how long a person is given to notice a slip.
const DefaultHold = 5 * time.Second

// What a Session's methods return.
var (
	// ErrNoCard: there is no card to do that with.
	ErrNoCard = errors.New("no card is shown")
	// ErrSent: the server has the grade, and has no way to take it back.
	ErrSent = errors.New("the grade is sent")
)

// A Session is one sitting. Its methods may be called from any goroutine and
// none of them waits for the network, except Step, Run, Finish and those that
// take a context. One goroutine calls Step or Run.
type Session struct {
	o Options
	c client

	mu    sync.Mutex
	box   *Outbox
	pool  pool
	scope *string // nil: not resolved yet

	current  *Card
	forced   *Card // named by the server while another was on the screen
	revealed bool
	finished bool
	ask      bool   // the server is to be asked which card is next
	gone     string // the card of which the server last gave no answer
	gen      int    // changes with every grade, undo and filter

	held      *Entry // can be undone; not sent
	heldCard  *Card
	heldUntil time.Time

	counts  Counts
	known   bool      // counts have been read
	counted time.Time // when counts were right
	grades  [4]int
	started time.Time
	graded  time.Time // when the last grade was given
	last    *Result
	notice  Notice
	offset  time.Duration // server's clock less ours

	problem error     // why the server is not reached; nil when it is
	retry   time.Time // not before
	tries   int

	wake    chan struct{}
	changed chan struct{}
}

// A Result is what became of a grade.
type Result struct {
	Front  string
	Rating fsrs.Rating
	// Told says whether the server has answered; Recorded is its answer.
	Told bool
	Recorded
	entry *Entry
}

// A Notice is something that happened behind the screen and that a person
// should know of. The zero value is nothing.
type Notice int

// The notices.
const (
	NoticeNone      Notice = iota
	NoticeElsewhere        // the card on the screen was reviewed elsewhere
	NoticeStale            // a grade was not taken: the card was reviewed elsewhere meanwhile
	NoticeGone             // a grade was not taken: the card is gone
)

// New starts a session. What the outbox holds from before is sent first.
func New(o Options) *Session {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	if o.Zone == "" {
		o.Zone = LocalZone()
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	return &Session{o: o, c: client{o.Caller, o.Workspace}, box: o.Outbox, ask: true, started: o.Now(),
		wake: make(chan struct{}, 1), changed: make(chan struct{}, 1)}
}

// newID is a version 4 UUID (RFC 9562).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Changed has a value after something changed that View shows, whoever did it.
func (s *Session) Changed() <-chan struct{} { return s.changed }

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// now is the server's clock as far as it is known.
func (s *Session) now() time.Time { return s.o.Now().Add(s.offset) }

// busy says that a card must not be shown: its grade is not confirmed.
func (s *Session) busy(id string) bool { return s.box.holds(id) }

// Reveal turns the card over. It does nothing when there is none.
func (s *Session) Reveal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.revealed {
		return
	}
	s.revealed, s.notice = true, NoticeNone
	signal(s.changed)
}

// Grade gives the card on the screen a grade, writes it to disk, and goes on
// to the next card. The grade before it, if it was held, can no longer be
// undone. On an error nothing has changed.
func (s *Session) Grade(r fsrs.Rating) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || !s.revealed {
		return ErrNoCard
	}
	if r > fsrs.Easy {
		return fsrs.ErrRating
	}
	e := &Entry{ID: s.o.NewID(), Card: s.current.ID, Rating: r.String(), Workspace: s.o.Workspace, Zone: s.o.Zone, Given: s.o.Now().UTC()}
	s.o.step("before the grade is written")
	if err := s.box.add(e); err != nil {
		return err
	}
	s.o.step("after the grade is written")
	s.held, s.heldCard, s.heldUntil = e, s.current, s.o.Now().Add(s.o.Hold)
	if s.o.Hold <= 0 {
		s.release()
	}
	s.counts.add(s.current.Kind(), -1)
	s.grades[r]++
	s.graded = s.o.Now()
	s.last = &Result{Front: s.current.Front, Rating: r, entry: e}
	s.notice = NoticeNone
	s.gen++
	s.advance()
	signal(s.wake)
	signal(s.changed)
	return nil
}

// release lets the held grade be sent.
func (s *Session) release() { s.held, s.heldCard = nil, nil }

// Undo takes the last grade back and shows its card again, turned over. It is
// possible while the grade is held; later the server has it, which cannot take
// a review back: ErrSent.
func (s *Session) Undo() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		if s.last == nil {
			return ErrNoCard
		}
		return ErrSent
	}
	s.o.step("before the grade is taken back")
	if err := s.box.remove(s.held); err != nil {
		return err
	}
	s.o.step("after the grade is taken back")
	r, _ := fsrs.ParseRating(s.held.Rating)
	s.grades[r]--
	s.counts.add(s.heldCard.Kind(), 1)
	s.current, s.revealed, s.finished = s.heldCard, true, false
	s.last, s.notice = nil, NoticeNone
	s.release()
	s.gen++
	signal(s.changed)
	return nil
}

// done is how many grades were given and not taken back.
func (s *Session) done() int { return s.grades[0] + s.grades[1] + s.grades[2] + s.grades[3] }

// advance shows the next card if it is known. If only the server can know it,
// the held grade goes: the server's answer depends on it.
func (s *Session) advance() {
	s.current, s.revealed = nil, false
	if s.o.Limit > 0 && s.done() >= s.o.Limit {
		s.finished, s.ask = true, false
		return
	}
	s.ask = true
	if f := s.forced; f != nil {
		s.forced = nil
		if !s.busy(f.ID) {
			s.current = f
			return
		}
	}
	best, certain := s.pool.pick(s.now(), s.busy)
	switch {
	case best != nil && (certain || s.problem != nil):
		s.current = best
	case best == nil && certain:
		// The end, if the server agrees once it has the last grade; until then
		// that one can be undone.
	default:
		s.release()
	}
}

// SetFilter reviews other cards from now on.
func (s *Session) SetFilter(f Filter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Filter, s.scope, s.pool, s.counts, s.known = f, nil, pool{}, Counts{}, false
	s.current, s.forced, s.revealed, s.finished, s.ask = nil, nil, false, false, true
	s.release()
	s.gen++
	signal(s.wake)
	signal(s.changed)
}

// Again looks whether something has come due since the session ended.
func (s *Session) Again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		return
	}
	s.finished, s.ask, s.pool.read, s.retry = false, true, time.Time{}, time.Time{}
	s.release()
	s.gen++
	signal(s.wake)
	signal(s.changed)
}

// Hurry ends waiting: what failed is tried again now.
func (s *Session) Hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retry = time.Time{}
	signal(s.wake)
}

// Settle sends the held grade now.
func (s *Session) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	signal(s.wake)
	signal(s.changed)
}

// Tags lists the tags of the workspace, those of most cards first.
func (s *Session) Tags(ctx context.Context) ([]Tag, error) { return s.c.tags(ctx) }

// Decks lists the decks of the workspace by name.
func (s *Session) Decks(ctx context.Context) ([]Deck, error) { return s.c.decks(ctx) }
