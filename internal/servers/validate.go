package servers

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameDetail says why name, which is not valid, cannot name a server.
func nameDetail(name string) string {
	if name == "file" {
		return "a server cannot be called file: its variable would be BRIDGE_TOKEN_FILE"
	}
	return "a server's name is 1 to 32 of a-z, 0-9 and -"
}

// Validate returns an *Error when the entry cannot be used or must not be
// kept. It checks what a person typed as well as what a file holds.
func (s Server) Validate() error {
	bad := func(key, format string, args ...any) *Error {
		return &Error{Problem: BadValue, Server: s.Name, Key: key, Detail: fmt.Sprintf(format, args...)}
	}
	if !ValidName(s.Name) {
		return bad("name", "%s", nameDetail(s.Name))
	}
	if s.Preset != "" && LookupPreset(s.Preset) == nil {
		return bad("preset", "no such preset; there are %s", strings.Join(PresetNames(), ", "))
	}
	if s.URL == "" {
		return bad("url", "%s has no url", s.Name)
	}
	if where := SecretInURL(s.URL); where != "" {
		return secretError(s.Name, "url", 0, "the URL holds a secret: "+where)
	}
	u, err := CheckURL(s.URL, s.AllowHTTP)
	if err != nil {
		return bad("url", "%s", err)
	}
	if s.Workspace != "" {
		if len(s.Workspace) > 256 || !printable(s.Workspace) {
			return bad("workspace", "a workspace's name is at most 256 bytes on one line")
		}
		if u.Query().Has("workspace") {
			return bad("workspace", "the workspace is named twice, in url and in workspace")
		}
		if looksSecret(s.Workspace) {
			return secretError(s.Name, "workspace", 0, "workspace holds a secret")
		}
	}
	switch s.Auth {
	case AuthAuto, AuthToken, AuthOAuth, AuthNone:
	default:
		return bad("auth", `auth must be "token", "oauth" or "none"`)
	}
	switch s.Transport {
	case TransportAuto, TransportHTTP, TransportSSE, TransportHTTPOnly, TransportSSEOnly:
	default:
		return bad("transport", `transport must be "http-first", "sse-first", "http-only" or "sse-only"`)
	}
	switch s.Protocol {
	case ProtocolAuto, ProtocolLegacy, ProtocolModern:
	default:
		return bad("protocol", `protocol must be "legacy" or "modern"`)
	}
	if s.CACert != "" && !wholePath(s.CACert) {
		return bad("ca_cert", "ca_cert must be the whole path of a file")
	}
	if s.Insecure && Public(s.URL) {
		return bad("insecure", "the certificate of a public service is always checked")
	}
	if (s.ClientCert == "") != (s.ClientCertKey == "") {
		return bad("client_cert", "client_cert and client_cert_key go together")
	}
	if s.ClientCert != "" && (!wholePath(s.ClientCert) || !wholePath(s.ClientCertKey)) {
		return bad("client_cert", "client_cert and client_cert_key must be the whole paths of files")
	}
	names := make([]string, 0, len(s.Headers))
	for name := range s.Headers {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		v := s.Headers[name]
		if secretHeader(name) || looksSecret(v) || looksRandom(v) {
			return secretError(s.Name, "headers", 0, "the header "+sanitizeName(name)+" carries a secret")
		}
		if !headerName(name) || !headerValue(v) || len(v) > 4096 {
			return bad("headers", "the header %s cannot be sent as it is", sanitizeName(name))
		}
		if reservedHeader(name) {
			return bad("headers", "the header %s is set by bridge itself", sanitizeName(name))
		}
	}
	for _, g := range [...]struct {
		key   string
		globs []string
	}{{"allow", s.Allow}, {"deny", s.Deny}} {
		for _, glob := range g.globs {
			if glob == "" || len(glob) > 128 || !printable(glob) {
				return bad(g.key, "%s holds a pattern that can match no tool", g.key)
			}
		}
	}
	if len(s.TokenCommand) > 64 {
		return bad("token_command", "token_command has more than 64 arguments")
	}
	for i, arg := range s.TokenCommand {
		if i == 0 && arg == "" || !printable(arg) {
			return bad("token_command", "token_command names no program that could be started")
		}
		if looksSecret(arg) {
			return secretError(s.Name, "token_command", 0, "token_command holds a secret")
		}
	}
	return nil
}

// wholePath reports whether path can name a file wherever bridge is started.
func wholePath(path string) bool {
	return len(path) <= 4096 && printable(path) && filepath.IsAbs(path)
}

// CheckURL parses an endpoint's URL: https with a host, or http to this very
// machine, or any http when allowHTTP is set; no user info and no fragment.
// The error is one clause without the URL in it.
func CheckURL(raw string, allowHTTP bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || len(raw) > 2048 || !printable(raw) || strings.ContainsAny(raw, " \\"):
		return nil, fmt.Errorf("it is not a URL")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("a URL begins with https://")
	case u.Hostname() == "":
		return nil, fmt.Errorf("the URL has no host")
	case u.User != nil:
		return nil, fmt.Errorf("the URL has user info in it")
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return nil, fmt.Errorf("the URL has a fragment (#…), which is never sent")
	case u.Scheme == "http" && !allowHTTP && !Loopback(u.Hostname()):
		return nil, fmt.Errorf("plain http would show the token to the network; use https, or set allow_http")
	}
	return u, nil
}

// Loopback reports whether host, as in a URL without its port, is this machine
// by its address or by its name: localhost, and whatever ends in .localhost
// (RFC 6761, section 6.3).
func Loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func headerName(name string) bool {
	if name == "" || len(name) > 128 {
		return false
	}
	for i := range len(name) {
		// RFC 9110, section 5.6.2: token.
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return true
}

func headerValue(v string) bool {
	for i := range len(v) {
		if c := v[i]; c < ' ' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// reservedHeader reports headers that are the relay's business.
func reservedHeader(name string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "content-type", "transfer-encoding", "connection", "accept",
		"accept-encoding", "mcp-session-id", "mcp-protocol-version", "last-event-id":
		return true
	}
	return false
}

// printable reports whether s is UTF-8 without control characters.
func printable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}
