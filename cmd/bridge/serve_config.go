package main

import (
	"crypto/x509"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"

	"bridge/bridge"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// config makes the relay's configuration of the options, the environment and
// the files they name. closeTrace is never nil.
func (o *serveOptions) config(a *app) (cfg bridge.Config, closeTrace func(), err error) {
	closeTrace = func() {}
	headers := o.headers
	for _, path := range o.headerFiles {
		more, err := readHeaderFile(path)
		if err != nil {
			return cfg, closeTrace, err
		}
		headers = append(headers, more...)
	}
	cfg = bridge.Config{
		URL:       o.target,
		Transport: o.transport,
		Protocol:  o.protocol,
		AllowHTTP: o.allowHTTP,
		Timeouts:  o.timeouts,

		Transparent: o.transparent,
		InsecureTLS: o.insecure,
	}
	cfg.Log = logger(a, o.debug, o.silent)
	if cfg.Header, err = httpHeader(headers, os.LookupEnv); err != nil {
		return cfg, closeTrace, err
	}
	if o.entry != nil {
		if err := o.overEntry(&cfg); err != nil {
			return cfg, closeTrace, err
		}
	} else if cfg.Header.Get("Authorization") == "" {
		token, err := envToken(os.LookupEnv)
		if err != nil {
			return cfg, closeTrace, err
		}
		if token != "" {
			cfg.Header.Set("Authorization", "Bearer "+token)
		}
	}
	rememberEra(&cfg)
	if len(o.ignoreTools) > 0 {
		cfg.Gate = gates{ignoreGate(o.ignoreTools)}.and(cfg.Gate)
	}
	if o.proxy != "" {
		if cfg.Proxy, err = proxyTo(o.proxy); err != nil {
			return cfg, closeTrace, err
		}
	}
	trusted := o.caCerts
	if o.entry != nil {
		trusted = append(caFiles(*o.entry), trusted...)
	}
	if cfg.RootCAs, err = extraCAs(trusted, cfg.Log); err != nil {
		return cfg, closeTrace, err
	}
	if o.entry != nil && o.clientCert == "" && o.certKey == "" {
		o.clientCert, o.certKey = o.entry.ClientCert, o.entry.ClientCertKey
	}
	if cfg.ClientCertificate, err = clientCertificate(o.clientCert, o.certKey); err != nil {
		return cfg, closeTrace, err
	}
	if cfg.InsecureTLS {
		if servers.Public(cfg.URL) {
			return cfg, closeTrace, usage(say.T("the certificate of a public service is always checked"))
		}
		a.noteInsecure(cfg.URL)
	}
	if !o.silent {
		a.noteOpenKey(o.certKey)
	}
	if o.trace != "" {
		f, err := os.OpenFile(o.trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			return cfg, closeTrace, fail(exitUsage, say.T("cannot write the trace to %q: %s", o.trace, say.T("no such folder"))).because(err)
		}
		if err != nil {
			return cfg, closeTrace, fail(exitUsage, say.T("cannot write the trace to %q: %s", o.trace, plainError(err))).because(err)
		}
		cfg.Trace, closeTrace = f, func() { f.Close() }
		if is, err := f.Stat(); err != nil || !is.Mode().IsRegular() {
			cfg.Trace = &patientWriter{w: f} // like stderr, which may be what is named
		}
	}
	return cfg, closeTrace, nil
}

// noteIgnored says once which flags do nothing here.
func (o *serveOptions) noteIgnored(a *app) {
	if len(o.ignored) > 0 && !o.silent {
		a.note(say.T("without effect here: %s", strings.Join(o.ignored, ", ")))
	}
}

// logger is for what a person has to know. Clients show every line on stderr
// as if it were an error, so it is quiet unless asked.
func logger(a *app, debug, silent bool) *slog.Logger {
	level := slog.LevelWarn
	switch {
	case debug:
		level = slog.LevelDebug
	case silent:
		level = slog.LevelError
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// checkURL says in the user's language what the relay would refuse.
func checkURL(target string, allowHTTP bool) error {
	u, err := url.Parse(target)
	if err != nil || !strings.Contains(target, "://") || u.Host == "" {
		p := usage(say.T("%q is not a server address", withoutSecrets(target)))
		if !strings.Contains(target, "://") && looksLikeHost(target) {
			return p.hint(say.T("give the full address of the server: `bridge serve %s`", fullAddress(withoutSecrets(target))))
		}
		return p.hint("`bridge serve https://mcp.example.com/mcp`")
	}
	switch {
	case u.User != nil:
		return usage(say.T("the address of %s contains a user name or a password", u.Host)).
			hint(say.T("leave it out of the address and set BRIDGE_TOKEN"))
	case u.Scheme == "https":
	case u.Scheme != "http":
		return usage(say.T("unsupported scheme %q in the server address", u.Scheme)).
			hint(say.T("a server address begins with https://"))
	case !allowHTTP && !servers.Loopback(u.Hostname()):
		return usage(say.T("plain http to %s would send everything readable by anyone on the way", u.Host)).
			hint(say.T("use https, or add --allow-http if the network between is yours"))
	}
	return nil
}

// withoutSecrets keeps out of an error what may be secret in an address: a password
// in front of the host, and the query.
func withoutSecrets(address string) string {
	address, query, asked := strings.Cut(address, "?")
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		address = "…" + address[i:]
	}
	if asked && query != "" {
		address += "?…"
	}
	return address
}

// proxyTo sends everything but loopback through one proxy. The address may
// hold a password, so errors do not repeat it.
func proxyTo(address string) (func(*http.Request) (*url.URL, error), error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, usage(say.T("--proxy is not an address")).hint(say.T("write it as in --proxy http://127.0.0.1:3128"))
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return nil, usage(say.T("unsupported proxy scheme %q", u.Scheme)).hint(say.T("write it as in --proxy http://127.0.0.1:3128"))
	}
	return func(r *http.Request) (*url.URL, error) {
		if servers.Loopback(r.URL.Hostname()) {
			return nil, nil
		}
		return u, nil
	}, nil
}

// caFiles are the certificates that an entry names.
func caFiles(s servers.Server) []string {
	if s.CACert == "" {
		return nil
	}
	return []string{s.CACert}
}

// extraCAs trusts the certificates in files, and in those that the environment
// names, beside the system's. It is nil when there are none; the pool is made
// when the first TLS connection asks for it. Go reads SSL_CERT_FILE by itself,
// but not on macOS and Windows.
func extraCAs(files []string, log *slog.Logger) (func() *x509.CertPool, error) {
	var given [][]byte
	for _, path := range files {
		text, err := readSmall(path)
		if err != nil {
			return nil, fail(exitUsage, say.T("cannot read the certificates in %q: %s", path, plainError(err))).because(err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM([]byte(text)) {
			return nil, usage(say.T("no certificate in %q", path)).
				hint(say.T("it has to be in PEM form, with lines BEGIN CERTIFICATE and END CERTIFICATE"))
		}
		given = append(given, []byte(text))
	}
	named := []string{"NODE_EXTRA_CA_CERTS"}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		named = append(named, "SSL_CERT_FILE")
	}
	var lazy []string
	for _, name := range named {
		if os.Getenv(name) != "" {
			lazy = append(lazy, name)
		}
	}
	if len(given) == 0 && len(lazy) == 0 {
		return nil, nil
	}
	return func() *x509.CertPool {
		pool, err := x509.SystemCertPool()
		if err != nil {
			log.Warn("the system's certificates cannot be read", "error", err)
			pool = x509.NewCertPool()
		}
		for _, pem := range given {
			pool.AppendCertsFromPEM(pem)
		}
		for _, name := range lazy {
			path := os.Getenv(name)
			text, err := readSmall(path)
			if err == nil && !pool.AppendCertsFromPEM([]byte(text)) {
				err = errors.New("no certificate in it")
			}
			if err != nil {
				log.Warn("extra certificates are not used", "variable", name, "file", path, "error", err)
			}
		}
		return pool
	}, nil
}

// An ignoreGate hides the tools that match one of its patterns.
type ignoreGate []string

// Allow implements bridge.Gate.
func (g ignoreGate) Allow(t bridge.Tool) string {
	for _, pattern := range g {
		if matchGlob(strings.ToLower(pattern), strings.ToLower(t.Name)) {
			return say.T("The tool %q is turned off on this computer by --ignore-tool.", t.Name)
		}
	}
	return ""
}

// matchGlob matches all of name; a star stands for any text, in linear time
// for each star.
func matchGlob(pattern, name string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], more
	}
}

// plainError words the errors of the file system for people.
func plainError(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return say.T("no such file")
	case errors.Is(err, fs.ErrPermission):
		return say.T("permission denied")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
