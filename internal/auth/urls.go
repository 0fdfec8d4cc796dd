package auth

import (
	"net/netip"
	"net/url"
	"strings"

	"bridge/internal/servers"
)

// The rules for every URL that a server names (A-33 of the checklist; MCP
// security best practices §SSRF; CVE-2025-6514 is what comes of having none):
// https, or http on loopback if the MCP server itself is there; no user info;
// no address literal in a network that the MCP server is not in itself.

// checkURL parses a URL that a server named.
func (g *guard) checkURL(raw string) (*url.URL, error) {
	if len(raw) > 8<<10 {
		return nil, failure(ErrUnsafe, "a URL is too long")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, failure(ErrUnsafe, "%s is not a URL", quoteURL(raw))
	}
	return u, g.check(u)
}

func (g *guard) check(u *url.URL) error {
	host := u.Hostname()
	switch {
	case u.Opaque != "" || host == "" || u.Scheme != "https" && u.Scheme != "http":
		return failure(ErrUnsafe, "%s is not an https URL", quoteURL(u.String()))
	case u.User != nil:
		return failure(ErrUnsafe, "a URL of %s holds user info", plain(host))
	case strings.ContainsAny(u.Host, " \t\r\n%\"'`$&|;<>\\^"):
		return failure(ErrUnsafe, "%s is not a host", quoteURL(host))
	case u.Scheme == "http" && !g.plainOK(host):
		return failure(ErrUnsafe, "%s is plain http", quoteURL(u.String()))
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if err := g.checkAddr(ip); err != nil {
			return err
		}
	}
	return nil
}

// plainOK says whether plain http to host is allowed.
func (g *guard) plainOK(host string) bool {
	if g.allowHTTP {
		return true
	}
	return servers.Loopback(host) && servers.Loopback(g.server.Hostname())
}

// A network is a kind of addresses that the public does not reach.
type network int

const (
	public network = iota
	loopback
	private
	linkLocal
	forbidden // never a server: multicast, unspecified, reserved
)

func networkOf(ip netip.Addr) network {
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		// NAT64 and 6to4 carry an IPv4 address inside.
		b := ip.As16()
		switch {
		case netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
			return networkOf(netip.AddrFrom4([4]byte(b[12:16])))
		case netip.MustParsePrefix("2002::/16").Contains(ip):
			return networkOf(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	switch {
	case ip.IsLoopback():
		return loopback
	case ip.IsUnspecified(), ip.IsMulticast():
		return forbidden
	case ip.IsLinkLocalUnicast():
		return linkLocal
	case ip.IsPrivate(): // RFC 1918 and unique local
		return private
	}
	if ip.Is4() {
		switch b := ip.As4(); {
		case b[0] == 0, b[0] >= 240:
			return forbidden
		case b[0] == 100 && b[1]&0xc0 == 64, // CGNAT, RFC 6598
			b[0] == 198 && b[1]&0xfe == 18: // benchmarks, RFC 2544
			return private
		}
	}
	return public
}

// checkAddr refuses an address in a network that the MCP server is not in.
func (g *guard) checkAddr(ip netip.Addr) error {
	n := networkOf(ip)
	if n == public {
		return nil
	}
	if n != forbidden {
		own := g.ownNetwork()
		// What runs on this machine is the person's own, and may use the
		// sign-in of the house.
		if n == own || own == loopback && n == private {
			return nil
		}
	}
	return failure(ErrUnsafe, "it leads to %s, an address inside a private network", ip.String())
}

// quoteURL shows a URL that is not to be trusted: no query, one line.
func quoteURL(raw string) string {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i] + "…"
	}
	if i := strings.LastIndexByte(raw, '@'); i >= 0 {
		raw = "…" + raw[i:]
	}
	return `"` + plain(raw) + `"`
}

// canonical is the resource identifier of an MCP URL (MCP authorization
// §Canonical Server URI): lower-case scheme and host, no default port, no
// query, no fragment, no trailing slash.
func canonical(u *url.URL) string {
	return servers.OriginOf(u) + strings.TrimRight(u.EscapedPath(), "/")
}

// identifies reports whether the resource of a metadata document stands for
// the server (RFC 9728 §3.3, and as MCP servers do it): the same URL, or one of
// the same origin above it at a segment border.
func identifies(resource string, server *url.URL) bool {
	r, err := url.Parse(resource)
	if err != nil || r.Fragment != "" || servers.OriginOf(r) != servers.OriginOf(server) {
		return false
	}
	have, want := strings.TrimRight(r.EscapedPath(), "/"), strings.TrimRight(server.EscapedPath(), "/")
	return have == want || strings.HasPrefix(want, have+"/")
}

// wellKnown puts a well-known name between host and path (RFC 8414 §3).
func wellKnown(u *url.URL, name string) string {
	return servers.OriginOf(u) + "/.well-known/" + name + strings.TrimRight(u.EscapedPath(), "/")
}
