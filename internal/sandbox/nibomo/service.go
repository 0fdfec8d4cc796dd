package nibomo

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"bridge/internal/fsrs"
)

// Options change how a Service behaves. The zero value is the real clock,
// random identifiers and fuzzed intervals.
type Options struct {
	// Now is the clock; nil means time.Now. Instants are cut to the millisecond.
	Now func() time.Time
	// NewID makes identifiers of rows; nil means random UUIDs.
	NewID func() string
	// NoFuzz gives new workspaces plain intervals, so that a test can know them.
	NoFuzz bool
	// PublicURL is where this service is reached, without a slash at its end.
	// It appears in the docs member of every answer.
	PublicURL string
	// MemoryFrom is the number of rows from which a resource is also held in
	// memory for SELECT; 0 means 2,000. Negative means never.
	MemoryFrom int
}

// DefaultUser owns what Seed makes, and is who a Connection without a User acts for.
const DefaultUser = "learner@example.com"

// Connection says who calls: one API key or one OAuth grant of one user. Reviews
// are idempotent, and a workspace is selected, per connection.
type Connection struct {
	ID   string // "" is a connection like any other
	User string // "" means DefaultUser
}

func (c Connection) user() string {
	if c.User == "" {
		return DefaultUser
	}
	return c.User
}

// Service answers for all users of one database. It is safe for concurrent use.
type Service struct {
	db   *sql.DB
	opts Options

	statements *statements

	writing sync.Mutex   // one writer at a time: SQLite has no more
	mu      sync.RWMutex // guards shelf and loading, and holds back commits while shelf is read
	shelf   map[place]*held
	loading map[place]*loading
}

// Open prepares the tables, all named nb_*, and gives the service. The caller
// keeps db and closes it after the last call. ctx bounds Open only.
func Open(ctx context.Context, db *sql.DB, opts Options) (*Service, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.NewID == nil {
		opts.NewID = uuid.NewString
	}
	if opts.PublicURL == "" {
		opts.PublicURL = "http://localhost"
	}
	if opts.MemoryFrom == 0 {
		opts.MemoryFrom = 2000
	}
	s := &Service{db: db, opts: opts, shelf: map[place]*held{}, loading: map[place]*loading{},
		statements: &statements{db: db, ready: map[string]*sql.Stmt{}, wanted: map[string]bool{}}}
	if err := s.migrate(ctx); err != nil {
		return nil, fmt.Errorf("open flashcards: %w", err)
	}
	return s, nil
}

// free reads outside of any transaction.
func (s *Service) free() loose { return loose{s.statements} }

// now is the clock as it is stored.
func (s *Service) now() time.Time { return s.opts.Now().UTC().Truncate(time.Millisecond) }

const stampLayout = "2006-01-02T15:04:05.000Z"

func stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

func unstamp(s string) (time.Time, error) {
	t, err := time.Parse(stampLayout, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("stored time: %w", err)
	}
	return t, nil
}

func (s *Service) settings() fsrs.Settings {
	set := fsrs.Default()
	set.Fuzz = !s.opts.NoFuzz
	return set
}
