package pacecraft

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"bridge/internal/sandbox/pacecraft/blocks"
	"bridge/internal/sandbox/rpc"
)

// person is somebody in an answer.
type person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (s *Service) spaces(ctx context.Context, workspaceID string) ([]Space, error) {
	return query(ctx, s.db, func(r *sql.Rows) (sp Space, err error) { return sp, r.Scan(&sp.ID, &sp.Name, &sp.Description) },
		"SELECT id, name, description FROM pc_spaces WHERE workspace_id = ? ORDER BY name COLLATE NOCASE, id", workspaceID)
}

// space finds a space of the workspace, or says which there are.
func (s *Service) space(ctx context.Context, sc scope, id string) (Space, error) {
	all, err := s.spaces(ctx, sc.ws.ID)
	if err != nil {
		return Space{}, err
	}
	for _, sp := range all {
		if sp.ID == id {
			return sp, nil
		}
	}
	if len(all) == 0 {
		return Space{}, toolErrorf("Argumen \"spaceId\": belum ada space di workspace %s.", quote(sc.ws.Name))
	}
	const most = 20
	var b strings.Builder
	for i, sp := range all {
		if i == most {
			fmt.Fprintf(&b, "\n- … dan %d lagi (lihat list_spaces)", len(all)-most)
			break
		}
		fmt.Fprintf(&b, "\n- %s (id: %s)", sp.Name, sp.ID)
	}
	return Space{}, toolErrorf("Argumen \"spaceId\": space %s tidak ada di workspace %s. Space yang ada:%s", quote(id), quote(sc.ws.Name), b.String())
}

func listSpaces(s *Service, ctx context.Context, sc scope, _ args) (json.RawMessage, error) {
	all, err := s.spaces(ctx, sc.ws.ID)
	if err != nil {
		return nil, err
	}
	return answer(struct {
		Workspace Workspace `json:"workspace"`
		Spaces    []Space   `json:"spaces"`
	}{sc.ws, all}), nil
}

// filter collects conditions with their values.
type filter struct {
	where  strings.Builder
	values []any
}

func (f *filter) and(cond string, values ...any) {
	if f.where.Len() > 0 {
		f.where.WriteString(" AND ")
	}
	f.where.WriteString(cond)
	f.values = append(f.values, values...)
}

// like makes a pattern that finds s anywhere, its own wildcards taken literally.
func like(s string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.TrimSpace(s)) + "%"
}

// inSpace narrows f to the space the call names, if it names one.
func (s *Service) inSpace(ctx context.Context, sc scope, a args, f *filter) error {
	f.and("s.workspace_id = ?", sc.ws.ID)
	if id := a.str("spaceId"); id != "" {
		if _, err := s.space(ctx, sc, id); err != nil {
			return err
		}
		f.and("s.id = ?", id)
	}
	return nil
}

// page is one page of a list, with how many there are in all.
type page struct {
	Total  int `json:"total"`
	Offset int `json:"offset"`
}

func (s *Service) count(ctx context.Context, from string, f *filter) (n int, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM "+from+" WHERE "+f.where.String(), f.values...).Scan(&n)
	return n, err
}

// paged runs a list's query for the page that a asks for.
func paged[T any](ctx context.Context, s *Service, cols, from, order string, f *filter, a args, scan func(*sql.Rows) (T, error)) ([]T, page, error) {
	total, err := s.count(ctx, from, f)
	if err != nil {
		return nil, page{}, err
	}
	p := page{Total: total, Offset: a.int("offset")}
	values := append(append([]any{}, f.values...), a.int("limit"), p.Offset)
	out, err := query(ctx, s.db, scan, "SELECT "+cols+" FROM "+from+" WHERE "+f.where.String()+" ORDER BY "+order+" LIMIT ? OFFSET ?", values...)
	return out, p, err
}

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

// docView is a document in an answer.
type docView struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	SpaceID   string `json:"spaceId"`
	SpaceName string `json:"spaceName"`
	CreatedBy person `json:"createdBy"`
	CreatedAt string `json:"createdAt"`
	UpdatedAt string `json:"updatedAt"`
}

func listDocs(s *Service, ctx context.Context, sc scope, a args) (json.RawMessage, error) {
	var f filter
	if err := s.inSpace(ctx, sc, a, &f); err != nil {
		return nil, err
	}
	if q := a.str("query"); q != "" {
		f.and(`d.title LIKE ? ESCAPE '\'`, like(q))
	}
	docs, p, err := paged(ctx, s, "d.id, d.title, s.id, s.name, a.id, a.name, d.created_at, d.updated_at",
		"pc_docs d JOIN pc_spaces s ON s.id = d.space_id JOIN pc_accounts a ON a.id = d.author_id", "d.updated_at DESC, d.id", &f, a,
		func(r *sql.Rows) (v docView, err error) {
			var created, updated int64
			err = r.Scan(&v.ID, &v.Title, &v.SpaceID, &v.SpaceName, &v.CreatedBy.ID, &v.CreatedBy.Name, &created, &updated)
			v.CreatedAt, v.UpdatedAt = stamp(created), stamp(updated)
			return v, err
		})
	if err != nil {
		return nil, err
	}
	return answer(struct {
		page
		Docs []docView `json:"docs"`
	}{p, docs}), nil
}

// docRef is what writing needs to know of a document: not what is in it.
type docRef struct{ id, title, spaceID, spaceName string }

// rowQuerier is a pool, or the connection of a transaction.
type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func findDoc(ctx context.Context, q rowQuerier, sc scope, id string) (docRef, error) {
	d := docRef{id: id}
	err := q.QueryRowContext(ctx, `SELECT d.title, s.id, s.name FROM pc_docs d JOIN pc_spaces s ON s.id = d.space_id
		WHERE d.id = ? AND s.workspace_id = ?`, id, sc.ws.ID).Scan(&d.title, &d.spaceID, &d.spaceName)
	if errors.Is(err, sql.ErrNoRows) {
		return d, toolErrorf("Argumen \"docId\": dokumen %s tidak ada di workspace %s. Cari id-nya dengan list_docs.", quote(id), quote(sc.ws.Name))
	}
	return d, err
}

func (s *Service) docBlocks(ctx context.Context, docID string) ([]blocks.Block, error) {
	return query(ctx, s.db, func(r *sql.Rows) (b blocks.Block, err error) {
		var body string
		if err := r.Scan(&body); err != nil {
			return b, err
		}
		return b, json.Unmarshal([]byte(body), &b)
	}, "SELECT body FROM pc_blocks WHERE doc_id = ? ORDER BY seq", docID)
}

func readDoc(s *Service, ctx context.Context, sc scope, a args) (json.RawMessage, error) {
	d, err := findDoc(ctx, s.db, sc, a.str("docId"))
	if err != nil {
		return nil, err
	}
	bs, err := s.docBlocks(ctx, d.id)
	if err != nil {
		return nil, err
	}
	return rpc.Text(blocks.Render(bs), false), nil
}

// activityView is one thing that somebody did.
type activityView struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	At        string `json:"at"`
	Actor     person `json:"actor"`
	SpaceID   string `json:"spaceId"`
	SpaceName string `json:"spaceName"`
	SubjectID string `json:"subjectId"`
	Title     string `json:"title"`
}

func listActivity(s *Service, ctx context.Context, sc scope, a args) (json.RawMessage, error) {
	var f filter
	if err := s.inSpace(ctx, sc, a, &f); err != nil {
		return nil, err
	}
	if t, ok := a.time("since"); ok {
		f.and("v.at >= ?", t.UnixMilli())
	}
	list, p, err := paged(ctx, s, "v.id, v.kind, v.at, a.id, a.name, s.id, s.name, v.subject_id, v.subject_title",
		"pc_activity v JOIN pc_spaces s ON s.id = v.space_id JOIN pc_accounts a ON a.id = v.actor_id", "v.at DESC, v.id DESC", &f, a,
		func(r *sql.Rows) (v activityView, err error) {
			var at int64
			err = r.Scan(&v.ID, &v.Type, &at, &v.Actor.ID, &v.Actor.Name, &v.SpaceID, &v.SpaceName, &v.SubjectID, &v.Title)
			v.At = stamp(at)
			return v, err
		})
	if err != nil {
		return nil, err
	}
	return answer(struct {
		page
		Activity []activityView `json:"activity"`
	}{p, list}), nil
}
