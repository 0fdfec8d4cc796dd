//go:build peers

package peers

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestConformance plays the official suite's client scenarios through the bridge,
// one after another: run side by side, a slow start looks like a failure. It is
// strict: a warning of the suite fails, and so does a scenario without a check.
// Each revision of the suite meets a host of each era: the four cells.
func TestConformance(t *testing.T) {
	legacy := []string{
		"initialize",
		"tools_call",
		"elicitation-sep1034-client-defaults",
		"sse-retry",
		"json-schema-2020-12-preservation",
	}
	modern := []string{
		"tools_call",
		"request-metadata",
		"sep-2322-client-request-state",
		"http-standard-headers",
		"http-custom-headers",
		"http-invalid-tool-headers",
		"json-schema-ref-no-deref",
		"json-schema-2020-12-preservation",
	}
	for _, cell := range []struct {
		era, revision string
		scenarios     []string
	}{
		{"legacy", "2025-11-25", legacy},
		{"modern", "2026-07-28", modern},
		{"legacy", "2026-07-28", modern},
		{"modern", "2025-11-25", legacy},
	} {
		for _, scenario := range cell.scenarios {
			t.Run(cell.era+"/"+cell.revision+"/"+scenario, func(t *testing.T) {
				flags := ""
				if cell.era == "legacy" && scenario == "request-metadata" {
					// Its mock speaks both eras, so a host with sessions would
					// pass untranslated; the scenario looks at the other case.
					flags = " --protocol modern"
				}
				conform(t, cell.era, cell.revision, scenario, flags)
			})
		}
	}
}

func conform(t *testing.T, era, revision, scenario, flags string) {
	t.Helper()
	command := os.Getenv("PEERS_BRIDGE_CMD")
	if command == "" {
		command = built.bridge + " serve {url} --allow-http"
	}
	client := "--client-id {client_id}"
	switch scenario {
	case "auth/basic-cimd":
		command += " --client-metadata-url https://conformance-test.local/client-metadata.json"
	case "auth/pre-registration":
		client += " --client-secret {client_secret}"
	case "auth/client-credentials-basic":
		client += " --client-secret {client_secret} --client-credentials"
	case "auth/client-credentials-jwt":
		client += " --client-key {private_key} --client-credentials"
	}
	env := append(npmEnv(t, homeEnv(t)), "BRIDGE_CMD="+command+flags, "DRIVER_ERA="+era, "DRIVER_CLIENT_ARGS="+client)
	out, log, err := run(t, 90*time.Second, env, npmCommand(t, "conformance"), "client",
		"--command", built.driver, "--scenario", scenario, "--spec-version", revision, "--force", "--timeout", "60000")
	report := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(out)+string(log), "")
	checks := regexp.MustCompile(`(?m)^Passed: (\d+)/(\d+), 0 failed, 0 warnings$`).FindStringSubmatch(report)
	switch {
	case err != nil:
		t.Errorf("the suite ended with: %v", err)
	case len(checks) != 3 || checks[1] != checks[2] || checks[1] == "0":
		t.Error("not every check of the suite passed without a warning")
	case !strings.Contains(report, "OVERALL: PASSED"):
		t.Error("the suite did not pass")
	}
	if t.Failed() {
		t.Logf("the suite's report:\n%s", report)
	} else {
		t.Logf("%s checks", checks[1])
	}
}
