package nibomo

import (
	"context"
	"fmt"

	"bridge/internal/sandbox/journal"
)

// schemaVersion is raised with every change to the tables.
const schemaVersion = 1

// meta is there before the first transaction, which begins with it.
const meta = `CREATE TABLE IF NOT EXISTS nb_meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID`

// The tables. Timestamps are text such as 2026-11-30T09:41:04.527Z, which sorts
// as time does. Columns ending in _fold hold the lower case of their neighbour:
// SQLite's lower() knows ASCII only.
//
// nb_card_tag repeats, for each tag of a live card, what orders the review
// queue, so that the next card of a tag is one index probe.
const schema = `
CREATE TABLE IF NOT EXISTS nb_workspace (
	ws INTEGER PRIMARY KEY,
	workspace_id TEXT NOT NULL UNIQUE,
	user_id TEXT NOT NULL,
	name TEXT NOT NULL, name_fold TEXT NOT NULL,
	created_at TEXT NOT NULL,
	algorithm TEXT NOT NULL,
	retention REAL NOT NULL,
	learning TEXT NOT NULL, relearning TEXT NOT NULL,
	maximum_days INTEGER NOT NULL,
	fuzz INTEGER NOT NULL,
	cards INTEGER NOT NULL DEFAULT 0,
	decks INTEGER NOT NULL DEFAULT 0,
	reviews INTEGER NOT NULL DEFAULT 0,
	version INTEGER NOT NULL DEFAULT 0,
	last_activity_at TEXT
);
CREATE INDEX IF NOT EXISTS nb_workspace_user ON nb_workspace (user_id, created_at);

CREATE TABLE IF NOT EXISTS nb_connection (
	user_id TEXT NOT NULL, connection_id TEXT NOT NULL,
	selected_ws INTEGER NOT NULL,
	PRIMARY KEY (user_id, connection_id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS nb_replica (
	ws INTEGER NOT NULL, user_id TEXT NOT NULL, connection_id TEXT NOT NULL,
	replica_id TEXT NOT NULL UNIQUE,
	PRIMARY KEY (ws, user_id, connection_id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS nb_card (
	n INTEGER PRIMARY KEY,
	ws INTEGER NOT NULL,
	card_id TEXT NOT NULL,
	front TEXT NOT NULL, front_fold TEXT NOT NULL,
	back TEXT NOT NULL, back_fold TEXT NOT NULL,
	card_type TEXT NOT NULL, type_fold TEXT NOT NULL,
	metadata TEXT NOT NULL,
	tags TEXT NOT NULL, tags_fold TEXT NOT NULL,
	due_at TEXT,
	created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT,
	reps INTEGER NOT NULL, lapses INTEGER NOT NULL,
	state TEXT NOT NULL, step INTEGER,
	stability REAL, difficulty REAL, last_reviewed_at TEXT, scheduled_days INTEGER,
	UNIQUE (ws, card_id)
);
CREATE INDEX IF NOT EXISTS nb_card_queue ON nb_card (ws, due_at, created_at, card_id)
	WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS nb_card_steps ON nb_card (ws, due_at, created_at, card_id, last_reviewed_at)
	WHERE deleted_at IS NULL AND state IN ('learning', 'relearning');

CREATE TABLE IF NOT EXISTS nb_card_tag (
	n INTEGER NOT NULL, pos INTEGER NOT NULL,
	ws INTEGER NOT NULL,
	tag TEXT NOT NULL, tag_fold TEXT NOT NULL,
	due_at TEXT, created_at TEXT NOT NULL, card_id TEXT NOT NULL, last_reviewed_at TEXT,
	steps INTEGER NOT NULL,
	PRIMARY KEY (n, pos)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS nb_card_tag_queue ON nb_card_tag (ws, tag_fold, due_at, created_at, card_id);
CREATE INDEX IF NOT EXISTS nb_card_tag_steps ON nb_card_tag (ws, tag_fold, due_at, created_at, card_id, last_reviewed_at)
	WHERE steps = 1;

CREATE TABLE IF NOT EXISTS nb_deck (
	n INTEGER PRIMARY KEY,
	ws INTEGER NOT NULL,
	deck_id TEXT NOT NULL,
	name TEXT NOT NULL, name_fold TEXT NOT NULL,
	tags TEXT NOT NULL, tags_fold TEXT NOT NULL,
	created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT,
	UNIQUE (ws, deck_id)
);

CREATE TABLE IF NOT EXISTS nb_review (
	n INTEGER PRIMARY KEY,
	ws INTEGER NOT NULL,
	review_event_id TEXT NOT NULL UNIQUE,
	card_id TEXT NOT NULL,
	replica_id TEXT NOT NULL,
	client_event_id TEXT NOT NULL,
	rating INTEGER NOT NULL,
	reviewed_at_client TEXT NOT NULL, reviewed_at_server TEXT NOT NULL,
	time_zone TEXT NOT NULL,
	UNIQUE (ws, replica_id, client_event_id)
);
CREATE INDEX IF NOT EXISTS nb_review_card ON nb_review (ws, card_id);
CREATE INDEX IF NOT EXISTS nb_review_event ON nb_review (ws, client_event_id);
`

// migrate creates what is missing. The journal makes a commit survive the
// end of the process, however it ends.
func (s *Service) migrate(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, "PRAGMA journal_mode = "+journal.Mode()); err != nil {
		return fmt.Errorf("set the journal: %w", err)
	}
	if _, err := s.db.ExecContext(ctx, meta); err != nil {
		return fmt.Errorf("create tables: %w", err)
	}
	return s.exclusive(ctx, func(t *tx) error {
		if _, err := t.conn.raw.ExecContext(ctx, schema); err != nil {
			return fmt.Errorf("create tables: %w", err)
		}
		var have int
		err := t.conn.QueryRowContext(ctx,
			"INSERT INTO nb_meta VALUES ('schema', ?) ON CONFLICT DO UPDATE SET value = value RETURNING value", schemaVersion).Scan(&have)
		if err != nil {
			return fmt.Errorf("read schema version: %w", err)
		}
		if have != schemaVersion {
			return fmt.Errorf("this collection has schema %d, and this program knows %d", have, schemaVersion)
		}
		return nil
	})
}
