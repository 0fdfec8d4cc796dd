package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
)

// asker is a program of the tests that asks the question its argument names.
// It ends as bridge does.
func asker() {
	ctx, stop := withSignals(context.Background())
	s := newStreams(os.Stdin, os.Stdout, os.Stderr)
	var answer string
	var err error
	switch os.Args[1] {
	case "line":
		answer, err = s.ask(ctx, "Name?")
	case "hidden":
		answer, err = s.askHidden(ctx, "Token:")
	case "confirm":
		var yes bool
		yes, err = s.confirm(ctx, "Sure?")
		answer = fmt.Sprint(yes)
	case "piped":
		answer, err = s.piped()
	case "slow":
		done := s.working("asking the server")
		bufio.NewReader(s.in).ReadString('\n') // the work lasts until enter
		done()
		answer = "done"
	}
	if err != nil {
		s.failure(err)
	} else {
		s.printf("%q\n", answer)
	}
	stop()
	os.Exit(int(exitOf(err)))
}
