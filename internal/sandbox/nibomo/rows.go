package nibomo

import (
	"context"
	"fmt"
	"strings"

	"bridge/internal/fsrs"
	"bridge/internal/sandbox/rpc"
)

// card is a card on its way into the database.
type card struct {
	ID, Front, Back, Kind string
	Tags                  []string
	Created               string
}

func (t *tx) newCard(ctx context.Context, c card) (int64, error) {
	var n int64
	err := t.conn.QueryRowContext(ctx, `
		INSERT INTO nb_card (ws, card_id, front, front_fold, back, back_fold, card_type, type_fold, metadata,
			tags, tags_fold, created_at, updated_at, reps, lapses, state)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, ?, ?, ?, 0, 0, 'new') RETURNING n`,
		t.ws, c.ID, c.Front, strings.ToLower(c.Front), c.Back, strings.ToLower(c.Back), c.Kind, strings.ToLower(c.Kind),
		string(rpc.Marshal(c.Tags)), foldTags(c.Tags), c.Created, c.Created).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("insert card: %w", err)
	}
	return n, t.tag(ctx, n, c.Tags)
}

// foldTags is tags_fold.
func foldTags(tags []string) string { return strings.ToLower(strings.Join(tags, " ")) }

// tag writes the tags of a card anew.
func (t *tx) tag(ctx context.Context, n int64, tags []string) error {
	if err := t.exec(ctx, "DELETE FROM nb_card_tag WHERE n = ?", n); err != nil {
		return fmt.Errorf("tag card: %w", err)
	}
	for i, tag := range tags {
		err := t.exec(ctx, `
			INSERT INTO nb_card_tag (n, pos, ws, tag, tag_fold, due_at, created_at, card_id, last_reviewed_at, steps)
			SELECT n, ?, ws, ?, ?, due_at, created_at, card_id, last_reviewed_at, state IN ('learning', 'relearning')
			FROM nb_card WHERE n = ?`, i, tag, strings.ToLower(tag), n)
		if err != nil {
			return fmt.Errorf("tag card: %w", err)
		}
	}
	return nil
}

func (t *tx) changeCard(ctx context.Context, n int64, v values) error {
	set := []string{"updated_at = ?"}
	args := []any{t.now}
	pair := func(column, fold string, s *string) {
		if s != nil {
			set = append(set, column+" = ?", fold+" = ?")
			args = append(args, *s, strings.ToLower(*s))
		}
	}
	pair("front", "front_fold", v.front)
	pair("back", "back_fold", v.back)
	pair("card_type", "type_fold", v.kind)
	if v.tags != nil {
		set = append(set, "tags = ?", "tags_fold = ?")
		args = append(args, string(rpc.Marshal(v.tags)), foldTags(v.tags))
	}
	if err := t.exec(ctx, "UPDATE nb_card SET "+strings.Join(set, ", ")+" WHERE n = ?", append(args, n)...); err != nil {
		return fmt.Errorf("update card: %w", err)
	}
	if v.tags != nil {
		return t.tag(ctx, n, v.tags)
	}
	return nil
}

func (t *tx) newDeck(ctx context.Context, id, name string, tags []string, created string) (int64, error) {
	var n int64
	err := t.conn.QueryRowContext(ctx, `
		INSERT INTO nb_deck (ws, deck_id, name, name_fold, tags, tags_fold, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
		t.ws, id, name, strings.ToLower(name), string(rpc.Marshal(tags)), foldTags(tags), created, created).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("insert deck: %w", err)
	}
	return n, nil
}

func (t *tx) changeDeck(ctx context.Context, n int64, v values) error {
	set := []string{"updated_at = ?"}
	args := []any{t.now}
	if v.name != nil {
		set = append(set, "name = ?", "name_fold = ?")
		args = append(args, *v.name, strings.ToLower(*v.name))
	}
	if v.tags != nil {
		set = append(set, "tags = ?", "tags_fold = ?")
		args = append(args, string(rpc.Marshal(v.tags)), foldTags(v.tags))
	}
	if err := t.exec(ctx, "UPDATE nb_deck SET "+strings.Join(set, ", ")+" WHERE n = ?", append(args, n)...); err != nil {
		return fmt.Errorf("update deck: %w", err)
	}
	return nil
}

// schedule writes what a review did to a card.
func (t *tx) schedule(ctx context.Context, n int64, o fsrs.Outcome) error {
	st := o.State
	var step any
	steps := st.Phase == fsrs.Learning || st.Phase == fsrs.Relearning
	if steps {
		step = st.Step
	}
	due, last := stamp(o.Due()), stamp(st.LastReview)
	err := t.exec(ctx, `
		UPDATE nb_card SET due_at = ?, updated_at = ?, reps = ?, lapses = ?, state = ?, step = ?,
			stability = ?, difficulty = ?, last_reviewed_at = ?, scheduled_days = ? WHERE n = ?`,
		due, last, st.Reps, st.Lapses, st.Phase.String(), step, st.Stability, st.Difficulty, last, st.ScheduledDays, n)
	if err != nil {
		return fmt.Errorf("schedule card: %w", err)
	}
	err = t.exec(ctx, "UPDATE nb_card_tag SET due_at = ?, last_reviewed_at = ?, steps = ? WHERE n = ?", due, last, steps, n)
	if err != nil {
		return fmt.Errorf("schedule card: %w", err)
	}
	return nil
}
