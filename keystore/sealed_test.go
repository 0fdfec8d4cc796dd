package keystore

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"bridge/internal/fsx"
)

// noKeys gives the test a home of its own and takes away every key.
func noKeys(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	for _, name := range []string{"BRIDGE_PASSPHRASE", "BRIDGE_PASSPHRASE_FILE", "CREDENTIALS_DIRECTORY", "BRIDGE_KEY_FILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("BRIDGE_HOME", home)
	return home
}

// openFile opens the sealed file as Open does, but spends little on scrypt.
func openFile(t *testing.T) *Store {
	s := mustOpen(t, Options{Kind: File, Prompt: true})
	s.place.(*sealed).work = 10
	return s
}

func TestSealedSuite(t *testing.T) {
	home := noKeys(t)
	path := filepath.Join(t.TempDir(), "key")
	t.Setenv("BRIDGE_KEY_FILE", path)
	suite(t, openFile)

	for _, p := range []string{path, filepath.Join(home, "secrets.age.json"), filepath.Join(home, "state")} {
		if err := fsx.CheckPrivate(p); err != nil {
			t.Error(err)
		}
	}
	if source, err := KeySource(); err != nil || source != "BRIDGE_KEY_FILE" {
		t.Errorf("KeySource() = %q, %v", source, err)
	}
}

func TestSealedWithPassphrase(t *testing.T) {
	home := noKeys(t)
	const phrase, token = "correct horse battery staple", "tok-PLANTED-in-a-sealed-file"
	t.Setenv("BRIDGE_PASSPHRASE", phrase)
	ctx := t.Context()
	s := openFile(t)
	for _, name := range []string{"pacecraft-name", "other"} {
		if err := s.Set(ctx, name, []byte(token)); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(home, "secrets.age.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{token, "PLANTED", phrase, "pacecraft-name", "AGE-SECRET-KEY"} {
		if bytes.Contains(data, []byte(bad)) {
			t.Errorf("the file holds %q in clear", bad)
		}
	}

	// Another process: the passphrase from a file, with the newline of an editor.
	t.Setenv("BRIDGE_PASSPHRASE", "")
	path := filepath.Join(t.TempDir(), "phrase")
	if err := os.WriteFile(path, []byte(phrase+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BRIDGE_PASSPHRASE_FILE", path)
	if got, err := openFile(t).Get(ctx, "other"); err != nil || string(got) != token {
		t.Errorf("with the passphrase from a file: %q, %v", got, err)
	}

	// A systemd credential comes after both.
	t.Setenv("BRIDGE_PASSPHRASE_FILE", "")
	creds := t.TempDir()
	if err := os.WriteFile(filepath.Join(creds, "bridge-key"), []byte("wrong"), 0o400); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CREDENTIALS_DIRECTORY", creds)
	wrong := openFile(t)
	_, err = wrong.Get(ctx, "other")
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "systemd credential") {
		t.Errorf("with a wrong passphrase: %v, want ErrLocked that names its source", err)
	}
	if err := wrong.Set(ctx, "other", []byte("x")); !errors.Is(err, ErrLocked) {
		t.Errorf("set with a wrong passphrase: %v, want ErrLocked", err)
	}
	if now, _ := os.ReadFile(filepath.Join(home, "secrets.age.json")); !bytes.Equal(now, data) {
		t.Error("a refused write changed the file")
	}
}

func TestSealedKeySources(t *testing.T) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file := func(t *testing.T, name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keygen := "# created: 2026-11-30\n# public key: " + id.Recipient().String() + "\n" + id.String() + "\n"

	for _, c := range []struct {
		name string
		set  func(t *testing.T)
		err  error
		say  string
	}{
		{"no key", func(t *testing.T) {}, ErrLocked, "no key"},
		{"identity in the environment", func(t *testing.T) { t.Setenv("BRIDGE_PASSPHRASE", id.String()) }, nil, ""},
		{"credential as age-keygen writes it", func(t *testing.T) {
			t.Setenv("CREDENTIALS_DIRECTORY", filepath.Dir(file(t, "bridge-key", keygen)))
		}, nil, ""},
		{"other credentials, and a key file", func(t *testing.T) {
			t.Setenv("CREDENTIALS_DIRECTORY", filepath.Dir(file(t, "else", "x")))
			t.Setenv("BRIDGE_KEY_FILE", file(t, "key", keygen))
		}, nil, ""},
		{"other identity", func(t *testing.T) { t.Setenv("BRIDGE_PASSPHRASE", other.String()) }, ErrLocked, "does not open"},
		{"mistyped identity", func(t *testing.T) { t.Setenv("BRIDGE_PASSPHRASE", id.String()+"Q") }, ErrLocked, "not a valid"},
		{"passphrase for a key file's file", func(t *testing.T) { t.Setenv("BRIDGE_PASSPHRASE", "words") }, ErrLocked, "key file"},
		{"passphrase file is absent", func(t *testing.T) {
			t.Setenv("BRIDGE_PASSPHRASE_FILE", file(t, "x", "")+"y")
			t.Setenv("BRIDGE_KEY_FILE", file(t, "key", keygen)) // is not stepped down to
		}, ErrLocked, "BRIDGE_PASSPHRASE_FILE"},
		{"passphrase file is empty", func(t *testing.T) { t.Setenv("BRIDGE_PASSPHRASE_FILE", file(t, "x", " \n")) }, ErrLocked, "empty"},
		{"passphrase file is a folder", func(t *testing.T) { t.Setenv("BRIDGE_PASSPHRASE_FILE", t.TempDir()) }, ErrLocked, "folder"},
		{"passphrase file is huge", func(t *testing.T) {
			t.Setenv("BRIDGE_PASSPHRASE_FILE", file(t, "x", strings.Repeat("x", keyMax+1)))
		}, ErrLocked, "at most"},
		{"key file is absent", func(t *testing.T) { t.Setenv("BRIDGE_KEY_FILE", file(t, "x", "")+"y") }, ErrLocked, "BRIDGE_KEY_FILE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			noKeys(t)
			t.Setenv("BRIDGE_PASSPHRASE", id.String())
			if err := openFile(t).Set(t.Context(), "n", []byte("v")); err != nil {
				t.Fatal(err)
			}
			t.Setenv("BRIDGE_PASSPHRASE", "")
			c.set(t)
			got, err := openFile(t).Get(t.Context(), "n")
			if !errors.Is(err, c.err) || err == nil && string(got) != "v" {
				t.Fatalf("get: %q, %v; want error %v", got, err, c.err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.say) || strings.Contains(err.Error(), "AGE-SECRET")) {
				t.Errorf("the error is %q, should tell %q and no key", err, c.say)
			}
			if err := openFile(t).Set(t.Context(), "n", []byte("w")); !errors.Is(err, c.err) {
				t.Errorf("set: %v, want %v", err, c.err)
			}
		})
	}
}

func TestSealedWithoutFile(t *testing.T) {
	home := noKeys(t)
	s := openFile(t)
	if _, err := s.Get(t.Context(), "n"); !errors.Is(err, ErrNotFound) {
		t.Errorf("get: %v, want ErrNotFound", err)
	}
	if names, err := s.List(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("list: %q, %v", names, err)
	}
	if err := s.Set(t.Context(), "n", nil); !errors.Is(err, ErrLocked) {
		t.Errorf("set without a key: %v, want ErrLocked", err)
	}
	if _, err := os.Stat(filepath.Join(home, "secrets.age.json")); err == nil {
		t.Error("a file was made without a key")
	}
}

func TestSealedDamage(t *testing.T) {
	home := noKeys(t)
	t.Setenv("BRIDGE_KEY_FILE", filepath.Join(t.TempDir(), "key"))
	path := filepath.Join(home, "secrets.age.json")
	if err := openFile(t).Set(t.Context(), "n", []byte("v")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	if flipped[len(flipped)-20]++; flipped[len(flipped)-20] > 'y' {
		flipped[len(flipped)-20] = 'A'
	}
	for what, data := range map[string][]byte{
		"empty": nil, "half": whole[:len(whole)/2], "flipped": flipped,
		"no data": []byte(`{"bridge_secrets":1}`), "of the future": []byte(`{"bridge_secrets":2,"data":""}`),
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openFile(t).Get(t.Context(), "n"); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: get: %v, want ErrDamaged", what, err)
		}
		if err := openFile(t).Set(t.Context(), "n", nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: set: %v, want ErrDamaged", what, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, data) {
			t.Errorf("%s: a refused write changed the file", what)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := openFile(t).Get(t.Context(), "n"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a folder: %v, want ErrUnavailable", err)
	}
}

// The costs that docs/adr/0010-secrets.md states.
func BenchmarkSealed(b *testing.B) {
	for _, c := range []struct{ name, phrase string }{{"identity", ""}, {"passphrase", "correct horse"}} {
		b.Setenv("BRIDGE_HOME", b.TempDir())
		b.Setenv("BRIDGE_PASSPHRASE", c.phrase)
		b.Setenv("BRIDGE_KEY_FILE", filepath.Join(b.TempDir(), "key"))
		warm := &Store{kind: File, timeout: PromptTimeout, place: &sealed{work: scryptWork, last: new(lastUnlock)}}
		if err := warm.Set(b.Context(), "n", pattern(2000, 1)); err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/first", func(b *testing.B) {
			for b.Loop() {
				s := &Store{kind: File, timeout: PromptTimeout, place: &sealed{work: scryptWork, last: new(lastUnlock)}}
				if _, err := s.Get(b.Context(), "n"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/later", func(b *testing.B) {
			for b.Loop() {
				if _, err := warm.Get(b.Context(), "n"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/set", func(b *testing.B) {
			for b.Loop() {
				if err := warm.Set(b.Context(), "n", pattern(2000, 1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Each store that a command opened ran scrypt anew, for most of a second.
func TestPassphraseIsStretchedOnceInAProcess(t *testing.T) {
	noKeys(t)
	t.Setenv("BRIDGE_PASSPHRASE", "correct horse battery staple")
	s := openFile(t)
	if err := s.Set(t.Context(), "name", []byte("token")); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(os.Getenv("BRIDGE_HOME"), "secrets.age.json"))
	if err != nil {
		t.Fatal(err)
	}
	var e envelope
	if err := json.Unmarshal(file, &e); err != nil {
		t.Fatal(err)
	}
	first, err := s.place.(*sealed).unlock(e.Key)
	if err != nil {
		t.Fatal(err)
	}
	again, err := openFile(t).place.(*sealed).unlock(e.Key)
	if err != nil || again != first { // another one would have been made anew
		t.Errorf("another store unlocked it once more: %v", err)
	}

	// A wrong one is found out once, and the right one works after it.
	t.Setenv("BRIDGE_PASSPHRASE", "battery horse")
	_, wrong := s.place.(*sealed).unlock(e.Key)
	if _, err := openFile(t).place.(*sealed).unlock(e.Key); err == nil || err != wrong || !errors.Is(err, ErrLocked) { //nolint:errorlint // the same one is meant
		t.Errorf("tried again: %v", err)
	}
	t.Setenv("BRIDGE_PASSPHRASE", "correct horse battery staple")
	if value, err := openFile(t).Get(t.Context(), "name"); err != nil || string(value) != "token" {
		t.Errorf("%q, %v", value, err)
	}
}
