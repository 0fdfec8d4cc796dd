package cards

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bridge/internal/fsrs"
)

// A Workspace is one collection of cards.
type Workspace struct {
	ID       string `json:"workspaceId"`
	Name     string `json:"name"`
	Cards    int    `json:"cardCount"`
	Selected bool   `json:"isSelected"`
}

// Workspaces lists the workspaces of the account.
func Workspaces(ctx context.Context, c Caller) ([]Workspace, error) {
	var out struct {
		Workspaces []Workspace `json:"workspaces"`
	}
	err := call(ctx, c, "list_workspaces", struct{}{}, &out)
	return out.Workspaces, err
}

// ListTags lists the tags of a workspace, those of most cards first.
func ListTags(ctx context.Context, c Caller, workspace string) ([]Tag, error) {
	return client{c, workspace}.tags(ctx)
}

// ListDecks lists the decks of a workspace by name.
func ListDecks(ctx context.Context, c Caller, workspace string) ([]Deck, error) {
	return client{c, workspace}.decks(ctx)
}

// A Filter narrows what is reviewed: cards with one of Tags, or of the deck.
// The zero value is all cards. Tags and DeckID exclude each other.
type Filter struct {
	Tags   []string
	DeckID string
	// Label is the name to show.
	Label string
}

// A Deck is a saved filter by tags. One without tags is all cards.
type Deck struct {
	ID   string   `json:"deck_id"`
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

// A client calls the tools for one workspace, which is named in every call: a
// review is idempotent within its workspace only.
type client struct {
	Caller
	workspace string
}

// next asks for the server's next card; nil means that nothing is due now.
func (c client) next(ctx context.Context, f Filter) (*Card, error) {
	args := map[string]any{"workspaceId": c.workspace}
	if f.DeckID != "" {
		args["deckId"] = f.DeckID
	} else if len(f.Tags) > 0 {
		args["tags"] = f.Tags
	}
	var out struct {
		Card *struct {
			ID    string `json:"cardId"`
			Front string `json:"frontText"`
		} `json:"card"`
	}
	if err := call(ctx, c, "next_review_card", args, &out); err != nil || out.Card == nil {
		return nil, err
	}
	return &Card{ID: out.Card.ID, Front: out.Card.Front}, nil
}

func (c client) reveal(ctx context.Context, cardID string) (string, error) {
	var out struct {
		Back string `json:"backText"`
	}
	err := call(ctx, c, "reveal_answer", map[string]any{"workspaceId": c.workspace, "cardId": cardID}, &out)
	return out.Back, err
}

// A Recorded is what the server made of a grade.
type Recorded struct {
	ReviewedAt time.Time     // zero when the server told of an earlier copy
	Due        time.Time     // zero if not told
	Interval   time.Duration // 0 if not told
	Phase      fsrs.Phase
	Reps       int
	Lapses     int
}

type recorded struct {
	ReviewedAt *time.Time `json:"reviewedAt"`
	Due        *time.Time `json:"dueAt"`
	Interval   *int64     `json:"intervalSeconds"`
	State      string     `json:"state"`
	Reps       int        `json:"reps"`
	Lapses     int        `json:"lapses"`
}

func (r recorded) plain() Recorded {
	out := Recorded{Reps: r.Reps, Lapses: r.Lapses}
	out.Phase, _ = fsrs.ParsePhase(r.State) // unknown states show as new
	if r.ReviewedAt != nil {
		out.ReviewedAt = *r.ReviewedAt
	}
	if r.Due != nil {
		out.Due = *r.Due
	}
	if r.Interval != nil {
		out.Interval = time.Duration(*r.Interval) * time.Second
	}
	return out
}

func (c client) submit(ctx context.Context, e Entry) (Recorded, error) {
	var out recorded
	err := call(ctx, c, "submit_review", map[string]any{
		"workspaceId": e.Workspace, "cardId": e.Card, "reviewId": e.ID,
		"rating": e.Rating, "reviewedTimeZone": e.Zone,
	}, &out)
	return out.plain(), err
}

// query runs one SELECT and decodes its rows. more says that the answer was
// cut short by a limit.
func query[T any](ctx context.Context, c client, sql string) (rows []T, more bool, err error) {
	var out struct {
		Rows    []T  `json:"rows"`
		HasMore bool `json:"hasMore"`
	}
	err = call(ctx, c, "sql_query", map[string]any{"sql": sql, "workspaceId": c.workspace}, &out)
	return out.Rows, out.HasMore, err
}

// all pages through a SELECT without LIMIT, at most most rows. It goes on after
// the rows that came, not after those asked for: an answer that would be too
// large is cut short.
func all[T any](ctx context.Context, c client, sql string, most int) ([]T, bool, error) {
	var rows []T
	for len(rows) < most {
		got, more, err := query[T](ctx, c, fmt.Sprintf("%s LIMIT %d OFFSET %d", sql, min(100, most-len(rows)), len(rows)))
		if err != nil {
			return nil, false, err
		}
		rows = append(rows, got...)
		if !more || len(got) == 0 {
			return rows, false, nil
		}
	}
	return rows, true, nil
}

// execute runs a writing statement and returns how many rows it changed; nil if
// that is not told.
func (c client) execute(ctx context.Context, sql string) (*int, json.RawMessage, error) {
	var out struct {
		Affected *int            `json:"affectedCount"`
		Rows     json.RawMessage `json:"rows"`
	}
	err := call(ctx, c, "sql_execute", map[string]any{"sql": sql, "workspaceId": c.workspace}, &out)
	return out.Affected, out.Rows, err
}

// Quote writes text as a literal of the service's SQL dialect.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func quoteList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = Quote(t)
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}
