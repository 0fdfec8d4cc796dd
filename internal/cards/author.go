package cards

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
)

// A Draft is what a person writes: a new card, or a card as it is to be.
type Draft struct {
	Front, Back string
	Tags        []string
}

// A Flaw is what the service's own guide asks of a card and a draft does not
// keep.
type Flaw int

// The flaws. The server itself refuses only an empty front.
const (
	NoFront    Flaw = iota // there is no question
	NoBack                 // there is no answer
	NoTag                  // every card has a tag
	AnswerInIt             // the front holds the answer
)

// Check holds a draft against the card contract.
func (d Draft) Check() (flaws []Flaw) {
	front, back := fold(d.Front), fold(firstLine(d.Back))
	if front == "" {
		flaws = append(flaws, NoFront)
	}
	if strings.TrimSpace(d.Back) == "" {
		flaws = append(flaws, NoBack)
	}
	if len(d.Tags) == 0 {
		flaws = append(flaws, NoTag)
	}
	// Short answers ("is", "a") stand in any question.
	if len([]rune(back)) >= 4 && front != "" && strings.Contains(" "+front+" ", " "+back+" ") {
		flaws = append(flaws, AnswerInIt)
	}
	return flaws
}

// firstLine is where the answer stands, by the card contract.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// fold makes texts comparable: lower case, words only.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

// Draft is the card as a person may change it.
func (c Card) Draft() Draft { return Draft{c.Front, c.Back, slices.Clone(c.Tags)} }

// UpdateSQL is the statement that makes card cardID from old to d, or "" if
// nothing differs.
func (d Draft) UpdateSQL(cardID string, old Draft) string {
	var set []string
	if d.Front != old.Front {
		set = append(set, "front_text = "+Quote(d.Front))
	}
	if d.Back != old.Back {
		set = append(set, "back_text = "+Quote(d.Back))
	}
	if !slices.Equal(d.Tags, old.Tags) {
		set = append(set, "tags = "+quoteList(d.Tags))
	}
	if len(set) == 0 {
		return ""
	}
	return "UPDATE cards SET " + strings.Join(set, ", ") + " WHERE card_id = " + Quote(cardID)
}

// InsertSQL is the statement that makes the card.
func (d Draft) InsertSQL() string {
	return "INSERT INTO cards (front_text, back_text, tags) VALUES (" + Quote(d.Front) + ", " + Quote(d.Back) + ", " + quoteList(d.Tags) + ") RETURNING card_id"
}

// Add makes a card and returns its id.
func Add(ctx context.Context, c Caller, workspace string, d Draft) (id string, err error) {
	_, rows, err := client{c, workspace}.execute(ctx, d.InsertSQL())
	if err != nil {
		return "", err
	}
	var made []struct {
		ID string `json:"card_id"`
	}
	if json.Unmarshal(rows, &made) == nil && len(made) > 0 {
		id = made[0].ID
	}
	return id, nil
}

// mostSimilar bounds how many cards are held against a new one.
const mostSimilar = 500

// Similar looks for cards that ask the same already, whatever their letter
// case, blanks and punctuation. MATCH finds a substring anywhere in a row, so
// it is asked for the longest word, and what it finds is compared here.
func Similar(ctx context.Context, c Caller, workspace string, front string) ([]Card, error) {
	word := ""
	for w := range strings.FieldsSeq(fold(front)) {
		if len(w) > len(word) {
			word = w
		}
	}
	if word == "" {
		return nil, nil
	}
	rows, _, err := all[row](ctx, client{c, workspace},
		"SELECT "+rowColumns+" FROM cards WHERE MATCH("+Quote(word)+") ORDER BY created_at ASC, card_id ASC", mostSimilar)
	var found []Card
	for _, r := range rows {
		if fold(r.Front) == fold(front) {
			found = append(found, *r.card())
		}
	}
	return found, err
}

// ErrGone means that there is no such card any more.
var ErrGone = errors.New("the card is gone")

// Update changes the card that is shown, or was, with the statement that the
// person has seen. It is ErrGone if the statement found no card.
func (s *Session) Update(ctx context.Context, cardID, sql string, d Draft) error {
	changed, _, err := s.c.execute(ctx, sql)
	if err != nil {
		return err
	}
	if changed != nil && *changed == 0 {
		return ErrGone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	change := func(c *Card) {
		if c != nil && c.ID == cardID {
			c.Front, c.Back, c.HasBack, c.Tags = d.Front, d.Back, true, d.Tags
		}
	}
	change(s.current)
	change(s.heldCard)
	change(s.forced)
	change(s.pool.cards[cardID])
	signal(s.changed)
	return nil
}
