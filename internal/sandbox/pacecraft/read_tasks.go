package pacecraft

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"
)

// taskView is a task in an answer. The description and the dates of its making
// only come with get_task.
type taskView struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Status      string  `json:"status"`
	Assignee    *person `json:"assignee"`
	Deadline    *string `json:"deadline"`
	Overdue     bool    `json:"overdue"`
	SpaceID     string  `json:"spaceId"`
	SpaceName   string  `json:"spaceName"`
	Description *string `json:"description,omitempty"`
	CreatedAt   string  `json:"createdAt,omitempty"`
	UpdatedAt   string  `json:"updatedAt,omitempty"`
}

const (
	taskCols = "t.id, t.title, t.status, a.id, a.name, t.deadline, s.id, s.name, t.description, t.created_at, t.updated_at"
	taskFrom = "pc_tasks t JOIN pc_spaces s ON s.id = t.space_id LEFT JOIN pc_accounts a ON a.id = t.assignee_id"
)

func scanTask(now time.Time, whole bool) func(*sql.Rows) (taskView, error) {
	return func(r *sql.Rows) (taskView, error) {
		var v taskView
		var who, name sql.NullString
		var deadline sql.NullInt64
		var desc string
		var created, updated int64
		err := r.Scan(&v.ID, &v.Title, &v.Status, &who, &name, &deadline, &v.SpaceID, &v.SpaceName, &desc, &created, &updated)
		if who.Valid {
			v.Assignee = &person{who.String, name.String}
		}
		if deadline.Valid {
			v.Deadline = new(stamp(deadline.Int64))
			v.Overdue = deadline.Int64 < now.UnixMilli() && v.Status != StatusDone
		}
		if whole {
			v.Description, v.CreatedAt, v.UpdatedAt = &desc, stamp(created), stamp(updated)
		}
		return v, err
	}
}

func stamp(ms int64) string { return fromMilli(ms).Format(time.RFC3339) }

func searchTasks(s *Service, ctx context.Context, sc scope, a args) (json.RawMessage, error) {
	now := s.now()
	var f filter
	if err := s.inSpace(ctx, sc, a, &f); err != nil {
		return nil, err
	}
	if q := a.str("query"); q != "" {
		f.and(`(t.title LIKE ? ESCAPE '\' OR t.description LIKE ? ESCAPE '\')`, like(q), like(q))
	}
	if st := a.str("status"); st != "" {
		f.and("t.status = ?", st)
	}
	switch who := strings.TrimSpace(a.str("assignee")); who {
	case "":
	case "me":
		f.and("t.assignee_id = ?", sc.who.ID)
	default:
		f.and("(a.id = ? OR a.name = ? COLLATE NOCASE OR a.email = ? COLLATE NOCASE)", who, who, who)
	}
	if a.is("overdueOnly") {
		f.and("t.deadline < ? AND t.status <> ?", now.UnixMilli(), StatusDone)
	}
	if t, ok := a.time("dueBefore"); ok {
		f.and("t.deadline < ?", t.UnixMilli())
	}
	if t, ok := a.time("dueAfter"); ok {
		f.and("t.deadline >= ?", t.UnixMilli())
	}
	tasks, p, err := paged(ctx, s, taskCols, taskFrom, "t.deadline IS NULL, t.deadline, t.id", &f, a, scanTask(now, false))
	if err != nil {
		return nil, err
	}
	return answer(struct {
		page
		Tasks []taskView `json:"tasks"`
	}{p, tasks}), nil
}

func getTask(s *Service, ctx context.Context, sc scope, a args) (json.RawMessage, error) {
	id := a.str("taskId")
	found, err := query(ctx, s.db, scanTask(s.now(), true), "SELECT "+taskCols+" FROM "+taskFrom+" WHERE t.id = ? AND s.workspace_id = ?", id, sc.ws.ID)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, toolErrorf("Argumen \"taskId\": tugas %s tidak ada di workspace %s. Cari id-nya dengan search_tasks.", quote(id), quote(sc.ws.Name))
	}
	return answer(found[0]), nil
}
