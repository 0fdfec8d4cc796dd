package nibomo

import (
	"context"
	"errors"
	"fmt"

	"bridge/internal/sandbox/nibomo/dialect"
)

// held is one large resource of one workspace as it was at version, in memory.
// SQLite remains the truth: the version in the database is read before every
// use, and a commit of ours moves both.
type held struct {
	version int64
	table   *dialect.Table
}

// place is where a resource is held.
type place struct {
	ws       int64
	resource string
}

// loading is a resource on its way into memory. What is committed meanwhile is
// kept, and added at the end.
type loading struct {
	done chan struct{} // closed when it has ended
	err  error         // set before done is closed
	log  []commit
}

// commit is what one transaction did to one workspace.
type commit struct {
	from    int64 // the version before
	changes []change
}

// counted names the column of nb_workspace that counts a resource.
func counted(resource string) string {
	switch resource {
	case "cards":
		return "cards"
	case "decks":
		return "decks"
	case "review_events":
		return "reviews"
	}
	return ""
}

// withTable calls f with the resource from memory if it is large enough to be
// held there, and says whether it did. It loads it if need be.
func (s *Service) withTable(ctx context.Context, ws int64, r *dialect.Resource, f func(*dialect.Table)) (bool, error) {
	// A resource that another program changes without pause is read from SQLite.
	for range 3 {
		version, large, err := s.version(ctx, s.free(), ws, r)
		if err != nil || !large {
			return false, err
		}
		if s.ifHeld(ws, r, version, f) {
			return true, nil
		}
		if err := s.load(ctx, ws, r); err != nil {
			return false, err
		}
	}
	return false, nil
}

// version is a workspace's, and whether the resource is worth holding.
func (s *Service) version(ctx context.Context, q querier, ws int64, r *dialect.Resource) (version int64, large bool, err error) {
	column := counted(r.Name)
	if column == "" || s.opts.MemoryFrom < 0 {
		return 0, false, nil
	}
	var rows int64
	err = q.QueryRowContext(ctx, "SELECT "+column+", version FROM nb_workspace WHERE ws = ?", ws).Scan(&rows, &version)
	if err != nil {
		return 0, false, fmt.Errorf("read workspace: %w", err)
	}
	return version, rows >= int64(s.opts.MemoryFrom), nil
}

// ifHeld calls f with the resource as it is at version or later. It does not wait
// for the database, because who commits waits for it.
func (s *Service) ifHeld(ws int64, r *dialect.Resource, version int64, f func(*dialect.Table)) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	h := s.shelf[place{ws, r.Name}]
	if h == nil || h.version < version {
		return false
	}
	f(h.table)
	return true
}

// load reads a resource into memory, or waits for the one who does already.
func (s *Service) load(ctx context.Context, ws int64, r *dialect.Resource) error {
	at := place{ws, r.Name}
	s.mu.Lock()
	l, started := s.loading[at]
	if !started {
		l = &loading{done: make(chan struct{})}
		s.loading[at] = l
	}
	s.mu.Unlock()
	if started {
		select {
		case <-l.done:
			if errors.Is(l.err, context.Canceled) || errors.Is(l.err, context.DeadlineExceeded) {
				return nil // it was another's time that ran out; the caller tries again
			}
			return l.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	h, err := s.fetch(ctx, ws, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.loading, at)
	if err == nil {
		s.shelf[at] = h
		for _, c := range l.log {
			s.follow(at, c)
		}
	}
	l.err = err
	close(l.done)
	return err
}

// fetch reads a resource and its version, which belong together.
func (s *Service) fetch(ctx context.Context, ws int64, r *dialect.Resource) (*held, error) {
	t, err := s.reading(ctx)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", r.Name, err)
	}
	defer func() { _ = t.raw.Rollback() }()
	h := &held{table: dialect.NewTable(r)}
	if err := t.QueryRowContext(ctx, "SELECT version FROM nb_workspace WHERE ws = ?", ws).Scan(&h.version); err != nil {
		return nil, fmt.Errorf("load %s: %w", r.Name, err)
	}
	if err := fill(ctx, t, ws, h.table, r); err != nil {
		return nil, fmt.Errorf("load %s: %w", r.Name, err)
	}
	h.table.Prepare()
	return h, nil
}

// Warm reads into memory what is held there anyhow, so that no query has to wait
// for it. Calls of the service may go on meanwhile.
func (s *Service) Warm(ctx context.Context) error {
	rows, err := collect(ctx, s.free(), 1, "SELECT ws FROM nb_workspace ORDER BY last_activity_at DESC")
	if err != nil {
		return fmt.Errorf("list workspaces: %w", err)
	}
	for _, row := range rows {
		ws, _ := row[0].(int64)
		for _, name := range dialect.Names() {
			if _, err := s.withTable(ctx, ws, dialect.Find(name), func(*dialect.Table) {}); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply brings the shelf up to a commit. The caller holds s.mu.
func (s *Service) apply(t *tx) {
	if len(t.changes) == 0 {
		return
	}
	c := commit{t.version, t.changes}
	for _, name := range dialect.Names() {
		at := place{t.ws, name}
		if l := s.loading[at]; l != nil {
			l.log = append(l.log, c)
		}
		s.follow(at, c)
	}
}

// forget drops what is held of a workspace. The caller holds s.mu.
func (s *Service) forget(ws int64) {
	for _, name := range dialect.Names() {
		delete(s.shelf, place{ws, name})
	}
}

// follow brings what is held up to a commit. The caller holds s.mu.
func (s *Service) follow(at place, c commit) {
	h := s.shelf[at]
	switch {
	case h == nil || h.version > c.from: // it has it already
		return
	case h.version < c.from: // somebody else wrote in between
		delete(s.shelf, at)
		return
	}
	h.version++
	for _, c := range c.changes {
		switch {
		case c.resource != at.resource:
		case c.gone:
			h.table.Delete(c.row)
		default:
			h.table.Put(c.row)
		}
	}
}
