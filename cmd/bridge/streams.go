package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"bridge/internal/say"
	"bridge/internal/termsafe"
)

// streams is the only owner of stdin, stdout and stderr. What a command has to
// say goes through it:
//
//	stdout  data: what the user asked for, or one JSON value with --json
//	stderr  everything else: errors, hints, notes, prompts, progress
//
// A prompt needs a terminal on both stdin and stderr; progress needs one on
// stderr; nothing is said by colour alone. Methods are for one goroutine,
// except those of progress.
type streams struct {
	in  *os.File
	out io.Writer
	err io.Writer

	outFile, errFile *os.File
	wrote            *remembering // stdout

	asJSON bool   // --json
	color  string // --color: auto, always, never; empty means auto

	mu       sync.Mutex
	progress *progress // the line that stands on stderr now, if any
}

func newStreams(in, out, err *os.File) *streams {
	s := &streams{in: in, err: err, outFile: out, errFile: err}
	s.wrote = &remembering{w: out}
	s.out = s.wrote
	return s
}

// A remembering writer keeps the first error, so that output which went
// nowhere (a full disk) does not end with status 0.
type remembering struct {
	w   io.Writer
	err error
}

func (r *remembering) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	if err != nil && r.err == nil {
		r.err = err
	}
	return n, err
}

// writeError is why stdout did not get all of the output, or nil.
func (s *streams) writeError() error {
	if s.wrote == nil || s.wrote.err == nil {
		return nil
	}
	return fail(exitFailure, say.T("cannot write to stdout: %s", plainError(s.wrote.err))).because(s.wrote.err)
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

func (s *streams) outIsTerminal() bool { return isTerminal(s.outFile) }
func (s *streams) errIsTerminal() bool { return isTerminal(s.errFile) }

// interactive says whether a person can be asked. CI is what build machines
// set; some of them give their jobs a terminal that nobody watches.
func (s *streams) interactive() bool {
	return os.Getenv("CI") == "" && isTerminal(s.in) && s.errIsTerminal()
}

// width is how many columns stdout has: 80 when it is no terminal.
func (s *streams) width() int {
	if s.outIsTerminal() {
		if w, _, err := term.GetSize(int(s.outFile.Fd())); err == nil && w > 0 {
			return w
		}
	}
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 {
		return w
	}
	return 80
}

// takeStdout hands stdout over to a protocol and points os.Stdout at stderr,
// so that a stray print of any package cannot get between the messages. A reader
// of either that has gone is from now on an error like others (see apart), and one of
// stderr that does not read holds nobody up for long.
func (s *streams) takeStdout() *os.File {
	wire := apart(s.outFile)
	own := apart(s.errFile)
	if s.err == io.Writer(s.errFile) {
		s.err = &patientWriter{w: own}
	}
	if s.errFile == os.Stderr {
		os.Stderr = own
	}
	s.errFile = own
	os.Stdout = os.Stderr
	s.out, s.outFile = s.err, s.errFile
	return wire
}

// printf writes to stdout.
func (s *streams) printf(format string, args ...any) {
	s.endProgress()
	fmt.Fprintf(s.out, format, args...)
}

// typable makes a hint fit to be shown: a command to type is one that is there
// under that name.
func typable(tip string) string {
	return strings.ReplaceAll(termsafe.Line(withoutTokens(tip)), "`bridge ", "`"+calledAs(os.Args[0])+" ")
}

// note tells the user something on stderr that is no error.
func (s *streams) note(text string) {
	s.endProgress()
	s.remark(bold, say.T("note"), termsafe.Line(text))
}

// remark writes a line of stderr. On a terminal that is too narrow for it, it
// breaks between words, and not within a command to type.
func (s *streams) remark(how sgr, kind, text string) {
	lines := brokenAt("bridge: "+kind+": ", text, s.errWidth())
	fmt.Fprintf(s.err, "bridge: %s: %s\n", s.style(s.errFile, how, kind), strings.Join(lines, "\n"))
}

// errWidth is how wide stderr is, or 0 if it is no terminal.
func (s *streams) errWidth() int {
	if s.errIsTerminal() {
		if w, _, err := term.GetSize(int(s.errFile.Fd())); err == nil {
			return w
		}
	}
	return 0
}

// brokenAt breaks text, which comes after head, into lines of at most width
// columns; all but the first are indented. A word that is wider, and what
// stands between backquotes, is left whole. Below 20 columns nothing is broken.
func brokenAt(head, text string, width int) []string {
	if width < 20 || termsafe.Width(head)+termsafe.Width(text) <= width {
		return []string{text}
	}
	const indent = "  "
	var lines []string
	line, room := "", width-termsafe.Width(head)
	for i, word := range unbroken(text) {
		switch {
		case i == 0:
			line = word
		case termsafe.Width(line)+1+termsafe.Width(word) <= room:
			line += " " + word
		default:
			lines = append(lines, line)
			line, room = indent+word, width
		}
	}
	return append(lines, line)
}

// unbroken parts text at its blanks, but for those between backquotes.
func unbroken(text string) (words []string) {
	for word := range strings.SplitSeq(text, " ") {
		if n := len(words); n > 0 && strings.Count(words[n-1], "`")%2 == 1 {
			words[n-1] += " " + word
			continue
		}
		words = append(words, word)
	}
	return words
}

// json writes v to stdout as one value: a line for programs, indented for a
// person.
func (s *streams) json(v any) error {
	s.endProgress()
	return newEncoder(s.out, s.outIsTerminal()).Encode(v)
}

// newEncoder writes JSON a line for each value, or indented. Text is not escaped
// for HTML.
func newEncoder(w io.Writer, indented bool) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if indented {
		enc.SetIndent("", "  ")
	}
	return enc
}

// failure shows an error, and says nothing of an interruption: the user knows.
func (s *streams) failure(err error) {
	s.endProgress()
	code := exitOf(err)
	if code == exitInterrupted && !s.asJSON {
		return
	}
	text, tip := err.Error(), ""
	var p *problem
	if errors.As(err, &p) {
		text, tip = p.text, p.tip
	}
	text, tip = termsafe.Line(withoutTokens(text)), typable(tip)
	if s.asJSON {
		var e struct {
			Error struct {
				Code    string `json:"code"`
				Message string `json:"message"`
				Hint    string `json:"hint,omitempty"`
			} `json:"error"`
		}
		e.Error.Code, e.Error.Message, e.Error.Hint = code.code(), text, tip
		_ = newEncoder(s.err, false).Encode(e) // nobody is left to tell
		return
	}
	s.remark(red, say.T("error"), text)
	if tip != "" {
		s.remark(bold, say.T("hint"), tip)
	}
}

// A sgr is a way to set text off from other text, as terminals number it.
type sgr string

const (
	bold   sgr = "1"
	dim    sgr = "2"
	red    sgr = "31"
	green  sgr = "32"
	yellow sgr = "33"
	cyan   sgr = "36"
)

// style sets text off if f is a place where colour is wanted.
func (s *streams) style(f *os.File, how sgr, text string) string {
	if !s.colored(f) {
		return text
	}
	return "\x1b[" + string(how) + "m" + text + "\x1b[0m"
}

// paint is style for stdout.
func (s *streams) paint(how sgr, text string) string { return s.style(s.outFile, how, text) }

// colored decides by --color, then NO_COLOR (no-color.org), CLICOLOR_FORCE,
// TERM=dumb, and last by whether f is a terminal.
func (s *streams) colored(f *os.File) bool {
	switch {
	case s.color == "always":
		return true
	case s.color == "never", os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true
	case os.Getenv("TERM") == "dumb", os.Getenv("CLICOLOR") == "0":
		return false
	}
	return isTerminal(f)
}

// printable makes text of unknown origin fit for a terminal.
func printable(text string) string { return termsafe.Text(text) }

// foreign is what a server sent, as stdout may have it: safe for a terminal,
// and byte for byte for a program or a file.
func (s *streams) foreign(text string) string {
	if s.outIsTerminal() {
		return termsafe.Text(text)
	}
	return text
}
