//go:build wine

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridge/internal/sandbox"
)

// The tests of this file run bridge.exe under Wine against the sandbox of this
// process. .ci/stages/85-wine.sh makes the prefix, puts bridge.exe into it and
// names both in the environment.

const (
	wineExe = `C:\Program Files\bridge\bridge.exe`
)

// A wineMachine is the Windows of one prefix.
type wineMachine struct {
	drive string // drive C
	home  string // the user's profile, as this system names it
}

func newWineMachine(t *testing.T) wineMachine {
	t.Helper()
	prefix := os.Getenv("WINEPREFIX")
	if prefix == "" || os.Getenv("BRIDGE_WINE") == "" {
		t.Fatal("run by .ci/stages/85-wine.sh, which sets WINEPREFIX and BRIDGE_WINE")
	}
	m := wineMachine{drive: filepath.Join(prefix, "drive_c")}
	homes, err := filepath.Glob(filepath.Join(m.drive, "users", "*", "AppData"))
	if err != nil || len(homes) != 1 {
		t.Fatalf("profiles: %q, %v", homes, err)
	}
	m.home = filepath.Dir(homes[0])

	// Wine's services come with the first program and inherit its pipes, so the
	// first has none, and one stays to keep them.
	keeper := m.command(context.WithoutCancel(t.Context()), "cmd") // till its stdin ends
	stay, err := keeper.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := keeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stay.Close()
		if err := keeper.Wait(); err != nil {
			t.Error(err)
		}
	})
	if err := m.command(t.Context(), "cmd", "/c", "exit").Run(); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m wineMachine) windowsPath(path string) string {
	rest, _ := strings.CutPrefix(path, m.drive)
	return `C:` + strings.ReplaceAll(rest, "/", `\`)
}

func (m wineMachine) command(ctx context.Context, exe string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Getenv("BRIDGE_WINE"), append([]string{exe}, args...)...)
	cmd.WaitDelay = time.Second
	return cmd
}

// run runs bridge.exe to its end and returns what it printed and its status.
func (m wineMachine) run(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := m.command(ctx, wineExe, args...)
	var out, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &problems
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("bridge %q: %v", args, err)
	}
	return out.String(), problems.String(), cmd.ProcessState.ExitCode()
}

// ok is run for what has to succeed.
func (m wineMachine) ok(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	stdout, stderr, status := m.run(t, stdin, args...)
	if status != 0 {
		t.Fatalf("bridge %q: status %d\n%s%s", args, status, stdout, stderr)
	}
	return stdout
}

// A wineHost talks to one bridge.exe as a client does.
type wineHost struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func (m wineMachine) host(t *testing.T, exe string, args ...string) *wineHost {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	h := &wineHost{cmd: m.command(ctx, exe, args...)}
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.cmd.Stderr = t.Output()
	h.out = bufio.NewScanner(out)
	h.out.Buffer(nil, 1<<20)
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends one line, ended as Windows ends lines, and returns the answer.
func (h *wineHost) ask(t *testing.T, line string) string {
	t.Helper()
	if _, err := io.WriteString(h.in, line+"\r\n"); err != nil {
		t.Fatal(err)
	}
	if !h.out.Scan() {
		t.Fatalf("no answer to %s: %v", line, h.out.Err())
	}
	answer := h.out.Text()
	if strings.HasSuffix(answer, "\r") || !json.Valid([]byte(answer)) {
		t.Fatalf("not one JSON value on a line: %q", answer)
	}
	return answer
}

// handshake goes from initialize to a tool's answer.
func (h *wineHost) handshake(t *testing.T) {
	t.Helper()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wine","version":"1"}}}`
	if got := h.ask(t, hello); !strings.Contains(got, `"serverInfo"`) {
		t.Fatalf("initialize: %s", got)
	}
	if _, err := io.WriteString(h.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\r\n"); err != nil {
		t.Fatal(err)
	}
	if got := h.ask(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(got, `"list_spaces"`) {
		t.Fatalf("tools/list: %s", got)
	}
	if got := h.ask(t, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_spaces","arguments":{}}}`); !strings.Contains(got, `"result"`) || strings.Contains(got, `"isError":true`) {
		t.Fatalf("tools/call: %s", got)
	}
}

// end closes stdin, which has to end serve with status 0 within two seconds.
func (h *wineHost) end(t *testing.T) {
	t.Helper()
	start := time.Now()
	if err := h.in.Close(); err != nil {
		t.Fatal(err)
	}
	if h.out.Scan() {
		t.Errorf("after the end of stdin: %s", h.out.Text())
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("serve ended %s after stdin", took)
	}
}

func TestWine(t *testing.T) {
	m := newWineMachine(t)
	box, err := sandbox.Start(t.Context(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	pace := box.Info().PaceCraft
	secret := pace.Token
	endpoint := pace.URL + "?workspace=" + pace.Workspaces[0]

	if got := m.ok(t, "", "version"); !strings.Contains(got, "windows/amd64") {
		t.Fatalf("version: %s", got)
	}
	t.Run("a server by its address", func(t *testing.T) {
		t.Setenv("BRIDGE_TOKEN", secret)
		h := m.host(t, wineExe, "serve", endpoint)
		h.handshake(t)
		h.end(t)
	})

	// The rest goes on from one step to the next, as a person does.
	m.ok(t, "", "servers", "add", "pacecraft", endpoint)
	config := filepath.Join(m.home, ".bridge", "config.toml")
	if _, err := os.Stat(config); err != nil {
		t.Fatalf(`%%USERPROFILE%%\.bridge: %v`, err)
	}
	m.ok(t, secret+"\r\n", "login", "pacecraft", "--with-token")
	if got := m.ok(t, "", "status", "pacecraft", "--json"); !strings.Contains(got, `"detail":"keychain"`) {
		t.Errorf("the token is not in Credential Manager: %s", got)
	}
	noSecretBelow(t, filepath.Join(m.home, ".bridge"), secret)
	h := m.host(t, wineExe, "serve", "pacecraft")
	h.handshake(t)
	h.end(t)

	testWineClients(t, m)

	m.ok(t, "", "logout", "pacecraft")
	if out, _, status := m.run(t, "", "status", "pacecraft"); status == 0 {
		t.Errorf("signed in after logout: %s", out)
	}
}

// testWineClients puts pacecraft into Claude Desktop as a package (MSIX)
// installs it, starts what stands there, and takes it out again.
func testWineClients(t *testing.T, m wineMachine) {
	local := filepath.Join(m.home, "AppData", "Local")
	packaged := filepath.Join(local, "Packages", "Claude_wine0test", "LocalCache", "Roaming", "Claude")
	file := filepath.Join(packaged, "claude_desktop_config.json")
	const before = "\ufeff{\r\n\t\"theme\": \"dark\",\r\n\t\"mcpServers\": {\r\n\t\t\"other\": {\r\n\t\t\t\"command\": \"C:\\\\other.exe\"\r\n\t\t}\r\n\t}\r\n}\r\n"
	if err := os.MkdirAll(packaged, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := m.ok(t, "", "clients", "list"); !strings.Contains(got, m.windowsPath(file)) {
		t.Errorf("clients list does not name %s:\n%s", m.windowsPath(file), got)
	}
	if got := m.ok(t, "", "clients", "print", "claude-desktop", "pacecraft"); !strings.Contains(got, strings.ReplaceAll(wineExe, `\`, `\\`)) {
		t.Errorf("clients print: %s", got)
	}

	// While Claude Desktop runs it would write its own copy over ours.
	running := filepath.Join(local, "AnthropicClaude", "claude.exe")
	if err := os.MkdirAll(filepath.Dir(running), 0o700); err != nil {
		t.Fatal(err)
	}
	exe, err := os.ReadFile(filepath.Join(m.drive, "Program Files", "bridge", "bridge.exe"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(running, exe, 0o700); err != nil {
		t.Fatal(err)
	}
	claude := m.host(t, m.windowsPath(running), "serve", "pacecraft")
	claude.handshake(t)
	if _, stderr, status := m.run(t, "", "clients", "install", "claude-desktop", "pacecraft"); status != int(exitConflict) {
		t.Errorf("install while it runs: status %d, %s", status, stderr)
	}
	claude.end(t)

	m.ok(t, "", "clients", "install", "claude-desktop", "pacecraft")
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, marked := strings.CutPrefix(string(after), "\ufeff")
	if !marked || strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		t.Errorf("mark or line ends are lost: %q", after)
	}
	var found struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatal(err)
	}
	entry := found.MCPServers["pacecraft"]
	if entry.Command != wineExe || len(found.MCPServers) != 2 {
		t.Fatalf("the entry is %+v in %s", entry, text)
	}
	h := m.host(t, entry.Command, entry.Args...)
	h.handshake(t)
	h.end(t)

	m.ok(t, "", "clients", "uninstall", "claude-desktop", "pacecraft")
	if after, err = os.ReadFile(file); err != nil || string(after) != before {
		t.Errorf("not as it was: %q, %v", after, err)
	}
}

func noSecretBelow(t *testing.T, dir, secret string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s has the token in it", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWineSandbox keeps the sandbox's data in a file of that machine, past a
// kill. $BRIDGE_WINE_SANDBOX is a bridge.exe whose SQLite asks nothing of
// Windows that Wine 8 has not.
func TestWineSandbox(t *testing.T) {
	m := newWineMachine(t)
	exe := os.Getenv("BRIDGE_WINE_SANDBOX")
	folder := filepath.Join(m.drive, "My Data#1")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	data := m.windowsPath(filepath.Join(folder, "cards.db"))
	var first sandbox.Info
	for range 2 {
		h := m.host(t, exe, "sandbox", "--json", "--data", data)
		if !h.out.Scan() {
			t.Fatalf("the sandbox does not start: %v", h.out.Err())
		}
		var info sandbox.Info
		if err := json.Unmarshal(h.out.Bytes(), &info); err != nil {
			t.Fatal(err)
		}
		if first.PaceCraft.Token == "" {
			first = info
		}
		// With the token of the first start, which is in the file.
		t.Setenv("BRIDGE_TOKEN", first.PaceCraft.Token)
		client := m.host(t, wineExe, "serve", info.PaceCraft.URL+"?workspace="+info.PaceCraft.Workspaces[0])
		client.handshake(t)
		client.end(t)
		if err := h.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = h.cmd.Wait() // killed
	}
}
