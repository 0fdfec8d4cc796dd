package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// A paceServer behaves as PaceCraft's endpoint does: POST only, no sessions,
// static tokens that can be revoked, no OAuth, and tools that answer only when
// the workspace is clear.
type paceServer struct {
	mu         sync.Mutex
	tokens     []string
	workspaces []string
	seen       []string // workspaces that tools were called in
	posts      int
	oauth      bool // answers 401 as an OAuth server does
}

// cmdPaceCraft is `pacecraft NAME [token=TOKEN] [workspace=NAME]…`: it starts
// such a server and puts its address into $NAME. `pacecraft NAME revoke=TOKEN`
// and `pacecraft NAME grant=TOKEN` change one that runs.
func cmdPaceCraft(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: pacecraft NAME [token=T] [workspace=W]… [grant=T] [revoke=T] [oauth=yes]")
	}
	var s *paceServer
	if running, ok := started.Load("pacecraft " + ts.Getenv(args[0])); ok {
		s = running.(*paceServer)
	} else {
		s = &paceServer{}
		web := httptest.NewServer(s)
		started.Store("pacecraft "+web.URL+"/api/mcp", s)
		ts.Setenv(args[0], web.URL+"/api/mcp")
		ts.Defer(web.Close)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "token", "grant":
			s.tokens = append(s.tokens, value)
		case "revoke":
			s.tokens = slices.DeleteFunc(s.tokens, func(t string) bool { return t == value })
		case "workspace":
			s.workspaces = append(s.workspaces, value)
		case "oauth":
			s.oauth = true
		default:
			ts.Fatalf("unknown behaviour %q", arg)
		}
	}
}

// cmdWorked is `[!] worked NAME WORKSPACE`: a tool was called in it. `! worked
// NAME` means that the server was not even asked.
func cmdWorked(ts *testscript.TestScript, neg bool, args []string) {
	running, ok := started.Load("pacecraft " + ts.Getenv(args[0]))
	if !ok {
		ts.Fatalf("there is no server %s", args[0])
	}
	s := running.(*paceServer)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(args) == 1 {
		if (s.posts > 0) == neg {
			ts.Fatalf("%s was asked %d times", args[0], s.posts)
		}
		return
	}
	if slices.Contains(s.seen, args[1]) == neg {
		ts.Fatalf("tools were called in %q", s.seen)
	}
}

func (s *paceServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path != "/api/mcp" {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	s.posts++
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !slices.Contains(s.tokens, token) {
		if s.oauth {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://`+r.Host+`/.well-known/oauth-protected-resource"`)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"error":"token tidak valid"}`)
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var result any
	switch m.Method {
	case "initialize":
		result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "pacecraft", "version": "1"}}
	case "tools/list":
		var tools []any
		for _, name := range []string{"list_spaces", "list_docs", "update_doc"} {
			tools = append(tools, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"},
				"annotations": map[string]any{"readOnlyHint": name != "update_doc"}})
		}
		result = map[string]any{"tools": tools}
	case "tools/call":
		text, failed := s.call(r.URL.Query().Get("workspace"), m.Params.Name)
		result = map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "isError": failed}
	}
	reply := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}
	if result == nil {
		delete(reply, "result")
		reply["error"] = map[string]any{"code": -32601, "message": "method not found"}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(reply)
}

func (s *paceServer) call(workspace, tool string) (text string, failed bool) {
	list := "Pilih workspace dengan ?workspace=NAMA:\n"
	for _, name := range s.workspaces {
		list += "- " + name + "\n"
	}
	switch {
	case workspace == "" && len(s.workspaces) > 1:
		return list, true
	case workspace == "" && len(s.workspaces) == 1:
		workspace = s.workspaces[0]
	case workspace != "" && !slices.Contains(s.workspaces, workspace):
		return "Workspace tidak ditemukan. " + list, true
	}
	s.seen = append(s.seen, workspace)
	return tool + " in " + workspace, false
}
