package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"bridge/bridge"
	entry "bridge/internal/servers"
)

// identity makes a certificate and its key, as two files.
func identity(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "me"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "me.pem"), filepath.Join(dir, "me.key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// A server that asks for a certificate is shown the one of its entry: by the
// commands, the relay and the doctor. What is wrong with the files is said
// before anything is sent.
func TestEntryShowsItsCertificate(t *testing.T) {
	t.Setenv("NODE_EXTRA_CA_CERTS", "")
	web := httptest.NewUnstartedServer(&paceServer{tokens: []string{"pc_right"}, workspaces: []string{"Tim Inti"}})
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	web.StartTLS()
	defer web.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key := identity(t)
	_, other := identity(t)
	a := testApp(t)
	var said strings.Builder
	a.err = &said
	t.Setenv("BRIDGE_TOKEN", "pc_right")
	s := entry.Server{Name: "pace", URL: web.URL + "/api/mcp", Workspace: "Tim Inti", Auth: entry.AuthToken, CACert: ca}
	addServer(t, s)
	if _, err := a.connect(t.Context(), "pace"); err == nil {
		t.Fatal("a server that wants a certificate was content without")
	}
	s.ClientCert, s.ClientCertKey = cert, key
	addServer(t, s)
	reachedByAll(t, a, func(cfg *bridge.Config) bool { return cfg.ClientCertificate != nil })
	if strings.Contains(said.String(), "chmod") {
		t.Errorf("a key that is private is warned of: %s", said.String())
	}

	if runtime.GOOS != "windows" {
		if err := os.Chmod(key, 0o644); err != nil { //nolint:gosec // that is what is tested
			t.Fatal(err)
		}
		c, err := a.connect(t.Context(), "pace")
		if err != nil {
			t.Fatal(err)
		}
		c.close()
		if strings.Count(said.String(), "chmod 600") != 1 || !strings.Contains(said.String(), "me.key") {
			t.Errorf("a key that is open to others: %q", said.String())
		}
	}
	for want, path := range map[string]string{"no private key in": other, "cannot read the key of the client certificate in": other + ".gone"} {
		s.ClientCertKey = path
		addServer(t, s)
		if _, err := a.connect(t.Context(), "pace"); exitOf(err) != exitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// The switch holds for the server alone, and is said with each connection: by
// the commands, by serve, silent or not, and by the doctor.
func TestInsecureEntryIsLoud(t *testing.T) {
	t.Setenv("NODE_EXTRA_CA_CERTS", "")
	web := httptest.NewUnstartedServer(&paceServer{tokens: []string{"pc_right"}, workspaces: []string{"Tim Inti"}})
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	defer web.Close()
	a := testApp(t)
	var said, out strings.Builder
	a.err, a.out = &said, &out
	t.Setenv("BRIDGE_TOKEN", "pc_right")
	s := entry.Server{Name: "pace", URL: web.URL + "/api/mcp", Workspace: "Tim Inti", Auth: entry.AuthToken, Insecure: true}
	addServer(t, s)
	loud := func(who string) {
		t.Helper()
		if n := strings.Count(said.String(), "is not checked: whoever is between can read the token"); n != 1 {
			t.Errorf("%s: warned %d times: %q", who, n, said.String())
		}
		said.Reset()
	}
	c, err := a.connect(t.Context(), "pace")
	if err != nil {
		t.Fatal(err)
	}
	c.close()
	loud("a command")
	for _, o := range []serveOptions{{target: "pace", silent: true}, {target: web.URL + "/api/mcp", insecure: true}} {
		if _, err := o.findEntry(a); err != nil {
			t.Fatal(err)
		}
		if cfg, _, err := o.config(a); err != nil || !cfg.InsecureTLS {
			t.Errorf("serve: %v", err)
		}
		loud("serve")
	}
	_ = runDoctor(t.Context(), a, doctorOptions{name: "pace"}) // fails for the keychain at most
	if !strings.Contains(out.String(), "--unset insecure") || !strings.Contains(out.String(), "through bridge") {
		t.Errorf("the doctor: %s", out.String())
	}
	for _, name := range entry.PresetNames() {
		o := serveOptions{target: entry.LookupPreset(name).URL, insecure: true}
		if _, _, err := o.config(a); exitOf(err) != exitUsage {
			t.Errorf("serve %s --insecure: %v", o.target, err)
		}
	}
}
