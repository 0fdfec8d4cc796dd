package pacecraft

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
)

// Workspace is what one connection reaches.
type Workspace struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// CreateWorkspace adds a workspace with one member.
func (s *Service) CreateWorkspace(ctx context.Context, accountID, name string) (Workspace, error) {
	var w Workspace
	err := s.write(ctx, func(t *tx) (err error) {
		w, err = t.workspace(ctx, name, accountID)
		return err
	})
	return w, err
}

func (t *tx) workspace(ctx context.Context, name string, members ...string) (Workspace, error) {
	w := Workspace{ID: t.newID("ws"), Name: name}
	if err := t.exec(ctx, "INSERT INTO pc_workspaces VALUES (?, ?, ?)", w.ID, name, t.now.UnixMilli()); err != nil {
		return w, err
	}
	for _, m := range members {
		if err := t.exec(ctx, "INSERT INTO pc_members VALUES (?, ?)", m, w.ID); err != nil {
			return w, err
		}
	}
	return w, nil
}

// Workspaces lists the workspaces an account is a member of, by name.
func (s *Service) Workspaces(ctx context.Context, accountID string) ([]Workspace, error) {
	return query(ctx, s.db, func(r *sql.Rows) (w Workspace, err error) { return w, r.Scan(&w.ID, &w.Name) },
		`SELECT w.id, w.name FROM pc_workspaces w JOIN pc_members m ON m.workspace_id = w.id
		WHERE m.account_id = ? ORDER BY w.name COLLATE NOCASE, w.id`, accountID)
}

// choose finds the workspace that the URL's parameter means: an id, a name, or
// a name in other capitals, in this order. A refusal is a toolError that lists
// what there is to choose from.
func (s *Service) choose(ctx context.Context, who Account, param string) (Workspace, error) {
	all, err := s.Workspaces(ctx, who.ID)
	if err != nil {
		return Workspace{}, err
	}
	param = strings.TrimSpace(param)
	switch {
	case len(all) == 0:
		return Workspace{}, toolErrorf("Akun ini belum menjadi anggota workspace mana pun. Buat workspace di PaceCraft, atau minta diundang ke salah satunya.")
	case param == "" && len(all) == 1:
		return all[0], nil
	case param == "":
		return Workspace{}, toolErrorf("Akun ini punya %d workspace. Pilih salah satu lewat parameter ?workspace= pada URL server, dengan nama atau id-nya:\n%s",
			len(all), choices(all))
	}
	for _, same := range []func(Workspace) bool{
		func(w Workspace) bool { return w.ID == param },
		func(w Workspace) bool { return w.Name == param },
		func(w Workspace) bool { return strings.EqualFold(w.Name, param) },
	} {
		var found []Workspace
		for _, w := range all {
			if same(w) {
				found = append(found, w)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return Workspace{}, toolErrorf("Ada %d workspace bernama %s. Pakai id-nya di parameter ?workspace=:\n%s", len(found), quote(param), ids(found))
		}
	}
	return Workspace{}, toolErrorf("Workspace %s tidak ditemukan untuk akun ini. Workspace yang bisa dipilih:\n%s", quote(param), choices(all))
}

func choices(ws []Workspace) string {
	var b strings.Builder
	for _, w := range ws {
		fmt.Fprintf(&b, "- %s (id: %s): ?workspace=%s\n", w.Name, w.ID, escapeQuery(w.Name))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func ids(ws []Workspace) string {
	var b strings.Builder
	for _, w := range ws {
		fmt.Fprintf(&b, "- ?workspace=%s\n", w.ID)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// escapeQuery writes a blank as %20, which survives being pasted anywhere,
// where a plus does not.
func escapeQuery(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// quote puts somebody's text into a message: in quotation marks, on one line, not too long.
func quote(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
