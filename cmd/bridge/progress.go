package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"bridge/internal/termsafe"
)

// progressAfter is how long work may take before it is worth a line.
const progressAfter = 300 * time.Millisecond

// A progress is a line on the terminal that says what is being waited for.
type progress struct {
	text chan string
	stop chan struct{}
	done chan struct{}
}

// working shows text on stderr if the work takes longer than progressAfter
// and stderr is a terminal. The function returned ends it, and takes the line
// away again; any other output ends it too.
func (s *streams) working(text string) (done func()) {
	s.endProgress()
	if !s.errIsTerminal() || os.Getenv("TERM") == "dumb" {
		return func() {}
	}
	width := 80
	if w, _, err := term.GetSize(int(s.errFile.Fd())); err == nil && w > 0 {
		width = w
	}
	s.stand(startProgress(s.err, text, width))
	return s.endProgress
}

// stand lets p, which may be nil, be the line that stands there, and ends the
// one before it: a question of the server and the call that it is part of may
// both begin one.
func (s *streams) stand(p *progress) {
	s.mu.Lock()
	before := s.progress
	s.progress = p
	s.mu.Unlock()
	if before != nil {
		close(before.stop)
		<-before.done
	}
}

// showProgress changes the line that stands there, if one does. It may be
// called from any goroutine.
func (s *streams) showProgress(text string) {
	s.mu.Lock()
	p := s.progress
	s.mu.Unlock()
	if p == nil {
		return
	}
	select {
	case p.text <- text:
	case <-p.done:
	}
}

// startProgress owns the line until stop: it waits, shows, and takes away. The
// line is cut to the terminal, since one that wraps cannot be taken back.
func startProgress(w io.Writer, text string, width int) *progress {
	p := &progress{text: make(chan string), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		wait := time.NewTimer(progressAfter)
		defer wait.Stop()
		shown := false
		show := func() {
			fmt.Fprintf(w, "\r%s…\x1b[K", termsafe.Cut(termsafe.Line(text), width-2))
			shown = true
		}
		for {
			select {
			case <-p.stop:
				if shown {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			case text = <-p.text:
				if shown {
					show()
				}
			case <-wait.C:
				show()
			}
		}
	}()
	return p
}

func (s *streams) endProgress() { s.stand(nil) }
