//go:build peers

package peers

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestInspector lets the project's own debugging client be the host of a bridge,
// started by it the way a desktop client starts one.
func TestInspector(t *testing.T) {
	s := newSDKServer(t, mcp.StreamableHTTPOptions{})
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"tools/list", []string{"--method", "tools/list"}, `"name":"echo"`},
		{"tools/call", []string{"--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=selamat"}, `"text":"selamat"`},
		{"resources/list", []string{"--method", "resources/list"}, `"uri":"` + noteURI + `"`},
		{"resources/read", []string{"--method", "resources/read", "--uri", noteURI}, `"text":"water the plants"`},
		{"prompts/get", []string{"--method", "prompts/get", "--prompt-name", "greet"}, `"text":"Om swastiastu"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			argv := append([]string{npmCommand(t, "mcp-inspector"), "--cli", "--format", "json"}, c.args...)
			argv = append(append(argv, "--"), bridgeArgs(s.url)...)
			out, log, err := run(t, time.Minute, npmEnv(t, homeEnv(t)), argv...)
			if err != nil {
				t.Fatalf("the inspector ended with: %v\n%s%s", err, out, log)
			}
			var result json.RawMessage
			if err := json.Unmarshal(out, &result); err != nil {
				t.Fatalf("not one JSON value: %v\n%s", err, out)
			}
			compact, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(compact), c.want) {
				t.Errorf("no %s in %s", c.want, compact)
			}
		})
	}
}
