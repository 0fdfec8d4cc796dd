package pacecraft

import (
	"context"
	"fmt"
)

const schemaVersion = 1

// schema keeps times as milliseconds since 1970 UTC. A document's blocks are
// rows of their own: appending adds rows and touches none. Block numbers and
// sizes are counted in pc_docs for the same reason, so that nothing old has to
// be read.
const schema = `
CREATE TABLE IF NOT EXISTS pc_meta (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS pc_accounts (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS pc_tokens (
	id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES pc_accounts, label TEXT NOT NULL,
	hash BLOB NOT NULL UNIQUE, hint TEXT NOT NULL, created_at INTEGER NOT NULL, revoked_at INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS pc_workspaces (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS pc_members (
	account_id TEXT NOT NULL REFERENCES pc_accounts, workspace_id TEXT NOT NULL REFERENCES pc_workspaces,
	PRIMARY KEY (account_id, workspace_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pc_spaces (
	id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES pc_workspaces, name TEXT NOT NULL, description TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS pc_spaces_workspace ON pc_spaces (workspace_id);
CREATE TABLE IF NOT EXISTS pc_tasks (
	id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES pc_spaces, title TEXT NOT NULL, description TEXT NOT NULL,
	status TEXT NOT NULL, assignee_id TEXT REFERENCES pc_accounts, deadline INTEGER,
	created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS pc_tasks_space ON pc_tasks (space_id, deadline);
CREATE TABLE IF NOT EXISTS pc_docs (
	id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES pc_spaces, title TEXT NOT NULL,
	author_id TEXT NOT NULL REFERENCES pc_accounts, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
	next_seq INTEGER NOT NULL, bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS pc_docs_space ON pc_docs (space_id, updated_at);
CREATE TABLE IF NOT EXISTS pc_blocks (
	doc_id TEXT NOT NULL REFERENCES pc_docs, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (doc_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pc_activity (
	id INTEGER PRIMARY KEY AUTOINCREMENT, space_id TEXT NOT NULL REFERENCES pc_spaces, at INTEGER NOT NULL,
	actor_id TEXT NOT NULL REFERENCES pc_accounts, kind TEXT NOT NULL, subject_id TEXT NOT NULL, subject_title TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS pc_activity_space ON pc_activity (space_id, at);
INSERT INTO pc_meta SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pc_meta);
`

func (t *tx) migrate(ctx context.Context) error {
	if err := t.exec(ctx, schema); err != nil {
		return err
	}
	var v int
	if err := t.conn.QueryRowContext(ctx, "SELECT version FROM pc_meta").Scan(&v); err != nil {
		return err
	}
	if v > schemaVersion {
		return fmt.Errorf("made by a newer version (schema %d, this one knows %d)", v, schemaVersion)
	}
	return nil
}
