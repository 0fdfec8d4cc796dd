package dialect

import "strings"

// Type is a column's type, by the name DESCRIBE gives it.
type Type string

// The types of the dialect.
const (
	String   Type = "string"
	UUID     Type = "uuid"
	Datetime Type = "datetime"
	Integer  Type = "integer"
	Number   Type = "number"
	Boolean  Type = "boolean"
	JSON     Type = "json"
	Strings  Type = "string[]"
	Integers Type = "integer[]"
)

func (t Type) text() bool    { return t == String || t == UUID || t == Datetime }
func (t Type) numeric() bool { return t == Integer || t == Number }

// Column describes one column of a resource.
type Column struct {
	Name        string
	Type        Type
	Nullable    bool
	Writable    bool
	Filterable  bool
	Sortable    bool
	Description string

	index int    // in Resource.Columns; len(Columns) for the name that UNNEST gives
	expr  string // SQLite expression, a constant of this package
	fold  string // the same in lower case; "" where SQLite's lower() is enough
}

// Resource is one of the four tables.
type Resource struct {
	Name        string
	Writable    bool
	Description string
	Columns     []Column

	from  string // SQLite FROM
	where string // scope: the workspace is its one parameter
	order string // the order of rows when the statement names none
	id    string // name of the identifying column
}

// Column finds a column by its lower-case name.
func (r *Resource) Column(name string) *Column {
	for i := range r.Columns {
		if r.Columns[i].Name == name {
			return &r.Columns[i]
		}
	}
	return nil
}

// ID is the identifying column.
func (r *Resource) ID() *Column { return r.Column(r.id) }

// Names lists the resources in the order of SHOW TABLES.
func Names() []string { return []string{"workspace", "cards", "decks", "review_events"} }

// Find gives the resource of a lower-case name, or nil. Each call builds a new
// value.
func Find(name string) *Resource {
	var r *Resource
	switch name {
	case "workspace":
		r = workspace()
	case "cards":
		r = cards()
	case "decks":
		r = decks()
	case "review_events":
		r = reviewEvents()
	default:
		return nil
	}
	for i := range r.Columns {
		r.Columns[i].index = i
	}
	return r
}

// column reads flags: W writable, F filterable, S sortable, ? nullable.
func column(name string, t Type, flags, expr, fold, description string) Column {
	return Column{
		Name: name, Type: t, Description: description, expr: expr, fold: fold,
		Nullable:   strings.Contains(flags, "?"),
		Writable:   strings.Contains(flags, "W"),
		Filterable: strings.Contains(flags, "F"),
		Sortable:   strings.Contains(flags, "S"),
	}
}

func workspace() *Resource {
	return &Resource{
		Name:        "workspace",
		Description: "The workspace itself, with its scheduling settings.",
		from:        "nb_workspace w", where: "w.ws = ?", order: "w.ws", id: "workspace_id",
		Columns: []Column{
			column("workspace_id", UUID, "FS", "w.workspace_id", "", "Identifier of the workspace."),
			column("name", String, "FS", "w.name", "w.name_fold", "Name shown to people."),
			column("created_at", Datetime, "FS", "w.created_at", "", "When the workspace was made."),
			column("algorithm", String, "FS", "w.algorithm", "", "Scheduling algorithm."),
			column("desired_retention", Number, "FS", "w.retention", "", "Recall probability that intervals aim at."),
			column("learning_steps_minutes", Integers, "", "w.learning", "", "Steps of a new card, in minutes."),
			column("relearning_steps_minutes", Integers, "", "w.relearning", "", "Steps after a lapse, in minutes."),
			column("maximum_interval_days", Integer, "FS", "w.maximum_days", "", "Longest interval, in days."),
			column("enable_fuzz", Boolean, "FS", "w.fuzz", "", "Whether intervals are spread a little."),
		},
	}
}

func cards() *Resource {
	return &Resource{
		Name: "cards", Writable: true,
		Description: "Flashcards of the workspace.",
		from:        "nb_card c", where: "c.ws = ? AND c.deleted_at IS NULL",
		order: "c.created_at DESC, c.card_id", id: "card_id",
		Columns: []Column{
			column("card_id", UUID, "FS", "c.card_id", "", "Identifier of the card."),
			column("front_text", String, "WFS", "c.front", "c.front_fold", "Question or cue, in Markdown."),
			column("back_text", String, "WFS", "c.back", "c.back_fold", "Answer, in Markdown."),
			column("card_type", String, "WFS", "c.card_type", "c.type_fold", "How the card is drawn."),
			column("metadata", JSON, "", "c.metadata", "", "Structured data about the card."),
			column("tags", Strings, "WFS", "c.tags", "c.tags_fold", "Tags of the card."),
			column("due_at", Datetime, "FS?", "c.due_at", "", "When the card comes up next; null for a new card."),
			column("created_at", Datetime, "FS", "c.created_at", "", "When the card was made."),
			column("reps", Integer, "FS", "c.reps", "", "Number of reviews."),
			column("lapses", Integer, "FS", "c.lapses", "", "Number of times the card was forgotten in review."),
			column("updated_at", Datetime, "FS", "c.updated_at", "", "When the card last changed."),
			column("deleted_at", Datetime, "?", "c.deleted_at", "", "When the card was deleted."),
			column("fsrs_card_state", String, "F", "c.state", "", "new, learning, review or relearning."),
			column("fsrs_step_index", Integer, "?", "c.step", "", "Position in the short steps."),
			column("fsrs_stability", Number, "?", "c.stability", "", "Days until recall falls to 90 %."),
			column("fsrs_difficulty", Number, "?", "c.difficulty", "", "Difficulty from 1 to 10."),
			column("fsrs_last_reviewed_at", Datetime, "?", "c.last_reviewed_at", "", "When the card was reviewed last."),
			column("fsrs_scheduled_days", Integer, "?", "c.scheduled_days", "", "Interval given last, in days."),
		},
	}
}

func decks() *Resource {
	return &Resource{
		Name: "decks", Writable: true,
		Description: "Decks: saved tag filters. A deck without tags holds all cards.",
		from:        "nb_deck d", where: "d.ws = ? AND d.deleted_at IS NULL",
		order: "d.created_at DESC, d.deck_id DESC", id: "deck_id",
		Columns: []Column{
			column("deck_id", UUID, "FS", "d.deck_id", "", "Identifier of the deck."),
			column("name", String, "WFS", "d.name", "d.name_fold", "Name shown to people."),
			column("tags", Strings, "WF", "d.tags", "d.tags_fold", "Tags of which a card must have one."),
			column("created_at", Datetime, "FS", "d.created_at", "", "When the deck was made."),
			column("updated_at", Datetime, "FS", "d.updated_at", "", "When the deck last changed."),
			column("deleted_at", Datetime, "?", "d.deleted_at", "", "When the deck was deleted."),
		},
	}
}

func reviewEvents() *Resource {
	return &Resource{
		Name:        "review_events",
		Description: "Every review, as it was given. Never changed.",
		from:        "nb_review r", where: "r.ws = ?",
		order: "r.reviewed_at_server DESC, r.review_event_id DESC", id: "review_event_id",
		Columns: []Column{
			column("review_event_id", UUID, "FS", "r.review_event_id", "", "Identifier of the review."),
			column("card_id", UUID, "FS", "r.card_id", "", "The card."),
			column("replica_id", UUID, "F", "r.replica_id", "", "The client's replica that sent the review."),
			column("client_event_id", String, "F", "r.client_event_id", "", "The client's own identifier of the review."),
			column("rating", Integer, "FS", "r.rating", "", "0 Again, 1 Hard, 2 Good, 3 Easy."),
			column("reviewed_at_client", Datetime, "FS", "r.reviewed_at_client", "", "When, by the client."),
			column("reviewed_at_server", Datetime, "FS", "r.reviewed_at_server", "", "When, by the server."),
		},
	}
}

// foldExpr is the column in lower case, for SQLite.
func (c *Column) foldExpr() string {
	if c.fold != "" {
		return c.fold
	}
	return "lower(" + c.expr + ")"
}

// unnested is the column that UNNEST tags AS name adds.
func unnested(name string, index int) *Column {
	return &Column{Name: name, Type: String, Filterable: true, Sortable: true,
		Description: "One tag of the card.", index: index, expr: "t.tag", fold: "t.tag_fold"}
}
