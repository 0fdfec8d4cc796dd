package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A terminal is the end of a pseudo-terminal where a person would sit.
type terminal struct {
	*os.File
	mu    sync.Mutex
	shown bytes.Buffer
	more  chan struct{}
}

// openTerminal returns both ends.
func openTerminal(t *testing.T) (person *terminal, program *os.File) {
	t.Helper()
	program, master, err := pseudoTerminal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	person = &terminal{File: master, more: make(chan struct{}, 1)}
	go person.look()
	return person, program
}

func (p *terminal) look() {
	buf := make([]byte, 4096)
	for {
		n, err := p.Read(buf)
		p.mu.Lock()
		p.shown.Write(buf[:n])
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *terminal) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.String()
}

func (p *terminal) waitFor(t *testing.T, text string) {
	t.Helper()
	late := time.After(5 * time.Second)
	for !strings.Contains(p.text(), text) {
		select {
		case <-p.more:
		case <-late:
			t.Fatalf("the terminal shows %q, not %q", p.text(), text)
		}
	}
}

// startAsker runs asker at a terminal of its own.
func startAsker(t *testing.T, question string) (person *terminal, wait func() (stdout string, status int)) {
	t.Helper()
	person, program := openTerminal(t)
	c := exec.Command("asker", question)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CI=") && !strings.HasPrefix(v, "TERM=") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "BRIDGE_LANG=en", "TERM=xterm")
	var stdout bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = program, &stdout, program
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	return person, func() (string, int) {
		late := time.AfterFunc(5*time.Second, func() { c.Process.Kill() })
		defer late.Stop()
		c.Wait()
		program.Close()
		return stdout.String(), c.ProcessState.ExitCode()
	}
}

func TestAskAtATerminal(t *testing.T) {
	for _, tt := range []struct {
		question, prompt, typed, want string
		shown                         bool // what is typed can be seen
	}{
		{"line", "Name?", "  Siti \n", `"Siti"`, true},
		{"hidden", "Token:", "s3cret\n", `"s3cret"`, false},
		{"confirm", "Sure? [y/N]", "Ya\n", `"true"`, true},
		{"confirm", "Sure? [y/N]", "\n", `"false"`, true},
		{"confirm", "Sure? [y/N]", "maybe\n", `"false"`, true},
	} {
		t.Run(tt.question+" "+strings.TrimSpace(tt.typed), func(t *testing.T) {
			person, wait := startAsker(t, tt.question)
			person.waitFor(t, tt.prompt)
			if !tt.shown {
				waitForNoEcho(t, person)
			}
			io.WriteString(person, tt.typed)
			stdout, status := wait()
			if status != 0 || strings.TrimSpace(stdout) != tt.want {
				t.Errorf("status %d, stdout %q, want %s; terminal %q", status, stdout, tt.want, person.text())
			}
			typed := strings.TrimSpace(tt.typed)
			if typed != "" && tt.shown {
				person.waitFor(t, typed) // the echo may be read after the program's end
			}
			if typed != "" && strings.Contains(person.text(), typed) != tt.shown {
				t.Errorf("the terminal shows %q", person.text())
			}
		})
	}
}

// waitForNoEcho waits until the program has turned the echo off: what is typed
// before is shown by the terminal itself.
func waitForNoEcho(t *testing.T, person *terminal) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) {
		if state, err := unix.IoctlGetTermios(int(person.Fd()), unix.TCGETS); err == nil && state.Lflag&unix.ECHO == 0 {
			return
		}
	}
	t.Fatal("the echo stays on")
}

func TestAskIsInterrupted(t *testing.T) {
	for _, question := range []string{"line", "hidden"} {
		t.Run(question, func(t *testing.T) {
			person, wait := startAsker(t, question)
			person.waitFor(t, map[string]string{"line": "Name?", "hidden": "Token:"}[question])
			if question == "hidden" {
				waitForNoEcho(t, person)
			}
			io.WriteString(person, "half\x03") // ctrl-C
			stdout, status := wait()
			if status != int(exitInterrupted) || stdout != "" || strings.Contains(person.text(), "error") {
				t.Errorf("status %d, stdout %q, terminal %q", status, stdout, person.text())
			}
			if state, err := unix.IoctlGetTermios(int(person.Fd()), unix.TCGETS); err != nil || state.Lflag&unix.ECHO == 0 {
				t.Errorf("the terminal is left without echo: %v", err)
			}
		})
	}
	t.Run("end of input", func(t *testing.T) {
		person, wait := startAsker(t, "line")
		person.waitFor(t, "Name?")
		io.WriteString(person, "\x04") // ctrl-D
		if _, status := wait(); status != int(exitInterrupted) {
			t.Errorf("status %d", status)
		}
	})
}

func TestWorkingAtATerminal(t *testing.T) {
	person, wait := startAsker(t, "slow")
	person.waitFor(t, "asking the server…")
	io.WriteString(person, "\n")
	person.waitFor(t, "\r\x1b[K")
	if stdout, status := wait(); status != 0 || !strings.Contains(stdout, "done") {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

func TestAskWithoutATerminal(t *testing.T) {
	for _, question := range []string{"line", "hidden", "confirm"} {
		c := exec.Command("asker", question)
		c.Stdin = strings.NewReader("y\n")
		out, err := c.CombinedOutput()
		if err == nil || c.ProcessState.ExitCode() != int(exitFailure) || !strings.Contains(string(out), errNoTerminal.Error()) {
			t.Errorf("%s: %v, %s", question, err, out)
		}
	}
	c := exec.Command("asker", "piped")
	c.Stdin = strings.NewReader("from a pipe")
	if out, err := c.Output(); err != nil || string(out) != "\"from a pipe\"\n" {
		t.Errorf("piped: %v, %s", err, out)
	}
	c = exec.Command("asker", "piped")
	c.Stdin = strings.NewReader(strings.Repeat("x", maxAnswer+1))
	if err := c.Run(); err == nil || c.ProcessState.ExitCode() != int(exitUsage) {
		t.Errorf("too much on stdin: %v", err)
	}
	person, wait := startAsker(t, "piped")
	person.waitFor(t, "nothing is piped")
	if _, status := wait(); status != int(exitUsage) {
		t.Errorf("a terminal for a pipe: status %d, %q", status, person.text())
	}
}
