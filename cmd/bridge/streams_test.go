package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"bridge/bridge"
)

func TestExitOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want exit
		code string
	}{
		{nil, exitOK, "ok"},
		{errors.New("x"), exitFailure, "failure"},
		{usage("x"), exitUsage, "usage"},
		{fail(exitOK, "x"), exitFailure, "failure"},
		{fmt.Errorf("wrapped: %w", fail(exitConflict, "x")), exitConflict, "conflict"},
		{fail(exitUnreachable, "x").because(context.Canceled), exitUnreachable, "unreachable"},
		{&bridge.SignInError{Message: "x"}, exitSignIn, "sign_in"},
		{fail(exitToolError, "x"), exitToolError, "tool_error"},
		{fail(exitPolicy, "x"), exitPolicy, "policy"},
		{fmt.Errorf("call: %w", context.Canceled), exitInterrupted, "interrupted"},
	} {
		if got := exitOf(tt.err); got != tt.want || got.code() != tt.code {
			t.Errorf("exitOf(%v) = %d %q, want %d %q", tt.err, got, got.code(), tt.want, tt.code)
		}
	}
}

func TestFailureShowsNothingRaw(t *testing.T) {
	var errs bytes.Buffer
	s := &streams{err: &errs, color: "never"}
	s.failure(fail(exitFailure, "the server says \"\x1b]0;title\x07\u009b2J\"").hint("try \x1b[2J again"))
	want := "bridge: error: the server says \"␛]0;title␇\ufffd2J\"\nbridge: hint: try ␛[2J again\n"
	if errs.String() != want {
		t.Errorf("got  %q\nwant %q", errs.String(), want)
	}
	errs.Reset()
	s.failure(fmt.Errorf("read: %w", context.Canceled))
	if errs.Len() > 0 {
		t.Errorf("an interruption is reported: %s", errs.String())
	}
	s.asJSON = true
	s.failure(context.Canceled)
	if errs.String() != `{"error":{"code":"interrupted","message":"context canceled"}}`+"\n" {
		t.Errorf("as JSON: %s", errs.String())
	}
}

// FuzzPrintable: whatever comes in, no terminal obeys what comes out.
func FuzzPrintable(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b[31mred", "a\u202eb", "\xff\xfe", "tab\tline\n", "\x7f\u0085\u009d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range printable(text) {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) && r >= 0x202a && r <= 0x202e {
				t.Fatalf("%q lets %U through", text, r)
			}
		}
	})
}

func TestColored(t *testing.T) {
	pipe, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	for _, tt := range []struct {
		flag string
		env  string
		want bool
	}{
		{"", "", false}, // no terminal
		{"always", "", true},
		{"always", "NO_COLOR=1", true},
		{"never", "CLICOLOR_FORCE=1", false},
		{"", "CLICOLOR_FORCE=1", true},
		{"", "CLICOLOR_FORCE=0", false},
		{"auto", "CLICOLOR_FORCE=1 NO_COLOR=1", false},
		{"auto", "TERM=dumb", false},
	} {
		t.Run(tt.flag+" "+tt.env, func(t *testing.T) {
			for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM"} {
				t.Setenv(name, "")
			}
			for _, assign := range strings.Fields(tt.env) {
				name, value, _ := strings.Cut(assign, "=")
				t.Setenv(name, value)
			}
			s := &streams{color: tt.flag}
			if got := s.colored(pipe); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestTakeStdout(t *testing.T) {
	defer func(out, err *os.File) { os.Stdout, os.Stderr = out, err }(os.Stdout, os.Stderr)
	open := func(name string) *os.File {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	os.Stdout, os.Stderr = open("out"), open("err")
	out, err := os.Stdout, os.Stderr
	s := newStreams(os.Stdin, os.Stdout, os.Stderr)
	wire := s.takeStdout()
	defer wire.Close()      //nolint:errcheck // what was written is read
	defer os.Stderr.Close() //nolint:errcheck // likewise
	for _, f := range []io.Writer{wire, os.Stdout, os.Stderr, s.out, s.err} {
		if _, err := io.WriteString(f, "x"); err != nil {
			t.Fatal(err)
		}
	}
	for f, want := range map[*os.File]string{out: "x", err: "xxxx"} {
		if got, err := os.ReadFile(f.Name()); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v", f.Name(), got, err)
		}
	}
}

// serve says what it has to say on a stderr that holds nobody up.
func TestTakenStderrIsPatient(t *testing.T) {
	defer func(out, err *os.File) { os.Stdout, os.Stderr = out, err }(os.Stdout, os.Stderr)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := newStreams(os.Stdin, os.Stdout, w)
	defer s.takeStdout().Close() //nolint:errcheck // nothing was written
	full := make(chan struct{})
	go func() {
		defer close(full)
		_, _ = w.Write(make([]byte, 1<<20)) // until nobody can read it any more
	}()
	said := make(chan struct{})
	go func() {
		defer close(said)
		for range 20 {
			s.note(strings.Repeat("x", 1<<16))
		}
	}()
	select {
	case <-said:
	case <-time.After(10 * time.Second):
		t.Error("it waits for stderr")
	}
	for _, f := range []*os.File{r, w, s.errFile} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	<-full
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown bytes.Buffer
		p := startProgress(&shown, "asking", 80)
		time.Sleep(progressAfter - 1) // of the bubble's clock
		close(p.stop)
		<-p.done
		if shown.Len() > 0 {
			t.Errorf("short work shows %q", shown.String())
		}
		p = startProgress(&shown, "asking", 80)
		time.Sleep(progressAfter + 1)
		synctest.Wait()
		if shown.String() != "\rasking…\x1b[K" {
			t.Errorf("long work shows %q", shown.String())
		}
		close(p.stop)
		<-p.done
		if !strings.HasSuffix(shown.String(), "\r\x1b[K") {
			t.Errorf("the line stays: %q", shown.String())
		}
	})
}

// The end of a server's question and the call that it was part of begin a line
// each, on goroutines of their own. Of two that met, one stood and blinked until
// the process ended.
func TestOneProgressStands(t *testing.T) {
	s := &streams{err: io.Discard}
	var all sync.WaitGroup
	made := make([]*progress, 20)
	for i := range made {
		all.Go(func() {
			made[i] = startProgress(s.err, "waiting", 80)
			s.stand(made[i])
		})
	}
	all.Wait()
	s.endProgress()
	for i, p := range made {
		select {
		case <-p.done:
		case <-time.After(30 * time.Second):
			t.Fatalf("line %d still stands", i)
		}
	}
}

func TestNearest(t *testing.T) {
	among := []string{"serve", "servers", "demo", "version", "help", "header", "ignore-tool"}
	for word, want := range map[string]string{
		"srve": "serve", "sevre": "serve", "servr": "serve", "dmeo": "demo", "vresion": "version", "VERSION": "version",
		"heder": "header", "ignoretool": "ignore-tool", "frobnicate": "", "x": "", "": "", "--heder": "header",
	} {
		if got := nearest(word, among); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// BenchmarkTree is what dispatch saves by not building the tree for serve.
func BenchmarkTree(b *testing.B) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	a := &app{streams: newStreams(null, null, null)}
	b.ReportAllocs()
	for b.Loop() {
		if err := a.tree().Run(b.Context(), []string{"bridge", "completion", "bash"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkServeForm(b *testing.B) {
	b.ReportAllocs()
	args := []string{"serve", "https://mcp.example.com/mcp", "--header", "X-Api-Key: k"}
	for b.Loop() {
		rest, _ := serveForm(args)
		if _, err := parseServe(rest); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBrokenAt: a long line breaks between words, and a command to type does
// not.
func TestBrokenAt(t *testing.T) {
	const text = "no keychain is available here, as is usual over SSH; run `bridge login pacecraft --with-token` or ask 東京の人"
	for width, want := range map[int][]string{
		0:   {text},
		19:  {text},
		200: {text},
		40: {"no keychain is available", "  here, as is usual over SSH; run", "  `bridge login pacecraft --with-token`",
			"  or ask 東京の人"},
		25: {"no", "  keychain is available", "  here, as is usual over", "  SSH; run", "  `bridge login pacecraft --with-token`", "  or ask 東京の人"},
	} {
		got := brokenAt("bridge: error: ", text, width)
		if !slices.Equal(got, want) {
			t.Errorf("%d columns:\n%q\nwant\n%q", width, got, want)
		}
	}
	// A backquote that stands alone takes the rest along, and nothing is lost.
	for _, odd := range []string{"a ` b c d e f g h i j k l m n o p q r s t", "  two  blanks  in  a  row  and  more  than  that  ", ""} {
		got := strings.ReplaceAll(strings.Join(brokenAt("x: ", odd, 20), "\n"), "\n  ", " ")
		if got != odd {
			t.Errorf("%q became %q", odd, got)
		}
	}
}

// A question that fills the line had its last letters on the next.
func TestQuestionsBreakBetweenWords(t *testing.T) {
	for question, want := range map[string]string{
		"Call it? [y/N]":                           "Call it? [y/N]",
		"This writes now. Call it? [y/N]":          "This writes now. Call it?\n  [y/N]",
		"Several:\n  1  one\nNumber, or its name:": "Several:\n  1  one\nNumber, or its name:",
	} {
		if got := brokenLines(question, 28); got != want {
			t.Errorf("%q", got)
		}
	}
	if got := brokenLines("no terminal, and so as it is", -2); got != "no terminal, and so as it is" {
		t.Errorf("%q", got)
	}
}
