package main

import (
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bridge/bridge"
	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// A move is one entry of a client's configuration on its way to `bridge serve
// NAME`: what it says, taken apart into what belongs in config.toml, what
// belongs in the keystore, and what has no place.
type move struct {
	entry  clients.Entry
	server servers.Server
	token  keystore.Secret
	known  bool     // config.toml has the server already
	drop   []string // variables of the entry that go
	notes  []string // what is not kept
	secret []string // of the entry, for the diff to leave out

	args   [][]string // of mcp-remote: as they stand, and filled in
	signIn signInOptions
	carry  *carry // a sign-in of mcp-remote's, if it keeps one
	stored bool   // there is a credential already, and so it is left alone
}

// A stay is an entry that reaches a remote server and is left as it is.
type stay struct {
	entry  clients.Entry
	why    string
	wished bool // by --skip
}

// moveOf reads an entry. The second result says why it cannot be moved; both
// are nil for an entry that is no concern of ours.
func moveOf(e clients.Entry, getenv func(string) (string, bool)) (*move, *stay) {
	start, args := e.Remote()
	m := &move{entry: e}
	x := &expansion{entry: e, getenv: getenv}
	var err error
	switch start {
	case clients.StartsElsewhere:
		return nil, &stay{entry: e, why: say.T("it is started in a container, on another machine or by a shell")}
	case clients.StartsRemote:
		err = m.fromArguments(args, x)
	case clients.Connects:
		err = m.fromHeaders(x)
	default:
		return nil, nil
	}
	if len(x.missing) > 0 { // which is why anything else is not right either
		err = errors.New(say.T("it needs %s, which is not set here", strings.Join(x.missing, ", ")))
	}
	if err == nil {
		err = m.settle()
	}
	if err != nil {
		return nil, &stay{entry: e, why: err.Error()}
	}
	for name := range e.Env {
		if !useful(name) {
			m.drop = append(m.drop, name)
		}
	}
	slices.Sort(m.drop)
	return m, nil
}

// useful reports whether a variable means something to bridge too.
func useful(name string) bool {
	switch strings.ToUpper(name) {
	case "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS":
		return true
	}
	return strings.HasPrefix(name, "BRIDGE_") && !strings.HasPrefix(name, "BRIDGE_TOKEN")
}

// An expansion fills in variables as the client or mcp-remote would: those of
// the entry's own env first.
type expansion struct {
	entry   clients.Entry
	getenv  func(string) (string, bool)
	missing []string
}

// text replaces ${NAME}, ${env:NAME}, ${NAME:-default} and {env:NAME}. Others,
// such as ${input:token} of VS Code, which asks a person, are missing.
func (x *expansion) text(s string) string {
	var b strings.Builder
	for {
		open := "${"
		at := strings.Index(s, open)
		if i := strings.Index(s, "{env:"); i >= 0 && (at < 0 || i < at) {
			at, open = i, "{"
		}
		if at < 0 {
			return b.String() + s
		}
		b.WriteString(s[:at])
		name, rest, closed := strings.Cut(s[at+len(open):], "}")
		if !closed {
			return b.String() + s[at:]
		}
		s = rest
		name = strings.TrimPrefix(name, "env:")
		name, fallback, hasFallback := strings.Cut(name, ":-")
		switch value, set := x.lookup(name); {
		case isVariable(name) && set:
			b.WriteString(value)
		case hasFallback:
			b.WriteString(fallback)
		case !slices.Contains(x.missing, open+name+"}"):
			x.missing = append(x.missing, open+name+"}")
		}
	}
}

func (x *expansion) lookup(name string) (string, bool) {
	if v, ok := x.entry.Env[name]; ok {
		if inner := strings.Trim(v, "${}"); inner != v && (inner == name || inner == "env:"+name) {
			return x.getenv(name) // TOKEN = ${TOKEN}
		}
		return v, true
	}
	return x.getenv(name)
}

// fromArguments reads those of mcp-remote.
func (m *move) fromArguments(args []string, x *expansion) error {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = x.text(arg)
	}
	o, err := parseServe(words)
	switch {
	case errors.Is(err, errHelpWanted):
		return errors.New(say.T("its arguments are no server"))
	case err != nil:
		return err
	case !servers.IsURL(o.target):
		return errors.New(say.T("its arguments are no server"))
	}
	headers := o.headers
	for _, path := range o.headerFiles {
		more, err := readHeaderFile(path)
		if err != nil {
			return err
		}
		for _, h := range more {
			headers = append(headers, header{h.name, x.text(h.value)})
		}
	}
	m.args, m.signIn = [][]string{args, words}, o.signIn
	m.server = servers.Server{URL: o.target, AllowHTTP: o.allowHTTP, Deny: o.ignoreTools, Timeouts: servers.Timeouts{
		Connect: o.timeouts.Connect, TLS: o.timeouts.TLS, Response: o.timeouts.Response,
		Probe: o.timeouts.Probe, Initialize: o.timeouts.Initialize, Retry: o.timeouts.Retry,
	}}
	switch o.transport {
	case bridge.TransportSSEFirst:
		m.server.Transport = servers.TransportSSE
	case bridge.TransportHTTPOnly:
		m.server.Transport = servers.TransportHTTPOnly
	case bridge.TransportSSEOnly:
		m.server.Transport = servers.TransportSSEOnly
	}
	switch o.protocol {
	case bridge.ProtocolLegacy:
		m.server.Protocol = servers.ProtocolLegacy
	case bridge.ProtocolModern:
		m.server.Protocol = servers.ProtocolModern
	}
	if len(o.caCerts) == 1 && filepath.IsAbs(o.caCerts[0]) {
		m.server.CACert, o.caCerts = o.caCerts[0], nil
	}
	if filepath.IsAbs(o.clientCert) && filepath.IsAbs(o.certKey) {
		m.server.ClientCert, m.server.ClientCertKey = o.clientCert, o.certKey
		o.clientCert, o.certKey = "", ""
	}
	m.server.Insecure = o.insecure
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--proxy", o.proxy != ""}, {"--ca-cert", len(o.caCerts) > 0}, {"--client-cert", o.clientCert != "" || o.certKey != ""},
		{"--trace", o.trace != ""}, {"--debug", o.debug},
	} {
		if flag.given {
			m.notes = append(m.notes, flag.name)
		}
	}
	if o.signIn.forOAuth() || o.signIn.resourceGiven || o.signIn.noResource {
		m.notes = append(m.notes, say.T("the OAuth flags, which belong to `bridge login` now"))
	}
	return m.takeHeaders(headers)
}

// fromHeaders reads an entry with which the client connects by itself.
func (m *move) fromHeaders(x *expansion) error {
	m.server = servers.Server{URL: x.text(m.entry.URL)}
	var headers []header
	for name, value := range m.entry.Headers {
		h, err := parseHeader(name + ": " + x.text(value))
		if err != nil {
			return err
		}
		headers = append(headers, h)
	}
	return m.takeHeaders(headers)
}

// takeHeaders parts the token from headers that are none.
func (m *move) takeHeaders(headers []header) error {
	for _, h := range headers {
		if h.name != "Authorization" {
			if m.server.Headers == nil {
				m.server.Headers = map[string]string{}
			}
			m.server.Headers[h.name] = h.value
			m.secret = append(m.secret, h.value)
			continue
		}
		scheme, _, two := strings.Cut(h.value, " ")
		if two && !strings.EqualFold(scheme, "bearer") {
			return errors.New(say.T("it signs in by %s, and bridge keeps bearer tokens", printable(scheme)))
		}
		text, err := cleanToken(h.value, say.T("its Authorization header"))
		if err != nil {
			return err
		}
		m.token = keystore.NewSecret(text)
		m.secret = append(m.secret, text)
	}
	return nil
}

// settle checks the server and recognises the services we know.
func (m *move) settle() error {
	s := &m.server
	if where := servers.SecretInURL(s.URL); where != "" {
		return errors.New(say.T("there is a secret in its address, which bridge does not keep there"))
	}
	base, rest, _ := strings.Cut(s.URL, "?")
	known := servers.Server{URL: base}
	if s.Preset = presetOfToken(m.token); s.Preset != "" {
		known.Preset = s.Preset // a local copy of it, unless the address says more
	}
	if p := known.Kind(); p != nil && p.Workspaces {
		// The workspace of such a service is a key of its own.
		query, err := url.ParseQuery(rest)
		if err == nil && len(query) == 1 && len(query["workspace"]) == 1 {
			s.URL, s.Workspace = base, query.Get("workspace")
		}
	}
	if p := (servers.Server{URL: s.URL}).Kind(); p != nil {
		s.Preset = "" // the address says it
		if !m.token.IsZero() {
			s.Auth = servers.AuthToken
		} else {
			s.Auth = p.Auth
		}
	}
	if !m.token.IsZero() {
		s.Auth = servers.AuthToken
	}
	if err := wrongService(*s, m.token); err != nil {
		return err
	}
	s.Name = nameOf(m.entry.Name, s.URL)
	err := s.Validate()
	var e *servers.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && e.Problem == servers.SecretInside && e.Key == "headers":
		return errors.New(say.T("it sends a secret in a header of its own, and bridge keeps bearer tokens"))
	}
	return configProblem(err)
}

// nameOf is the name that a server gets: that of the service, or what its
// entry is called, as far as that is a name.
func nameOf(key, address string) string {
	if p := (servers.Server{URL: address}).Kind(); p != nil {
		return p.Name
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, key)
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	if name = strings.Trim(name[:min(len(name), 32)], "-"); servers.ValidName(name) {
		return name
	}
	return servers.SuggestName(address)
}

// settleNames gives servers that are the same one name and others different
// ones, and takes over what config.toml has. stored says what token is kept for
// a server of it.
func settleNames(file *servers.File, moves []*move, stored func(servers.Server) (string, error)) error {
	taken := map[string]*move{}
	for _, m := range moves {
		if same := slices.IndexFunc(moves, func(o *move) bool { return sameServer(o, m) }); moves[same] != m {
			m.server, m.known = moves[same].server, moves[same].known
			continue
		}
		for _, s := range file.Servers() {
			if s.Endpoint() != m.server.Endpoint() || !covers(s, m.server) {
				continue
			}
			token := ""
			if !m.token.IsZero() {
				var err error
				if token, err = stored(s); err != nil {
					return err
				}
			}
			if token == "" || token == m.token.Reveal() {
				auth := m.server.Auth
				m.server, m.known = s, true
				if auth == servers.AuthToken {
					m.server.Auth = auth
				}
				break
			}
		}
		base := m.server.Name
		for n := 2; !m.known; n++ {
			_, there := file.Entry(m.server.Name)
			if !there && taken[m.server.Name] == nil {
				break
			}
			suffix := "-" + strconv.Itoa(n)
			m.server.Name = strings.Trim(base[:min(len(base), 32-len(suffix))], "-") + suffix
		}
		if p := servers.LookupPreset(m.server.Name); p != nil && m.server.Preset == p.Name {
			m.server.Preset = "" // its name says it
		}
		taken[m.server.Name] = m
	}
	return nil
}

// sameServer reports whether two entries reach the same server as the same
// account, in the same manner.
func sameServer(a, b *move) bool {
	x, y := a.server, b.server
	x.Name, y.Name = "", ""
	if x.Endpoint() != y.Endpoint() || a.token.Reveal() != b.token.Reveal() {
		return false
	}
	for _, key := range servers.Keys() {
		if x.Value(key) != y.Value(key) {
			return false
		}
	}
	return true
}

// covers reports whether an entry of config.toml does all that another one
// asks for. What it holds back beyond that is the user's wish.
func covers(there, wanted servers.Server) bool {
	for _, key := range []string{"headers", "deny", "transport", "protocol", "allow_http", "ca_cert", "client_cert", "client_cert_key", "insecure", "timeouts"} {
		if v := wanted.Value(key); v != "" && v != there.Value(key) {
			return false
		}
	}
	return true
}
