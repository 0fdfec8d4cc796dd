package pacecraft

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
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
