package keystore

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// The test binary plays other processes when KEYSTORE_ROLE is set; where their
// secrets rest says BRIDGE_KEYSTORE, as for bridge itself.
func TestMain(m *testing.M) {
	role := os.Getenv("KEYSTORE_ROLE")
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(role, os.Getenv("KEYSTORE_NAME")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const processRounds = 5

func play(role, name string) error {
	ctx := context.Background()
	s, err := Open(Options{Timeout: 30 * time.Second})
	if err != nil {
		return err
	}
	seed, _ := strconv.Atoi(os.Getenv("KEYSTORE_SEED"))
	size, _ := strconv.Atoi(os.Getenv("KEYSTORE_SIZE"))
	switch role {
	case "writer": // shared record, own record, and a look at the shared one
		for i := range processRounds {
			if err := s.Set(ctx, name, pattern(size, byte(seed))); err != nil {
				return fmt.Errorf("set shared: %w", err)
			}
			own := fmt.Sprintf("%s-%d", name, seed)
			if err := s.Set(ctx, own, pattern(size/2+i, byte(seed))); err != nil {
				return fmt.Errorf("set own: %w", err)
			}
			got, err := s.Get(ctx, name)
			if err != nil {
				return fmt.Errorf("get shared: %w", err)
			}
			if len(got) != size || !bytes.Equal(got, pattern(size, got[0])) {
				return fmt.Errorf("read a mixed record of %d bytes", len(got))
			}
		}
	case "flip": // until killed
		for i := 0; ; i++ {
			fmt.Println(i)
			if err := s.Set(ctx, name, pattern(size, byte(i))); err != nil {
				return err
			}
		}
	}
	return nil
}

func actor(t *testing.T, role, name string, seed, size int) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "KEYSTORE_ROLE="+role, "KEYSTORE_NAME="+name,
		"KEYSTORE_SEED="+strconv.Itoa(seed), "KEYSTORE_SIZE="+strconv.Itoa(size))
	cmd.Stderr = os.Stderr
	return cmd
}

// processSuite is what a Store shared by processes must withstand.
func processSuite(t *testing.T, open func(t *testing.T) *Store) {
	ctx := t.Context()
	t.Run("concurrent writers", func(t *testing.T) {
		const writers, size = 4, 20_000
		var cmds []*exec.Cmd
		for seed := range writers {
			cmd := actor(t, "writer", "shared", seed, size)
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
		s := open(t)
		for seed := range writers {
			name := fmt.Sprintf("shared-%d", seed)
			want := pattern(size/2+processRounds-1, byte(seed))
			if got, err := s.Get(ctx, name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
			if err := s.Delete(ctx, name); err != nil {
				t.Error(err)
			}
		}
		if err := s.Delete(ctx, "shared"); err != nil {
			t.Error(err)
		}
		if names, err := s.List(ctx); err != nil || len(names) != 0 {
			t.Errorf("left: %q, %v", names, err)
		}
	})

	t.Run("killed in the middle of a write", func(t *testing.T) {
		const size = 20_000
		for kill := range 12 {
			cmd := actor(t, "flip", "killed", 0, size)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			lines.Scan()
			lines.Scan() // the first write is done, the second has begun
			// Kill at another moment of the write each time.
			timer := time.NewTimer(time.Duration(kill) * 700 * time.Microsecond)
			<-timer.C
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			got, err := open(t).Get(ctx, "killed")
			if err != nil || len(got) != size || !bytes.Equal(got, pattern(size, got[0])) {
				t.Fatalf("kill %d: %d bytes, %v", kill, len(got), err)
			}
		}
		// The lock of the dead is free, and what they left is swept.
		s := open(t)
		if err := s.Set(ctx, "killed", []byte("alive")); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, "killed"); err != nil || string(got) != "alive" {
			t.Fatalf("%q, %v", got, err)
		}
		if err := s.Delete(ctx, "killed"); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSealedAcrossProcesses(t *testing.T) {
	noKeys(t)
	t.Setenv("BRIDGE_KEYSTORE", "file")
	t.Setenv("BRIDGE_KEY_FILE", filepath.Join(t.TempDir(), "key"))
	processSuite(t, openFile)
}
