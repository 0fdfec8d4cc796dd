package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// startSandbox runs `bridge sandbox ARGS` in this process and returns its
// stdout and stderr. The command ends, with status 0, when the test does.
func startSandbox(t *testing.T, args ...string) (stdout, stderr *bufio.Reader) {
	t.Helper()
	t.Setenv("BRIDGE_LANG", "en")
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"sandbox"}, args...), newStreams(nil, outW, errW))
	}()
	t.Cleanup(func() {
		cancel()
		if status := <-ended; status != 0 {
			t.Errorf("ended with status %d", status)
		}
		for _, f := range []*os.File{outR, outW, errR, errW} {
			f.Close()
		}
	})
	return bufio.NewReader(outR), bufio.NewReader(errR)
}

// What the sandbox tells a person to type works.
func TestSandboxIntro(t *testing.T) {
	stdout, _ := startSandbox(t)
	var intro strings.Builder
	for {
		line, err := stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %s", err, intro.String())
		}
		intro.WriteString(line)
		if strings.HasPrefix(line, "Ctrl-C") {
			break
		}
	}
	commands := curls(intro.String())
	if len(commands) != 3 {
		t.Fatalf("%d curl lines in %s", len(commands), intro.String())
	}
	for i, want := range []string{`"content":[`, `"content":[`, `"faults":["status=503,on=pacecraft"]`} {
		if status, body := commands[i].do(t); status >= 300 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", commands[i].url, status, body)
		}
	}
	if status, body := commands[0].do(t); status != 503 {
		t.Errorf("after the fault: %d %s", status, body)
	}
	if !strings.Contains(intro.String(), "export BRIDGE_TOKEN=pc_") || !strings.Contains(intro.String(), "bridge serve 'http://127.0.0.1:") {
		t.Errorf("no bridge command in %s", intro.String())
	}
}

// A code that would be mailed appears on the console.
func TestSandboxShowsCodes(t *testing.T) {
	stdout, stderr := startSandbox(t, "--json")
	var info struct {
		Nibomo struct {
			Issuer string `json:"issuer"`
		} `json:"nibomo"`
	}
	line, err := stdout.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &info) != nil {
		t.Fatalf("%v: %s", err, line)
	}
	c := curl{method: "POST", url: info.Nibomo.Issuer + "/api/agent/send-code", body: `{"email":"budi@mail.example"}`, header: http.Header{}}
	if status, body := c.do(t); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	note, err := stderr.ReadString('\n')
	if err != nil || !regexp.MustCompile(`note: the code for budi@mail\.example is \d{8}$`).MatchString(strings.TrimSpace(note)) {
		t.Errorf("%v: %s", err, note)
	}
}

// curl is a request as a curl line states it.
type curl struct {
	method, url, body string
	header            http.Header
}

// curls reads the curl lines of a text: the options -s, -i, -X, -H and -d,
// quotes, and lines that go on after a backslash.
func curls(text string) (out []curl) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	word := regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
	for line := range strings.SplitSeq(text, "\n") {
		words := word.FindAllString(line, -1)
		if len(words) == 0 || words[0] != "curl" {
			continue
		}
		c := curl{method: "GET", header: http.Header{}}
		for i := 1; i < len(words); i++ {
			arg := func() string { i++; return strings.Trim(words[i], `'"`) }
			switch words[i] {
			case "-s", "-i":
			case "-X":
				c.method = arg()
			case "-H":
				k, v, _ := strings.Cut(arg(), ": ")
				c.header.Add(k, v)
			case "-d":
				c.body = arg()
				if c.method == "GET" {
					c.method = "POST"
				}
				if c.header.Get("Content-Type") == "" {
					c.header.Set("Content-Type", "application/x-www-form-urlencoded")
				}
			default:
				c.url = strings.Trim(words[i], `'"`)
			}
		}
		if c.header.Get("Accept") == "" {
			c.header.Set("Accept", "*/*") // as curl does
		}
		out = append(out, c)
	}
	return out
}

func (c curl) do(t *testing.T) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), c.method, c.url, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = c.header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// The README's lines do what it says, the documented quick test of each
// service among them.
func TestSandboxReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## Sandbox\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !ok {
		t.Fatal("the README has no section on the sandbox")
	}
	stdout, _ := startSandbox(t, "--json")
	line, err := stdout.ReadBytes('\n')
	var info struct {
		PaceCraft struct{ URL, Token string }
		Nibomo    struct{ URL, Key string }
		Admin     struct{ URL, Token string }
	}
	if err != nil || json.Unmarshal(line, &info) != nil {
		t.Fatalf("%v: %s", err, line)
	}
	commands := curls(strings.NewReplacer(
		"http://127.0.0.1:7700/api/mcp", info.PaceCraft.URL, "http://127.0.0.1:7701/mcp", info.Nibomo.URL,
		"http://127.0.0.1:7701", strings.TrimSuffix(info.Nibomo.URL, "/mcp"), "http://127.0.0.1:7704/faults", info.Admin.URL,
		"$TOKEN", info.PaceCraft.Token, "$KEY", info.Nibomo.Key, "$ADMIN", info.Admin.Token,
	).Replace(section))
	want := []string{`"protocolVersion":"2025-06-18"`, `"name":"list_spaces"`, `"content":[`,
		`"type":"email_otp_then_api_key"`, `"name":"submit_review"`, `\"workspaces\":[`, `"cut=100,on=nibomo,method=tools/call"`}
	if len(commands) != len(want) {
		t.Fatalf("%d curl lines, want %d", len(commands), len(want))
	}
	for i, c := range commands {
		if status, body := c.do(t); status >= 300 || !strings.Contains(body, want[i]) || strings.Contains(body, `"isError":true`) {
			t.Errorf("%s: %d %s", c.url, status, body)
		}
	}
}

// What was answered is in the file, also when the process is killed.
func TestSandboxSurvivesKill(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cards.db")
	type info struct {
		Nibomo struct{ URL, Key string }
	}
	launch := func() (info, *exec.Cmd) {
		c := exec.Command(exe, "sandbox", "--json", "--data", file)
		c.Args[0] = "bridge" // the name under which the test binary is the program
		stdout, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() })
		var i info
		if line, err := bufio.NewReader(stdout).ReadBytes('\n'); err != nil || json.Unmarshal(line, &i) != nil {
			t.Fatalf("%v: %s", err, line)
		}
		return i, c
	}
	call := func(i info, tool, args string) string {
		t.Helper()
		c := curl{method: http.MethodPost, url: i.Nibomo.URL, header: http.Header{
			"Authorization": {"Bearer " + i.Nibomo.Key}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}},
			body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`}
		status, body := c.do(t)
		if status != http.StatusOK || strings.Contains(body, `"isError":true`) {
			t.Fatalf("%s: %d %s", tool, status, body)
		}
		return body
	}
	i, c := launch()
	workspace := regexp.MustCompile(`\\"workspaceId\\":\\"([^\\]+)`).FindStringSubmatch(call(i, "list_workspaces", "{}"))
	if workspace == nil {
		t.Fatal("no workspace")
	}
	where := `,"workspaceId":"` + workspace[1] + `"}`
	for n := range 20 {
		call(i, "sql_execute", `{"sql":"INSERT INTO cards (front_text, back_text, tags) VALUES ('`+strconv.Itoa(n)+`', 'x', ('killed'))"`+where)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed

	i, _ = launch() // the key is the same
	if got := call(i, "sql_query", `{"sql":"SELECT COUNT(*) FROM cards WHERE tags OVERLAP ('killed')"`+where); !strings.Contains(got, `\"count\":20`) {
		t.Errorf("after the kill: %s", got)
	}
}
