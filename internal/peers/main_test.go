//go:build peers

package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// built are the programs under test, built once for all tests.
var built struct{ bridge, driver string }

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	for program, pkg := range map[*string]string{
		&built.bridge: "bridge/cmd/bridge",
		&built.driver: "bridge/internal/peers/driver",
	} {
		if program == &built.bridge && os.Getenv("PEERS_BRIDGE_CMD") != "" {
			continue
		}
		*program = filepath.Join(dir, filepath.Base(pkg))
		if runtime.GOOS == "windows" {
			*program += ".exe"
		}
		if out, err := exec.Command("go", "build", "-o", *program, pkg).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	return m.Run(), nil
}

// bridgeArgs is the command line of a bridge to url.
func bridgeArgs(url string) []string {
	line := os.Getenv("PEERS_BRIDGE_CMD")
	if line == "" {
		line = built.bridge + " serve {url}"
	}
	argv := strings.Fields(line)
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], "{url}", url)
	}
	return argv
}

// homeEnv is an environment in which the bridge finds nothing of the user's.
func homeEnv(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	return append(os.Environ(), "HOME="+dir, "USERPROFILE="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"),
		"BRIDGE_HOME="+filepath.Join(dir, "bridge"), "BRIDGE_KEYSTORE=memory")
}

// bridgeCommand is a bridge to url, not yet started. What it logs is shown when
// the test fails.
func bridgeCommand(t *testing.T, url string) *exec.Cmd {
	t.Helper()
	argv := bridgeArgs(url)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = homeEnv(t)
	log := &syncBuffer{}
	cmd.Stderr = log
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the bridge's stderr:\n%s", log)
		}
	})
	return cmd
}

// npmCommand is the path of a command of .ci/npm.
func npmCommand(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", ".ci", "npm", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; `bash .ci/run peers` installs it", err)
	}
	return path
}

// npmEnv is env with the Node.js of .ci/npm first in PATH.
func npmEnv(t *testing.T, env []string) []string {
	t.Helper()
	return append(env, "PATH="+filepath.Dir(npmCommand(t, "node"))+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// run runs a command to its end, with a bound, and returns what it printed.
func run(t *testing.T, bound time.Duration, env []string, argv ...string) (stdout, stderr []byte, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), bound, errors.New("took too long"))
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = env
	cmd.WaitDelay = time.Second
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err = cmd.Run(); err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w after %v", context.Cause(ctx), bound)
	}
	return out.Bytes(), log.Bytes(), err
}

// syncBuffer collects what a process prints and lets others wait for a text in
// it. Its zero value is ready to use.
type syncBuffer struct {
	mu      sync.Mutex
	data    bytes.Buffer
	changed chan struct{} // closed at the next write, when somebody waits
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
	return b.data.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.String()
}

// waitFor waits until text was written as many times.
func (b *syncBuffer) waitFor(ctx context.Context, text string, times int) error {
	for {
		b.mu.Lock()
		found := bytes.Count(b.data.Bytes(), []byte(text)) >= times
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%q was not printed %d times: %w", text, times, context.Cause(ctx))
		}
	}
}
