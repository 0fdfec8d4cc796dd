package nibomo

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bridge/internal/sandbox/rpc"
)

// Workspace is one entry of list_workspaces.
type Workspace struct {
	ID             string  `json:"workspaceId"`
	Name           string  `json:"name"`
	CreatedAt      string  `json:"createdAt"`
	IsSelected     bool    `json:"isSelected"`
	CardCount      int     `json:"cardCount"`
	LastActivityAt *string `json:"lastActivityAt"`

	ws int64
}

// Workspaces lists the user's workspaces, oldest first. A user without one gets
// "Personal"; a single one is selected.
func (s *Service) Workspaces(ctx context.Context, conn Connection) ([]Workspace, error) {
	list, err := s.workspaces(ctx, s.db, conn)
	if err != nil {
		return nil, err
	}
	if len(list) > 1 || len(list) == 1 && list[0].IsSelected {
		return list, nil
	}
	err = s.exclusive(ctx, func(t *tx) error {
		if list, err = s.workspaces(ctx, t.conn, conn); err != nil || len(list) > 1 {
			return err
		}
		if len(list) == 0 {
			w, err := t.createWorkspace(ctx, conn, "Personal")
			if err != nil {
				return err
			}
			list = []Workspace{w}
		}
		list[0].IsSelected = true
		return t.selectWorkspace(ctx, conn, list[0].ws)
	})
	return list, err
}

func (s *Service) workspaces(ctx context.Context, q querier, conn Connection) ([]Workspace, error) {
	rows, err := q.QueryContext(ctx, `
		SELECT w.ws, w.workspace_id, w.name, w.created_at, w.cards, w.last_activity_at, c.selected_ws IS NOT NULL
		FROM nb_workspace w
		LEFT JOIN nb_connection c ON c.user_id = w.user_id AND c.connection_id = ? AND c.selected_ws = w.ws
		WHERE w.user_id = ? ORDER BY w.created_at, w.ws`, conn.ID, conn.user())
	if err != nil {
		return nil, fmt.Errorf("list workspaces: %w", err)
	}
	defer rows.Close()
	list := []Workspace{}
	for rows.Next() {
		var w Workspace
		if err := rows.Scan(&w.ws, &w.ID, &w.Name, &w.CreatedAt, &w.CardCount, &w.LastActivityAt, &w.IsSelected); err != nil {
			return nil, fmt.Errorf("list workspaces: %w", err)
		}
		list = append(list, w)
	}
	return list, rows.Err()
}

// CreateWorkspace makes a workspace and selects it for the connection. The name
// must not be blank.
func (s *Service) CreateWorkspace(ctx context.Context, conn Connection, name string) (Workspace, error) {
	var w Workspace
	err := s.exclusive(ctx, func(t *tx) (err error) {
		if w, err = t.createWorkspace(ctx, conn, name); err != nil {
			return err
		}
		w.IsSelected = true
		return t.selectWorkspace(ctx, conn, w.ws)
	})
	return w, err
}

// SelectWorkspace selects a workspace for the connection. The error is a *Fault
// with code WORKSPACE_NOT_FOUND if the user has no such workspace.
func (s *Service) SelectWorkspace(ctx context.Context, conn Connection, id string) error {
	ws, _, err := s.resolve(ctx, conn, id)
	if err != nil {
		return err
	}
	return s.exclusive(ctx, func(t *tx) error { return t.selectWorkspace(ctx, conn, ws) })
}

func (t *tx) createWorkspace(ctx context.Context, conn Connection, name string) (Workspace, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Workspace{}, faultf(codeFailed, "name must not be empty")
	}
	set := t.s.settings()
	w := Workspace{ID: t.s.opts.NewID(), Name: name, CreatedAt: t.now}
	err := t.conn.QueryRowContext(ctx, `
		INSERT INTO nb_workspace (workspace_id, user_id, name, name_fold, created_at, algorithm, retention, learning, relearning, maximum_days, fuzz)
		VALUES (?, ?, ?, ?, ?, 'fsrs-6', ?, ?, ?, ?, ?) RETURNING ws`,
		w.ID, conn.user(), name, strings.ToLower(name), t.now, set.Retention, string(rpc.Marshal(set.LearningSteps)),
		string(rpc.Marshal(set.RelearningSteps)), set.MaximumDays, set.Fuzz).Scan(&w.ws)
	if err != nil {
		return Workspace{}, fmt.Errorf("create workspace: %w", err)
	}
	return w, nil
}

func (t *tx) selectWorkspace(ctx context.Context, conn Connection, ws int64) error {
	err := t.exec(ctx, `INSERT INTO nb_connection (user_id, connection_id, selected_ws) VALUES (?, ?, ?)
		ON CONFLICT DO UPDATE SET selected_ws = excluded.selected_ws`, conn.user(), conn.ID, ws)
	if err != nil {
		return fmt.Errorf("select workspace: %w", err)
	}
	return nil
}

// resolve gives the workspace a call means: the one named, else the selected
// one, else the only one.
func (s *Service) resolve(ctx context.Context, conn Connection, id string) (ws int64, workspaceID string, err error) {
	const named = "SELECT ws, workspace_id FROM nb_workspace WHERE workspace_id = ? AND user_id = ?"
	const selected = `SELECT w.ws, w.workspace_id FROM nb_connection c JOIN nb_workspace w ON w.ws = c.selected_ws
		WHERE c.connection_id = ? AND c.user_id = ?`
	query, key := selected, conn.ID
	if id != "" {
		query, key = named, id
	}
	err = s.free().QueryRowContext(ctx, query, key, conn.user()).Scan(&ws, &workspaceID)
	switch {
	case err == nil:
		return ws, workspaceID, nil
	case !errors.Is(err, sql.ErrNoRows):
		return 0, "", fmt.Errorf("find workspace: %w", err)
	case id != "":
		return 0, "", faultf(codeNoWorkspace, "Workspace not found")
	}
	list, err := s.Workspaces(ctx, conn)
	if err != nil {
		return 0, "", err
	}
	if len(list) > 1 {
		return 0, "", &Fault{codeSelect, "Select a workspace first, or pass the workspaceId argument", map[string]any{"workspaces": list}}
	}
	return list[0].ws, list[0].ID, nil
}

func (s *Service) listWorkspaces(ctx context.Context, conn Connection, _ arguments) (json.RawMessage, string, error) {
	list, err := s.Workspaces(ctx, conn)
	if err != nil {
		return nil, "", err
	}
	return rpc.Marshal(map[string]any{"workspaces": list}),
		"Pass workspaceId to the other tools to say which workspace is meant. Without it they use the one with isSelected. " +
			"If the user did not name one, prefer the workspace with the latest lastActivityAt.", nil
}
