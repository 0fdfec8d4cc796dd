package main

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// A stuckWriter takes what is written when it is told to.
type stuckWriter struct {
	bytes.Buffer
	takes chan error
}

func (s *stuckWriter) Write(b []byte) (int, error) {
	if err := <-s.takes; err != nil {
		return 0, err
	}
	return s.Buffer.Write(b)
}

// A host that had opened stderr and never read it got no answers any more once the
// pipe was full, and serve did not end when it closed stdin.
func TestStderrThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &stuckWriter{takes: make(chan error)}
		p := &patientWriter{w: w}
		began := time.Now()
		line := []byte("first\n")
		for range 3 {
			if n, err := p.Write(line); n != len(line) || err != nil {
				t.Errorf("wrote %d, %v", n, err)
			}
			copy(line, "other\n") // it is the caller's again
		}
		if took := time.Since(began); took != patience {
			t.Errorf("three lines took %v", took)
		}
		w.takes <- nil // it is read after all
		synctest.Wait()
		go func() { w.takes <- nil }()
		if _, err := io.WriteString(p, "next\n"); err != nil || w.String() != "first\nnext\n" {
			t.Errorf("stderr has %q, %v", w.String(), err)
		}
	})
}

func TestStderrTellsWhatBecameOfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &stuckWriter{takes: make(chan error, 1)}
		p := &patientWriter{w: w}
		gone := errors.New("gone")
		w.takes <- gone
		if n, err := io.WriteString(p, "x"); n != 0 || !errors.Is(err, gone) {
			t.Errorf("wrote %d, %v", n, err)
		}
		w.takes <- nil
		if n, err := io.WriteString(p, "x"); n != 1 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	})
}
