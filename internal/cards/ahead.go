package cards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bridge/internal/fsrs"
)

// The look-ahead: enough of the collection to say which card the server would
// name next. The queue is made of three parts, and each is read in its own
// order, so that what is known of it is a beginning without gaps:
//
//	window   due from 75 minutes ago to an hour from now: the short steps
//	overdue  due before that, oldest first
//	fresh    new cards
//
// A card reviewed within the hour that is due again lies in the window. Where
// the beginning that is known ends, the pool does not guess: pick says that it
// is not certain, and the server is asked.
const (
	windowBack  = 75 * time.Minute
	windowAhead = time.Hour
	windowMost  = 300
	aheadMost   = 40 // overdue and new cards to read at once
	aheadFew    = 6  // read on when fewer are left
	poolAge     = 20 * time.Minute
)

type pool struct {
	cards    map[string]*Card
	read     time.Time // when; zero: never
	settings fsrs.Settings
	newest   bool // equals are ordered by creation, newest first

	moreWindow, moreOverdue, moreFresh bool
}

// pick is the first card of the queue at now, skipping those that skip names.
// certain is false where more cards exist than are known, and one of them
// could come first.
func (p *pool) pick(now time.Time, skip func(id string) bool) (best *Card, certain bool) {
	if p.read.IsZero() {
		return nil, false
	}
	for _, c := range p.cards {
		if skip(c.ID) || c.bucket(now) == bucketNone {
			continue
		}
		if best == nil || c.compare(best, now, p.newest) < 0 {
			best = c
		}
	}
	certain = !p.moreWindow && now.Sub(p.read) < windowAhead-time.Minute
	switch {
	case best == nil:
		return nil, certain && !p.moreOverdue && !p.moreFresh
	case best.bucket(now) == bucketDue:
		certain = certain && (!p.moreOverdue || best.Due.Before(p.read.Add(-windowBack)))
	case best.bucket(now) == bucketNew:
		certain = certain && !p.moreOverdue
	}
	return best, certain
}

// short says that the look-ahead should be read again.
func (p *pool) short(now time.Time, skip func(id string) bool) bool {
	if p.read.IsZero() || now.Sub(p.read) > poolAge {
		return true
	}
	var overdue, fresh int
	for _, c := range p.cards {
		switch {
		case skip(c.ID):
		case c.Due.IsZero():
			fresh++
		case c.Due.Before(p.read.Add(-windowBack)):
			overdue++
		}
	}
	return p.moreOverdue && overdue < aheadFew || p.moreFresh && fresh < aheadFew
}

// nextDue is when the first of the known cards that wait comes up.
func (p *pool) nextDue(now time.Time) (due time.Time) {
	for _, c := range p.cards {
		if c.Due.After(now) && (due.IsZero() || c.Due.Before(due)) {
			due = c.Due
		}
	}
	return due
}

func stampSQL(t time.Time) string { return Quote(t.UTC().Format("2006-01-02T15:04:05.000Z")) }

// look reads the pool. scope is a predicate with AND before it, or empty. One
// call is enough where the rows fit into an answer; where they do not, each
// part is paged.
func (c client) look(ctx context.Context, now time.Time, scope string, newest bool) (*pool, Counts, error) {
	p := &pool{cards: map[string]*Card{}, read: now, newest: newest, settings: fsrs.Default()}
	created := "created_at ASC"
	if newest {
		created = "created_at DESC"
	}
	from := "SELECT " + rowColumns + " FROM cards WHERE "
	order := " ORDER BY due_at ASC, " + created + ", card_id ASC"
	edge := stampSQL(now.Add(-windowBack))
	parts := []lookPart{
		{from + "due_at >= " + edge + " AND due_at <= " + stampSQL(now.Add(windowAhead)) + scope + order, 40, windowMost, &p.moreWindow},
		{from + "due_at < " + edge + scope + order, 16, aheadMost, &p.moreOverdue},
		{from + "due_at IS NULL" + scope + " ORDER BY " + created + ", card_id ASC", 16, aheadMost, &p.moreFresh},
	}
	counts, done, err := c.lookOnce(ctx, p, parts, countSQL(now, scope))
	if err != nil || done {
		return p, counts, err
	}
	for _, part := range parts {
		var rows []row
		if rows, *part.more, err = all[row](ctx, c, part.sql, part.most); err != nil {
			return nil, counts, err
		}
		p.add(rows)
	}
	if p.settings, err = c.settings(ctx); err != nil {
		return nil, counts, err
	}
	counts, err = c.count(ctx, now, scope)
	return p, counts, err
}

// A lookPart is a query that the pool is made of.
type lookPart struct {
	sql  string
	few  int // rows to read with the others in one call
	most int // rows to read by itself
	more *bool
}

func (p *pool) add(rows []row) {
	for _, r := range rows {
		p.cards[r.ID] = r.card()
	}
}

// lookOnce reads everything as one batch. done is false if that did not work,
// or was not enough: the window has to be whole.
func (c client) lookOnce(ctx context.Context, p *pool, parts []lookPart, count string) (counts Counts, done bool, err error) {
	var statements []string
	for _, part := range parts {
		statements = append(statements, part.sql+fmt.Sprintf(" LIMIT %d", part.few))
	}
	statements = append(statements, settingsSQL, count)
	var answer struct {
		Statements []struct {
			Rows []json.RawMessage `json:"rows"`
		} `json:"statements"`
	}
	err = call(ctx, c, "sql_query", map[string]any{"sql": strings.Join(statements, "; "), "workspaceId": c.workspace}, &answer)
	if transient(err) {
		return counts, false, err
	}
	if err != nil || len(answer.Statements) != len(statements) || len(answer.Statements[0].Rows) >= parts[0].few {
		return counts, false, nil // too large for one answer, for instance
	}
	for i, part := range parts {
		rows, err := rowsOf[row](answer.Statements[i].Rows)
		if err != nil {
			return counts, false, err
		}
		*part.more = len(rows) >= part.few
		p.add(rows)
	}
	set, err1 := rowsOf[settingsRow](answer.Statements[len(parts)].Rows)
	lines, err2 := rowsOf[countLine](answer.Statements[len(parts)+1].Rows)
	if err := errors.Join(err1, err2); err != nil {
		return counts, false, err
	}
	p.settings = settingsOf(set)
	return countsOf(lines), true, nil
}

func rowsOf[T any](raw []json.RawMessage) ([]T, error) {
	out := make([]T, len(raw))
	for i, r := range raw {
		if err := json.Unmarshal(r, &out[i]); err != nil {
			return nil, fmt.Errorf("sql_query: %w: %w", ErrForeign, err)
		}
	}
	return out, nil
}

// Counts are cards that are to be reviewed now, by kind.
type Counts struct{ New, Learning, Due int }

// Total of the three.
func (n Counts) Total() int { return n.New + n.Learning + n.Due }

func (n *Counts) add(k Kind, by int) {
	switch k {
	case KindNew:
		n.New = max(0, n.New+by)
	case KindLearning:
		n.Learning = max(0, n.Learning+by)
	case KindDue:
		n.Due = max(0, n.Due+by)
	}
}

type countLine struct {
	Phase string `json:"fsrs_card_state"`
	N     int    `json:"n"`
}

func countSQL(now time.Time, scope string) string {
	return "SELECT fsrs_card_state, COUNT(*) AS n FROM cards WHERE (due_at <= " + stampSQL(now) + " OR due_at IS NULL)" + scope +
		" GROUP BY fsrs_card_state LIMIT 10"
}

func countsOf(lines []countLine) (n Counts) {
	for _, l := range lines {
		phase, _ := fsrs.ParsePhase(l.Phase)
		n.add(kindOf(phase), l.N)
	}
	return n
}

func (c client) count(ctx context.Context, now time.Time, scope string) (Counts, error) {
	lines, _, err := query[countLine](ctx, c, countSQL(now, scope))
	return countsOf(lines), err
}

type settingsRow struct {
	Retention  *float64 `json:"desired_retention"`
	Learning   []int    `json:"learning_steps_minutes"`
	Relearning []int    `json:"relearning_steps_minutes"`
	Maximum    *int     `json:"maximum_interval_days"`
	Fuzz       *bool    `json:"enable_fuzz"`
}

const settingsSQL = "SELECT desired_retention, learning_steps_minutes, relearning_steps_minutes, maximum_interval_days, enable_fuzz FROM workspace LIMIT 1"

func (c client) settings(ctx context.Context) (fsrs.Settings, error) {
	rows, _, err := query[settingsRow](ctx, c, settingsSQL)
	return settingsOf(rows), err
}

// settingsOf reads the workspace's; what it does not tell is as in a fresh one.
func settingsOf(rows []settingsRow) fsrs.Settings {
	set := fsrs.Default()
	if len(rows) == 0 {
		return set
	}
	r := rows[0]
	if r.Retention != nil {
		set.Retention = *r.Retention
	}
	if len(r.Learning) > 0 {
		set.LearningSteps = r.Learning
	}
	if len(r.Relearning) > 0 {
		set.RelearningSteps = r.Relearning
	}
	if r.Maximum != nil {
		set.MaximumDays = *r.Maximum
	}
	if r.Fuzz != nil {
		set.Fuzz = *r.Fuzz
	}
	return set
}

// byID reads one card; nil means that it is gone.
func (c client) byID(ctx context.Context, id string) (*Card, error) {
	rows, _, err := query[row](ctx, c, "SELECT "+rowColumns+" FROM cards WHERE card_id = "+Quote(id)+" LIMIT 1")
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0].card(), nil
}

// A Tag and the number of its cards.
type Tag struct {
	Name  string `json:"tag"`
	Cards int    `json:"n"`
}

const mostNames = 2000

func (c client) tags(ctx context.Context) ([]Tag, error) {
	tags, _, err := all[Tag](ctx, c, "SELECT tag, COUNT(*) AS n FROM cards UNNEST tags AS tag GROUP BY tag ORDER BY n DESC, tag ASC", mostNames)
	return tags, err
}

func (c client) decks(ctx context.Context) ([]Deck, error) {
	decks, _, err := all[Deck](ctx, c, "SELECT deck_id, name, tags FROM decks ORDER BY name ASC, deck_id ASC", mostNames)
	return decks, err
}

// scope is the filter as a predicate that begins with AND. The tools match tags
// in any letter case and OVERLAP does not, so every spelling is named.
func (c client) scope(ctx context.Context, f Filter) (string, error) {
	wanted := f.Tags
	if f.DeckID != "" {
		decks, err := c.decks(ctx)
		if err != nil {
			return "", err
		}
		i := slices.IndexFunc(decks, func(d Deck) bool { return d.ID == f.DeckID })
		if i < 0 {
			return "", errNoDeck
		}
		wanted = decks[i].Tags
	}
	if len(wanted) == 0 {
		return "", nil
	}
	tags, err := c.tags(ctx)
	if err != nil {
		return "", err
	}
	var spelled []string
	for _, t := range tags {
		if slices.ContainsFunc(wanted, func(w string) bool { return strings.EqualFold(w, t.Name) }) {
			spelled = append(spelled, t.Name)
		}
	}
	if len(spelled) == 0 {
		spelled = wanted // matches nothing, as it should
	}
	return " AND tags OVERLAP " + quoteList(spelled), nil
}

var errNoDeck = errors.New("the deck is gone")
