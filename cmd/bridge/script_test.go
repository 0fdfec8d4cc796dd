package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// A fakeServer is an MCP server on Streamable HTTP, small enough to be right
// by inspection. It remembers what was sent to it.
type fakeServer struct {
	token string // answers 401 to anything but this bearer token; empty: open

	mu      sync.Mutex
	last    http.Header // of the last POST
	calls   []string    // names of tools called
	posts   []string    // methods of the requests since they were looked at
	modern  bool        // speaks 2026-07-28 and nothing else
	deleted bool        // the session was closed
	changed chan struct{}
}

var started sync.Map // URL → *fakeServer

// cmdServer is `server NAME [token=TOKEN]`: it starts a server for the script
// and puts its address into $NAME. `server NAME down` is an address where
// nobody listens, and `server NAME modern` speaks 2026-07-28 alone.
func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: server NAME [token=TOKEN | down | modern]")
	}
	s := &fakeServer{changed: make(chan struct{}, 1)}
	web := httptest.NewServer(s)
	url := web.URL + "/mcp"
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "token":
			s.token = value
		case "down":
			web.Close()
		case "modern":
			s.modern = true
		default:
			ts.Fatalf("unknown behaviour %q", arg)
		}
	}
	started.Store(url, s)
	ts.Setenv(args[0], url)
	ts.Defer(func() {
		web.CloseClientConnections()
		web.Close()
	})
}

func serverOf(ts *testscript.TestScript, name string) *fakeServer {
	s, ok := started.Load(ts.Getenv(name))
	if !ok {
		ts.Fatalf("there is no server %s", name)
	}
	return s.(*fakeServer)
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
		http.Error(w, "go away", http.StatusUnauthorized)
		return
	}
	switch r.Method {
	case http.MethodDelete:
		s.note(func() { s.deleted = true })
		return
	case http.MethodPost:
	default:
		http.Error(w, "no stream", http.StatusMethodNotAllowed)
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name            string `json:"name"`
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var modern bool
	s.note(func() {
		s.last, modern = r.Header.Clone(), s.modern
		if m.ID != nil {
			s.posts = append(s.posts, m.Method)
		}
	})
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var result string
	switch m.Method {
	case "server/discover":
		if modern {
			result = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
			break
		}
		http.NotFound(w, r)
		return
	case "initialize":
		if modern {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Mcp-Session-Id", "s1")
		result = `{"protocolVersion":"` + m.Params.ProtocolVersion + `","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`
	case "tools/list":
		result = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"delete_task","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		s.note(func() { s.calls = append(s.calls, m.Params.Name) })
		if m.Params.Name == "hang" {
			<-r.Context().Done()
			return
		}
		text := m.Params.Name + " was called"
		if m.Params.Name == "big" {
			text = strings.Repeat("big ", 1<<20)
		}
		result = `{"content":[{"type":"text","text":"` + text + `"}]}`
	default:
		result = `{}`
	}
	if modern {
		result = strings.Replace(result, "{", `{"resultType":"complete","ttlMs":0,"cacheScope":"private",`, 1)
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":`+result+`}`)
}

func (s *fakeServer) note(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// waitFor waits until a server's memory satisfies ok; it crosses a process
// boundary, hence the deadline.
func (s *fakeServer) waitFor(ok func() bool) bool {
	deadline := time.After(5 * time.Second)
	for {
		s.mu.Lock()
		satisfied := ok()
		s.mu.Unlock()
		if satisfied {
			return true
		}
		select {
		case <-s.changed:
		case <-deadline:
			return false
		}
	}
}

// cmdSent is `sent NAME HEADER VALUE`: the last message to the server carried
// this header.
func cmdSent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] sent NAME HEADER VALUE")
	}
	s := serverOf(ts, args[0])
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		ts.Fatalf("nothing was sent to %s", args[0])
	}
	if got := s.last.Get(args[1]); (got == args[2]) == neg {
		ts.Fatalf("%s got %s %q", args[0], args[1], got)
	}
}

// cmdEra is `era NAME modern|legacy`: what the server speaks from now on.
func cmdEra(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || args[1] != "modern" && args[1] != "legacy" {
		ts.Fatalf("usage: era NAME modern|legacy")
	}
	s := serverOf(ts, args[0])
	s.note(func() { s.modern = args[1] == "modern" })
}

// cmdPosted is `posted NAME METHOD…`: these requests, and no others, came to the
// server since this was last asked.
func cmdPosted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: posted NAME METHOD…")
	}
	s := serverOf(ts, args[0])
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.posts, args[1:]) {
		ts.Fatalf("%s got %s", args[0], strings.Join(s.posts, " "))
	}
	s.posts = nil
}

// cmdClosed is `closed NAME`: the session with the server was ended by DELETE.
func cmdClosed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: closed NAME")
	}
	s := serverOf(ts, args[0])
	if !s.waitFor(func() bool { return s.deleted }) {
		ts.Fatalf("the session with %s was not closed", args[0])
	}
}

// cmdHost is `host TALK bridge ARGS…`: it starts a program as a desktop client
// does and has the conversation written in the file TALK with it:
//
//	> TEXT         sends a line
//	< REGEXP       the next line matches
//	run FILE PROGRAM ARGS…
//	               runs another program to its end, FILE on its stdin
//	pacecraft …    the script command of this name
//	called NAME T  waits until the server $NAME was asked to call the tool T
//	listens        somebody listens at the redirect URI of the page opened last
//	press BUTTON   presses a button on that page
//	visited N      waits until the browser was opened N times in all
//	remembers N    waits until the era of N servers is remembered
//	signal TERM    sends a signal (INT, TERM, HUP)
//	eof            closes the program's stdin
//	hangup         closes the program's stdout, as a client does that dies
//	exit STATUS    the program ends, within 3 s, with this status
//	stuck STATUS   the same while nobody reads what it prints
//
// `host TALK FILE.json ENTRY` starts what the entry of a client's configuration
// says, with no variables but those that are in it and those that every
// desktop has.
//
// At the end of the file stand an eof and an exit 0 of themselves. stderr can
// be looked at afterwards.
func cmdHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: host TALK PROGRAM ARGS…")
	}
	c := hosted(ts, args[1:])
	c.Dir = ts.MkAbs(".")
	stdin, err := c.StdinPipe()
	ts.Check(err)
	stdout, err := c.StdoutPipe()
	ts.Check(err)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	ts.Check(c.Start())
	h := &host{ts: ts, cmd: c, stdin: stdin, lines: make(chan string)}
	h.stdout = stdout
	go h.read()
	defer func() {
		c.Process.Kill()
		c.Wait() // the end of stderr
		ts.Stderr().Write(stderr.Bytes())
	}()
	for n, line := range strings.Split(ts.ReadFile(args[0]), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			h.do(n+1, line)
		}
	}
	if !h.done {
		h.do(0, "eof")
		h.do(0, "exit 0")
	}
}

// hosted is the program that a host starts.
func hosted(ts *testscript.TestScript, words []string) *exec.Cmd {
	if !strings.HasSuffix(words[0], ".json") {
		path, err := exec.LookPath(words[0])
		ts.Check(err)
		c := exec.Command(path, words[1:]...)
		c.Env = hostEnv(ts)
		return c
	}
	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(words[0])), &config))
	e, ok := config.Servers[words[1]]
	if !ok {
		ts.Fatalf("%s has no entry %s", words[0], words[1])
	}
	c := exec.Command(e.Command, e.Args...)
	for _, name := range []string{"PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR"} {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	for name, v := range e.Env {
		c.Env = append(c.Env, name+"="+v)
	}
	return c
}

func hostEnv(ts *testscript.TestScript) []string {
	// The script's environment is not exported as a whole; these are the names
	// that the scripts use.
	env := []string{"PATH=" + os.Getenv("PATH")}
	for _, name := range []string{"HOME", "USERPROFILE", "BRIDGE_HOME", "BRIDGE_TOKEN", "BRIDGE_TOKEN_FILE", "BRIDGE_LANG",
		"BRIDGE_TOKEN_PACECRAFT", "BRIDGE_BROWSER", "VISIT", "VISITS", "BRIDGE_KEYSTORE", "BRIDGE_KEY_FILE",
		"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR",
		"LC_ALL", "TERM", "NO_COLOR", "KEY", "EMPTY", "TOKEN", "NODE_EXTRA_CA_CERTS", "SYSTEMROOT", "TMPDIR"} {
		if v := ts.Getenv(name); v != "" || name == "EMPTY" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

type host struct {
	ts     *testscript.TestScript
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	lines  chan string // closed at the end of stdout
	done   bool
}

func (h *host) read() {
	in := bufio.NewReader(h.stdout)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			h.lines <- strings.TrimRight(line, "\n")
		}
		if err != nil {
			close(h.lines)
			return
		}
	}
}

func (h *host) do(n int, line string) {
	verb, rest, _ := strings.Cut(line, " ")
	limit := time.After(5 * time.Second)
	switch verb {
	case ">":
		if _, err := io.WriteString(h.stdin, rest+"\n"); err != nil {
			h.ts.Fatalf("line %d: %v", n, err)
		}
	case "<":
		select {
		case got, ok := <-h.lines:
			if !ok {
				h.ts.Fatalf("line %d: stdout has ended", n)
			}
			if !regexp.MustCompile(rest).MatchString(got) {
				h.ts.Fatalf("line %d: got %s", n, got)
			}
			if !json.Valid([]byte(got)) {
				h.ts.Fatalf("line %d: not JSON: %s", n, got)
			}
		case <-limit:
			h.ts.Fatalf("line %d: no answer", n)
		}
	case "called":
		name, tool, _ := strings.Cut(rest, " ")
		s := serverOf(h.ts, name)
		if !s.waitFor(func() bool { return strings.Contains(" "+strings.Join(s.calls, " ")+" ", " "+tool+" ") }) {
			h.ts.Fatalf("line %d: %s was not asked for %s", n, name, tool)
		}
	case "run":
		words := strings.Fields(rest)
		in, err := os.Open(h.ts.MkAbs(words[0]))
		h.ts.Check(err)
		defer in.Close()
		other := exec.Command(words[1], words[2:]...)
		other.Dir, other.Env, other.Stdin = h.cmd.Dir, h.cmd.Env, in
		if out, err := other.CombinedOutput(); err != nil {
			h.ts.Fatalf("line %d: %v\n%s", n, err, out)
		}
	case "pacecraft":
		cmdPaceCraft(h.ts, false, strings.Fields(rest))
	case "listens":
		cmdListens(h.ts, false, nil)
	case "press":
		_, err := press(context.Background(), lastLink(h.ts), rest)
		h.ts.Check(err)
	case "visited":
		visited(h.ts, n, rest)
	case "remembers":
		h.remembers(n, rest)
	case "signal":
		signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
		h.ts.Check(h.cmd.Process.Signal(signals[rest]))
	case "eof":
		h.stdin.Close()
	case "hangup":
		h.stdout.Close()
	case "exit":
		h.exit(n, rest)
	case "stuck":
		h.stuck(n, rest)
	default:
		h.ts.Fatalf("line %d: unknown verb %q", n, verb)
	}
}

// remembers waits until so many files lie in state/era. They are written by
// another process, hence the polling.
func (h *host) remembers(n int, count string) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(5 * time.Second)
	for {
		files, err := filepath.Glob(filepath.Join(h.ts.Getenv("BRIDGE_HOME"), "state", "era", "*.json"))
		h.ts.Check(err)
		if strconv.Itoa(len(files)) == count {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			h.ts.Fatalf("line %d: %q", n, files)
		}
	}
}

// exit reads what is left of stdout, where nothing but JSON may stand, and
// waits for the end.
func (h *host) exit(n int, status string) {
	h.done = true
	limit := time.After(3 * time.Second)
	for open := true; open; {
		var line string
		select {
		case line, open = <-h.lines:
			if open && !json.Valid([]byte(line)) {
				h.ts.Fatalf("line %d: not JSON: %s", n, line)
			}
		case <-limit:
			h.ts.Fatalf("line %d: still running", n)
		}
	}
	h.stuck(n, status)
}

// stuck waits for the end without reading.
func (h *host) stuck(n int, status string) {
	h.done = true
	late := time.AfterFunc(3*time.Second, func() { h.cmd.Process.Kill() })
	state, err := h.cmd.Process.Wait()
	if !late.Stop() {
		h.ts.Fatalf("line %d: still running", n)
	}
	h.ts.Check(err)
	if got := strconv.Itoa(state.ExitCode()); got != status {
		h.ts.Fatalf("line %d: status %s", n, got)
	}
}

// cmdSecret is `! secret TEXT`: TEXT is in no file below the script's folder,
// and neither in what the last command printed. It is how a script shows that
// a token stays where it belongs. Files named on the line are left out: those
// in which the script itself put it.
func cmdSecret(ts *testscript.TestScript, neg bool, args []string) {
	if !neg || len(args) == 0 {
		ts.Fatalf("usage: ! secret TEXT [FILE…]")
	}
	for _, stream := range []string{"stdout", "stderr"} {
		if strings.Contains(ts.ReadFile(stream), args[0]) {
			ts.Fatalf("the secret is in %s", stream)
		}
	}
	skip := map[string]bool{}
	for _, name := range args[1:] {
		skip[ts.MkAbs(name)] = true
	}
	ts.Check(filepath.WalkDir(ts.MkAbs("."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || skip[path] {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(args[0])) {
			ts.Fatalf("the secret is in %s", path)
		}
		return err
	}))
}
