package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
	"bridge/internal/say"
	"bridge/tui"
)

type statsOptions struct {
	reviewOptions
	ascii bool
}

func newStats(a *app) *cli.Command {
	var o statsOptions
	return &cli.Command{
		Name:        "stats",
		Usage:       say.T("Show forecast, retention and a year of reviews"),
		ArgsUsage:   say.T("[NAME]"),
		UsageText:   "bridge stats\nbridge stats --json",
		Description: say.T("Cards that come due in the next days, how many were remembered in the past month, and the reviews of each day of a year. Days are those of this machine's time zone."),
		Flags: append(reviewFlags(&o.reviewOptions),
			&cli.BoolFlag{Name: "ascii", Usage: say.T("draw with plain letters"), Destination: &o.ascii},
		),
		ShellComplete: a.completeServer,
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 1); err != nil {
				return err
			}
			o.name = c.Args().First()
			return runStats(ctx, a, o)
		},
	}
}

func runStats(ctx context.Context, a *app, o statsOptions) error {
	if err := checkReview(o.reviewOptions); err != nil {
		return err
	}
	c, home, err := a.connectCards(ctx, "stats", o.name)
	if err != nil {
		return err
	}
	defer c.close()
	caller := toolCaller{c}
	workspace, err := a.cardsWorkspace(ctx, caller, home, c, o.workspace)
	if err != nil {
		return err
	}
	filter, err := chooseFilter(ctx, caller, workspace, c, o.reviewOptions)
	if err != nil {
		return err
	}
	done := a.working(say.T("Counting"))
	s, err := cards.ReadStats(ctx, caller, workspace, filter, time.Now())
	done()
	if err != nil {
		return c.cardsProblem(err)
	}
	if a.asJSON {
		return a.json(statsJSON(s, home.workspaceName()))
	}
	o.ascii = o.ascii || !unicodeTerminal(os.Getenv)
	a.showStats(s, o.ascii)
	return nil
}

type dayJSON struct {
	Date  string `json:"date"`
	Count int    `json:"count"`
}

type statsReport struct {
	Workspace string         `json:"workspace,omitempty"`
	At        time.Time      `json:"counted_at"`
	Due       map[string]int `json:"due"`
	Cards     map[string]int `json:"cards"`
	Forecast  []dayJSON      `json:"forecast"`
	Reviews   []dayJSON      `json:"reviews"`
	Ratings   map[string]int `json:"ratings_30_days"`
	// Remembered is the percentage that was not Again; null without reviews.
	Remembered *int `json:"remembered_30_days"`
	Streak     int  `json:"streak_days"`
}

func statsJSON(s cards.Stats, workspace string) statsReport {
	r := statsReport{Workspace: workspace, At: s.Now.UTC(), Streak: s.Streak(),
		Due:   map[string]int{"new": s.Cards.New, "learning": s.Cards.Learning, "due": s.Cards.Due},
		Cards: map[string]int{}, Ratings: map[string]int{}}
	for p, n := range s.ByState {
		r.Cards[fsrs.Phase(p).String()] = n
	}
	for _, rating := range fsrs.Ratings() {
		r.Ratings[strings.ToLower(rating.String())] = s.Ratings[rating]
	}
	if percent, ok := s.Remembered(); ok {
		r.Remembered = &percent
	}
	list := func(days []cards.Day) []dayJSON {
		out := make([]dayJSON, len(days))
		for i, d := range days {
			out[i] = dayJSON{d.Date.Format(time.DateOnly), d.Count}
		}
		return out
	}
	r.Forecast, r.Reviews = list(s.Forecast), list(s.Reviews)
	return r
}

func (a *app) showStats(s cards.Stats, ascii bool) {
	width := a.width()
	title := func(text string) { a.printf("%s\n", a.paint(bold, text)) }

	all := s.ByState[0] + s.ByState[1] + s.ByState[2] + s.ByState[3]
	title(say.T("Cards"))
	a.printf("  %s\n", say.T("%d in all: %d new, %d in learning, %d in review", all, s.ByState[fsrs.New], s.ByState[fsrs.Learning]+s.ByState[fsrs.Relearning], s.ByState[fsrs.Review]))
	a.printf("  %s\n\n", say.T("To review: %d new, %d learning, %d due", s.Cards.New, s.Cards.Learning, s.Cards.Due))

	title(say.T("Past 30 days"))
	if percent, ok := s.Remembered(); ok {
		var by []string
		for _, r := range fsrs.Ratings() {
			by = append(by, fmt.Sprintf("%s %d", tui.RatingName(r), s.Ratings[r]))
		}
		a.printf("  %s\n  %s\n", say.T("%d %% remembered.", percent), strings.Join(by, " · "))
	} else {
		a.printf("  %s\n", say.T("no reviews"))
	}
	a.printf("  %s\n\n", say.T("days in a row: %d", s.Streak()))

	title(say.T("Coming due"))
	for _, line := range forecast(s.Forecast, width-2, ascii) {
		a.printf("  %s\n", line)
	}
	a.printf("\n")
	title(say.T("A year of reviews"))
	for _, line := range calendar(s.Reviews, width-2, ascii) {
		a.printf("  %s\n", line)
	}
}

// forecast is a bar a day for a fortnight, and a sum for the rest.
func forecast(days []cards.Day, width int, ascii bool) (out []string) {
	const shown = 14
	most, rest := 1, 0
	for i, d := range days {
		if i < shown {
			most = max(most, d.Count)
		} else {
			rest += d.Count
		}
	}
	block := "━"
	if ascii {
		block = "="
	}
	room := max(4, min(40, width-20))
	for i, d := range days {
		if i == shown {
			break
		}
		name := d.Date.Format("01-02")
		if i == 0 {
			name = say.T("today")
		}
		n := (d.Count*room + most - 1) / most
		bar := strings.Repeat(block, n)
		if n > 0 {
			bar += " "
		}
		out = append(out, fmt.Sprintf("%-8s %s%d", name, bar, d.Count))
	}
	return append(out, say.T("then until %s: %d", days[len(days)-1].Date.Format("01-02"), rest))
}

// calendar has a column a week and a row a weekday, as many weeks as fit.
func calendar(days []cards.Day, width int, ascii bool) []string {
	shades := []string{"·", "░", "▒", "▓", "█"}
	if ascii {
		shades = []string{".", "-", "+", "*", "#"}
	}
	const label = 3
	weeks := (len(days) + 6) / 7
	skip := 0
	if room := width - label; weeks > room {
		skip = weeks - max(1, room)
	}
	most, total := 1, 0
	for _, d := range days[skip*7:] {
		most = max(most, d.Count)
		total += d.Count
	}
	rows := make([]strings.Builder, 7)
	var months strings.Builder
	months.WriteString(strings.Repeat(" ", label))
	for i := skip * 7; i < len(days); i++ {
		d := days[i]
		shade := 0
		if d.Count > 0 {
			shade = 1 + min(3, (d.Count-1)*4/most)
		}
		rows[i%7].WriteString(shades[shade])
		if i%7 == 0 {
			at := label + i/7 - skip
			if d.Date.Day() <= 7 && months.Len() <= at {
				months.WriteString(strings.Repeat(" ", at-months.Len()) + d.Date.Format("01"))
			}
		}
	}
	out := []string{strings.TrimRight(months.String(), " ")}
	names := [...]string{say.T("Mo"), "", say.T("We"), "", say.T("Fr"), "", say.T("Su")}
	for i := range rows {
		out = append(out, fmt.Sprintf("%-*s%s", label, names[i], rows[i].String()))
	}
	return append(out, say.T("%d reviews; most on one day: %d", total, most-boolInt(total == 0)))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
