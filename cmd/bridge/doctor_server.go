package main

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"bridge/internal/probe"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/internal/session"
)

// A patient is a server under examination.
type patient struct {
	*doctor
	server  servers.Server
	url     *url.URL
	token   credential
	prober  *probe.Prober
	session http.Header // what later requests carry

	stale   bool // the sign-in has run out, and --fix was not given
	refused bool // a 401 or 403 was seen
	oauth   bool // and it pointed at an authorization server
}

// checkServer goes from the server's name to its tools. What hangs on
// something broken is not tried.
func (d *doctor) checkServer(ctx context.Context, file *servers.File, s servers.Server) {
	cfg, err := entryConfig(s, false)
	if err != nil {
		var p *problem
		errors.As(err, &p)
		d.bad("config", say.T("entry"), p.text, p.tip, p.exit)
		return
	}
	p := &patient{doctor: d, server: s}
	if p.url, err = url.Parse(cfg.URL); err != nil {
		return // checked above
	}
	var roots *x509.CertPool
	pool, err := extraCAs(caFiles(s), logger(d.app, false, true))
	if err == nil {
		cfg.ClientCertificate, err = clientCertificate(s.ClientCert, s.ClientCertKey)
	}
	if err != nil {
		var p *problem
		errors.As(err, &p)
		d.bad("config", say.T("entry"), p.text, p.tip, p.exit)
		return
	}
	if pool != nil {
		roots = pool()
	}
	header := cfg.Header.Clone()
	authorization, credErr := p.find(ctx, file, &cfg)
	if authorization != "" {
		header.Set("Authorization", authorization)
	}
	p.prober = probe.New(probe.Target{URL: cfg.URL, Header: header, RootCAs: roots, ClientCertificate: cfg.ClientCertificate, InsecureTLS: cfg.InsecureTLS})
	defer p.prober.Close()

	d.app.working(say.T("asking %s", serverTitle(s)))
	first := p.prober.Call(ctx, "initialize", map[string]any{
		"protocolVersion": session.Revision, "capabilities": map[string]any{}, "clientInfo": doctorInfo(),
	}, nil)
	if ctx.Err() != nil || !p.way(&first) {
		return
	}
	p.clock(&first)
	p.talk(ctx, &first, credErr)
}

// way judges the way to the server: its name, the proxy, the certificate. It
// says whether an answer arrived.
func (p *patient) way(x *probe.Exchange) bool {
	host := p.url.Host
	var dns *net.DNSError
	var op *net.OpError
	if errors.As(x.Err, &dns) && x.Proxy == nil {
		fault, hint := say.T("there is no host named %s", p.url.Hostname()), say.T("check the host of the URL, and that this machine is online")
		if dns.IsTimeout {
			fault, hint = say.T("the name %s could not be looked up in time", p.url.Hostname()), say.T("check the network's DNS server")
		}
		p.bad("dns", say.T("name"), fault, hint, exitUnreachable)
		return false
	}
	switch {
	case x.Proxy != nil:
		p.ok("dns", say.T("name"), say.T("looked up by the proxy"))
	case len(x.Addrs) > 0:
		p.ok("dns", say.T("name"), p.url.Hostname()+" = "+strings.Join(x.Addrs[:min(len(x.Addrs), 3)], ", "))
	default:
		p.ok("dns", say.T("name"), say.T("%s needs no lookup", p.url.Hostname()))
	}
	switch {
	case x.Proxy == nil:
		p.ok("proxy", say.T("proxy"), say.T("none"))
	case errors.As(x.Err, &op) && op.Op == "proxyconnect", errors.As(x.Err, &dns):
		p.bad("proxy", say.T("proxy"), say.T("the proxy %s does not answer", x.Proxy.Host), say.T("check HTTPS_PROXY, or name the server in NO_PROXY"), exitUnreachable)
		return false
	case x.Err != nil && strings.Contains(x.Err.Error(), "Proxy Authentication Required"):
		p.bad("proxy", say.T("proxy"), say.T("the proxy %s wants a user name and a password", x.Proxy.Host), say.T("put them into HTTPS_PROXY"), exitUnreachable)
		return false
	default:
		p.ok("proxy", say.T("proxy"), say.T("%s, from the environment", x.Proxy.Scheme+"://"+x.Proxy.Host))
	}
	return p.tls(x, host)
}

func (p *patient) tls(x *probe.Exchange, host string) bool {
	label := say.T("certificate")
	if x.Err != nil && x.Status == 0 {
		if fault, hint := certificate(x.Err, host, p.server.Name); fault != "" {
			p.bad("tls", label, fault, hint, exitUnreachable)
			return false
		}
		f := noAnswer(x, host)
		p.bad("http", say.T("answer"), f.fault, f.hint, f.exit)
		return false
	}
	switch {
	case x.TLS != nil && p.server.Insecure:
		p.warn("tls", label, say.T("the certificate of %s is not checked: whoever is between can read the token", host),
			say.T("give its certificate instead: `bridge servers set %s --ca-cert FILE --unset insecure`", p.server.Name))
	case x.TLS != nil && len(x.TLS.PeerCertificates) > 0:
		c := x.TLS.PeerCertificates[0]
		text := say.T("issued by %s, valid until %s", firstOf(c.Issuer.CommonName, c.Issuer.String()), c.NotAfter.Format(time.DateOnly))
		if left := c.NotAfter.Sub(x.Now); left < 14*24*time.Hour {
			p.warn("tls", label, text, say.T("it runs out in %d days; whoever runs the server has to renew it", int(left.Hours()/24)))
		} else {
			p.ok("tls", label, text)
		}
	case servers.Loopback(p.url.Hostname()):
		p.ok("tls", label, say.T("none: plain http, on this machine"))
	default:
		p.warn("tls", label, say.T("none: everything goes over the network in clear text"), say.T("use an https:// address"))
	}
	return true
}

// clock compares this machine's clock with the server's. One that is far off
// makes certificates and sign-ins fail in ways that name something else.
func (p *patient) clock(x *probe.Exchange) {
	label := say.T("clock")
	ahead, ok := x.Skew()
	switch {
	case !ok:
		p.ok("clock", label, say.T("the server does not say its time"))
	case ahead.Abs() > time.Minute && ahead > 0:
		p.warn("clock", label, say.T("this machine is %s ahead of the server", ahead), say.T("let the system set its clock from the network"))
	case ahead.Abs() > time.Minute:
		p.warn("clock", label, say.T("this machine is %s behind the server", -ahead), say.T("let the system set its clock from the network"))
	default:
		p.ok("clock", label, say.T("agrees with the server's"))
	}
}

// talk judges the conversation: the answers, the sign-in, the revision, the
// tools.
func (p *patient) talk(ctx context.Context, first *probe.Exchange, credErr error) {
	p.note(first)
	hello := first
	modern, sse := false, false
	if !p.refused && (first.Message == nil || first.Message.Error != nil) {
		// Not a server of the session revisions over Streamable HTTP; it may
		// be one of another kind.
		if x := p.prober.Call(ctx, "server/discover", modernMeta(), modernHeaders("server/discover")); x.Message != nil && x.Message.Result != nil {
			hello, modern = &x, true
		} else if refusedPost(first) {
			if x := p.prober.Get(ctx, nil); x.Status == http.StatusOK && slices.Contains(x.Stream.Events, "endpoint") {
				hello, sse = &x, true
			}
		}
	}
	if ctx.Err() != nil {
		return
	}
	label := say.T("answer")
	fault := finding{}
	if !sse {
		fault = answer(hello, "initialize")
	}
	switch {
	case p.refused:
		p.ok("http", label, say.T("%d from the server itself", hello.Status))
	case fault.fault != "" && !fault.soft:
		p.bad("http", label, fault.fault, fault.hint, fault.exit)
		return
	case fault.fault != "":
		p.warn("http", label, fault.fault, fault.hint)
	default:
		text := say.T("%d, %s, in %d ms", hello.Status, probe.MediaType(hello.Header), hello.Took.Milliseconds())
		if odd := framing(hello.Stream); odd != "" {
			text = say.T("%s; with %s, which is allowed", text, odd)
		}
		p.ok("http", label, text)
	}
	if p.refused || p.stale || credErr != nil {
		p.signIn(credErr)
		return
	}
	if sse {
		p.signIn(nil)
		p.ok("revision", say.T("revision"), say.T("2024-11-05, with sessions over HTTP+SSE"))
		p.countTools(ctx)
		return
	}
	if e := hello.Message.Error; e != nil {
		p.bad("revision", say.T("revision"), say.T("the server refuses the handshake: %s", oneLine(e.Message)), "", exitFailure)
		return
	}
	p.rounds(ctx, hello, modern)
}

// refusedPost says whether a server may be one of 2024-11-05, whose endpoint
// is opened by a GET.
func refusedPost(x *probe.Exchange) bool {
	return x.Status == http.StatusNotFound || x.Status == http.StatusMethodNotAllowed || x.Status == http.StatusBadRequest
}

// rounds goes on after a good handshake: a ping, the list, the farewell.
func (p *patient) rounds(ctx context.Context, hello *probe.Exchange, modern bool) {
	revision, name := revisionOf(hello.Message.Result)
	var era string
	p.session = http.Header{"Mcp-Protocol-Version": {revision}}
	switch id := hello.Header.Get("Mcp-Session-Id"); {
	case modern:
		era = say.T("%s, stateless", revision)
	case id != "":
		era = say.T("%s, with sessions", revision)
		p.session.Set("Mcp-Session-Id", id)
		defer p.prober.Delete(context.WithoutCancel(ctx), p.session)
	default:
		era = say.T("%s, without a session", revision)
	}
	if !modern {
		if x := p.prober.Call(ctx, "server/discover", modernMeta(), modernHeaders("server/discover")); x.Message != nil && x.Message.Result != nil {
			if newer, _ := revisionOf(x.Message.Result); strings.Contains(newer, modernRevision) {
				era += say.T(", and %s", modernRevision)
			}
		}
	}
	if name != "" {
		era += "; " + name
	}
	var faults []finding
	if !modern {
		sent := p.prober.Notify(ctx, "notifications/initialized", p.session)
		p.note(&sent)
		if sent.Err != nil && sent.Status == 0 {
			faults = append(faults, noAnswer(&sent, p.url.Host))
		}
		ping := p.prober.Call(ctx, "ping", nil, p.session)
		faults = append(faults, p.judge(&ping, "ping"))
	}
	params, headers := map[string]any{}, p.session
	if modern {
		params, headers = modernMeta(), modernHeaders("tools/list")
	}
	list := p.prober.Call(ctx, "tools/list", params, headers)
	faults = append(faults, p.judge(&list, "tools/list"))
	if ctx.Err() != nil {
		return
	}
	p.signIn(nil)
	p.ok("revision", say.T("revision"), era)
	bad := false
	for _, f := range faults {
		switch {
		case f.fault == "":
		case f.soft:
			p.warn("conversation", say.T("talk"), f.fault, f.hint)
		default:
			bad = true
			p.bad("conversation", say.T("talk"), f.fault, f.hint, f.exit)
		}
	}
	if !bad && !p.refused {
		if odd := framing(list.Stream); odd != "" && framing(hello.Stream) == "" {
			p.ok("conversation", say.T("talk"), say.T("the stream has %s, which is allowed", odd))
		}
		p.countTools(ctx)
	}
}

// judge is answer for a request inside a session.
func (p *patient) judge(x *probe.Exchange, what string) finding {
	p.note(x)
	if x.Status == 0 {
		return noAnswer(x, p.url.Host)
	}
	if p.session.Get("Mcp-Session-Id") != "" && (x.Status == http.StatusNotFound || x.Status == http.StatusBadRequest) {
		return finding{fault: say.T("%s: the server forgot the session that it had just opened (%d)", what, x.Status),
			hint: say.T("bridge opens a new one; several instances behind one address may not share their sessions"), soft: true}
	}
	return answer(x, what)
}

// note remembers a refusal.
func (p *patient) note(x *probe.Exchange) {
	if x.Status != http.StatusUnauthorized && (x.Status != http.StatusForbidden || x.Message != nil) {
		return
	}
	p.refused = true
	for _, v := range x.Header.Values("Www-Authenticate") {
		p.oauth = p.oauth || strings.Contains(strings.ToLower(v), "resource_metadata")
	}
}

// toolsLimit is how long the relay may take to list the tools.
const toolsLimit = 20 * time.Second

// countTools lists the tools through the relay: what a client gets.
func (p *patient) countTools(ctx context.Context) {
	label := say.T("tools")
	ctx, cancel := context.WithTimeout(ctx, toolsLimit)
	defer cancel()
	c, err := p.app.connect(ctx, firstOf(p.server.Name, p.server.URL))
	if err == nil {
		defer c.close()
		if c.lacks("tools") {
			p.ok("tools", label, say.T("the server offers none"))
			return
		}
		var tools []listedTool
		if tools, err = c.tools(ctx); err == nil {
			p.app.rememberTools(c.server, tools)
			text := say.T("%d through bridge", len(tools))
			if newEntryGate(p.server) != nil {
				text = say.T("%d through bridge, after the policy of its entry", len(tools))
			}
			p.ok("tools", label, text)
			return
		}
	}
	var problem *problem
	switch {
	case errors.As(err, &problem):
		p.bad("tools", label, problem.text, problem.tip, problem.exit)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		p.bad("tools", label, say.T("the list did not arrive within %s", toolsLimit), say.T("try again; if it stays so, ask whoever runs the server"), exitUnreachable)
	}
}
