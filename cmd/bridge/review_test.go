package main

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
	"bridge/internal/sandbox"
	"bridge/internal/sandbox/faults"
	"bridge/internal/servers"
)

// A far server is the sandbox with a round trip of 200 ms, behind the relay as
// a review reaches it, and through what is made of that. farReview returns a
// session that has shown its first card.
func farReview(t testing.TB, through func(cards.Caller) cards.Caller) *cards.Session {
	t.Helper()
	sb, err := sandbox.Start(t.Context(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sb.Close() })
	info := sb.Info()
	a := &app{streams: &streams{}}
	c, err := a.dial(t.Context(), servers.Server{URL: info.Nibomo.URL, Preset: "nibomo", Auth: servers.AuthToken}, fixedAuth(info.Nibomo.Key))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	caller := through(toolCaller{c})
	list, err := cards.Workspaces(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	box, err := cards.OpenOutbox(filepath.Join(t.TempDir(), "outbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	if err := sb.Faults().Add(faults.Fault{Kind: faults.Latency, Value: "200ms", On: "nibomo", Times: faults.Always}); err != nil {
		t.Fatal(err)
	}
	s := cards.New(cards.Options{Caller: caller, Outbox: box, Workspace: list[0].ID, Hold: cards.DefaultHold})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	for v := s.View(); v.Phase != cards.Question || v.Previews == nil; v = s.View() {
		select {
		case <-s.Changed():
		case <-deadline.C:
			t.Fatalf("no first card: %+v", v)
		}
	}
	return s
}

// A gate stands between a review and the server. Once shut, no call comes back.
type gate struct {
	cards.Caller
	shut chan struct{}
}

func (g *gate) CallTool(ctx context.Context, name string, args any) (cards.Reply, error) {
	select {
	case <-g.shut:
		<-ctx.Done()
		return cards.Reply{}, ctx.Err()
	default:
	}
	reply, err := g.Caller.CallTool(ctx, name, args)
	select {
	case <-g.shut:
		<-ctx.Done()
		return cards.Reply{}, ctx.Err()
	default:
		return reply, err
	}
}

// TestReviewDoesNotWaitForTheServer: when the first question is there, a dozen
// are answered and graded while nothing that the server says arrives any more.
// BenchmarkNextQuestion says how long that takes.
func TestReviewDoesNotWaitForTheServer(t *testing.T) {
	g := &gate{shut: make(chan struct{})}
	s := farReview(t, func(c cards.Caller) cards.Caller {
		g.Caller = c
		return g
	})
	close(g.shut)
	graded := make(chan error, 1)
	go func() {
		for i := range 12 {
			s.Reveal()
			if v := s.View(); v.Phase != cards.Answer {
				graded <- fmt.Errorf("card %d: the answer is not there", i)
				return
			}
			if err := s.Grade(fsrs.Good); err != nil {
				graded <- fmt.Errorf("card %d: %w", i, err)
				return
			}
			if v := s.View(); v.Phase != cards.Question {
				graded <- fmt.Errorf("card %d: the next question is not there", i)
				return
			}
		}
		graded <- nil
	}()
	select {
	case err := <-graded:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute): // it would be for ever
		t.Error("a grade waits for the server")
	}
}

// BenchmarkNextQuestion is from the grade to the next question, over a round
// trip of 200 ms, the sync of the outbox included.
func BenchmarkNextQuestion(b *testing.B) {
	direct := func(c cards.Caller) cards.Caller { return c }
	s := farReview(b, direct)
	n := 0
	for b.Loop() {
		if n++; n > 20 { // as many as are due
			b.StopTimer()
			s = farReview(b, direct)
			n = 1
			b.StartTimer()
		}
		s.Reveal()
		if err := s.Grade(fsrs.Easy); err != nil {
			b.Fatal(err)
		}
		if s.View().Phase != cards.Question {
			b.Fatal("the next question is not there")
		}
	}
}
