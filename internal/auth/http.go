package auth

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"bridge/internal/servers"
)

const (
	maxBody      = 1 << 20          // of any answer, in bytes
	requestLimit = 10 * time.Second // of one request, redirects included
	maxRedirects = 3
	// discoveryRevision is sent with discovery requests (2025-03-26 §2.3.2).
	discoveryRevision = "2025-11-25"
)

// A guard is the only way of this package to the network. It holds every
// request, every redirect and every address, after DNS, to the rules of
// urls.go. No cookies are kept.
type guard struct {
	server    *url.URL // the MCP endpoint
	allowHTTP bool
	agent     string
	client    *http.Client
	transport *http.Transport

	lookup   func(ctx context.Context, host string) ([]netip.Addr, error) // of the MCP server
	ownMu    sync.Mutex
	own      network
	ownKnown bool

	mu      sync.Mutex
	proxies map[string]bool // host:port of proxies, which may be anywhere
}

func newGuard(server *url.URL, o *Options) *guard {
	g := &guard{server: server, allowHTTP: o.AllowHTTP, agent: o.UserAgent, proxies: map[string]bool{}}
	g.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	proxy := o.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	free := &net.Dialer{Timeout: requestLimit}
	held := &net.Dialer{Timeout: requestLimit, ControlContext: g.control}
	g.transport = &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			u, err := proxy(r)
			if u != nil {
				g.mu.Lock()
				g.proxies[hostPort(u)] = true
				g.mu.Unlock()
			}
			return u, err
		},
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			g.mu.Lock()
			d := held
			if g.proxies[addr] {
				d = free
			}
			g.mu.Unlock()
			return d.DialContext(ctx, network, addr)
		},
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    requestLimit,
		IdleConnTimeout:        5 * time.Second,
		MaxIdleConns:           4,
		MaxResponseHeaderBytes: 64 << 10,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if o.RootCAs != nil {
		g.transport.TLSClientConfig.RootCAs = o.RootCAs()
	}
	g.client = &http.Client{Transport: g.transport, Timeout: requestLimit, CheckRedirect: g.redirect}
	return g
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		switch u.Scheme {
		case "https":
			port = "443"
		case "socks5", "socks5h":
			port = "1080"
		default:
			port = "80"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// control sees every address that is about to be connected to.
func (g *guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return failure(ErrUnsafe, "an address could not be read")
	}
	return g.checkAddr(ap.Addr())
}

// ownNetwork is the network that the MCP server itself is in. Without an answer
// of the DNS it is the public one for now, and asked for again the next time.
func (g *guard) ownNetwork() network {
	g.ownMu.Lock()
	defer g.ownMu.Unlock()
	if !g.ownKnown {
		g.own, g.ownKnown = g.findNetwork()
	}
	return g.own
}

func (g *guard) findNetwork() (own network, known bool) {
	host := g.server.Hostname()
	if servers.Loopback(host) {
		return loopback, true
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return networkOf(ip), true
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	ips, err := g.lookup(ctx, host)
	if err != nil {
		return public, false
	}
	for _, ip := range ips {
		if n := networkOf(ip); n != public && n != forbidden {
			own = n
		}
	}
	return own, true
}

// redirect holds each hop to the rules. What was posted is never sent on: it
// holds a code or a token.
func (g *guard) redirect(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return g.check(req.URL)
}

func (g *guard) close() { g.transport.CloseIdleConnections() }

// An answer is a response that was read whole.
type answer struct {
	status int
	media  string
	header http.Header
	body   []byte
	sent   []string // secrets of the request, which the server may repeat
}

// said is what the server says, in a line and without the secrets it was sent.
func (a *answer) said(text string) string {
	cut := func(text string) string {
		for _, s := range a.sent {
			if len(s) >= 8 {
				text = strings.ReplaceAll(text, s, "[redacted]")
			}
		}
		return text
	}
	return cut(plain(cut(text))) // twice: what is dropped may have cut one in two
}

func (g *guard) do(ctx context.Context, method, target, media string, body []byte, header http.Header) (*answer, error) {
	u, err := g.checkURL(target)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, failure(ErrUnsafe, "%s is not a URL", quoteURL(target))
	}
	for k, v := range header {
		req.Header[k] = v
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", g.agent)
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	if method == http.MethodGet {
		req.Header.Set("MCP-Protocol-Version", discoveryRevision)
	}
	resp, err := g.client.Do(req)
	if err != nil {
		var own *Error
		if errors.As(err, &own) {
			return nil, own
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &unreachable{host: u.Host, err: withoutURL(err)}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &unreachable{host: u.Host, err: withoutURL(err)}
	}
	if len(text) > maxBody {
		return nil, failure(ErrUnsafe, "the answer of %s is larger than 1 MiB", plain(u.Host))
	}
	a := &answer{status: resp.StatusCode, header: resp.Header, body: text}
	a.media, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" if there is none
	return a, nil
}

// withoutURL drops the URL from the errors of net/http: it may hold a state.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// An unreachable is a request that got no answer.
type unreachable struct {
	host string
	err  error
}

func (e *unreachable) Error() string {
	// Of the net package's errors the last part: the rest names the host again.
	why := e.err
	var dns *net.DNSError
	var op *net.OpError
	var call *os.SyscallError
	switch {
	case errors.As(e.err, &dns):
		return plain(dns.Name) + ": " + dns.Err
	case errors.As(e.err, &call):
		why = call.Err
	case errors.As(e.err, &op):
		why = op.Err
	}
	return fmt.Sprintf("%s: %v", plain(e.host), why)
}
func (e *unreachable) Unwrap() error { return e.err }

// decode reads a JSON object; anything else is a statusError.
func (a *answer) decode(v any) error {
	if a.status != http.StatusOK && a.status != http.StatusCreated {
		return a.statusError()
	}
	// The media type is not asked for: some servers send text/plain. A page
	// does not begin with a brace.
	text := bytes.TrimSpace(bytes.TrimPrefix(a.body, []byte("\xef\xbb\xbf")))
	if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, v) != nil {
		return a.statusError()
	}
	return nil
}

func (a *answer) statusError() error {
	e := &statusError{status: a.status, media: plain(a.media)}
	if n, err := strconv.Atoi(strings.TrimSpace(a.header.Get("Retry-After"))); err == nil && n > 0 {
		e.retry = time.Duration(min(n, 3600)) * time.Second
	}
	return e
}

// oauth reads an answer of a token or registration endpoint: the value, a
// protocolError if the server said no in the protocol's terms, or a
// statusError.
func (a *answer) oauth(v any) error {
	if a.status >= 200 && a.status < 300 {
		return a.decode(v)
	}
	var e struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if a.status >= 400 && a.status < 500 && a.status != http.StatusTooManyRequests &&
		json.Unmarshal(bytes.TrimSpace(a.body), &e) == nil && e.Error != "" {
		return &protocolError{status: a.status, code: a.said(e.Error), text: a.said(e.Description)}
	}
	return a.statusError()
}

// transient reports whether the same request may succeed later.
func transient(err error) bool {
	var s *statusError
	var u *unreachable
	switch {
	case errors.As(err, &u):
		return true
	case errors.As(err, &s):
		// Also a 200 or a 4xx without JSON: it is a gateway that speaks.
		return true
	case definite(err, "temporarily_unavailable", "server_error", "slow_down"):
		return true
	}
	return false
}

func (g *guard) getJSON(ctx context.Context, target string, v any) error {
	a, err := g.do(ctx, http.MethodGet, target, "", nil, nil)
	if err != nil {
		return err
	}
	return a.decode(v)
}
