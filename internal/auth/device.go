package auth

import (
	"context"
	"errors"
	"net/url"
	"time"

	"bridge/internal/servers"
)

// asClient signs in as the client itself (RFC 6749 §4.4): for machines without
// a person. There is nothing to wait for.
func (s *Session) asClient(ctx context.Context, w want, old *record) error {
	var d *discovery
	if s.o.TokenURL != "" {
		u, err := s.net().checkURL(s.o.TokenURL)
		if err != nil {
			return err
		}
		d = &discovery{resource: canonical(s.server), server: serverMetadata{Issuer: servers.OriginOf(u), Token: s.o.TokenURL}}
	} else {
		var err error
		if d, err = s.net().discover(ctx, w.challenge, s.o.Issuer); err != nil {
			return err
		}
	}
	r := s.draft(d, w, old)
	if s.o.Scope == "" && w.scope == "" {
		// There is no offline access without a person.
		r.scope = union(w.challenge.Params["scope"])
		if r.scope == "" {
			r.scope = d.scopes
		}
	}
	r.grant = grantClient
	base := old
	if base != nil && base.grant != grantClient {
		base = nil
	}
	c, err := s.chooseClient(d, base, "")
	if err != nil {
		return err
	}
	if c == nil || c.secret.IsZero() && c.key.IsZero() {
		return failure(ErrNoClient, "%s", quoteURL(d.server.Issuer))
	}
	r.client = *c
	lock, err := s.lockRecord(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if r.tokens, err = s.askAgain(ctx, r); err != nil {
		return grantFailure(err)
	}
	return s.keep(ctx, r)
}

func grantFailure(err error) error {
	var p *protocolError
	switch {
	case transient(err):
		return failure(ErrUnreachable, "%v", err)
	case errors.As(err, &p):
		return failure(ErrDenied, "%v", err)
	}
	return err
}

// deviceRedirect is the redirect URI that a client for device codes is
// registered with, since a registration has to have one. Nothing listens there,
// and no sign-in in the browser has it.
const deviceRedirect = "http://127.0.0.1/callback"

// withDevice signs in by a code that the person types on any machine
// (RFC 8628).
func (s *Session) withDevice(ctx context.Context, w want, old *record) error {
	d, err := s.net().discover(ctx, w.challenge, s.o.Issuer)
	if err != nil {
		return err
	}
	if d.server.Device == "" {
		return failure(ErrNoOAuth, "%s has no sign-in by device code", quoteURL(d.server.Issuer))
	}
	r := s.draft(d, w, old)
	r.grant = grantDevice
	c, err := s.chooseClient(d, old, deviceRedirect)
	if err != nil {
		return err
	}
	known := c != nil && c.kind == "dynamic"
	form := url.Values{}
	if r.scope != "" {
		form.Set("scope", r.scope)
	}
	if r.resource != "" {
		form.Set("resource", r.resource)
	}
	var out struct {
		Device   string  `json:"device_code"`
		User     string  `json:"user_code"`
		Page     string  `json:"verification_uri"`
		Complete string  `json:"verification_uri_complete"`
		Expires  float64 `json:"expires_in"`
		Interval float64 `json:"interval"`
	}
	for {
		if c == nil {
			if c, err = s.register(ctx, d, r.scope, []string{deviceRedirect}); err != nil {
				return err
			}
		}
		r.client = *c
		a, err := s.net().post(ctx, d.server.Device, r.issuer, &r.client, form, s.now())
		if err != nil {
			return err
		}
		if err = a.oauth(&out); err == nil {
			break
		}
		if !known || !definite(err, "invalid_client", "unauthorized_client") {
			return grantFailure(err)
		}
		c, known = nil, false // register again, once
	}
	page := out.Page
	if out.Complete != "" {
		page = out.Complete
	}
	u, err := s.net().checkURL(page)
	if err != nil {
		return err
	}
	link := Link{URL: u.String(), Code: plain(out.User)}
	w.tell(link)
	if !w.noBrowser {
		if link.Opened = s.open(ctx, link.URL); link.Opened {
			w.tell(link)
		}
	}
	wait := 5 * time.Second
	if out.Interval >= 1 && out.Interval <= 60 {
		wait = time.Duration(out.Interval * float64(time.Second))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(min(max(out.Expires, 30), loginLimit.Seconds()))*time.Second, failure(ErrTimeout, ""))
	defer cancel()
	for {
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
		r.tokens, err = s.askToken(ctx, r, url.Values{"grant_type": {grantDevice}, "device_code": {out.Device}})
		switch {
		case err == nil:
			lock, err := s.lockRecord(ctx)
			if err != nil {
				return err
			}
			defer lock.Unlock()
			return s.keep(ctx, r)
		case definite(err, "authorization_pending"):
		case definite(err, "slow_down"):
			wait += 5 * time.Second
		case transient(err):
		case definite(err, "expired_token"):
			return failure(ErrTimeout, "")
		default:
			return grantFailure(err)
		}
	}
}
