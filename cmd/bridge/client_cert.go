package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/url"

	"bridge/internal/fsx"
	"bridge/internal/say"
)

// clientCertificate is what is shown to a server that asks for a certificate,
// or nil when there is none. The files are read now, so that what is wrong with
// them is said at once, and again for each connection: they may be renewed.
// The errors hold nothing of what is in them.
func clientCertificate(cert, key string) (func() (*tls.Certificate, error), error) {
	if cert == "" && key == "" {
		return nil, nil
	}
	if cert == "" || key == "" {
		return nil, usage(say.T("a client certificate and its key go together")).
			hint(say.T("give both --client-cert FILE and --client-cert-key FILE"))
	}
	read := func() (*tls.Certificate, error) {
		public, err := readSmall(cert)
		if err != nil {
			return nil, fail(exitUsage, say.T("cannot read the client certificate in %q: %s", cert, plainError(err))).because(err)
		}
		private, err := readSmall(key)
		if err != nil {
			return nil, fail(exitUsage, say.T("cannot read the key of the client certificate in %q: %s", key, plainError(err))).because(err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM([]byte(public)) {
			return nil, usage(say.T("no certificate in %q", cert)).
				hint(say.T("it has to be in PEM form, with lines BEGIN CERTIFICATE and END CERTIFICATE"))
		}
		pair, err := tls.X509KeyPair([]byte(public), []byte(private))
		if err != nil {
			return nil, usage(say.T("no private key in %q that fits the certificate in %q", key, cert)).
				hint(say.T("it has to be in PEM form, without a passphrase"))
		}
		return &pair, nil
	}
	if _, err := read(); err != nil {
		return nil, err
	}
	return read, nil
}

// noteOpenKey warns of a private key that is open to others. key may be "".
func (a *app) noteOpenKey(key string) {
	if key != "" && errors.Is(fsx.CheckPrivate(key), fsx.ErrTooOpen) {
		a.note(say.T("other users of this machine may read %s; `chmod 600` it", key))
	}
}

// noteInsecure says, whenever a server is connected to, that nobody vouches for
// it. It is said to those who asked for silence as well.
func (a *app) noteInsecure(address string) {
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" {
		a.note(say.T("the certificate of %s is not checked: whoever is between can read the token", u.Host))
	}
}
