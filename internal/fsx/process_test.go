package fsx

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The tests of this file need other processes: the test binary runs itself
// with FSX_ROLE set, and plays that role instead of testing.
func TestMain(m *testing.M) {
	role := os.Getenv("FSX_ROLE")
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(role, os.Getenv("FSX_FILE")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	rounds  = 20
	bigSize = 4 << 20
)

func play(role, path string) error {
	switch role {
	case "count": // under a lock
		for range rounds {
			held, err := Lock(context.Background(), path+".lock")
			if err != nil {
				return err
			}
			old, err := ReadFile(path, 20)
			if err == nil {
				err = WriteFile(path, increment(old))
			}
			held.Unlock()
			if err != nil {
				return err
			}
		}
	case "swap": // without one, trying again
		for range rounds {
			for {
				old, err := ReadFile(path, 20)
				if err != nil {
					return err
				}
				err = Swap(path, old, increment(old))
				if err == nil {
					break
				}
				if !errors.Is(err, ErrChanged) {
					return err
				}
			}
		}
	case "flip": // until killed
		for i := 0; ; i++ {
			fmt.Println(i)
			if err := WriteFile(path, bytes.Repeat([]byte{byte('a' + i%2)}, bigSize)); err != nil {
				return err
			}
		}
	case "hold": // until killed
		if _, err := Lock(context.Background(), path); err != nil {
			return err
		}
		fmt.Println("held")
		bufio.NewReader(os.Stdin).ReadByte()
	}
	return nil
}

func increment(old []byte) []byte {
	n, _ := strconv.Atoi(string(old))
	return strconv.AppendInt(nil, int64(n+1), 10)
}

func actor(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "FSX_ROLE="+role, "FSX_FILE="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestConcurrentProcessesLoseNothing(t *testing.T) {
	for _, role := range []string{"count", "swap"} {
		t.Run(role, func(t *testing.T) {
			t.Setenv("BRIDGE_HOME", t.TempDir())
			path := filepath.Join(t.TempDir(), "n")
			if err := os.WriteFile(path, []byte("0"), 0o600); err != nil {
				t.Fatal(err)
			}
			var cmds []*exec.Cmd
			for range 4 {
				cmd := actor(t, role, path)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				cmds = append(cmds, cmd)
			}
			for _, cmd := range cmds {
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
			}
			got, _ := os.ReadFile(path)
			if want := strconv.Itoa(4 * rounds); string(got) != want {
				t.Errorf("counter is %s, want %s", got, want)
			}
		})
	}
}

func TestKilledInTheMiddleOfAWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	leftovers := func() int {
		names, _ := filepath.Glob(filepath.Join(dir, ".f"+tempMark+"*"))
		return len(names)
	}
	for kill := range 8 {
		cmd := actor(t, "flip", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		before := leftovers()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// A line is printed before each write; then the temporary file shows up.
		lines := bufio.NewScanner(out)
		for range 2 + kill%3 {
			if !lines.Scan() {
				t.Fatal("the writer ended by itself")
			}
		}
		for deadline := time.Now().Add(5 * time.Second); leftovers() == before && time.Now().Before(deadline); {
			runtime.Gosched()
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()

		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != bigSize || !bytes.Equal(got, bytes.Repeat(got[:1], bigSize)) {
			t.Fatalf("kill %d left half a file of %d bytes", kill, len(got))
		}
	}
	if leftovers() == 0 {
		t.Error("no kill fell into a write: the test has shown nothing")
	}
}

func TestLockIsFreeAfterItsHolderIsKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "lock")
	cmd := actor(t, "hold", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the holder did not get the lock")
	}

	if _, err := TryLock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("TryLock of a held lock: %v, want ErrLocked", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := Lock(short, path); !errors.Is(err, ErrLocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Lock past its deadline: %v, want ErrLocked and DeadlineExceeded", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(gone, path); !errors.Is(err, context.Canceled) || errors.Is(err, ErrLocked) {
		t.Errorf("Lock cancelled: %v, want Canceled alone", err)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	held, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatalf("after the holder died: %v", err)
	}
	held.Unlock()
	held.Unlock()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the lock file is gone: %v", err)
	}
}

func TestLockExcludesGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	n, inside := 0, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range rounds {
				held, err := Lock(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if inside++; inside != 1 {
					t.Error("two goroutines hold the lock")
				}
				n++
				inside--
				held.Unlock()
			}
		})
	}
	wg.Wait()
	if n != 8*rounds {
		t.Errorf("%d turns, want %d", n, 8*rounds)
	}
}
