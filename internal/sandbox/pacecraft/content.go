package pacecraft

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bridge/internal/sandbox/pacecraft/blocks"
)

// The statuses of a task. A task that is done is never overdue.
const (
	StatusTodo       = "todo"
	StatusInProgress = "in_progress"
	StatusReview     = "review"
	StatusDone       = "done"
)

// The kinds of activity that writing documents leaves behind.
const (
	docCreated = "DOC_CREATED"
	docUpdated = "DOC_UPDATED"
)

// maxDocBytes bounds a document's stored size, which appending could otherwise
// grow without end.
const maxDocBytes = 4 << 20

// Space groups the tasks and documents of one workspace.
type Space struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Task is what CreateTask stores.
type Task struct {
	ID, SpaceID, Title, Description string
	Status                          string    // empty means StatusTodo
	AssigneeID                      string    // empty means nobody
	Deadline                        time.Time // zero means none
}

// CreateSpace adds a space to a workspace.
func (s *Service) CreateSpace(ctx context.Context, workspaceID, name, description string) (Space, error) {
	var sp Space
	err := s.write(ctx, func(t *tx) (err error) {
		sp, err = t.space(ctx, workspaceID, name, description)
		return err
	})
	return sp, err
}

func (t *tx) space(ctx context.Context, workspaceID, name, description string) (Space, error) {
	sp := Space{ID: t.newID("sp"), Name: name, Description: description}
	return sp, t.exec(ctx, "INSERT INTO pc_spaces VALUES (?, ?, ?, ?)", sp.ID, workspaceID, name, description)
}

// CreateTask adds a task in the name of actorID and returns it with its id.
// There is no way to it through MCP.
func (s *Service) CreateTask(ctx context.Context, actorID string, task Task) (Task, error) {
	err := s.write(ctx, func(t *tx) (err error) {
		task, err = t.task(ctx, actorID, task)
		return err
	})
	return task, err
}

func (t *tx) task(ctx context.Context, actorID string, k Task) (Task, error) {
	k.ID = t.newID("task")
	if k.Status == "" {
		k.Status = StatusTodo
	}
	at := t.now.UnixMilli()
	deadline := sql.NullInt64{Int64: k.Deadline.UnixMilli(), Valid: !k.Deadline.IsZero()}
	assignee := sql.NullString{String: k.AssigneeID, Valid: k.AssigneeID != ""}
	err := t.exec(ctx, "INSERT INTO pc_tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		k.ID, k.SpaceID, k.Title, k.Description, k.Status, assignee, deadline, at, at)
	return k, errors.Join(err, t.record(ctx, k.SpaceID, actorID, "TASK_CREATED", k.ID, k.Title))
}

// CreateDoc adds a document as the editor would, hidden blocks included, and
// returns its id.
func (s *Service) CreateDoc(ctx context.Context, authorID, spaceID, title string, bs []blocks.Block) (string, error) {
	var id string
	err := s.write(ctx, func(t *tx) (err error) {
		id, err = t.doc(ctx, authorID, spaceID, title, bs)
		return err
	})
	return id, err
}

func (t *tx) doc(ctx context.Context, authorID, spaceID, title string, bs []blocks.Block) (string, error) {
	id, at := t.newID("doc"), t.now.UnixMilli()
	if err := t.exec(ctx, "INSERT INTO pc_docs VALUES (?, ?, ?, ?, ?, ?, 1, 0)", id, spaceID, title, authorID, at, at); err != nil {
		return "", err
	}
	if err := t.addBlocks(ctx, id, bs); err != nil {
		return "", err
	}
	return id, t.record(ctx, spaceID, authorID, docCreated, id, title)
}

// addBlocks puts blocks after those a document has, without looking at these.
func (t *tx) addBlocks(ctx context.Context, docID string, bs []blocks.Block) error {
	var seq, size int64
	if err := t.conn.QueryRowContext(ctx, "SELECT next_seq, bytes FROM pc_docs WHERE id = ?", docID).Scan(&seq, &size); err != nil {
		return err
	}
	for _, b := range bs {
		body, err := json.Marshal(b)
		if err != nil {
			return fmt.Errorf("encode a block: %w", err)
		}
		if size += int64(len(body)); size > maxDocBytes {
			return toolErrorf("Dokumen ini akan menjadi lebih besar dari %d MiB. Buat dokumen baru untuk isi selanjutnya.", maxDocBytes>>20)
		}
		if err := t.exec(ctx, "INSERT INTO pc_blocks VALUES (?, ?, ?)", docID, seq, string(body)); err != nil {
			return err
		}
		seq++
	}
	return t.exec(ctx, "UPDATE pc_docs SET next_seq = ?, bytes = ?, updated_at = ? WHERE id = ?", seq, size, t.now.UnixMilli(), docID)
}

// dropBlocks forgets everything in a document. Nothing keeps what was there.
func (t *tx) dropBlocks(ctx context.Context, docID string) error {
	if err := t.exec(ctx, "DELETE FROM pc_blocks WHERE doc_id = ?", docID); err != nil {
		return err
	}
	return t.exec(ctx, "UPDATE pc_docs SET next_seq = 1, bytes = 0 WHERE id = ?", docID)
}

func (t *tx) record(ctx context.Context, spaceID, actorID, kind, subjectID, title string) error {
	return t.exec(ctx, "INSERT INTO pc_activity (space_id, at, actor_id, kind, subject_id, subject_title) VALUES (?, ?, ?, ?, ?, ?)",
		spaceID, t.now.UnixMilli(), actorID, kind, subjectID, title)
}
