package servers

import (
	"net"
	"net/url"
	"strings"
	"time"
)

// Auth says how a server is signed in to.
type Auth string

const (
	// AuthAuto is the zero value: a stored credential is used if there is one,
	// and login finds out what the server wants.
	AuthAuto Auth = ""
	// AuthToken is a static bearer token.
	AuthToken Auth = "token"
	// AuthOAuth is a sign-in in the browser.
	AuthOAuth Auth = "oauth"
	// AuthNone is a server that asks for nothing.
	AuthNone Auth = "none"
)

// The values of Server.Transport, which are those of mcp-remote.
const (
	TransportAuto     = "" // the zero value is http-first
	TransportHTTP     = "http-first"
	TransportSSE      = "sse-first"
	TransportHTTPOnly = "http-only"
	TransportSSEOnly  = "sse-only"
)

// The values of Server.Protocol: which era of MCP the server speaks.
const (
	ProtocolAuto   = ""       // found out by asking
	ProtocolLegacy = "legacy" // with sessions, up to 2025-11-25
	ProtocolModern = "modern" // 2026-07-28 and later
)

// A Server is one entry. Its zero value is not usable: Name and URL are
// needed. It is a value; copying it shares its slices and its map, which
// nothing in this package changes.
type Server struct {
	Name string
	// Preset names the preset whose manners the server has (where tokens are
	// made, how they look) when neither its URL nor its name says so, as with
	// a local copy of the service. Use Kind to ask.
	Preset string
	// URL is the endpoint without the workspace. Use Endpoint to connect.
	URL string
	// Workspace is the workspace's name or id as a person writes it, or "".
	Workspace string
	Auth      Auth
	// Headers are sent with each request. None of them is a secret.
	Headers map[string]string
	// Allow and Deny are globs over tool names: * for any run of characters,
	// whole name, case-insensitive. An empty Allow allows all; Deny wins.
	Allow, Deny []string
	// ReadOnly lets only those tools pass that the server marks as read-only.
	ReadOnly bool
	// TokenCommand is a program and its arguments whose output is the token.
	// It is started without a shell.
	TokenCommand []string
	Transport    string
	Protocol     string
	// AllowHTTP permits plain http to a host that is not loopback.
	AllowHTTP bool
	// CACert is the path of a file of certificates to trust beside the
	// system's, or "".
	CACert string
	// ClientCert and ClientCertKey are the paths of the certificate that is
	// shown to a server that asks for one, and of its private key, or both "".
	ClientCert    string
	ClientCertKey string
	// Insecure leaves the certificate of this server unchecked, and of nobody
	// else. The host of a preset's service is always checked.
	Insecure bool
	Timeouts Timeouts
}

// Timeouts bound the phases of an exchange. Zero means the relay's default,
// negative means no limit.
type Timeouts struct {
	Connect, TLS, Response, Probe, Initialize, Retry time.Duration
}

// Endpoint returns the URL to connect to: URL with the workspace as its
// workspace parameter, percent-encoded (a space is %20, which every server
// reads alike, and not +). The other parameters keep their order and bytes.
func (s Server) Endpoint() string {
	if s.Workspace == "" {
		return s.URL
	}
	base, fragment, _ := strings.Cut(s.URL, "#")
	sep := "?"
	if strings.Contains(base, "?") {
		sep = "&"
		if strings.HasSuffix(base, "?") || strings.HasSuffix(base, "&") {
			sep = ""
		}
	}
	base += sep + "workspace=" + strings.ReplaceAll(url.QueryEscape(s.Workspace), "+", "%20")
	if fragment != "" {
		base += "#" + fragment
	}
	return base
}

// Origin returns scheme, host and port of the URL (RFC 6454), with the default
// port left out, or "" if the URL is none.
func (s Server) Origin() string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return ""
	}
	return OriginOf(u)
}

// OriginOf returns scheme, host and port of a URL that has a host, in lower
// case and with the default port left out.
func OriginOf(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		port = ""
	}
	switch {
	case port != "":
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return scheme + "://" + host
}

// CredentialName is the name under which the server's credential is stored.
// The origin is part of it, so that an entry whose URL was changed to another
// host does not send that host the old one's token.
func (s Server) CredentialName() string { return s.Name + "@" + s.Origin() }

// EnvName is the variable that holds a static token for the server named:
// BRIDGE_TOKEN_ and the name in upper case, with - written as _.
func EnvName(name string) string {
	return "BRIDGE_TOKEN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Kind returns the preset whose manners the server has, or nil.
func (s Server) Kind() *Preset {
	if p := LookupPreset(s.Preset); p != nil {
		return p
	}
	if p := presetOf(s.URL); p != nil {
		return p
	}
	return LookupPreset(s.Name)
}

// ValidName reports whether name can name a server: 1 to 32 of a-z, 0-9 and -,
// beginning and ending with a letter or digit. "file" is taken: its variable
// would be BRIDGE_TOKEN_FILE, which means something else.
func ValidName(name string) bool {
	if len(name) < 1 || len(name) > 32 || name == "file" {
		return false
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case c == '-' && i > 0 && i < len(name)-1:
		default:
			return false
		}
	}
	return true
}

// IsURL reports whether arg is meant as a URL rather than as a name.
func IsURL(arg string) bool { return strings.Contains(arg, "://") }

// SuggestName makes a name for the server at rawURL: its preset's name, or the
// most telling part of its host (mcp.example.com is example).
func SuggestName(rawURL string) string {
	if p := presetOf(rawURL); p != nil {
		return p.Name
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return "server"
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || net.ParseIP(host) != nil {
		return cleanName("local-" + u.Port())
	}
	labels := strings.Split(host, ".")
	if len(labels) > 1 {
		labels = labels[:len(labels)-1]
	}
	for len(labels) > 1 && (labels[0] == "mcp" || labels[0] == "api" || labels[0] == "www") {
		labels = labels[1:]
	}
	return cleanName(labels[0])
}

func cleanName(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, s)
	clean = strings.Trim(clean, "-")
	if len(clean) > 32 {
		clean = strings.Trim(clean[:32], "-")
	}
	if !ValidName(clean) {
		return "server"
	}
	return clean
}
