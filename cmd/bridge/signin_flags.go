package main

import (
	"github.com/urfave/cli/v3"

	"bridge/internal/say"
)

// signInFlags are the flags of login and serve about how to sign in. serve
// reads its arguments by itself and knows more of them, which are mcp-remote's.
func signInFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "client-id", Usage: say.T("`ID` of a client that is registered with the server")},
		&cli.StringFlag{Name: "client-secret", Usage: say.T("`SECRET` of that client; BRIDGE_CLIENT_SECRET keeps it out of the arguments")},
		&cli.StringFlag{Name: "client-key", Usage: say.T("`FILE` with a private key of that client (PEM), for private_key_jwt")},
		&cli.StringFlag{Name: "client-metadata-url", Usage: say.T("`URL` of a client metadata document, used as the client id")},
		&cli.StringFlag{Name: "static-oauth-client-info", Usage: say.T("`JSON` or @FILE with client_id and client_secret")},
		&cli.StringFlag{Name: "static-oauth-client-metadata", Usage: say.T("`JSON` or @FILE to put into a registration")},
		&cli.StringFlag{Name: "scope", Usage: say.T("`SCOPES` to ask for, instead of what the server suggests")},
		&cli.StringFlag{Name: "resource", Usage: say.T("`URI` to name as the resource (RFC 8707)")},
		&cli.BoolFlag{Name: "no-resource", Usage: say.T("name no resource, as Entra ID wants it")},
		&cli.StringFlag{Name: "issuer", Usage: say.T("`URL` of the authorization server, if the server names several")},
		&cli.StringFlag{Name: "host", Usage: say.T("`NAME` in the redirect URI: 127.0.0.1 or localhost"), DefaultText: "127.0.0.1"},
		&cli.StringFlag{Name: "callback-port", Usage: say.T("`PORT` of the redirect URI, if a certain one is registered"), DefaultText: say.T("any")},
		&cli.BoolFlag{Name: "device-code", Usage: say.T("sign in by a code that is typed on another machine")},
		&cli.BoolFlag{Name: "client-credentials", Usage: say.T("sign in as the client itself, without a person")},
		&cli.StringFlag{Name: "token-endpoint", Usage: say.T("`URL` to get tokens at with --client-credentials")},
		&cli.BoolFlag{Name: "assume-pkce", Usage: say.T("sign in although the server does not say that it supports PKCE")},
	}
}

// fromCommand takes what was typed of signInFlags.
func (s *signInOptions) fromCommand(c *cli.Command) {
	for _, f := range signInFlags() {
		name := f.Names()[0]
		if !c.IsSet(name) {
			continue
		}
		if _, ok := f.(*cli.BoolFlag); ok {
			if c.Bool(name) {
				s.set(name, "")
			}
			continue
		}
		s.set(name, c.String(name))
	}
}

// forOAuth reports whether something was typed that means nothing but OAuth.
func (s *signInOptions) forOAuth() bool {
	return s.clientID != "" || s.clientInfo != "" || s.clientMetadataURL != "" || s.clientCredentials || s.deviceCode
}
