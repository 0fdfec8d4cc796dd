package main

import (
	"context"
	"errors"

	"bridge/bridge"
)

// An exit is a status the process ends with. The numbers are a contract with
// scripts: one may be added, none changes its meaning.
type exit int

const (
	exitOK          exit = 0
	exitFailure     exit = 1
	exitUsage       exit = 2
	exitUnreachable exit = 3
	exitSignIn      exit = 4
	exitToolError   exit = 5
	exitPolicy      exit = 6
	exitConflict    exit = 7
	exitInterrupted exit = 130
)

// code is how --json names the exit.
func (e exit) code() string {
	switch e {
	case exitOK:
		return "ok"
	case exitUsage:
		return "usage"
	case exitUnreachable:
		return "unreachable"
	case exitSignIn:
		return "sign_in"
	case exitToolError:
		return "tool_error"
	case exitPolicy:
		return "policy"
	case exitConflict:
		return "conflict"
	case exitInterrupted:
		return "interrupted"
	}
	return "failure"
}

// exitOf is the one place where an error becomes an exit status.
func exitOf(err error) exit {
	var p *problem
	var signIn *bridge.SignInError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &p):
		return p.exit
	case errors.As(err, &signIn):
		return exitSignIn
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailure
}

// A problem is an error written for a person: what is wrong in lower case with
// the offending value quoted and no full stop, then what to do about it, with
// the command to type. The zero exit is a failure.
type problem struct {
	exit exit
	text string // shown after "bridge: error: "
	tip  string // shown after "bridge: hint: "; may be empty
	err  error  // for errors.Is; never shown
}

func (p *problem) Error() string { return p.text }
func (p *problem) Unwrap() error { return p.err }

// fail makes a problem of a translated text. No secret may be in it.
func fail(e exit, text string) *problem {
	if e == exitOK {
		e = exitFailure
	}
	return &problem{exit: e, text: text}
}

// hint adds what to do; text is translated and holds the command to type.
func (p *problem) hint(text string) *problem {
	p.tip = text
	return p
}

// because keeps the cause for errors.Is.
func (p *problem) because(err error) *problem {
	p.err = err
	return p
}
