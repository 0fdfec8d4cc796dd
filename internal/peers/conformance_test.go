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
func TestConformance(t *testing.T) {
	for _, suite := range []struct {
		era, revision string
		scenarios     []string
	}{
		{"legacy", "2025-11-25", []string{
			"initialize",
			"tools_call",
			"elicitation-sep1034-client-defaults",
			"sse-retry",
			"json-schema-2020-12-preservation",

			"auth/metadata-default",
			"auth/metadata-var1",
			"auth/metadata-var2",
			"auth/metadata-var3",
			"auth/2025-03-26-oauth-metadata-backcompat",
			"auth/2025-03-26-oauth-endpoint-fallback",
			"auth/basic-cimd",
			"auth/pre-registration",
			"auth/token-endpoint-auth-none",
			"auth/token-endpoint-auth-basic",
			"auth/token-endpoint-auth-post",
			"auth/scope-from-www-authenticate",
			"auth/scope-from-scopes-supported",
			"auth/scope-omitted-when-undefined",
			"auth/scope-step-up",
			"auth/scope-retry-limit",
			"auth/offline-access-scope",
			"auth/offline-access-not-supported",
			"auth/resource-mismatch",
			"auth/metadata-issuer-mismatch",
			"auth/authorization-server-migration",
			"auth/iss-supported",
			"auth/iss-not-advertised",
			"auth/iss-supported-missing",
			"auth/iss-wrong-issuer",
			"auth/iss-unexpected",
			"auth/iss-normalized",
			"auth/client-credentials-basic",
			"auth/client-credentials-jwt",
		}},
	} {
		for _, scenario := range suite.scenarios {
			t.Run(suite.era+"/"+suite.revision+"/"+scenario, func(t *testing.T) {
				conform(t, suite.era, suite.revision, scenario)
			})
		}
	}
}

func conform(t *testing.T, era, revision, scenario string) {
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
	env := append(npmEnv(t, homeEnv(t)), "BRIDGE_CMD="+command, "DRIVER_ERA="+era, "DRIVER_CLIENT_ARGS="+client)
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
