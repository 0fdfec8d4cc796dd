package main

import (
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridge/bridge"
	entry "bridge/internal/servers"
)

// A server with a certificate of a company's own is reached by its name alone,
// by the relay and by the doctor: a desktop client has no variable to say so.
func TestEntryTrustsItsCertificates(t *testing.T) {
	t.Setenv("NODE_EXTRA_CA_CERTS", "")
	web := httptest.NewUnstartedServer(&paceServer{tokens: []string{"pc_right"}, workspaces: []string{"Tim Inti"}})
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	defer web.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	a := testApp(t)
	t.Setenv("BRIDGE_TOKEN", "pc_right")
	s := entry.Server{Name: "pace", URL: web.URL + "/api/mcp", Workspace: "Tim Inti", Auth: entry.AuthToken}
	addServer(t, s)
	if _, err := a.connect(t.Context(), "pace"); exitOf(err) != exitUnreachable {
		t.Fatalf("a certificate that nobody vouches for: %v", err)
	}
	s.CACert = file
	addServer(t, s)
	reachedByAll(t, a, func(cfg *bridge.Config) bool { return cfg.RootCAs != nil })

	s.CACert = file + ".gone"
	addServer(t, s)
	if _, err := a.connect(t.Context(), "pace"); exitOf(err) != exitUsage || !strings.Contains(err.Error(), "ca.pem.gone") {
		t.Errorf("a file that is gone: %v", err)
	}
}

// reachedByAll has the entry pace reached by a command, by serve, whose config is
// to hold what has does, and by the doctor.
func reachedByAll(t *testing.T, a *app, has func(*bridge.Config) bool) {
	t.Helper()
	c, err := a.connect(t.Context(), "pace")
	if err != nil {
		t.Fatal(err)
	}
	c.close()
	o := serveOptions{target: "pace"}
	if _, err := o.findEntry(a); err != nil {
		t.Fatal(err)
	}
	if cfg, _, err := o.config(a); err != nil || !has(&cfg) {
		t.Errorf("serve: %v", err)
	}
	var out strings.Builder
	a.out = &out
	_ = runDoctor(t.Context(), a, doctorOptions{name: "pace"}) // fails for the keychain at most
	if !strings.Contains(out.String(), "through bridge") {
		t.Errorf("the doctor: %s", out.String())
	}
}
