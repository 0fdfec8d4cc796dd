package auth

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bridge/keystore"
)

// The test binary also stands for a bridge process, and for the browser that
// one starts.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("AUTH_CHILD") == "":
		goleak.VerifyTestMain(m)
	case len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "http"):
		if _, err := visitPage(context.Background(), os.Args[1]); err != nil {
			os.Exit(1)
		}
	default:
		child()
	}
}

// child is one process: for each line on stdin it makes five requests at once,
// and prints how each went.
func child() {
	store, err := keystore.Open(keystore.Options{Kind: keystore.File})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	url := os.Getenv("AUTH_URL")
	s, err := New(context.Background(), Options{
		URL: url, Dir: os.Getenv("BRIDGE_HOME"), Mode: Auto, Wait: 20 * time.Second,
		Where: func(context.Context) (Store, string, error) { return store, "record", nil },
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := request(s, url); err != nil {
					fmt.Println("failed:", err)
				} else {
					fmt.Println("answered")
				}
			})
		}
		all.Wait()
	}
	s.Close()
}

// request is what the relay does with one request.
func request(s *Session, url string) error {
	ctx := context.Background()
	for range 4 {
		h, err := s.Authorization(ctx)
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
		if err != nil {
			return err
		}
		if h != "" {
			req.Header.Set("Authorization", h)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return nil
		}
		if err := s.Refused(ctx, res.StatusCode, res.Header.Values("Www-Authenticate"), h); err != nil {
			return err
		}
	}
	return fmt.Errorf("never taken")
}

// A process is a running child.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

func startProcess(t *testing.T, f *fakeServer, home string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "AUTH_CHILD=yes", "AUTH_URL="+f.mcp(), "BRIDGE_HOME="+home, "BRIDGE_KEY_FILE="+filepath.Join(home, "key"),
		"BRIDGE_BROWSER="+self)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: cmd, stdin: stdin, lines: bufio.NewScanner(stdout)}
	t.Cleanup(p.kill)
	return p
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

func (p *process) begin() { _, _ = io.WriteString(p.stdin, "go\n") }

// answers waits for five answers.
func (p *process) answers() {
	p.t.Helper()
	for range 5 {
		if !p.lines.Scan() {
			p.t.Error("the process ended")
			return
		}
		if p.lines.Text() != "answered" {
			p.t.Error(p.lines.Text())
		}
	}
}

// Five processes with five requests each, at the end of the token: one refresh,
// and all are answered.
func TestProcessesRefreshOnce(t *testing.T) {
	f, home := newFakeServer(t), t.TempDir()
	var all []*process
	for range 5 {
		all = append(all, startProcess(t, f, home))
	}
	for _, p := range all { // one signs in, the others have it from the store
		p.begin()
	}
	for _, p := range all {
		p.answers()
	}
	if n := f.asked("grant:" + grantCode); n != 1 {
		t.Errorf("%d sign-ins", n)
	}
	f.expire()
	for _, p := range all {
		p.begin()
	}
	for _, p := range all {
		p.answers()
	}
	if n := f.asked("grant:refresh_token"); n != 1 {
		t.Errorf("%d refreshes", n)
	}
	if n := f.asked("GET /authorize"); n != 1 {
		t.Errorf("%d windows", n)
	}
}

// Killed at any step of a sign-in, the next process needs one more at most.
func TestKilledDuringSignIn(t *testing.T) {
	for _, step := range []string{
		"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server/as", "/register", "/authorize", "/token",
		"/token after", // the code is redeemed, the answer is lost
	} {
		t.Run(step, func(t *testing.T) {
			f, home := newFakeServer(t), t.TempDir()
			p := startProcess(t, f, home)
			killAt(t, f, step, p)
			next := startProcess(t, f, home)
			next.begin()
			next.answers()
			if n := f.asked("GET /authorize"); n > 2 {
				t.Errorf("%d windows", n)
			}
			if n := f.asked("grant:" + grantCode); n > 2 {
				t.Errorf("%d exchanges", n)
			}
		})
	}
}

// Killed during a refresh, the next process never loses a token that is good:
// only when the server has spent it and the answer was lost, one sign-in.
func TestKilledDuringRefresh(t *testing.T) {
	for step, windows := range map[string]int{"/token": 1, "/token after": 2} {
		t.Run(step, func(t *testing.T) {
			f, home := newFakeServer(t), t.TempDir()
			p := startProcess(t, f, home)
			p.begin()
			p.answers()
			f.expire()
			killAt(t, f, step, p)
			next := startProcess(t, f, home)
			next.begin()
			next.answers()
			if n := f.asked("GET /authorize"); n != windows {
				t.Errorf("%d windows, want %d", n, windows)
			}
		})
	}
}

// killAt lets p work and kills it when it has come to a step.
func killAt(t *testing.T, f *fakeServer, step string, p *process) {
	t.Helper()
	path, after := strings.CutSuffix(step, " after")
	reached, gone := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.mu.Lock()
	f.take = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path {
			return false
		}
		mine := false
		once.Do(func() { mine = true })
		if !mine {
			return false
		}
		if after {
			f.token(discard{http.Header{}}, r)
		}
		close(reached)
		<-gone
		panic(http.ErrAbortHandler)
	}
	f.mu.Unlock()
	p.begin()
	select {
	case <-reached:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s was not asked for", path)
	}
	p.kill()
	close(gone)
}

// discard is a ResponseWriter for an answer that is lost.
type discard struct{ h http.Header }

func (d discard) Header() http.Header         { return d.h }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}
