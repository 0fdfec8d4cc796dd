package bridge

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
)

// A certFailure is why the client's certificate cannot be shown, in the words
// of whoever keeps it.
type certFailure struct{ err error }

func (f *certFailure) Error() string { return f.err.Error() }
func (f *certFailure) Unwrap() error { return f.err }

// clientCertificate is asked during a handshake in which the remote wants one.
func (r *remote) clientCertificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	c, err := r.cfg.ClientCertificate()
	if err != nil {
		return nil, &certFailure{err}
	}
	return c, nil
}

var errProxyTLS = errors.New("the proxy is spoken to by TLS")

// clearProxy refuses proxies that are spoken to by TLS: net/http would treat
// them as it treats the remote, and what is meant for the remote alone would
// be theirs as well.
func clearProxy(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if proxy == nil {
		return nil
	}
	return func(req *http.Request) (*url.URL, error) {
		u, err := proxy(req)
		if err == nil && u != nil && u.Scheme == "https" {
			return nil, errProxyTLS
		}
		return u, err
	}
}
