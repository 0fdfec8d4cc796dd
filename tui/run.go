package tui

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
)

// Options of Run. In and Out are needed.
type Options struct {
	In  *os.File
	Out *os.File
	Env []string
	// Color is whether colour may be used; what is bold stays bold without.
	Color bool
	// Mouse lets clicks reveal and grade, and the wheel scroll.
	Mouse bool
	// Workspace is the name to show.
	Workspace string
	// Explain words an error for people.
	Explain func(error) string
	// Edit makes the command that edits a file; the terminal is the editor's
	// while it runs.
	Edit func(ctx context.Context, path string) (*exec.Cmd, error)
	// OpenURL shows an https address to the person.
	OpenURL func(url string) error
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Summary is what is said when the review is over, a line each.
func Summary(v cards.Snapshot, now time.Time) []string { return summary(v, now) }

// RatingName is what a rating is called.
func RatingName(r fsrs.Rating) string { return ratingName(r) }

// FromNow says when something is, seen from now.
func FromNow(at, now time.Time) string { return fromNow(at, now) }

// FlawText says what is wrong with a card.
func FlawText(f cards.Flaw) string { return flawText(f) }

// Run reviews on a full screen until the person leaves or ctx ends. Somebody
// else runs s.Run.
func Run(ctx context.Context, s *cards.Session, o Options) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel() // whatever waits for the session stops waiting
	options := []tea.ProgramOption{
		tea.WithContext(inner), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env), tea.WithoutSignalHandler(),
	}
	if !o.Color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	_, err := tea.NewProgram(newModel(inner, s, o), options...).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
