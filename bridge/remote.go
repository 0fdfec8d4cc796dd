package bridge

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// A remote is the HTTP side that every leg shares: one connection pool, one
// credential, one set of cookies, one retry policy. It knows nothing of
// sessions.
type remote struct {
	cfg    *Config
	url    *url.URL
	origin string
	shown  string // the URL as people may see it
	static bool   // the user gave an Authorization header

	dialer    earlyDialer
	transport *http.Transport
	calls     *retryablehttp.Client // requests that may be retried
	streams   *http.Client          // long-lived GETs, retried by their owner
	idle      idleGuard
	waiting   func()       // Config.Waiting, at most once; nil: nobody wants to know
	waited    atomic.Bool  // waiting was called
	nextID    atomic.Int64 // of requests of the bridge's own
	trace     *tracer

	hidden  hidden
	jarOnce sync.Once
	jar     *cookiejar.Jar
	baked   atomic.Bool // the jar holds something
	jarMu   sync.Mutex
	names   map[string]bool // of the cookies in it
}

// maxPerHost bounds connections. More calls in flight than this wait for one.
const maxPerHost = 512

func newRemote(cfg *Config, u *url.URL) *remote {
	r := &remote{cfg: cfg, url: u, origin: originOf(u), shown: plainURL(u.String())}
	r.static = cfg.Header.Get("Authorization") != ""
	proxy := cfg.Proxy
	if proxy == nil && !loopback(u.Hostname()) { // no proxy is asked for this machine
		proxy = http.ProxyFromEnvironment
	}
	if cfg.Waiting != nil {
		r.waiting = sync.OnceFunc(func() {
			r.waited.Store(true)
			cfg.Waiting()
		})
	}
	r.dialer.Dialer = net.Dialer{Timeout: cfg.Timeouts.Connect, KeepAlive: 15 * time.Second}
	if u.Scheme == "http" && !cfg.AllowHTTP {
		r.dialer.ControlContext = onlyThisMachine
	}
	r.transport = &http.Transport{
		Proxy:                  proxy,
		DialContext:            r.dial,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           maxPerHost,
		MaxIdleConnsPerHost:    maxPerHost, // net/http's two would halve the throughput
		MaxConnsPerHost:        maxPerHost,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    cfg.Timeouts.TLS,
		ResponseHeaderTimeout:  cfg.Timeouts.Response,
		ReadBufferSize:         16 << 10,
		MaxResponseHeaderBytes: 256 << 10,
		// A dead HTTP/2 connection is found by pings, never by a limit on a
		// quiet stream.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	if u.Scheme == "http" {
		// HTTP/2 needs TLS; setting it up would cost time at the start.
		r.transport.ForceAttemptHTTP2, r.transport.HTTP2 = false, nil
		r.transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	} else {
		tc := &tls.Config{MinVersion: tls.VersionTLS12}
		if cfg.RootCAs != nil {
			tc.RootCAs = cfg.RootCAs()
		}
		if cfg.ClientCertificate != nil {
			tc.GetClientCertificate = r.clientCertificate
			r.transport.Proxy = clearProxy(proxy)
		}
		if cfg.InsecureTLS {
			tc.InsecureSkipVerify = true
			r.transport.Proxy = clearProxy(proxy)
		}
		r.transport.TLSClientConfig = tc
	}
	client := &http.Client{Transport: r.transport, CheckRedirect: r.checkRedirect}
	if u.Scheme == "https" {
		client.Transport = &onceOnly{Transport: r.transport}
	}
	r.streams = client
	r.calls = &retryablehttp.Client{
		HTTPClient:   client,
		RetryWaitMin: firstWait,
		RetryWaitMax: cfg.Timeouts.Retry,
		RetryMax:     maxTries - 1,
		CheckRetry:   checkRetry,
		Backoff:      backoff,
		PrepareRetry: prepareRetry,
		// The last response's body holds the remote's reason.
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	return r
}

// header makes what the headers of each request begin with.
func (r *remote) header() http.Header {
	h := http.Header{"User-Agent": {r.cfg.UserAgent}}
	for name, values := range r.cfg.Header {
		h[fieldName(name)] = slices.Clone(values)
	}
	return h
}

// fieldName is how a header of the user's is written. Two names are written in lower
// case, which is the same to a remote: net/http takes them for the leave to send a
// request again whatever became of it.
func fieldName(name string) string {
	name = http.CanonicalHeaderKey(name)
	switch name {
	case "Idempotency-Key", "X-Idempotency-Key":
		return strings.ToLower(name)
	}
	return name
}

// originOf is scheme, host and port with the default port left out.
func originOf(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	scheme := strings.ToLower(u.Scheme)
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// checkRedirect follows a redirect only where it stays a redirect of the same
// request to the same origin: 307 and 308 for a POST, any for a GET. Nothing
// of the user's is ever sent to another origin. What is not followed comes
// back as the response itself.
func (r *remote) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > 5 || originOf(req.URL) != r.origin || req.Method != via[0].Method {
		return http.ErrUseLastResponse
	}
	return nil
}

// A send is one request to the remote.
type send struct {
	method string
	url    *url.URL    // nil: the endpoint
	header http.Header // shared, must not be changed
	body   []byte
	safe   bool // may be sent again even when it may have been processed
	stream bool // a long-lived GET: no retries here
	// wrote, if not nil, is closed when the request has been written.
	wrote *signal
	ended func() bool // tells whether a repetition is no longer wanted; may be nil
}

// do sends s, adds the credential, answers a challenge, and retries by the
// table in retry.go. The response is whatever the remote finally said; err is a
// *failure.
func (r *remote) do(ctx context.Context, s *send) (*http.Response, error) {
	for refused, stepped := false, 0; ; {
		header, used, err := r.authorize(ctx, s.header)
		if err != nil {
			return nil, err
		}
		if (refused || stepped > 0) && s.ended != nil && s.ended() {
			return nil, &failure{kind: kindShutdown, text: "the request was ended", err: errEnded}
		}
		began := time.Now()
		resp, err := r.roundTrip(ctx, s, header)
		if err != nil {
			return nil, r.connectionFailure(ctx, err)
		}
		r.trace.response(resp, time.Since(began))
		r.note(resp)
		if !challenged(resp) || r.static || r.cfg.Authorizer == nil {
			return resp, nil
		}
		if resp.StatusCode == http.StatusUnauthorized {
			if refused {
				return resp, nil // a fresh credential was refused as well
			}
			refused = true
		} else if stepped++; stepped > maxSteps {
			return resp, nil
		}
		held := holdBody(resp, maxErrorBody)
		err = r.cfg.Authorizer.Challenge(ctx, Challenge{
			Status:       resp.StatusCode,
			Authenticate: resp.Header.Values("Www-Authenticate"),
			Used:         used,
		})
		if err != nil {
			return nil, signInFailure(err, resp.StatusCode, held)
		}
	}
}

// maxSteps bounds how often one request is repeated with more scopes
// (authorization §Scope Challenge Handling: no more than a few times).
const maxSteps = 3

// maxErrorBody is as much of an error's body as is ever read.
const maxErrorBody = 1 << 20

// challenged reports whether a new credential could change the answer.
func challenged(resp *http.Response) bool {
	if resp.StatusCode == http.StatusUnauthorized {
		return true
	}
	if resp.StatusCode != http.StatusForbidden {
		return false
	}
	for _, v := range resp.Header.Values("Www-Authenticate") {
		if strings.Contains(v, "insufficient_scope") {
			return true
		}
	}
	return false
}

// authorize returns the header to send. The one given is used as it is when
// there is nothing to add.
func (r *remote) authorize(ctx context.Context, h http.Header) (_ http.Header, used string, err error) {
	cookies := r.cookies()
	if r.static || r.cfg.Authorizer == nil {
		if cookies == "" {
			return h, r.cfg.Header.Get("Authorization"), nil
		}
	} else {
		if used, err = r.cfg.Authorizer.Authorization(ctx); err != nil {
			return nil, "", signInFailure(err, 0, nil)
		}
		if used == "" && cookies == "" {
			return h, "", nil
		}
	}
	h = h.Clone()
	if used != "" {
		h["Authorization"] = []string{used}
	}
	if cookies != "" {
		if own := h.Get("Cookie"); own != "" {
			cookies = own + "; " + cookies
		}
		h["Cookie"] = []string{cookies}
	}
	return h, used, nil
}

// blank is what every request begins as; WithContext copies it.
var blank = &http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}

func (r *remote) roundTrip(ctx context.Context, s *send, header http.Header) (*http.Response, error) {
	u := s.url
	if u == nil {
		u = r.url
	}
	a := &attempt{Context: ctx, safe: s.safe, wrote: s.wrote, ended: s.ended}
	if r.waiting != nil && !r.waited.Load() {
		a.first = r.waiting
	}
	req := blank.WithContext(a.traced())
	req.Method, req.URL, req.Host, req.Header = s.method, u, u.Host, header
	r.trace.request(req, len(s.body))
	if s.stream {
		return r.streams.Do(req)
	}
	rr := &retryablehttp.Request{Request: req}
	if s.body != nil {
		if err := rr.SetBody(s.body); err != nil {
			return nil, err
		}
	}
	return r.calls.Do(rr)
}

// note takes from a response what concerns the connection.
func (r *remote) note(resp *http.Response) {
	if v := resp.Header["Keep-Alive"]; len(v) > 0 {
		r.idle.hint(v[0], r.transport)
	}
	if len(resp.Header["Set-Cookie"]) > 0 && resp.Request != nil {
		r.jarOnce.Do(func() { r.jar, _ = cookiejar.New(nil) }) // New(nil) does not fail
		r.jar.SetCookies(resp.Request.URL, r.fewCookies(resp.Cookies()))
		r.baked.Store(true)
	}
}

// The cookies of a remote go with every request, so that there are bounds to
// their number and to their size in bytes (RFC 6265 §6.1 asks for as much).
const (
	maxCookies = 50
	maxCookie  = 4 << 10
)

// fewCookies leaves out what is beyond the bounds.
func (r *remote) fewCookies(all []*http.Cookie) []*http.Cookie {
	r.jarMu.Lock()
	defer r.jarMu.Unlock()
	if r.names == nil {
		r.names = map[string]bool{}
	}
	few := all[:0]
	for _, c := range all {
		name := c.Name + ";" + c.Domain + ";" + c.Path
		if len(name)+len(c.Value) > maxCookie || len(r.names) == maxCookies && !r.names[name] {
			continue
		}
		r.names[name] = true
		r.hidden.learn(c.Value)
		few = append(few, c)
	}
	return few
}

// cookies is the Cookie header for the remote: load balancers pin sessions
// with them. They live as long as the process.
func (r *remote) cookies() string {
	if !r.baked.Load() {
		return ""
	}
	var b strings.Builder
	for _, c := range r.jar.Cookies(r.url) {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.Name + "=" + c.Value)
	}
	return b.String()
}

// connect begins a connection for the first request, if it will be the remote's
// own address that is connected to.
func (r *remote) connect(ctx context.Context) {
	if direct(r.url, r.transport.Proxy) {
		r.dialer.begin(ctx, r.url)
	}
}

// close drops idle connections; requests under way are ended by their contexts.
func (r *remote) close() {
	r.dialer.close()
	r.idle.stop()
	r.transport.CloseIdleConnections()
}

// holdTime is how long the rest of a body is waited for that is only there to be
// quoted: what is known already is the answer.
const holdTime = 3 * time.Second

// holdBody reads a small body and closes it, so that its connection can be
// used again.
func holdBody(resp *http.Response, limit int64) []byte {
	defer resp.Body.Close()
	if resp.Body == http.NoBody {
		return nil
	}
	late := time.AfterFunc(holdTime, func() { resp.Body.Close() })
	defer late.Stop()
	b, _ := io.ReadAll(io.LimitReader(resp.Body, limit)) // what could be read is all there is to say
	return b
}

// signInFailure turns an Authorizer's error into the answer for the host.
func signInFailure(err error, status int, body []byte) *failure {
	f := &failure{kind: kindUnauthorized, status: status, err: err}
	if status == http.StatusForbidden {
		f.kind = kindForbidden
	}
	var s *SignInError
	switch {
	case errors.As(err, &s):
		f.text, f.wait, f.retryable = s.Message, s.Waiting, s.Waiting
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f.text = "the request was ended while it waited for the credential"
	default:
		f.text = "no credential could be had for this server"
	}
	return f
}

// An idleGuard closes idle connections before the remote does, if the remote
// says when that is (Keep-Alive: timeout=5 is Node's default). A request that
// meets a connection in the moment of its closing is lost, and a tool call
// must not be sent again.
type idleGuard struct {
	mu    sync.Mutex
	timer *time.Timer
}

func (g *idleGuard) hint(v string, t *http.Transport) {
	_, after, ok := strings.Cut(strings.ToLower(v), "timeout=")
	if !ok {
		return
	}
	digits := after
	if i := strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits = after[:i]
	}
	seconds, err := strconv.Atoi(digits)
	if err != nil || seconds < 2 || seconds > 60 {
		return
	}
	wait := time.Duration(seconds)*time.Second - time.Second
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer == nil {
		g.timer = time.AfterFunc(wait, t.CloseIdleConnections)
	} else {
		g.timer.Reset(wait)
	}
}

func (g *idleGuard) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer != nil {
		g.timer.Stop()
	}
}

// parseEndpoint checks the URL a relay is made for.
func parseEndpoint(cfg *Config) (*url.URL, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("%q is not a URL", plainURL(cfg.URL))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, fmt.Errorf("%q is not an http or https URL", plainURL(cfg.URL))
	case u.User != nil:
		return nil, fmt.Errorf("the URL of %s holds a user name or password; give it as a header instead", u.Hostname())
	case u.Scheme == "http" && !cfg.AllowHTTP && !loopback(u.Hostname()):
		return nil, fmt.Errorf("%q is plain http to another machine; use https, or allow it with --allow-http", plainURL(cfg.URL))
	}
	if u.Fragment != "" || strings.HasSuffix(cfg.URL, "#") {
		return nil, fmt.Errorf("%q has a fragment (#…), which is never sent; leave it out", plainURL(cfg.URL))
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return nil, fmt.Errorf("%q has no valid port", plainURL(cfg.URL))
		}
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

var errNotThisMachine = errors.New("the name leads to another machine")

// onlyThisMachine sees every address that is about to be connected to. Plain http is
// for this machine, but a name like mcp.localhost is looked up like others, and
// whoever answers for the network could have the token sent to himself.
func onlyThisMachine(_ context.Context, _, address string, _ syscall.RawConn) error {
	if ap, err := netip.ParseAddrPort(address); err != nil || !ap.Addr().Unmap().IsLoopback() {
		return errNotThisMachine
	}
	return nil
}

// loopback reports whether host is this machine by its name or address.
func loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// url is the endpoint the relay was made for.
func (r *Relay) url() *url.URL { return r.remote.url }
