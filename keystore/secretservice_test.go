//go:build secretservice && linux

package keystore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// The tests of this file belong into the sessions that .ci/stage-keychain.sh
// opens, one test a session. They use up to five seconds of patience where a
// call must not hang.
const patience = 5 * time.Second

func openRing(t *testing.T) *Store {
	return mustOpen(t, Options{Kind: Keychain, Timeout: 30 * time.Second})
}

func TestSecretService_unlocked(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	t.Setenv("BRIDGE_KEYSTORE", "keychain")
	suite(t, openRing)
	wantItems(t, 0)
	processSuite(t, openRing)
	wantItems(t, 0)

	s := openRing(t)
	if err := s.Set(t.Context(), "n", pattern(20_000, 1)); err != nil {
		t.Fatal(err)
	}
	wantItems(t, 1+2) // a head and two parts

	t.Run("daemon hangs", func(t *testing.T) {
		pid := daemon(t)
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		defer syscall.Kill(pid, syscall.SIGCONT)
		short := mustOpen(t, Options{Kind: Keychain, Timeout: 500 * time.Millisecond})
		start := time.Now()
		if _, err := short.Get(t.Context(), "n"); !errors.Is(err, ErrTimeout) {
			t.Errorf("get: %v, want ErrTimeout", err)
		}
		if err := short.Set(t.Context(), "n", nil); !errors.Is(err, ErrTimeout) {
			t.Errorf("set: %v, want ErrTimeout", err)
		}
		if d := time.Since(start); d > patience {
			t.Errorf("two calls with half a second each took %s", d)
		}
		if n := Stuck(); n != 2 {
			t.Errorf("%d calls are stuck, want 2", n)
		}
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		// The calls that were given up on end now; only then is the lock free.
		if err := s.Set(t.Context(), "m", []byte("x")); err != nil {
			t.Errorf("after it went on: %v", err)
		}
		if got, err := s.Get(t.Context(), "n"); err != nil || !bytes.Equal(got, pattern(20_000, 1)) {
			t.Errorf("the record after it all: %d bytes, %v", len(got), err)
		}
	})

	t.Run("daemon dies", func(t *testing.T) {
		// Last, for its successor has its collection locked.
		if err := syscall.Kill(daemon(t), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_, err := mustOpen(t, Options{Kind: Keychain}).Get(t.Context(), "n")
		if !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrLocked) {
			t.Errorf("get: %v, want ErrUnavailable or, from its successor, ErrLocked", err)
		}
	})
}

func TestSecretService_locked(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	if err := openRing(t).Set(t.Context(), "n", []byte("v")); err != nil {
		t.Fatal(err)
	}
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	err := bus(t).Object(secretsName, secretsPath).Call("org.freedesktop.Secret.Service.Lock", 0,
		[]dbus.ObjectPath{loginCollection}).Store(&locked, &prompt)
	if err != nil || len(locked) != 1 {
		t.Fatalf("lock: %v, %v", locked, err)
	}
	t.Run("window nobody answers", testWindowNobodyAnswers)
	for _, o := range []Options{
		{Kind: Keychain}, // nobody is there: no prompt, and told at once
		{Kind: Keychain, Prompt: true, Timeout: 2 * time.Second}, // a prompt that no screen can show
	} {
		s := mustOpen(t, o)
		for op, f := range map[string]func() error{
			"get":    func() error { _, err := s.Get(t.Context(), "n"); return err },
			"list":   func() error { _, err := s.List(t.Context()); return err },
			"set":    func() error { return s.Set(t.Context(), "n", []byte("w")) },
			"delete": func() error { return s.Delete(t.Context(), "n") },
		} {
			start := time.Now()
			err := f()
			took := time.Since(start)
			t.Logf("%s, prompt %t: %v after %s", op, o.Prompt, err, took)
			if !errors.Is(err, ErrLocked) {
				t.Errorf("%s, prompt %t: %v, want ErrLocked", op, o.Prompt, err)
			}
			if took > patience {
				t.Errorf("%s, prompt %t: took %s", op, o.Prompt, took)
			}
		}
	}
}

// prompter stands in for the window that asks for the password.
type prompter struct{ asked chan struct{} }

// BeginPrompting is told to ask. It says that it will, and never does.
func (p prompter) BeginPrompting(dbus.ObjectPath) *dbus.Error {
	p.asked <- struct{}{}
	return nil
}

func testWindowNobodyAnswers(t *testing.T) {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p := prompter{make(chan struct{}, 100)}
	if err := conn.Export(p, "/org/gnome/keyring/Prompter", "org.gnome.keyring.internal.Prompter"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.gnome.keyring.SystemPrompter", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, Options{Kind: Keychain, Prompt: true, Timeout: time.Second})
	start := time.Now()
	if _, err := s.Get(t.Context(), "n"); !errors.Is(err, ErrTimeout) {
		t.Errorf("get: %v, want ErrTimeout", err)
	}
	select {
	case <-p.asked:
	default:
		t.Error("nobody was asked")
	}
	if err := s.Set(t.Context(), "n", []byte("w")); !errors.Is(err, ErrTimeout) {
		t.Errorf("set: %v, want ErrTimeout", err)
	}
	if d := time.Since(start); d > patience {
		t.Errorf("two calls with a second each took %s", d)
	}
	if n := Stuck(); n != 2 {
		t.Errorf("%d calls are stuck, want 2", n)
	}
	// A process that nobody watches is not held up by the open window.
	if _, err := mustOpen(t, Options{Kind: Keychain}).Get(t.Context(), "n"); !errors.Is(err, ErrLocked) {
		t.Errorf("get meanwhile: %v, want ErrLocked", err)
	}
}

func TestSecretService_nodaemon(t *testing.T) { wantUnavailable(t) }

func TestSecretService_nobus(t *testing.T) {
	// godbus starts a bus with the first dbus-launch it finds.
	bin, mark := t.TempDir(), filepath.Join(t.TempDir(), "launched")
	if err := os.WriteFile(filepath.Join(bin, "dbus-launch"), []byte("#!/bin/sh\n: >"+mark+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	wantUnavailable(t)
	if _, err := os.Stat(mark); err == nil {
		t.Error("a bus was started")
	}
}

func wantUnavailable(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	for _, prompt := range []bool{false, true} {
		s := mustOpen(t, Options{Kind: Keychain, Prompt: prompt})
		start := time.Now()
		_, getErr := s.Get(t.Context(), "n")
		setErr := s.Set(t.Context(), "n", []byte("v"))
		if !errors.Is(getErr, ErrUnavailable) || !errors.Is(setErr, ErrUnavailable) {
			t.Errorf("prompt %t: get %v, set %v; want ErrUnavailable", prompt, getErr, setErr)
		}
		if d := time.Since(start); d > patience {
			t.Errorf("prompt %t: took %s", prompt, d)
		}
		t.Logf("%v", getErr)
	}
	home := os.Getenv("BRIDGE_HOME")
	if _, err := os.Stat(filepath.Join(home, "secrets.age.json")); err == nil {
		t.Error("it stepped down to a file")
	}
}

func bus(t *testing.T) *dbus.Conn {
	t.Helper()
	conn, err := dbus.SessionBus()
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func daemon(t *testing.T) int {
	t.Helper()
	var pid uint32
	err := bus(t).BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, secretsName).Store(&pid)
	if err != nil {
		t.Fatal(err)
	}
	return int(pid)
}

// wantItems counts what the daemon itself holds for us, whatever we think.
func wantItems(t *testing.T, want int) {
	t.Helper()
	service, err := serviceName()
	if err != nil {
		t.Fatal(err)
	}
	var items []dbus.ObjectPath
	err = bus(t).Object(secretsName, loginCollection).Call("org.freedesktop.Secret.Collection.SearchItems", 0,
		map[string]string{"service": service}).Store(&items)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != want {
		t.Errorf("the collection holds %d entries of ours, want %d", len(items), want)
	}
}
