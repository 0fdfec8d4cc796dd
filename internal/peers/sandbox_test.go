//go:build peers

package peers

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// TestSandboxConformance plays the official suite's server scenarios against
// the sandbox's lab, once an era. The suite's status says whether all that it
// scores has passed; scenarios of extensions run, but are not scored.
func TestSandboxConformance(t *testing.T) {
	url := startSandbox(t)
	for _, c := range []struct {
		form, revision string
		atLeast        int // checks that pass; fewer means that the suite skipped some
	}{
		{"resumable", "2025-11-25", 84},
		{"modern-sse", "2026-07-28", 165},
	} {
		t.Run(c.form+"/"+c.revision, func(t *testing.T) {
			out, log, err := run(t, 3*time.Minute, npmEnv(t, homeEnv(t)), npmCommand(t, "conformance"), "server",
				"--url", url+"/lab/"+c.form, "--requirements", c.revision, "-o", t.TempDir())
			total := regexp.MustCompile(`(?m)^Total: (\d+) passed, \d+ failed$`).FindSubmatch(out)
			passed := 0
			if total != nil {
				passed, _ = strconv.Atoi(string(total[1])) // digits only
			}
			if err != nil || passed < c.atLeast {
				t.Errorf("%d checks passed, want %d: %v\n%s%s", passed, c.atLeast, err, out, log)
			}
		})
	}
}

// startSandbox runs `bridge sandbox` and returns the origin of its lab.
func startSandbox(t *testing.T) string {
	t.Helper()
	program := built.bridge
	if program == "" { // another program stands in for bridge, and it has no sandbox
		program = filepath.Join(t.TempDir(), "bridge.exe")
		if out, err := exec.Command("go", "build", "-o", program, "bridge/cmd/bridge").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	c := exec.Command(program, "sandbox", "--json")
	c.Env = homeEnv(t)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	var info struct {
		Lab struct{ URL string }
	}
	if line, err := bufio.NewReader(stdout).ReadBytes('\n'); err != nil || json.Unmarshal(line, &info) != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return info.Lab.URL
}
