package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"bridge/internal/probe"
	"bridge/internal/say"
)

// What one exchange with a server says about the way there and about the
// answer. A finding has no fault when all is well.

// A finding is what is wrong, in words, what to do, and the status.
type finding struct {
	fault string
	hint  string
	exit  exit
	// soft is for what works all the same.
	soft bool
}

// slow is when an answer is worth a warning.
const slow = time.Second

// noAnswer says why no status line arrived.
func noAnswer(x *probe.Exchange, host string) finding {
	var (
		op      *net.OpError
		timeout net.Error
	)
	err := x.Err
	f := finding{exit: exitUnreachable}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		f.fault, f.hint = say.T("%s refuses the connection", host), say.T("see that the server is running there, and that the port is right")
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		f.fault, f.hint = say.T("there is no way to %s", host), say.T("see that this machine is online")
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		if x.Connected {
			f.fault, f.hint = say.T("%s takes the connection and does not answer", host), say.T("try again later, or ask whoever runs the server")
		} else {
			f.fault, f.hint = say.T("%s does not take the connection in time", host), say.T("a firewall may drop it; see HTTPS_PROXY if there is a proxy to go through")
		}
	case strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		f.fault, f.hint = say.T("%s speaks plain http, not https", host), say.T("write the address with http:// if it is on this machine")
	case errors.As(err, &op) && op.Op == "read", !x.Connected, strings.Contains(err.Error(), "EOF"), errors.Is(err, syscall.ECONNRESET):
		f.fault, f.hint = say.T("the connection to %s was lost before an answer, as when a server restarts", host), say.T("try again; if it stays so, ask whoever runs the server")
	default:
		f.fault = say.T("%s does not answer: %s", host, oneLine(err.Error()))
	}
	return f
}

// answer judges what arrived. what names the request.
func answer(x *probe.Exchange, what string) finding {
	kind := probe.MediaType(x.Header)
	fault := func(text, hint string) finding { return finding{fault: text, hint: hint, exit: exitFailure} }
	retry := x.Header.Get("Retry-After")
	again := say.T("try again later")
	if retry != "" {
		again = say.T("try again in %s seconds", oneLine(retry))
	}
	status := fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status))
	switch {
	case x.Status == http.StatusUnauthorized, x.Status == http.StatusForbidden && x.Message == nil:
		return finding{} // of the sign-in
	case x.Status == http.StatusTooManyRequests:
		return fault(say.T("%s: the server is asked too often (429)", what), again)
	case x.Status == http.StatusServiceUnavailable && retry != "":
		return fault(say.T("%s: the server is not available for now (503)", what), again)
	case x.Status >= 300 && x.Status < 400:
		return fault(say.T("%s: the address leads elsewhere (%s), to %s", what, status, oneLine(plainAddress(x.Header.Get("Location")))), say.T("use that address if you trust it"))
	case x.Status == http.StatusNotFound && x.Message == nil:
		return fault(say.T("%s: nothing is at this address (404)", what), say.T("check the path of the URL"))
	case x.Status == http.StatusMethodNotAllowed:
		return fault(say.T("%s: the address takes no POST (405)", what), say.T("check the path of the URL"))
	case x.Status >= 400 && x.Message == nil && kind == "text/html":
		return fault(say.T("%s: %s with a web page: a gateway answers, not the MCP server", what, status), say.T("try again later, or ask whoever runs the server"))
	case x.Status >= 400 && x.Message == nil:
		return fault(what+": "+status, say.T("ask whoever runs the server"))
	case x.Err != nil:
		return fault(say.T("%s: the answer breaks off after %d bytes", what, len(x.Body)), say.T("a proxy or gateway may cut long answers; try again"))
	case len(strings.TrimSpace(string(x.Body))) == 0:
		return fault(say.T("%s: an empty answer (%s) where a result belongs", what, status), say.T("check the path of the URL; the server may be no MCP server"))
	case kind != "application/json" && kind != "text/event-stream":
		return fault(say.T("%s: the answer is %s, not application/json or text/event-stream", what, firstOf(oneLine(kind), say.T("of no type"))), say.T("check the path of the URL; a web page or a proxy may stand there"))
	case x.Message == nil:
		return fault(say.T("%s: the answer is no JSON-RPC answer", what), say.T("check the path of the URL; the server may be no MCP server"))
	case x.Stream.Twice:
		return finding{fault: say.T("%s: each event of the stream comes twice", what), hint: say.T("bridge takes the first; tell whoever runs the server"), soft: true}
	case x.Took > slow:
		return finding{fault: say.T("%s: the server is slow: %.1f s", what, x.Took.Seconds()), hint: say.T("if it stays so, raise the time-outs: `bridge servers set NAME --timeout initialize=60s`"), soft: true}
	}
	return finding{}
}

// framing names what is unusual about a stream. All of it is allowed.
func framing(s probe.Stream) string {
	var parts []string
	for _, p := range []struct {
		is   bool
		text string
	}{
		{s.BOM, say.T("a byte order mark")},
		{s.CR, say.T("lines that end in CR")},
		{s.CRLF, say.T("lines that end in CR LF")},
		{s.Comments, say.T("comments")},
		{s.Multiline, say.T("data of several lines")},
	} {
		if p.is {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, ", ")
}

// plainAddress is an address without what may hold a secret.
func plainAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return "?"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// certificate says what is wrong with the server's certificate, and who issued
// it: behind a company's proxy that is the whole answer. server is the name of
// the entry, or "".
func certificate(err error, host, server string) (fault, hint string) {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		chain   *tls.CertificateVerificationError
		record  tls.RecordHeaderError
	)
	issuers := ""
	if errors.As(err, &chain) {
		var names []string
		for _, c := range chain.UnverifiedCertificates {
			names = append(names, firstOf(c.Issuer.CommonName, c.Issuer.String()))
		}
		issuers = oneLine(strings.Join(names, " ← "))
	}
	switch {
	case errors.As(err, &unknown):
		fault = say.T("the certificate of %s is issued by %q, which this machine does not trust", host, firstOf(issuers, "?"))
		if server != "" {
			return fault, say.T("if that is as it should be: `bridge servers set %s --ca-cert FILE`; if a company proxy does it for all servers, name its certificate file in NODE_EXTRA_CA_CERTS", server)
		}
		return fault, say.T("if a company proxy does that, name its certificate file in NODE_EXTRA_CA_CERTS")
	case strings.Contains(err.Error(), "tls: certificate required"):
		fault = say.T("%s wants a client certificate, and was shown none that it takes", host)
		if server != "" {
			return fault, say.T("`bridge servers set %s --client-cert FILE --client-cert-key FILE`", server)
		}
		return fault, say.T("`bridge serve` takes one by --client-cert and --client-cert-key")
	case errors.As(err, &name):
		return say.T("the certificate shown for %s belongs to another host", host), say.T("check the host of the URL")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		return say.T("the certificate of %s is valid from %s to %s, and not now", host, invalid.Cert.NotBefore.Format(time.DateOnly), invalid.Cert.NotAfter.Format(time.DateOnly)),
			say.T("check this machine's clock; else whoever runs the server has to renew it")
	case errors.As(err, &record):
		return say.T("%s does not speak TLS on that port", host), say.T("check scheme and port of the URL")
	case errors.As(err, &chain), strings.Contains(err.Error(), "tls: "), strings.Contains(err.Error(), "x509: "):
		return say.T("no secure connection to %s: %s", host, oneLine(err.Error())), ""
	}
	return "", ""
}

// modernHeaders and modernMeta are what a request of revision 2026-07-28
// carries.
const modernRevision = "2026-07-28"

func modernHeaders(method string) http.Header {
	return http.Header{"Mcp-Protocol-Version": {modernRevision}, "Mcp-Method": {method}}
}

func modernMeta() map[string]any {
	return map[string]any{"_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion":    modernRevision,
		"io.modelcontextprotocol/clientInfo":         doctorInfo(),
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}}
}

func doctorInfo() map[string]string {
	return map[string]string{"name": "bridge-doctor", "version": build().Version}
}

// revisionOf reads the result of initialize or server/discover.
func revisionOf(result json.RawMessage) (revision, server string) {
	var r struct {
		Revision  string   `json:"protocolVersion"`
		Supported []string `json:"supportedVersions"`
		Server    struct {
			Name    string `json:"name"`
			Title   string `json:"title"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	_ = json.Unmarshal(result, &r) // no revision is said to be none
	if r.Revision == "" {
		r.Revision = strings.Join(r.Supported, ", ")
	}
	return oneLine(r.Revision), oneLine(strings.TrimSpace(firstOf(r.Server.Title, r.Server.Name) + " " + r.Server.Version))
}
