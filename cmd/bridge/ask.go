package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"bridge/internal/say"
)

// maxAnswer bounds what is read from a person or a pipe in place of one.
const maxAnswer = 1 << 20

// errNoTerminal is why a question cannot be asked.
var errNoTerminal = errors.New("no terminal")

// ask puts a question and returns the line typed, without blanks around it.
// Without a terminal it fails with errNoTerminal, and the command has to say
// which flag answers the question instead.
func (s *streams) ask(ctx context.Context, question string) (string, error) {
	if !s.interactive() {
		return "", errNoTerminal
	}
	s.endProgress()
	fmt.Fprintf(s.err, "%s ", brokenLines(question, s.errWidth()-2)) // with room for a letter
	line, err := s.whileAsking(ctx, func() ([]byte, error) {
		line, err := bufio.NewReader(io.LimitReader(s.in, maxAnswer)).ReadString('\n')
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		return []byte(line), err
	})
	return strings.TrimSpace(string(line)), err
}

// brokenLines is text with each line of it broken between words.
func brokenLines(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, brokenAt("", line, width)...)
	}
	return strings.Join(lines, "\n")
}

// askHidden is ask for a secret: nothing is shown of what is typed. The echo
// goes off before the question appears; somebody with the token ready to paste
// is faster than the time between the two.
func (s *streams) askHidden(ctx context.Context, question string) (string, error) {
	if !s.interactive() {
		return "", errNoTerminal
	}
	s.endProgress()
	line, err := s.whileAsking(ctx, func() ([]byte, error) {
		before, err := term.MakeRaw(int(s.in.Fd()))
		if err != nil {
			return nil, err
		}
		defer func() { _ = term.Restore(int(s.in.Fd()), before) }()
		t := term.NewTerminal(terminalEnds{s.in, s.err}, "")
		_ = t.SetSize(1<<15, 1) // the terminal itself wraps a long question
		line, err := t.ReadPassword(question + " ")
		return []byte(line), err
	})
	return strings.TrimSpace(string(line)), err
}

// terminalEnds is what a person types and what they see.
type terminalEnds struct {
	io.Reader
	io.Writer
}

// confirm asks a question that is answered by yes or no; enter means no.
func (s *streams) confirm(ctx context.Context, question string) (bool, error) {
	answer, err := s.ask(ctx, question+" "+say.T("[y/N]"))
	switch strings.ToLower(answer) {
	case "y", "yes", "ya":
		return true, err
	}
	return false, err
}

// whileAsking reads from the terminal until ctx ends. A read of a terminal
// cannot be called back, so on an interruption it is left to the end of the
// process, which is near; the terminal is given its echo back first.
func (s *streams) whileAsking(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	before, _ := term.GetState(int(s.in.Fd()))
	type answer struct {
		text []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		text, err := read()
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		if errors.Is(a.err, io.EOF) {
			a.err = context.Canceled // ctrl-D takes the question back
		}
		return a.text, a.err
	case <-ctx.Done():
		if before != nil {
			_ = term.Restore(int(s.in.Fd()), before)
		}
		fmt.Fprintln(s.err)
		return nil, ctx.Err()
	}
}

// piped reads all of stdin, for flags such as --with-token, and refuses a
// terminal, where it would seem to hang.
func (s *streams) piped() (string, error) {
	if isTerminal(s.in) {
		return "", fail(exitUsage, say.T("nothing is piped into stdin"))
	}
	text, err := io.ReadAll(io.LimitReader(s.in, maxAnswer+1))
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	if len(text) > maxAnswer {
		return "", fail(exitUsage, say.T("more than 1 MiB on stdin"))
	}
	return string(text), nil
}
