package tui

import (
	"errors"
	"io"
	"path/filepath"
	"testing"
	"testing/synctest"

	"bridge/internal/cards"
)

// That one card, or the start, was slow says nothing of the cards after it:
// they are waited for as the first was.
func TestPlainWaitsForEachCard(t *testing.T) {
	d := newDesk(t, "one", "two")
	lines := make(chan string)
	close(lines)
	p := &plain{s: d.s, o: PlainOptions{Out: io.Discard, Now: d.clock, Width: 80}, lines: lines, late: true}
	if err := p.loop(t.Context()); !errors.Is(err, errLeft) || p.late {
		t.Errorf("after a card that was in time: late %v, %v", p.late, err)
	}

	path := filepath.Join(t.TempDir(), "outbox.json")
	synctest.Test(t, func(t *testing.T) {
		box, err := cards.OpenOutbox(path)
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		s := cards.New(cards.Options{Caller: &desk{t: t}, Outbox: box, Now: fixedNow}) // nobody runs it
		p := &plain{s: s, o: PlainOptions{Out: io.Discard, Now: fixedNow}}
		if late, err := p.wait(t.Context(), s.View()); !late || err != nil || p.late {
			t.Errorf("a slow start: %v, %v; late %v", late, err, p.late)
		}
	})
}
