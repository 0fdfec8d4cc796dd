package pacecraft

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"bridge/internal/sandbox/pacecraft/blocks"
	"bridge/internal/sandbox/rpc"
)

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
