package bridge_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"bridge/bridge"
)

// identity makes a certificate that vouches for itself.
func identity(t *testing.T, name string) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// asking makes the server of a peer want a certificate, and the relay trust it.
func asking(cfg *bridge.Config, s *httptest.Server, version uint16) {
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: version, ClientAuth: tls.RequireAnyClientCert}
	s.StartTLS()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	cfg.RootCAs = func() *x509.CertPool { return pool }
}

// A renewed certificate is shown with the next connection, without a restart.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	shown := identity(t, "first")
	var broken error
	p := startPeer(t, func(cfg *bridge.Config, s *httptest.Server) {
		asking(cfg, s, tls.VersionTLS13)
		cfg.ClientCertificate = func() (*tls.Certificate, error) {
			mu.Lock()
			defer mu.Unlock()
			return shown, broken
		}
	}, func(w http.ResponseWriter, req *http.Request, _ []byte) {
		reply(w, `{"jsonrpc":"2.0","id":"who","result":{"name":%q}}`, req.TLS.PeerCertificates[0].Subject.CommonName)
	})
	ask := func(want string) {
		t.Helper()
		p.send(`{"jsonrpc":"2.0","id":"who","method":"tools/list"}` + "\n")
		p.want(want)
	}
	ask(`{"jsonrpc":"2.0","id":"who","result":{"name":"first"}}`)
	mu.Lock()
	shown = identity(t, "second")
	mu.Unlock()
	p.server.CloseClientConnections()
	ask(`{"jsonrpc":"2.0","id":"who","result":{"name":"second"}}`)
	mu.Lock()
	broken = errors.New(`cannot read the client certificate in "me.pem": no such file`)
	mu.Unlock()
	p.server.CloseClientConnections()
	ask(`{"jsonrpc":"2.0","id":"who","error":{"code":"*","message":"/^bridge: cannot read the client certificate in .me.pem.: no such file/","data":"*"}}`)
}

// Without a certificate, and with an https proxy, which would be shown it as
// well, the handshake ends in plain words.
func TestClientCertificateRefused(t *testing.T) {
	t.Parallel()
	secure, err := url.Parse("https://proxy.example:3128")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*bridge.Config)
		want   string
	}{
		"none": {func(*bridge.Config) {}, "it may want a client certificate"},
		"https proxy": {func(cfg *bridge.Config) {
			cfg.ClientCertificate = func() (*tls.Certificate, error) { return nil, errors.New("asked for") }
			cfg.Proxy = func(*http.Request) (*url.URL, error) { return secure, nil }
		}, "the proxy for .* has an https address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			cfg := bridge.Config{FailFast: true, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}
			asking(&cfg, server, tls.VersionTLS12)
			defer server.Close()
			cfg.URL = server.URL + "/mcp"
			tt.change(&cfg)
			firstAnswer(t, cfg, `{"jsonrpc":"2.0","id":1,"error":{"code":"*","message":"/bridge: .*`+tt.want+`/","data":{"source":"bridge","kind":"unreachable","*":"*"}}}`)
		})
	}
}

// firstAnswer shakes hands and checks what initialize is answered with.
func firstAnswer(t *testing.T, cfg bridge.Config, want string) {
	t.Helper()
	relay, err := bridge.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	stdin, in := io.Pipe()
	h := newHost(in, peerDeadline)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { h.result <- relay.Run(ctx, stdin, h) }()
	if err := h.send([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}` + "\n")); err != nil {
		t.Fatal(err)
	}
	if err := h.next(want, true); err != nil {
		t.Error(err)
	}
	_ = in.Close()
	if err := h.waitEnd(exitWithin); err != nil {
		t.Error(err)
	}
	_ = stdin.Close()
}

// A certificate that nobody vouches for is an error, but for a caller who does
// without the check; and then no https proxy goes unchecked with it.
func TestInsecureTLS(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) bridge.Config {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			usual(w, req, body)
		}))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		return bridge.Config{URL: server.URL + "/mcp", FailFast: true, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}
	}
	refused := func(text string) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":"*","message":"/bridge: .*` + text + `/","data":{"source":"bridge","kind":"unreachable","*":"*"}}}`
	}
	t.Run("checked", func(t *testing.T) {
		t.Parallel()
		firstAnswer(t, start(t), refused("which this machine does not trust"))
	})
	t.Run("not checked", func(t *testing.T) {
		t.Parallel()
		cfg := start(t)
		cfg.InsecureTLS = true
		firstAnswer(t, cfg, `{"jsonrpc":"2.0","id":1,"result":"*"}`)
	})
	t.Run("https proxy", func(t *testing.T) {
		t.Parallel()
		cfg := start(t)
		cfg.InsecureTLS = true
		cfg.Proxy = func(*http.Request) (*url.URL, error) {
			return &url.URL{Scheme: "https", Host: "proxy.example:3128"}, nil
		}
		firstAnswer(t, cfg, refused("the proxy for .* has an https address"))
	})
}
