package auth

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"bridge/keystore"
)

// A Client says how the authorization server knows this program, as far as the
// user has set it. The zero value leaves it to the server: a metadata document
// if URL is known, else dynamic registration.
type Client struct {
	ID     string
	Secret keystore.Secret
	// Key is a private key in PEM form for private_key_jwt (RFC 7523).
	Key keystore.Secret
	// Method is the authentication at the token endpoint: empty means
	// client_secret_basic with a secret, private_key_jwt with a key, else none.
	Method string
	// MetadataURL is an https URL that is used as the client id where the
	// server takes such (client id metadata documents).
	MetadataURL string
	// Metadata are merged over what is sent in a dynamic registration.
	Metadata map[string]any
}

func (c *Client) registration() registration {
	r := registration{kind: "given", id: c.ID, secret: c.Secret, key: c.Key, method: c.Method}
	if r.method == "" {
		switch {
		case !c.Key.IsZero():
			r.method = "private_key_jwt"
		case !c.Secret.IsZero():
			r.method = "client_secret_basic"
		default:
			r.method = "none"
		}
	}
	return r
}

// chooseClient returns the registration to use without asking the server, in
// the order of A-11, or nil if one has to be made. redirect is the redirect
// URI of the listener that stands already.
func (s *Session) chooseClient(d *discovery, old *record, redirect string) (*registration, error) {
	if s.o.Client.ID != "" {
		r := s.o.Client.registration()
		if old != nil && old.client.kind == "given" && old.client.id == r.id && old.issuer != d.server.Issuer && old.issuer != "" {
			return nil, failure(ErrUnsafe, "the client id was registered with %s and is not sent to %s", quoteURL(old.issuer), quoteURL(d.server.Issuer))
		}
		r.redirect = redirect
		return &r, nil
	}
	if old != nil && old.issuer == d.server.Issuer && old.client.id != "" {
		c := old.client
		switch {
		case !c.expires.IsZero() && !s.now().Before(c.expires):
		case c.kind == "dynamic" && c.redirect != redirect:
		case c.kind == "document" && !d.server.ClientIDDocs:
		default:
			c.redirect = redirect
			return &c, nil
		}
	} else if old != nil && old.client.kind == "given" && old.issuer != "" {
		return nil, failure(ErrUnsafe, "the client id was registered with %s and is not sent to %s", quoteURL(old.issuer), quoteURL(d.server.Issuer))
	}
	if s.o.Client.MetadataURL != "" && d.server.ClientIDDocs {
		u, err := s.net().checkURL(s.o.Client.MetadataURL)
		if err != nil || u.Scheme != "https" || u.Path == "" || u.Path == "/" {
			return nil, failure(ErrUnsafe, "the client metadata URL has to be https, with a path")
		}
		return &registration{kind: "document", id: s.o.Client.MetadataURL, method: "none", redirect: redirect}, nil
	}
	return nil, nil
}

// register registers a public native client (A-13, A-14, RFC 7591). redirects
// are tried in turn where the server does not like one; which one it took is
// in the registration.
func (s *Session) register(ctx context.Context, d *discovery, scope string, redirects []string) (*registration, error) {
	if d.server.Registration == "" {
		return nil, failure(ErrNoClient, "%s", quoteURL(d.server.Issuer))
	}
	var last error
	for _, redirect := range redirects {
		r, err := s.registerOnce(ctx, d, scope, redirect)
		if err == nil {
			return r, nil
		}
		last = err
		if !definite(err, "invalid_redirect_uri", "invalid_client_metadata") {
			break
		}
	}
	var p *protocolError
	switch {
	case d.guessed && !errors.Is(last, context.Canceled):
		return nil, failure(ErrNoOAuth, "%v", last)
	case errors.As(last, &p):
		return nil, failure(ErrNoClient, "%s said %v", quoteURL(d.server.Issuer), p)
	case transient(last):
		return nil, failure(ErrUnreachable, "registration: %v", last)
	}
	return nil, last
}

func (s *Session) registerOnce(ctx context.Context, d *discovery, scope, redirect string) (*registration, error) {
	method := "none"
	if m := d.server.TokenAuth; len(m) > 0 && !slices.Contains(m, "none") {
		for _, known := range []string{"client_secret_basic", "client_secret_post"} {
			if slices.Contains(m, known) {
				method = known
				break
			}
		}
	}
	body := map[string]any{
		"client_name":                "bridge",
		"redirect_uris":              []string{redirect},
		"grant_types":                []string{grantCode, "refresh_token"},
		"response_types":             []string{"code"},
		"token_endpoint_auth_method": method,
		"application_type":           "native",
	}
	if s.o.DeviceCode {
		body["grant_types"] = []string{grantCode, "refresh_token", grantDevice}
	}
	if scope != "" {
		body["scope"] = scope
	}
	maps.Copy(body, s.o.Client.Metadata)
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	a, err := s.net().do(ctx, http.MethodPost, d.server.Registration, "application/json", text, nil)
	if err != nil {
		return nil, err
	}
	var out struct {
		ID      string  `json:"client_id"`
		Secret  string  `json:"client_secret"`
		Expires float64 `json:"client_secret_expires_at"`
		Method  string  `json:"token_endpoint_auth_method"`
	}
	if err := a.oauth(&out); err != nil {
		return nil, err
	}
	if out.ID == "" {
		return nil, a.statusError()
	}
	r := &registration{kind: "dynamic", id: out.ID, secret: secret(out.Secret), redirect: redirect, method: out.Method}
	if out.Expires > 0 {
		r.expires = time.Unix(int64(out.Expires), 0)
	}
	switch r.method {
	case "none", "client_secret_basic", "client_secret_post":
	case "":
		r.method = method
		if method == "none" && out.Secret != "" {
			r.method = "client_secret_basic" // the default of RFC 7591 §2
		}
	default:
		return nil, failure(ErrNoClient, "the authorization server wants %q at its token endpoint", plain(r.method))
	}
	return r, nil
}

// otherLoopback is the same redirect URI with localhost for 127.0.0.1 or the
// reverse.
func otherLoopback(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return redirect
	}
	name := "localhost"
	if u.Hostname() == "localhost" {
		name = "127.0.0.1"
	}
	u.Host = name + ":" + u.Port()
	return u.String()
}
