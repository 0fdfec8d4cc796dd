package auth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"bridge/internal/servers"
)

// resourceMetadata is RFC 9728, as far as it is used.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// serverMetadata is RFC 8414 and OpenID Connect Discovery, as far as they are
// used.
type serverMetadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	ClientIDDocs  bool     `json:"client_id_metadata_document_supported"`
	SendsIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
}

// A discovery is what a 401 leads to. One is used for all of a sign-in, so
// that its requests go to one place.
type discovery struct {
	resource string // the resource parameter; never empty
	scopes   string // of the resource metadata
	server   serverMetadata
	guessed  bool // no metadata: the endpoints are those of 2025-03-26
	// described: the resource has metadata of its own (RFC 9728).
	described bool
}

// discover follows a challenge to the authorization server (A-01…A-07).
// known is an issuer that is preferred if there are several.
func (g *guard) discover(ctx context.Context, c Challenge, known string) (*discovery, error) {
	d := &discovery{resource: canonical(g.server)}
	prm, err := g.resourceMetadata(ctx, c.Params["resource_metadata"])
	if err != nil {
		return nil, err
	}
	d.described = prm != nil
	if prm == nil || len(prm.Servers) == 0 {
		if prm != nil {
			d.scopes = strings.Join(prm.Scopes, " ")
		}
		return d, g.fromOrigin(ctx, d)
	}
	d.resource, d.scopes = prm.Resource, strings.Join(prm.Scopes, " ")
	issuer := prm.Servers[0]
	if known != "" && slices.Contains(prm.Servers, known) {
		issuer = known
	}
	m, err := g.serverMetadata(ctx, issuer)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, failure(ErrUnreachable, "%s has no metadata of an authorization server", quoteURL(issuer))
	}
	d.server = *m
	return d, nil
}

// resourceMetadata finds the document of the protected resource, or nil if
// there is none: at the URL of the challenge, else at the well-known ones for
// the path and for the origin.
func (g *guard) resourceMetadata(ctx context.Context, named string) (*resourceMetadata, error) {
	const name = "oauth-protected-resource"
	var places []string
	if named != "" {
		places = append(places, named)
	}
	places = append(places, wellKnown(g.server, name))
	if root := servers.OriginOf(g.server) + "/.well-known/" + name; !slices.Contains(places, root) {
		places = append(places, root)
	}
	var last error
	for _, place := range places {
		var m resourceMetadata
		found, err := g.document(ctx, place, &m)
		if err != nil {
			last = err
			continue
		}
		if !found {
			continue
		}
		if m.Resource == "" || !identifies(m.Resource, g.server) {
			return nil, failure(ErrUnsafe, "its metadata is for another resource, %s", quoteURL(m.Resource))
		}
		return &m, nil
	}
	var unsafe *Error
	if errors.As(last, &unsafe) {
		return nil, last
	}
	if last != nil && ctx.Err() == nil {
		return nil, failure(ErrUnreachable, "%v", last)
	}
	return nil, last
}

// document fetches a metadata document. found is false if there is none: a
// 4xx, or something that is no JSON object. A 5xx and a broken connection are
// tried again once and are then an error.
func (g *guard) document(ctx context.Context, place string, v any) (found bool, err error) {
	for try := 0; ; try++ {
		err = g.getJSON(ctx, place, v)
		var s *statusError
		switch {
		case err == nil:
			return true, nil
		case errors.As(err, &s) && s.status < 500 && s.status != http.StatusTooManyRequests:
			return false, nil
		case !transient(err) || try == 1:
			return false, err
		}
		if !pause(ctx, 300*time.Millisecond) {
			return false, context.Cause(ctx)
		}
	}
}

// serverMetadata finds the metadata of an issuer, or nil if it has none. A
// document that names another issuer ends the search: it is not used, and
// nothing else is tried (A-07, RFC 8414 §3.3).
func (g *guard) serverMetadata(ctx context.Context, issuer string) (*serverMetadata, error) {
	u, err := g.checkURL(issuer)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, failure(ErrUnsafe, "the issuer %s has a query", quoteURL(issuer))
	}
	places := []string{wellKnown(u, "oauth-authorization-server"), wellKnown(u, "openid-configuration")}
	if path := strings.TrimRight(u.EscapedPath(), "/"); path != "" {
		places = append(places, servers.OriginOf(u)+path+"/.well-known/openid-configuration")
	}
	var last error
	for _, place := range places {
		var m serverMetadata
		found, err := g.document(ctx, place, &m)
		if err != nil {
			last = err
			continue
		}
		if !found {
			continue
		}
		if m.Issuer != issuer {
			return nil, failure(ErrUnsafe, "the metadata of %s names another issuer, %s", quoteURL(issuer), quoteURL(m.Issuer))
		}
		return &m, g.checkEndpoints(&m)
	}
	var unsafe *Error
	if last != nil && !errors.As(last, &unsafe) && ctx.Err() == nil {
		return nil, failure(ErrUnreachable, "%v", last)
	}
	return nil, last
}

// checkEndpoints holds every endpoint to the rules before any is used. One
// that is not needed does no harm by being absent.
func (g *guard) checkEndpoints(m *serverMetadata) error {
	for _, e := range []string{m.Authorization, m.Token, m.Registration, m.Revocation, m.Device} {
		if e == "" {
			continue
		}
		if _, err := g.checkURL(e); err != nil {
			return err
		}
	}
	if m.Token == "" {
		return failure(ErrUnsafe, "the metadata of %s names no token endpoint", quoteURL(m.Issuer))
	}
	return nil
}

// fromOrigin is for servers of 2025-03-26 (§2.3): the authorization server is
// the origin of the MCP URL, with metadata or with the default endpoints.
func (g *guard) fromOrigin(ctx context.Context, d *discovery) error {
	origin := servers.OriginOf(g.server)
	var m serverMetadata
	found, err := g.document(ctx, origin+"/.well-known/oauth-authorization-server", &m)
	if err != nil {
		var unsafe *Error
		if errors.As(err, &unsafe) || ctx.Err() != nil {
			return err
		}
		return failure(ErrUnreachable, "%v", err)
	}
	if !found {
		d.guessed = true
		d.server = serverMetadata{
			Issuer: origin, Authorization: origin + "/authorize", Token: origin + "/token", Registration: origin + "/register",
			Challenges: []string{"S256"},
		}
		return nil
	}
	if strings.TrimSuffix(m.Issuer, "/") != origin {
		return failure(ErrUnsafe, "the metadata of %s names another issuer, %s", quoteURL(origin), quoteURL(m.Issuer))
	}
	d.server = m
	return g.checkEndpoints(&d.server)
}

// pause waits d; false means that ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// scopeFor is what to ask for at first: what the user set, else
// the challenge's scope, else all that the resource has, else nothing; never
// the authorization server's list. offline_access is added where the server
// lists it and the user set nothing.
func (d *discovery) scopeFor(set, challenged string) string {
	if set != "" {
		return set
	}
	scope := challenged
	if scope == "" {
		scope = d.scopes
	}
	if slices.Contains(d.server.Scopes, "offline_access") {
		scope = union(scope, "offline_access")
	}
	return scope
}

// supportsPKCE is A-18: without S256 in the metadata there is no sign-in.
func (d *discovery) supportsPKCE() bool { return slices.Contains(d.server.Challenges, "S256") }

// parseServer reads the MCP endpoint.
func parseServer(raw string, allowHTTP bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return nil, failure(ErrUnsafe, "%s is not a server address", quoteURL(raw))
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !allowHTTP && !servers.Loopback(u.Hostname())) {
		return nil, failure(ErrUnsafe, "%s is plain http", quoteURL(raw))
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}
