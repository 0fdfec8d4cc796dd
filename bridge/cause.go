package bridge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

// connectionFailure says in plain words why a request got no response.
func (r *remote) connectionFailure(ctx context.Context, err error) *failure {
	host := r.url.Host
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // the outer text repeats the URL, query and all
	}
	f := &failure{kind: kindUnreachable, retryable: true, err: err}
	var (
		dns     *net.DNSError
		op      *net.OpError
		timeout net.Error
		cert    *certFailure
	)
	switch {
	case ctx.Err() != nil:
		f.kind, f.retryable = kindShutdown, false
		f.text = "the request was ended"
	case errors.As(err, &cert):
		f.retryable = false
		f.text = excerpt([]byte(cert.Error()))
	case errors.Is(err, errProxyTLS):
		f.retryable = false
		f.text = r.cfg.Say("the proxy for %s has an https address, and what is agreed with this server is not for the proxy; name it by an http address in HTTPS_PROXY", host)
	case isTLS(err):
		f.retryable = false
		f.text = r.tlsCause(host, err)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		f.text = r.cfg.Say("the proxy for %s does not answer (see HTTPS_PROXY and NO_PROXY)", host)
	case strings.Contains(err.Error(), "Proxy Authentication Required"):
		f.retryable = false
		f.text = r.cfg.Say("the proxy wants a user name and password (put them into HTTPS_PROXY)")
	case errors.As(err, &dns):
		if dns.IsTimeout {
			f.text = r.cfg.Say("the name of %s could not be looked up in time", host)
		} else {
			f.text = r.cfg.Say("there is no host named %s", r.url.Hostname())
		}
	case errors.Is(err, errNotThisMachine):
		f.retryable = false
		f.text = host + " is not this machine, though it is called so; nothing was sent to it"
	case errors.Is(err, syscall.ECONNREFUSED):
		f.text = r.cfg.Say("%s refuses the connection; is the server running there?", host)
	case isUnreachable(err):
		f.text = r.cfg.Say("there is no way to %s; is this machine online?", host)
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		f.text = r.cfg.Say("%s did not answer in time", host)
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		f.retryable = false
		f.text = r.cfg.Say("%s speaks plain http, not https", host)
	case strings.Contains(err.Error(), "malformed"), strings.Contains(err.Error(), "server response headers exceeded"),
		strings.Contains(err.Error(), "invalid header"), strings.Contains(err.Error(), "bad Content-Length"):
		f.kind, f.retryable = kindBadResponse, false
		f.text = r.cfg.Say("%s did not answer with HTTP", host)
	default:
		f.text = r.cfg.Say("the connection to %s was lost before the answer; whether the request was carried out is not known", host)
	}
	return f
}

func isUnreachable(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETDOWN)
}

// isTLS reports whether err is the handshake's: a repetition ends the same way.
func isTLS(err error) bool {
	var (
		record *tls.RecordHeaderError
		rec    tls.RecordHeaderError
		alert  tls.AlertError
		cert   *tls.CertificateVerificationError
		op     *net.OpError
		own    *certFailure
	)
	return errors.As(err, &own) || errors.Is(err, errProxyTLS) || errors.As(err, &cert) || errors.As(err, &record) || errors.As(err, &rec) || errors.As(err, &alert) ||
		errors.As(err, &op) && op.Op == "remote error" ||
		strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "x509: ")
}

// tlsCause names what is wrong with the certificate, and who issued it: behind
// a company's proxy that is the whole answer.
func (r *remote) tlsCause(host string, err error) string {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &unknown):
		issuer := "an unknown authority"
		if unknown.Cert != nil {
			if n := unknown.Cert.Issuer.CommonName; n != "" {
				issuer = fmt.Sprintf("%q", excerpt([]byte(n)))
			}
		}
		return r.cfg.Say("the certificate of %s is issued by %s, which this machine does not trust; if a company proxy does that, name its certificate in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE", host, issuer)
	case errors.As(err, &name):
		return r.cfg.Say("the certificate shown for %s belongs to another host", host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		when := ""
		if invalid.Cert != nil {
			when = " (valid " + invalid.Cert.NotBefore.UTC().Format(time.DateOnly) + " to " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly) + ")"
		}
		return r.cfg.Say("the certificate of %s is not valid now%s; check this machine's clock", host, when)
	case strings.Contains(err.Error(), "tls: certificate required"):
		return r.cfg.Say("%s wants a client certificate, and was shown none that it takes", host)
	case strings.Contains(err.Error(), "remote error: tls: handshake failure"), strings.Contains(err.Error(), "remote error: tls: bad certificate"):
		// TLS 1.2 has no word of its own for it.
		return r.cfg.Say("%s broke off the secure connection; it may want a client certificate, or another one", host)
	case strings.Contains(err.Error(), "first record does not look like a TLS handshake"):
		return r.cfg.Say("%s does not speak TLS on that port", host)
	}
	return r.cfg.Say("no secure connection to %s could be made: %s", host, excerpt([]byte(err.Error())))
}

// statusFailure says in plain words what a status without a JSON-RPC body
// means.
func (r *remote) statusFailure(resp *http.Response, body []byte) *failure {
	f := &failure{kind: kindHTTP, status: resp.StatusCode}
	said := ""
	if reason := r.reason(resp, body); reason != "" {
		said = ": " + reason
	}
	where := r.url.Host
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized && (r.static || r.cfg.Authorizer != nil):
		f.kind = kindUnauthorized
		f.text = "this token was refused by " + where + " (401): it is mistyped, expired or revoked"
	case code == http.StatusUnauthorized:
		f.kind = kindUnauthorized
		f.text = where + " wants a token or a sign-in (401), and none was given"
	case code == http.StatusForbidden:
		f.kind = kindForbidden
		f.text = r.cfg.Say("%s does not allow this (403)%s", where, said)
	case code == http.StatusNotFound:
		f.text = r.cfg.Say("there is no MCP endpoint at %s (404); check the URL's path%s", r.shown, said)
	case code == http.StatusMethodNotAllowed:
		f.text = r.cfg.Say("%s takes no POST (405); check the URL's path", r.shown)
	case code == http.StatusTooManyRequests:
		f.retryable = true
		f.text = r.cfg.Say("%s is asked too often (429); try again later", where)
	case code >= 300 && code < 400:
		f.kind = kindRedirect
		f.text = r.cfg.Say("%s redirects (%d) to %s, which is not followed; use that address if you trust it", r.shown, code, r.target(resp))
	case code >= 500:
		f.retryable = code != http.StatusNotImplemented
		f.text = r.cfg.Say("%s failed (%d %s)%s", where, code, http.StatusText(code), said)
	default:
		f.text = r.cfg.Say("%s refused the request (%d %s)%s", where, code, http.StatusText(code), said)
	}
	return f
}

// target is where a redirect leads, as people may see it.
func (r *remote) target(resp *http.Response) string {
	loc, err := resp.Location()
	if err != nil {
		return "nowhere"
	}
	return r.quote([]byte(plainURL(loc.String())))
}

// reason is what a remote's error body says, in a line.
func (r *remote) reason(resp *http.Response, body []byte) string {
	for _, v := range resp.Header.Values("Www-Authenticate") {
		if _, after, ok := strings.Cut(v, `error_description="`); ok {
			if text, _, ok := strings.Cut(after, `"`); ok && text != "" {
				return r.quote([]byte(text))
			}
		}
	}
	if len(body) == 0 {
		return ""
	}
	if isJSON(resp.Header.Get("Content-Type")) && valid(body) == nil {
		for _, name := range []string{"error_description", "message", "detail", "error"} {
			if v := find(body, name); v != nil {
				if text := unquote(v); text != nil {
					return r.quote(text)
				}
				if inner := find(v, "message"); inner != nil {
					return r.quote(unquote(inner))
				}
			}
		}
		return ""
	}
	if isText(resp.Header.Get("Content-Type")) {
		return r.quote(body)
	}
	return ""
}

// mediaType is a Content-Type without its parameters, in lower case.
func mediaType(v string) string {
	if i := strings.IndexByte(v, ';'); i >= 0 {
		v = v[:i]
	}
	return strings.ToLower(strings.TrimSpace(v))
}

func isJSON(contentType string) bool {
	t := mediaType(contentType)
	return t == "application/json" || strings.HasSuffix(t, "+json")
}

func isText(contentType string) bool {
	t := mediaType(contentType)
	return t == "" || strings.HasPrefix(t, "text/")
}
