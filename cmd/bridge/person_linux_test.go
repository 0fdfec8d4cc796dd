package main

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func init() { personCmd = cmdPerson }

// cmdPerson is `person TALK PROGRAM ARGS…`: somebody at a terminal. The file
// TALK says what they wait for and what they type:
//
//	< TEXT       waits until the terminal shows it
//	> TEXT       types a line
//	press ctrl-c presses that key, or ctrl-d
//	exit STATUS  the program ends with this status
//
// What the terminal showed in all is compared with nothing; it becomes the
// file TALK.screen.
func cmdPerson(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: person TALK PROGRAM ARGS…")
	}
	terminal, desk, err := pseudoTerminal()
	ts.Check(err)
	defer desk.Close()
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	c := exec.Command(path, args[2:]...)
	c.Dir, c.Env = ts.MkAbs("."), hostEnv(ts)
	c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(c.Start())
	terminal.Close()
	defer c.Process.Kill()

	shown := make(chan []byte)
	go func() {
		defer close(shown)
		for {
			buf := make([]byte, 4096)
			n, err := desk.Read(buf)
			if n > 0 {
				shown <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	var screen bytes.Buffer
	defer func() { ts.Check(os.WriteFile(ts.MkAbs(args[0]+".screen"), screen.Bytes(), 0o600)) }()
	read := 0 // how much of the screen the script has dealt with
	for n, line := range strings.Split(ts.ReadFile(args[0]), "\n") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		limit := time.After(20 * time.Second)
		switch verb {
		case "":
		case ">":
			_, err := desk.WriteString(rest + "\n")
			ts.Check(err)
		case "press":
			key := map[string]string{"ctrl-c": "\x03", "ctrl-d": "\x04"}[rest]
			_, err := desk.WriteString(key)
			ts.Check(err)
		case "<":
			for {
				if at := bytes.Index(screen.Bytes()[read:], []byte(rest)); at >= 0 {
					read += at + len(rest)
					break
				}
				select {
				case more, ok := <-shown:
					screen.Write(more)
					if !ok {
						ts.Fatalf("line %d: the program ended; the terminal shows %q", n+1, screen.String())
					}
				case <-limit:
					ts.Fatalf("line %d: the terminal shows %q", n+1, screen.String())
				}
			}
		case "exit":
			for open := true; open; {
				select {
				case more, ok := <-shown:
					screen.Write(more)
					open = ok
				case <-limit:
					ts.Fatalf("line %d: still running; the terminal shows %q", n+1, screen.String())
				}
			}
			_ = c.Wait() // the status says it
			if got := strconv.Itoa(c.ProcessState.ExitCode()); got != rest {
				ts.Fatalf("line %d: status %s; the terminal shows %q", n+1, got, screen.String())
			}
		default:
			ts.Fatalf("line %d: unknown verb %q", n+1, verb)
		}
	}
}

// pseudoTerminal returns both ends of a new pseudo-terminal: the program's and
// the person's.
func pseudoTerminal() (terminal, desk *os.File, err error) {
	desk, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.IoctlSetPointerInt(int(desk.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		desk.Close()
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(desk.Fd()), unix.TIOCGPTN)
	if err != nil {
		desk.Close()
		return nil, nil, err
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		desk.Close()
	}
	return terminal, desk, err
}
