package cards

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"bridge/internal/fsrs"
)

// five is a learner with five new cards, and a session on them.
func five(t *testing.T, o Options) (*learner, *Session) {
	t.Helper()
	b := newBench(t)
	l := b.learner("learner@example.com", "one")
	o.Workspace = l.workspace(t)
	for i := range 5 {
		b.at.add(time.Second)
		l.add(t, o.Workspace, Draft{fmt.Sprintf("front %d", i), fmt.Sprintf("back %d", i), []string{"x"}})
	}
	s := l.session(t, o)
	drain(t, s)
	return l, s
}

// give turns the card over and grades it.
func give(t *testing.T, s *Session, r fsrs.Rating) {
	t.Helper()
	s.Reveal()
	drain(t, s)
	if err := s.Grade(r); err != nil {
		t.Fatal(err)
	}
}

func TestPreviewIsWhatHappens(t *testing.T) {
	l, s := five(t, Options{})
	for range 4 {
		s.Reveal()
		v := s.View()
		if v.Previews == nil {
			t.Fatal("no previews")
		}
		if err := s.Grade(fsrs.Hard); err != nil {
			t.Fatal(err)
		}
		drain(t, s)
		last := s.View().Last
		if !last.Told || last.Interval != v.Previews[fsrs.Hard].Interval {
			t.Errorf("Hard: said %v, became %v", v.Previews[fsrs.Hard], last)
		}
		l.b.at.add(time.Second)
	}
	if p := s.View().Previews; p[fsrs.Again].Interval != time.Minute || p[fsrs.Good].Interval != 10*time.Minute || !p[fsrs.Easy].About || p[fsrs.Easy].Interval != 8*24*time.Hour {
		t.Errorf("a new card: %v", *p)
	}
}

func TestCounts(t *testing.T) {
	l, s := five(t, Options{})
	if n := s.View().Counts; n != (Counts{New: 5}) {
		t.Fatalf("at the start %+v", n)
	}
	give(t, s, fsrs.Again)
	if n := s.View().Counts; n != (Counts{New: 4}) {
		t.Errorf("after one %+v", n)
	}
	drain(t, s)
	l.b.at.add(61 * time.Second)
	if n := s.View().Counts; n != (Counts{New: 4, Learning: 1}) {
		t.Errorf("a minute later %+v", n)
	}
}

func TestUndo(t *testing.T) {
	l, s := five(t, Options{Hold: 5 * time.Second})
	if err := s.Undo(); !errors.Is(err, ErrNoCard) {
		t.Errorf("nothing to undo: %v", err)
	}
	first := s.View().Card.ID
	give(t, s, fsrs.Again)
	if v := s.View(); v.Card.ID == first || v.Phase != Question || v.HeldFor != 5*time.Second || v.Unsent != 1 {
		t.Fatalf("after the grade: %+v", v)
	}
	drain(t, s)
	if n := l.calls["submit_review"]; n != 0 {
		t.Fatalf("%d sent while it was held", n)
	}
	if err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	if v := s.View(); v.Card.ID != first || v.Phase != Answer || v.Unsent != 0 || v.Done() != 0 || v.Counts.New != 5 {
		t.Fatalf("after undo: %+v", v)
	}
	give(t, s, fsrs.Good)
	give(t, s, fsrs.Good) // the first can no longer be undone
	drain(t, s)
	if n := l.calls["submit_review"]; n != 1 {
		t.Errorf("%d sent after the second", n)
	}
	l.b.at.add(5 * time.Second)
	drain(t, s)
	if n := l.calls["submit_review"]; n != 2 {
		t.Errorf("%d sent after the time was over", n)
	}
	if err := s.Undo(); !errors.Is(err, ErrSent) {
		t.Errorf("too late: %v", err)
	}
}

func TestOffline(t *testing.T) {
	l, s := five(t, Options{})
	l.before = func(string) error { return errLost }
	for i := range 4 {
		give(t, s, fsrs.Easy)
		drain(t, s)
		if v := s.View(); v.Phase != Question || v.Problem == nil || v.Unsent != i+1 {
			t.Fatalf("%d: phase %d, %d unsent, %v", i, v.Phase, v.Unsent, v.Problem)
		}
	}
	l.before = nil
	l.b.at.add(time.Minute)
	drain(t, s)
	if v := s.View(); v.Problem != nil || v.Unsent != 0 {
		t.Errorf("back again: %d unsent, %v", v.Unsent, v.Problem)
	}
	if n := len(l.events(t, s.o.Workspace)); n != 4 {
		t.Errorf("the server has %d", n)
	}
}

// TestAnswerLost: the server has the grade and the answer never came. It is
// looked for, not sent again; not even by another sign-in.
func TestAnswerLost(t *testing.T) {
	b := newBench(t)
	l := b.learner("learner@example.com", "one")
	ws := l.workspace(t)
	l.add(t, ws, Draft{"front", "back", []string{"x"}})
	path := filepath.Join(t.TempDir(), "outbox.json")
	box := openBox(t, path)
	s := l.session(t, Options{Workspace: ws, Outbox: box})
	drain(t, s)
	l.after = func(tool string) error {
		if tool == "submit_review" {
			return errLost
		}
		return nil
	}
	give(t, s, fsrs.Good)
	drain(t, s)
	if n := len(l.events(t, ws)); n != 1 {
		t.Fatalf("the server has %d", n)
	}
	box.Close()

	if n, err := Unsent(path); n != 1 || err != nil {
		t.Errorf("on disk: %d %v", n, err)
	}
	l.after = nil
	l.conn.ID = "two"
	s = l.session(t, Options{Workspace: ws, Outbox: openBox(t, path)})
	if v := s.View(); v.Waiting != 1 || v.Phase != Loading {
		t.Errorf("at the next start: %+v", v)
	}
	b.at.add(time.Minute)
	drain(t, s)
	if n := len(l.events(t, ws)); n != 1 {
		t.Errorf("the server has %d", n)
	}
	if n, err := Unsent(path); n != 0 || err != nil {
		t.Errorf("on disk: %d %v", n, err)
	}
}

func TestConflictIsSuccess(t *testing.T) {
	l, s := five(t, Options{Hold: time.Hour})
	give(t, s, fsrs.Good)
	e := *s.box.entries[0]
	if _, err := s.c.submit(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	l.b.at.add(time.Second)
	s.Settle()
	drain(t, s)
	v := s.View()
	if v.Unsent != 0 || !v.Last.Told || v.Last.Interval != 10*time.Minute || v.Stuck != nil {
		t.Errorf("after a conflict: %+v %+v", v, v.Last)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		code           string
		unsent, events int
		notice         Notice
		stuck          bool
	}{
		{codeMismatch, 0, 1, NoticeNone, false},
		{codeStale, 0, 0, NoticeStale, false},
		{codeFailed, 0, 0, NoticeGone, false},
		{codeArguments, 0, 1, NoticeNone, false},
		{"SOMETHING_NEW", 1, 0, NoticeNone, true},
		{codeNoWorkspace, 1, 0, NoticeNone, true},
	} {
		t.Run(tt.code, func(t *testing.T) {
			l, s := five(t, Options{})
			once := sync.OnceValue(func() error { return &ToolError{Code: tt.code, Message: "no"} })
			first := true
			l.before = func(tool string) error {
				if tool == "submit_review" && first {
					first = false
					return once()
				}
				return nil
			}
			give(t, s, fsrs.Good)
			drain(t, s)
			v := s.View()
			if n := len(l.events(t, s.o.Workspace)); v.Unsent != tt.unsent || n != tt.events || v.Notice != tt.notice || (v.Stuck != nil) != tt.stuck {
				t.Errorf("%d unsent, %d recorded, notice %d, stuck %v", v.Unsent, n, v.Notice, v.Stuck)
			}
			if v.Phase != Question {
				t.Errorf("phase %d: the review goes on", v.Phase)
			}
		})
	}
}

// A server that says the same whatever is done about it is not asked without
// end, nor without a pause.
func TestTheSameRefusalForEver(t *testing.T) {
	t.Run("of every ID", func(t *testing.T) {
		l, s := five(t, Options{})
		l.before = func(tool string) error {
			if tool == "submit_review" {
				return &ToolError{Code: codeMismatch, Message: "belongs to another card"}
			}
			return nil
		}
		give(t, s, fsrs.Good)
		drain(t, s)
		if v := s.View(); v.Unsent != 1 || v.Stuck == nil || v.Phase != Question {
			t.Errorf("%d unsent, stuck %v, phase %d", v.Unsent, v.Stuck, v.Phase)
		}
	})
	t.Run("of an answer", func(t *testing.T) {
		b := newBench(t)
		l := b.learner("learner@example.com", "one")
		ws := l.workspace(t)
		l.add(t, ws, Draft{"front", "back", []string{"x"}})
		l.before = func(tool string) error {
			switch tool {
			case "sql_query":
				return &ToolError{Code: "NOT_OURS", Message: "no such dialect"}
			case "reveal_answer":
				return &ToolError{Code: codeFailed, Message: "try something else"}
			}
			return nil
		}
		s := l.session(t, Options{Workspace: ws})
		drain(t, s)
		if v := s.View(); v.Problem == nil {
			t.Errorf("nothing is wrong in phase %d", v.Phase)
		}
	})
}

func TestElsewhere(t *testing.T) {
	l, s := five(t, Options{})
	shown := s.View().Card.ID
	// Another client reviews the card that is on the screen.
	other := l.b.learner("learner@example.com", "phone")
	l.b.at.add(time.Second)
	if _, err := (client{other, s.o.Workspace}).submit(t.Context(), Entry{ID: newID(), Card: shown, Rating: "Good", Workspace: s.o.Workspace, Zone: "UTC"}); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.ask = true
	s.mu.Unlock()
	drain(t, s)
	if v := s.View(); v.Card.ID == shown || v.Notice != NoticeElsewhere || v.Phase != Question {
		t.Errorf("still %v, notice %d", v.Card.ID == shown, v.Notice)
	}
}

func TestTwoReviewsDoNotShareAnOutbox(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.json")
	openBox(t, path)
	if _, err := OpenOutbox(path); !errors.Is(err, ErrBusy) {
		t.Errorf("the second: %v", err)
	}
}

func TestOutboxDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.json")
	for _, text := range []string{"{", `{"version":2,"entries":[]}`, `{"version":1,"entries":[null]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenOutbox(path); err == nil {
			t.Errorf("%s was read", text)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%s was overwritten", text)
		}
	}
}

func TestGradeNotWritten(t *testing.T) {
	_, s := five(t, Options{})
	s.Reveal()
	before := s.View()
	s.box.save = func(string, []byte) error { return os.ErrPermission }
	if err := s.Grade(fsrs.Good); !errors.Is(err, os.ErrPermission) {
		t.Errorf("the disk said no: %v", err)
	}
	if v := s.View(); v.Card.ID != before.Card.ID || v.Phase != Answer || v.Done() != 0 || v.Counts != before.Counts {
		t.Errorf("something changed: %+v", v)
	}
}

func TestFilterAndLimit(t *testing.T) {
	l, s := five(t, Options{Limit: 2, Hold: time.Hour})
	give(t, s, fsrs.Good)
	drain(t, s)
	give(t, s, fsrs.Good)
	if v := s.View(); v.Phase != Finished || v.Done() != 2 || v.HeldFor == 0 {
		t.Errorf("at the limit: %+v", v)
	}
	if n := s.Finish(t.Context()); n != 0 {
		t.Errorf("%d left", n)
	}
	l.add(t, s.o.Workspace, Draft{"other", "back", []string{"Kanji"}})
	s = l.session(t, Options{Workspace: s.o.Workspace})
	drain(t, s)
	s.SetFilter(Filter{Tags: []string{"kanji"}, Label: "kanji"})
	drain(t, s)
	if v := s.View(); v.Card.Front != "other" || v.Counts.Total() != 1 {
		t.Errorf("with a tag: %+v", v)
	}
	give(t, s, fsrs.Good)
	drain(t, s)
	if v := s.View(); v.Phase != Finished || v.NextDue.IsZero() {
		t.Errorf("at the end: %+v", v)
	}
	l.b.at.add(11 * time.Minute)
	s.Again()
	drain(t, s)
	if v := s.View(); v.Card.Front != "other" {
		t.Errorf("again: %+v", v)
	}
}

func TestUpdate(t *testing.T) {
	l, s := five(t, Options{})
	card := s.View().Card
	d := Draft{"it's new", "back\n\nmore", []string{"x", "y"}}
	sql := d.UpdateSQL(card.ID, card.Draft())
	if want := "UPDATE cards SET front_text = 'it''s new', back_text = 'back\n\nmore', tags = ('x', 'y') WHERE card_id = '" + card.ID + "'"; sql != want {
		t.Errorf("got %s", sql)
	}
	if err := s.Update(t.Context(), card.ID, sql, d); err != nil {
		t.Fatal(err)
	}
	full, err := (client{l, s.o.Workspace}).byID(t.Context(), card.ID)
	if err != nil || full.Front != d.Front || full.Back != d.Back || len(full.Tags) != 2 {
		t.Errorf("the server has %+v %v", full, err)
	}
	if v := s.View(); v.Card.Front != d.Front {
		t.Errorf("shown: %q", v.Card.Front)
	}
	if sql := d.UpdateSQL("x", d); sql != "" {
		t.Errorf("no change: %s", sql)
	}
	for _, same := range []string{"it's new", "It's  NEW?"} {
		if found, err := Similar(t.Context(), l, s.o.Workspace, same); err != nil || len(found) != 1 {
			t.Errorf("as %q: %v %v", same, found, err)
		}
	}
	if found, err := Similar(t.Context(), l, s.o.Workspace, "it's newer"); err != nil || len(found) != 0 {
		t.Errorf("others: %v %v", found, err)
	}
}

// A card that somebody deleted meanwhile was said to be changed.
func TestUpdateOfACardThatIsGone(t *testing.T) {
	l, s := five(t, Options{})
	card := s.View().Card
	if _, _, err := (client{l, s.o.Workspace}).execute(t.Context(), "DELETE FROM cards WHERE card_id = "+Quote(card.ID)); err != nil {
		t.Fatal(err)
	}
	d := Draft{"new", "back", []string{"x"}}
	if err := s.Update(t.Context(), card.ID, d.UpdateSQL(card.ID, card.Draft()), d); !errors.Is(err, ErrGone) {
		t.Errorf("err = %v", err)
	}
	if v := s.View(); v.Card.Front == d.Front {
		t.Error("what was not changed is shown as if it were")
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		d    Draft
		want string
	}{
		{Draft{"What is the capital of Japan?", "Tokyo", []string{"x"}}, "[]"},
		{Draft{"", "", nil}, "[0 1 2]"},
		{Draft{"Is **Tokyo** the capital?", "Tokyo\n\nyes", []string{"x"}}, "[3]"},
		{Draft{"is it?", "it", []string{"x"}}, "[]"},
	} {
		if got := fmt.Sprint(tt.d.Check()); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.d, got, tt.want)
		}
	}
}

func TestZone(t *testing.T) {
	for _, tt := range []struct {
		seconds int
		want    string
	}{{0, "UTC"}, {7 * 3600, "Etc/GMT-7"}, {-5 * 3600, "Etc/GMT+5"}, {19800, "Etc/GMT-6"}, {-12600, "Etc/GMT+4"}} {
		if got := zoneAt(tt.seconds); got != tt.want {
			t.Errorf("%d: %s, want %s", tt.seconds, got, tt.want)
		}
	}
	if z := LocalZone(); !validZone(z) {
		t.Errorf("here is %q", z)
	}
}

// TestOldServer: a server whose SQL is not ours is reviewed with three tools.
func TestOldServer(t *testing.T) {
	l, _ := five(t, Options{})
	l.before = func(tool string) error {
		if tool == "sql_query" {
			return &ToolError{Code: "QUERY_INVALID_SQL", Message: "no"}
		}
		return nil
	}
	s := l.session(t, Options{})
	drain(t, s)
	for range 5 {
		if v := s.View(); v.Phase != Question {
			t.Fatalf("phase %d, %v", v.Phase, v.Problem)
		}
		give(t, s, fsrs.Good)
		drain(t, s)
		l.b.at.add(time.Second)
	}
	if v := s.View(); v.Phase != Finished || v.Done() != 5 || v.Unsent != 0 {
		t.Errorf("at the end: %+v", v)
	}
}

// TestInstant: with 200 ms of round trip the next question is there within
// 50 ms of the grade, and the answer when it is asked for.
func TestInstant(t *testing.T) {
	l, _ := five(t, Options{})
	l.before = func(string) error {
		timer := time.NewTimer(200 * time.Millisecond)
		<-timer.C
		return nil
	}
	l.b.at.set(time.Now())
	s := l.session(t, Options{Hold: 5 * time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	defer func() { cancel(); <-done }()
	until(t, s, func(v Snapshot) bool { return v.Phase == Question && v.Previews != nil })
	for i := range 4 {
		began := time.Now()
		s.Reveal()
		if v := s.View(); v.Phase != Answer {
			t.Fatalf("%d: the answer is not there", i)
		}
		if err := s.Grade(fsrs.Good); err != nil {
			t.Fatal(err)
		}
		if v := s.View(); v.Phase != Question {
			t.Fatalf("%d: the next question is not there", i)
		}
		if took := time.Since(began); took > 50*time.Millisecond {
			t.Errorf("%d: the next question took %v", i, took)
		}
	}
}

func until(t *testing.T, s *Session, ok func(Snapshot) bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for !ok(s.View()) {
		select {
		case <-s.Changed():
		case <-deadline.C:
			t.Fatalf("it did not come: %+v", s.View())
		}
	}
}

// TestLookAheadIsOneCall, and pages where an answer would be too large.
func TestLookAheadIsOneCall(t *testing.T) {
	l, s := five(t, Options{})
	if n := l.calls["sql_query"]; n != 1 {
		t.Errorf("%d queries to look ahead", n)
	}
	refuse := true
	l.before = func(tool string) error {
		if tool == "sql_query" && refuse {
			refuse = false
			return &ToolError{Code: "QUERY_RESULT_TOO_LARGE", Message: "too large"}
		}
		return nil
	}
	s.SetFilter(Filter{})
	drain(t, s)
	if v := s.View(); v.Phase != Question || v.Counts.New != 5 || v.Previews == nil || len(s.pool.cards) != 5 {
		t.Errorf("paged: %+v", v)
	}
}
