// Package probe looks at an MCP endpoint as a doctor does: one exchange at a
// time, without the relay's patience, and it writes down what it sees on the
// way: names looked up, proxy, certificates, clock, status, framing. It exists
// because a relay is made to hide what it can survive, and somebody who asks
// what is wrong wants to see just that.
//
// It refuses to repair anything, to follow redirects, to read without a bound,
// and to send a request that changes something: it shakes hands, pings, lists
// tools, and closes the session.
//
// It is a leaf: it imports nothing else of this module. It words nothing for
// people; that is the caller's part.
package probe

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"
)

// Target is what to look at.
type Target struct {
	// URL is the endpoint.
	URL string
	// Header is sent with each request, Authorization included.
	Header http.Header
	// RootCAs are trusted; nil means the system's.
	RootCAs *x509.CertPool
	// ClientCertificate returns the certificate for a server that asks for one;
	// nil means none.
	ClientCertificate func() (*tls.Certificate, error)
	// InsecureTLS leaves the server's certificate unchecked.
	InsecureTLS bool
	// Proxy chooses the proxy; nil means http.ProxyFromEnvironment.
	Proxy func(*http.Request) (*url.URL, error)
	// Timeout bounds each exchange; zero means 15 s.
	Timeout time.Duration
}

// maxBody bounds what is read of an answer, in bytes.
const maxBody = 8 << 20

// An Exchange is one request and what came of it. Its zero value is one that
// was not made.
type Exchange struct {
	Sent      bool
	Proxy     *url.URL // the proxy that was used, or nil
	Addrs     []string // what the name stands for, if it was looked up
	Connected bool     // TCP to the server or its proxy
	TLS       *tls.ConnectionState
	Status    int // 0: no status line arrived
	Header    http.Header
	Body      []byte
	Took      time.Duration // until the status line
	// Err is why there is no whole answer. With a Status, the body broke off.
	Err error
	// Now is this machine's time when the status line arrived.
	Now time.Time

	Stream Stream
	// Message is the JSON-RPC answer, or nil.
	Message *Message
}

// A Message is a JSON-RPC answer.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// A Prober makes exchanges with one target. It is not for concurrent use.
type Prober struct {
	target Target
	client *http.Client
	id     int
}

// New returns a prober. Close it.
func New(t Target) *Prober {
	if t.Timeout == 0 {
		t.Timeout = 15 * time.Second
	}
	if t.Proxy == nil {
		t.Proxy = http.ProxyFromEnvironment
	}
	secure := &tls.Config{RootCAs: t.RootCAs, MinVersion: tls.VersionTLS12}
	if t.ClientCertificate != nil {
		secure.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return t.ClientCertificate() }
		t.Proxy = clearProxy(t.Proxy)
	}
	if t.InsecureTLS {
		secure.InsecureSkipVerify = true
		t.Proxy = clearProxy(t.Proxy)
	}
	transport := &http.Transport{
		Proxy:                  t.Proxy,
		DialContext:            (&net.Dialer{Timeout: t.Timeout}).DialContext,
		TLSClientConfig:        secure,
		TLSHandshakeTimeout:    t.Timeout,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: 1 << 20,
		DisableKeepAlives:      false,
	}
	return &Prober{target: t, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// clearProxy refuses an https proxy, as the relay does: it would be treated as
// the server is.
func clearProxy(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(req *http.Request) (*url.URL, error) {
		u, err := proxy(req)
		if err == nil && u != nil && u.Scheme == "https" {
			return nil, errors.New("an https proxy is not used with what is agreed with this server alone")
		}
		return u, err
	}
}

// Close gives the connections back.
func (p *Prober) Close() { p.client.CloseIdleConnections() }

// Call sends a JSON-RPC request and waits for its answer.
func (p *Prober) Call(ctx context.Context, method string, params any, extra http.Header) Exchange {
	p.id++
	m := map[string]any{"jsonrpc": "2.0", "id": p.id, "method": method}
	if params != nil {
		m["params"] = params
	}
	return p.post(ctx, m, extra, p.id)
}

// Notify sends a JSON-RPC notification.
func (p *Prober) Notify(ctx context.Context, method string, extra http.Header) Exchange {
	return p.post(ctx, map[string]any{"jsonrpc": "2.0", "method": method}, extra, 0)
}

func (p *Prober) post(ctx context.Context, m any, extra http.Header, id int) Exchange {
	body, err := json.Marshal(m)
	if err != nil {
		return Exchange{Err: err}
	}
	h := extra.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	return p.do(ctx, http.MethodPost, h, body, id)
}

// Get opens the endpoint's stream and reads its first event.
func (p *Prober) Get(ctx context.Context, extra http.Header) Exchange {
	h := extra.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Accept", "text/event-stream")
	return p.do(ctx, http.MethodGet, h, nil, 0)
}

// Delete ends a session.
func (p *Prober) Delete(ctx context.Context, extra http.Header) Exchange {
	return p.do(ctx, http.MethodDelete, extra, nil, 0)
}

func (p *Prober) do(ctx context.Context, method string, extra http.Header, body []byte, id int) (x Exchange) {
	ctx, cancel := context.WithTimeout(ctx, p.target.Timeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSDone: func(i httptrace.DNSDoneInfo) {
			for _, a := range i.Addrs {
				x.Addrs = append(x.Addrs, a.String())
			}
		},
		GotConn: func(httptrace.GotConnInfo) { x.Connected = true },
	})
	req, err := http.NewRequestWithContext(ctx, method, p.target.URL, bytes.NewReader(body))
	if err != nil {
		x.Err = err
		return x
	}
	for _, h := range []http.Header{p.target.Header, extra} {
		for name, values := range h {
			req.Header[name] = values
		}
	}
	req.Header.Set("User-Agent", "bridge")
	x.Sent = true
	x.Proxy, _ = p.target.Proxy(req) // an unreadable setting fails the request as well
	began := time.Now()
	resp, err := p.client.Do(req)
	x.Took, x.Now = time.Since(began), time.Now()
	if err != nil {
		x.Err = bare(err)
		return x
	}
	defer resp.Body.Close()
	x.Connected, x.Status, x.Header, x.TLS = true, resp.StatusCode, resp.Header, resp.TLS
	x.read(resp.Body, id, method == http.MethodGet)
	if errors.Is(x.Err, context.DeadlineExceeded) && x.Message != nil {
		x.Err = nil // a stream that stays open behind the answer
	}
	return x
}

// bare takes the URL off an error, whose query may hold what is nobody's
// business.
func bare(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

// lingering is how long a stream is still read behind the answer, to see an
// event that comes twice.
const lingering = 200 * time.Millisecond

// read reads the body: to its end, or of a stream up to the answer.
func (x *Exchange) read(body io.ReadCloser, id int, first bool) {
	stream := MediaType(x.Header) == "text/event-stream"
	var late *time.Timer
	buf := make([]byte, 32<<10)
	for len(x.Body) < maxBody {
		n, err := body.Read(buf)
		x.Body = append(x.Body, buf[:n]...)
		if stream && n > 0 && late == nil {
			x.Stream = readStream(x.Body)
			if x.Message = answerIn(x.Stream.Data, id); x.Message != nil || first && len(x.Stream.Events) > 0 {
				late = time.AfterFunc(lingering, func() { body.Close() })
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && late == nil {
				x.Err = err
			}
			break
		}
	}
	if late != nil {
		late.Stop()
	}
	if stream {
		x.Stream = readStream(x.Body)
		x.Message = answerIn(x.Stream.Data, id)
		return
	}
	x.Message = answerIn([]string{string(x.Body)}, id)
}

// answerIn finds the answer to a request among texts.
func answerIn(texts []string, id int) *Message {
	for _, text := range texts {
		var m Message
		if id == 0 || json.Unmarshal([]byte(text), &m) != nil || m.Result == nil && m.Error == nil {
			continue
		}
		var got int
		if m.Error != nil && (m.ID == nil || string(m.ID) == "null") || json.Unmarshal(m.ID, &got) == nil && got == id {
			return &m
		}
	}
	return nil
}
