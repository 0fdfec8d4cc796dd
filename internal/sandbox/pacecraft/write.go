package pacecraft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"bridge/internal/sandbox/pacecraft/blocks"
	"bridge/internal/sandbox/rpc"
)

// The modes of update_doc.
const (
	modeAppend  = "append"
	modeReplace = "replace"
)

// previewBytes bounds how much of the new content a proposal shows.
const previewBytes = 4000

// written is the structured part of what a writing tool answers.
type written struct {
	Written bool   `json:"written"`
	DocID   string `json:"docId,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Blocks  int    `json:"blocks"`
	Message string `json:"message"` // the text, for clients that only show structured content
}

func (w written) answer() json.RawMessage { return answerText(w.Message, rpc.Marshal(w)) }

func parseContent(md string) ([]blocks.Block, error) {
	bs, err := blocks.Parse(md)
	switch {
	case errors.Is(err, blocks.ErrTooLarge):
		return nil, toolErrorf("Argumen \"content\" terlalu besar: paling banyak %d KiB sekali tulis.", blocks.MaxBytes>>10)
	case errors.Is(err, blocks.ErrTooManyBlocks):
		return nil, toolErrorf("Argumen \"content\" terlalu banyak bloknya: paling banyak %d blok sekali tulis.", blocks.MaxBlocks)
	}
	return bs, err
}

func createDoc(s *Service, ctx context.Context, sc scope, a args) (json.RawMessage, error) {
	title := strings.TrimSpace(a.str("title"))
	if strings.ContainsFunc(title, unicode.IsControl) {
		return nil, toolErrorf("Argumen \"title\" harus satu baris, tanpa karakter kendali.")
	}
	bs, err := parseContent(a.str("content"))
	if err != nil {
		return nil, err
	}
	sp, err := s.space(ctx, sc, a.str("spaceId"))
	if err != nil {
		return nil, err
	}
	if !a.is("confirmed") {
		return written{Blocks: len(bs), Message: fmt.Sprintf(
			"Usulan, belum ada yang ditulis: buat dokumen %q di space %q (workspace %q), %s.\n\n%s%s",
			title, sp.Name, sc.ws.Name, blockCount(bs), again("create_doc"), preview(bs))}.answer(), nil
	}
	var id string
	err = s.write(ctx, func(t *tx) (err error) {
		id, err = t.doc(ctx, sc.who.ID, sp.ID, title, bs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return written{Written: true, DocID: id, Blocks: len(bs), Message: fmt.Sprintf(
		"Dokumen %q sudah dibuat di space %q (docId: %s), %s.", title, sp.Name, id, blockCount(bs))}.answer(), nil
}

func updateDoc(s *Service, ctx context.Context, sc scope, a args) (json.RawMessage, error) {
	mode := a.str("mode")
	bs, err := parseContent(a.str("content"))
	if err != nil {
		return nil, err
	}
	if len(bs) == 0 {
		return nil, toolErrorf("Argumen \"content\" tidak menghasilkan satu blok pun.")
	}
	if a.is("confirmed") {
		return s.confirmUpdate(ctx, sc, a.str("docId"), mode, bs)
	}
	d, err := findDoc(ctx, s.db, sc, a.str("docId"))
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("tambahkan %s di akhir dokumen %q (space %q, workspace %q). Isi lama tidak disentuh.", blockCount(bs), d.title, d.spaceName, sc.ws.Name)
	if mode == modeReplace {
		lost, err := s.loss(ctx, d.id)
		if err != nil {
			return nil, err
		}
		what = fmt.Sprintf("tulis ulang seluruh dokumen %q (space %q, workspace %q) dengan %s.\n\nPERHATIAN: %s", d.title, d.spaceName, sc.ws.Name, blockCount(bs), lost)
	}
	return written{DocID: d.id, Mode: mode, Blocks: len(bs), Message: fmt.Sprintf(
		"Usulan, belum ada yang ditulis: %s\n\n%s%s", what, again("update_doc"), preview(bs))}.answer(), nil
}

func (s *Service) confirmUpdate(ctx context.Context, sc scope, id, mode string, bs []blocks.Block) (json.RawMessage, error) {
	var d docRef
	err := s.write(ctx, func(t *tx) (err error) {
		if d, err = findDoc(ctx, t.conn, sc, id); err != nil {
			return err
		}
		if mode == modeReplace {
			if err := t.dropBlocks(ctx, id); err != nil {
				return err
			}
		}
		if err := t.addBlocks(ctx, id, bs); err != nil {
			return err
		}
		return t.record(ctx, d.spaceID, sc.who.ID, docUpdated, id, d.title)
	})
	if err != nil {
		return nil, err
	}
	msg := fmt.Sprintf("%s sudah ditambahkan di akhir dokumen %q (docId: %s).", capital(blockCount(bs)), d.title, id)
	if mode == modeReplace {
		msg = fmt.Sprintf("Dokumen %q (docId: %s) sudah ditulis ulang, %s. Isi lamanya sudah tidak ada.", d.title, id, blockCount(bs))
	}
	return written{Written: true, DocID: id, Mode: mode, Blocks: len(bs), Message: msg}.answer(), nil
}

// loss says what a replace would destroy, above all what read_doc never showed.
func (s *Service) loss(ctx context.Context, docID string) (string, error) {
	bs, err := s.docBlocks(ctx, docID)
	if err != nil {
		return "", err
	}
	if len(bs) == 0 {
		return "dokumen ini sekarang kosong.", nil
	}
	hidden := 0
	var kinds []string
	for _, k := range []struct {
		kind blocks.Kind
		name string
	}{{blocks.Table, "tabel"}, {blocks.Callout, "callout"}, {blocks.Checklist, "checklist"}, {blocks.Toggle, "toggle"}} {
		n := 0
		for _, b := range bs {
			if b.Type == k.kind {
				n++
			}
		}
		if n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, k.name))
		}
		hidden += n
	}
	msg := fmt.Sprintf("seluruh isi lama (%s) akan hilang", blockCount(bs))
	if hidden > 0 {
		msg += fmt.Sprintf(", termasuk yang tidak tampak di read_doc: %s", strings.Join(kinds, ", "))
	}
	return msg + ". Tidak ada riwayat versi, jadi isi itu tidak bisa dikembalikan.", nil
}

func blockCount(bs []blocks.Block) string {
	if len(bs) == 0 {
		return "tanpa isi"
	}
	return fmt.Sprintf("%d blok", len(bs))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// preview shows the content as read_doc will answer it. It ends the proposal:
// what stands in the content cannot pass for the words around it.
func preview(bs []blocks.Block) string {
	md := blocks.Render(bs)
	if md == "" {
		return ""
	}
	if len(md) <= previewBytes {
		return "\n\nIsinya:\n\n" + strings.TrimSuffix(md, "\n")
	}
	cut := previewBytes
	for !utf8.RuneStart(md[cut]) {
		cut--
	}
	return fmt.Sprintf("\n\nAwal isinya (%d dari %d byte):\n\n%s…", cut, len(md), md[:cut])
}

func again(tool string) string {
	return fmt.Sprintf("Tanyakan dulu kepada pengguna. Jika setuju, panggil %s lagi dengan argumen yang sama ditambah confirmed: true.", tool)
}
