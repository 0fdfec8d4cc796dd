package sandbox_test

import (
	"net/url"
	"strings"
	"testing"

	"bridge/internal/sandbox"
)

// The wire of PaceCraft, line by line of its contract.
func TestPaceCraftWire(t *testing.T) {
	s := start(t, sandbox.Options{})
	i := s.Info().PaceCraft
	auth := "Authorization: Bearer " + i.Token
	if len(i.Workspaces) < 2 {
		t.Fatalf("sample workspaces: %v", i.Workspaces)
	}
	named := i.URL + "?workspace=" + url.QueryEscape(i.Workspaces[0])
	call := func(tool, args string) string {
		return `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
	}
	for _, c := range []struct {
		name, method, url, body string
		headers                 []string
		status                  int
		want                    string
	}{
		{"quick test: initialize", "POST", i.URL, hello, []string{auth, isJSON}, 200, `"protocolVersion":"2025-06-18"`},
		{"quick test: tools/list", "POST", i.URL, toolsList, []string{auth}, 200, `"name":"list_spaces"`},
		{"quick test: list_spaces", "POST", named, call("list_spaces", "{}"), []string{auth}, 200, `"content":[`},
		{"without Accept", "POST", named, toolsList, []string{auth, "Accept: "}, 200, `"tools":[`},
		{"GET", "GET", i.URL, "", []string{auth}, 405, ""},
		{"GET without a token", "GET", i.URL, "", nil, 405, ""},
		{"DELETE", "DELETE", i.URL, "", []string{auth}, 405, ""},
		{"no token", "POST", i.URL, toolsList, nil, 401, "Personal Access Token"},
		{"mistyped token", "POST", i.URL, toolsList, []string{auth + "x"}, 401, "Personal Access Token"},
		{"another scheme", "POST", i.URL, toolsList, []string{"Authorization: Basic " + i.Token}, 401, ""},
		{"no workspace, handshake", "POST", i.URL, hello, []string{auth}, 200, "serverInfo"},
		{"no workspace, tool", "POST", i.URL, call("list_spaces", "{}"), []string{auth}, 200, i.Workspaces[1]},
		{"unknown workspace", "POST", i.URL + "?workspace=nope", call("list_spaces", "{}"), []string{auth}, 200, `"isError":true`},
		{"task tool", "POST", named, call("create_task", "{}"), []string{auth}, 200, `Tool \"create_task\" tidak tersedia via MCP eksternal.`},
		{"overdue", "POST", named, call("search_tasks", `{"overdueOnly":true}`), []string{auth}, 200, `"content":[`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := must(t, c.method, c.url, c.body, c.headers...)
			if r.status != c.status || !strings.Contains(r.body, c.want) {
				t.Errorf("%d %s, want %d with %s", r.status, r.body, c.status, c.want)
			}
			if r.header.Get("Mcp-Session-Id") != "" || strings.Contains(r.header.Get("Content-Type"), "event-stream") {
				t.Errorf("headers %v", r.header)
			}
			if strings.Contains(r.header.Get("Www-Authenticate"), "resource_metadata") {
				t.Error("a 401 that starts a browser")
			}
		})
	}
}
