package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"bridge/bridge"
	"bridge/internal/auth"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// find looks for the credential. A sign-in that has run out is renewed only to
// mend it: to look must change nothing.
func (p *patient) find(ctx context.Context, file *servers.File, cfg *bridge.Config) (authorization string, err error) {
	if p.server.Auth == servers.AuthNone {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	finder := p.app.finder(file, p.server)
	if p.token, err = finder.find(ctx); err != nil || p.token.signIn == (auth.Info{}) {
		authorization = p.token.header()
		p.keepOut(authorization)
		return authorization, err
	}
	until := p.token.signIn.Expires
	if p.stale = !until.IsZero() && time.Until(until) < time.Minute && !p.fix; p.stale {
		return "", nil
	}
	session, err := p.app.provider(ctx, finder, cfg, signInOptions{mode: signInNever})
	if err != nil || session == nil {
		return "", err
	}
	defer session.wait()
	authorization, err = session.Authorization(ctx)
	if cause := session.cause(); err != nil && cause != nil {
		err = cause
	}
	p.keepOut(authorization)
	if fresh, again := finder.find(ctx); again == nil {
		p.token = fresh // with the new time, if it was renewed
	}
	return authorization, err
}

// keepOut remembers a secret that the report must not hold.
func (p *patient) keepOut(authorization string) {
	if _, token, ok := strings.Cut(authorization, " "); ok {
		p.tokens = append(p.tokens, token)
	}
}

// signIn says with what the server was asked, and whether it took it.
func (p *patient) signIn(err error) {
	label := say.T("sign-in")
	login := say.T("run `bridge login %s`", toType(p.server))
	var problem *problem
	switch {
	case err != nil && errors.As(err, &problem):
		p.bad("sign_in", label, problem.text, problem.tip, exitSignIn)
	case err != nil:
		p.bad("sign_in", label, say.T("the sign-in could not be renewed: %s", oneLine(err.Error())), login, exitSignIn)
	case p.stale && p.token.signIn.Renewable:
		p.warn("sign_in", label, say.T("signed in at %s until %s; bridge renews it when it is next used", p.token.signIn.Issuer, p.token.signIn.Expires.Local().Format(time.DateTime)),
			say.T("run `bridge doctor %s --fix` to renew it now", toType(p.server)))
	case p.stale:
		p.bad("sign_in", label, say.T("the sign-in at %s ended at %s", p.token.signIn.Issuer, p.token.signIn.Expires.Local().Format(time.DateTime)), login, exitSignIn)
	case p.refused && p.token.signIn.SignedIn:
		p.bad("sign_in", label, say.T("the server refused the sign-in at %s: it has ended or was revoked", p.token.signIn.Issuer), login, exitSignIn)
	case p.refused && p.token.token.IsZero() && p.oauth:
		p.bad("sign_in", label, say.T("the server signs in with the browser, and you have not"), login, exitSignIn)
	case p.refused && p.token.token.IsZero():
		p.bad("sign_in", label, say.T("the server wants a token, and there is none"), login, exitSignIn)
	case p.refused:
		text := say.T("the server refused the token …%s from %s: it is mistyped, expired or revoked", p.token.token.Last4(), p.token.shown())
		if preset := p.server.Kind(); preset != nil && preset.TokenPage != "" {
			login = say.T("make a new one (%s), then run `bridge login %s`", tokenPage(preset), toType(p.server))
		}
		p.bad("sign_in", label, text, login, exitSignIn)
	case p.token.signIn.SignedIn && p.token.signIn.Expires.IsZero():
		p.ok("sign_in", label, say.T("signed in at %s", p.token.signIn.Issuer))
	case p.token.signIn.SignedIn:
		p.ok("sign_in", label, say.T("signed in at %s until %s", p.token.signIn.Issuer, p.token.signIn.Expires.Local().Format(time.DateTime)))
	case p.token.token.IsZero():
		p.ok("sign_in", label, say.T("none needed"))
	default:
		p.ok("sign_in", label, say.T("token …%s from %s", p.token.token.Last4(), p.token.shown()))
	}
}
