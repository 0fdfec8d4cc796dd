package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	entry "bridge/internal/servers"
	"bridge/keystore"
)

// A fakeStore is a keystore whose answers a test decides.
type fakeStore struct {
	mu    sync.Mutex
	m     map[string]string
	err   error
	asked int
	hold  chan struct{} // if not nil, Get waits for it
}

func (s *fakeStore) Kind() keystore.Kind { return keystore.Keychain }

func (s *fakeStore) Get(ctx context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	s.asked++
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, &keystore.Error{Op: "get", Name: name, Kind: keystore.Keychain, Err: s.err}
	}
	v, ok := s.m[name]
	if !ok {
		return nil, &keystore.Error{Op: "get", Name: name, Kind: keystore.Keychain, Err: keystore.ErrNotFound}
	}
	return []byte(v), nil
}

func (s *fakeStore) Set(_ context.Context, name string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]string{}
	}
	s.m[name] = string(value)
	return nil
}

func (s *fakeStore) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.m[name]; !ok {
		return keystore.ErrNotFound
	}
	delete(s.m, name)
	return nil
}

func (s *fakeStore) List(context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (s *fakeStore) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func testEntry() entry.Server {
	return entry.Server{Name: "my-team", URL: "https://h.example/mcp", Auth: entry.AuthToken}
}

func testFinder(s entry.Server, st *fakeStore, env map[string]string) *finder {
	return &finder{
		server: s,
		getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		open:   func() (store, error) { return st, nil },
	}
}

func TestWhereTheCredentialComesFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("  \"Bearer from-file\"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := testEntry()
	st := &fakeStore{m: map[string]string{s.CredentialName(): "from-keystore"}}
	env := map[string]string{
		"BRIDGE_TOKEN_MY_TEAM": "from-name", "BRIDGE_TOKEN": "from-variable", "BRIDGE_TOKEN_FILE": file,
	}
	s.TokenCommand = []string{os.Args[0], "-test.run=^TestHelperPrints$"}
	t.Setenv("BRIDGE_TEST_PRINT", "from-command\nnotes\n")

	for _, tt := range []struct {
		token, drop string
		from        source
	}{
		{"from-name", "BRIDGE_TOKEN_MY_TEAM", fromVariable},
		{"from-variable", "BRIDGE_TOKEN", fromVariable},
		{"from-file", "BRIDGE_TOKEN_FILE", fromFile},
		{"from-command", "", fromCommand},
	} {
		f := testFinder(s, st, env)
		c, err := f.find(t.Context())
		if err != nil || c.token.Reveal() != tt.token || c.from != tt.from {
			t.Fatalf("want %s: got %v %q, %v", tt.token, c.from, c.token.Reveal(), err)
		}
		if from, _ := f.origin(); from != tt.from {
			t.Errorf("%s: origin = %v", tt.token, from)
		}
		delete(env, tt.drop)
	}
	if st.count() != 0 {
		t.Error("the keystore was asked although nobody needed it")
	}
	s.TokenCommand = nil
	c, err := testFinder(s, st, env).find(t.Context())
	if err != nil || c.header() != "Bearer from-keystore" || c.from != fromKeystore || c.detail != "keychain" {
		t.Errorf("got %+v, %v", c, err)
	}
	s.URL = "https://other.example/mcp"
	if c, err := testFinder(s, st, env).find(t.Context()); err != nil || !c.token.IsZero() {
		t.Errorf("the token followed the entry to another host: %v, %v", c, err)
	}
}

// TestHelperPrints is the program that token_command runs in these tests.
func TestHelperPrints(t *testing.T) {
	text := os.Getenv("BRIDGE_TEST_PRINT")
	if text == "" {
		return // it runs with all other tests as well
	}
	if n, ok := strings.CutPrefix(text, "exit "); ok {
		fmt.Print("from-command")
		fmt.Fprint(os.Stderr, "from-command")
		code := 0
		fmt.Sscan(n, &code)
		os.Exit(code)
	}
	if text == "much" {
		fmt.Print(strings.Repeat("x", maxCommandOutput+1))
		os.Exit(0)
	}
	fmt.Print(text)
	os.Exit(0)
}

func TestTokenCommandFails(t *testing.T) {
	for _, tt := range []struct{ name, print, program, say string }{
		{"status", "exit 3", "", "status 3"},
		{"much", "much", "", "more than a token"},
		{"nothing", " \n", "", "no token"},
		{"absent", "x", "/nowhere/at/all", "not to be found"},
		{"absent in PATH", "x", "no-such-program-of-bridge", "not to be found"},
		{"blank inside", "two words", "", "blanks"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("BRIDGE_TEST_PRINT", tt.print)
			s := testEntry()
			s.TokenCommand = []string{os.Args[0], "-test.run=^TestHelperPrints$"}
			if tt.program != "" {
				s.TokenCommand = []string{tt.program}
			}
			_, err := testFinder(s, &fakeStore{}, nil).find(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.say) || exitOf(err) != exitSignIn {
				t.Errorf("find = %v (exit %d)", err, exitOf(err))
			}
			if err != nil && strings.Contains(fmt.Sprintf("%v %+v", err, err), "from-command") {
				t.Errorf("the error repeats the output: %v", err)
			}
		})
	}
}

func TestTokenCommandEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runTokenCommand(ctx, []string{os.Args[0], "-test.run=^TestHelperPrints$"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestKeystoreErrorsHaveTheirOwnRemedies(t *testing.T) {
	seen := map[string]string{}
	for _, sentinel := range []error{keystore.ErrLocked, keystore.ErrUnavailable, keystore.ErrTimeout, keystore.ErrTooLarge, keystore.ErrDamaged} {
		for _, kind := range []keystore.Kind{keystore.Keychain, keystore.File} {
			err := storeProblem(&keystore.Error{Op: "get", Name: "x@https://h", Kind: kind, Err: sentinel}, "x")
			var p *problem
			if !errors.As(err, &p) || !errors.Is(err, sentinel) {
				t.Fatalf("%v: %v", sentinel, err)
			}
			if sentinel != keystore.ErrTooLarge && p.tip == "" {
				t.Errorf("%v, %v: no hint", kind, sentinel)
			}
			if kind == keystore.File && strings.Contains(p.tip, "BRIDGE_KEYSTORE=file") {
				t.Errorf("%v: a sealed file is no cure for a sealed file: %s", sentinel, p.tip)
			}
			text := p.text + "|" + p.tip
			if before, ok := seen[text]; ok && before != sentinel.Error() {
				t.Errorf("%v and %s read the same: %s", sentinel, before, text)
			}
			seen[text] = sentinel.Error()
		}
	}
}

// Nothing can be put into a sealed file that is damaged, so that it was no use
// to ask for a token first, nor to say "sign in again" when it could not be
// kept.
func TestDamagedSealedFileIsToldFirst(t *testing.T) {
	home := t.TempDir()
	t.Setenv("BRIDGE_HOME", home)
	t.Setenv("BRIDGE_KEYSTORE", "file")
	t.Setenv("BRIDGE_PASSPHRASE", "passphrase")
	if err := os.WriteFile(filepath.Join(home, "secrets.age.json"), []byte("cut sho"), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := openStore("", false)
	if err != nil {
		t.Fatal(err)
	}
	var p *problem
	if err := storeWorks(t.Context(), st, entry.Server{Name: "team", URL: "https://h/mcp"}); !errors.As(err, &p) || p.exit != exitFailure ||
		!strings.Contains(p.tip, "secrets.age.json") {
		t.Errorf("%v, %+v", err, p)
	}
}

// A list that cannot be read is of no server in particular.
func TestDamagedListNamesNoServer(t *testing.T) {
	var p *problem
	err := storeProblem(&keystore.Error{Op: "list", Kind: keystore.Keychain, Err: keystore.ErrDamaged}, "")
	if !errors.As(err, &p) || strings.Contains(p.text, "  ") || !strings.Contains(p.tip, "`bridge login NAME`") {
		t.Errorf("%+v", p)
	}
}

// A token copied from a web page came with its quotes, from a file made on
// Windows with a byte order mark, from a manual with the name of the header;
// it was refused for "characters that no token has".
func TestWhatIsPastedAlongWithATokenComesOff(t *testing.T) {
	for _, pasted := range []string{
		"pc_x", " \tpc_x\r\n", `"pc_x"`, `'Bearer pc_x'`, "bearer\tpc_x", "\ufeffpc_x\r\n", "\u201cpc_x\u201d", "\u2018Bearer pc_x\u2019",
		"\u00a0\u200bpc_x\u200b", "Authorization: Bearer pc_x", `"authorization:pc_x"`, "\u00abpc_x\u00bb",
	} {
		if got, err := cleanToken(pasted, "stdin"); got != "pc_x" || err != nil {
			t.Errorf("%q: %q, %v", pasted, got, err)
		}
	}
	for _, wrong := range []string{"pc_x pc_y", "pc_x\npc_y", "pc_\u00e9", "pc_\u200bx", "pc_\x1b[0m", "\u201c\u201d", "Authorization:", "\x00"} {
		if got, err := cleanToken(wrong, "stdin"); err == nil {
			t.Errorf("%q was taken as %q", wrong, got)
		}
	}
}
