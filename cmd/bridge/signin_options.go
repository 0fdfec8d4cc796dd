package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"bridge/internal/auth"
	"bridge/internal/say"
	"bridge/keystore"
)

// The values of --sign-in.
const (
	signInAuto  = "auto"
	signInTool  = "tool"
	signInNever = "never"
)

// options makes of the flags what package auth wants. Values that may hold a
// secret are not repeated in errors.
func (s *signInOptions) options() (auth.Options, error) {
	var o auth.Options
	switch s.mode {
	case "", signInAuto:
		o.Mode = auth.Auto
	case signInTool:
		o.Mode = auth.OnRequest
	case signInNever:
		o.Mode = auth.Never
	default:
		return o, usage(say.T("invalid value %q for --sign-in", s.mode)).hint(say.T("use auto, tool or never"))
	}
	if s.badPort {
		return o, usage(say.T("--callback-port is no port"))
	}
	switch s.callbackHost {
	case "", "localhost", "127.0.0.1":
	default:
		return o, usage(say.T("--host can be localhost or 127.0.0.1, not %q", s.callbackHost))
	}
	o.Callback = auth.Callback{Host: s.callbackHost, Port: s.callbackPort, Path: s.callbackPath, SuccessURL: s.authSuccessURL}
	for _, p := range s.authorizeParams {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return o, usage(say.T("--authorize-param is written NAME=VALUE"))
		}
		o.AuthorizeParams = append(o.AuthorizeParams, [2]string{name, value})
	}
	o.Scope = strings.Join(strings.Fields(s.scope), " ")
	o.Issuer, o.AssumePKCE = s.issuer, s.assumePKCE
	o.Resource, o.NoResource = s.resource, s.noResource || s.resourceGiven && s.resource == ""
	if s.resource != "" && !strings.Contains(s.resource, ":") {
		return o, usage(say.T("--resource has to be an absolute URI"))
	}
	o.ClientCredentials, o.DeviceCode, o.TokenURL, o.UseIDToken = s.clientCredentials, s.deviceCode, s.tokenEndpoint, s.useIDToken
	return o, s.client(&o)
}

// client reads how the authorization server knows us.
func (s *signInOptions) client(o *auth.Options) error {
	o.Client.MetadataURL = s.clientMetadataURL
	if s.clientInfo != "" {
		var info struct {
			ID     string `json:"client_id"`
			Secret string `json:"client_secret"`
			Method string `json:"token_endpoint_auth_method"`
		}
		if err := readJSON("--static-oauth-client-info", s.clientInfo, &info); err != nil {
			return err
		}
		if info.ID == "" {
			return usage(say.T("--static-oauth-client-info names no client_id"))
		}
		o.Client.ID, o.Client.Method = info.ID, info.Method
		setSecret(&o.Client.Secret, info.Secret)
	}
	if s.clientMetadata != "" {
		if err := readJSON("--static-oauth-client-metadata", s.clientMetadata, &o.Client.Metadata); err != nil {
			return err
		}
		if scope, ok := o.Client.Metadata["scope"].(string); ok && o.Scope == "" {
			o.Scope = scope
		}
		delete(o.Client.Metadata, "redirect_uris") // the listener's alone
	}
	if s.clientID != "" {
		o.Client.ID = s.clientID
	}
	setSecret(&o.Client.Secret, os.Getenv("BRIDGE_CLIENT_SECRET"))
	setSecret(&o.Client.Secret, s.clientSecret)
	if s.clientKey != "" {
		text, err := readSmall(s.clientKey)
		if err != nil {
			return fail(exitUsage, say.T("cannot read the key in %q: %s", s.clientKey, plainError(err))).because(err)
		}
		setSecret(&o.Client.Key, text)
	}
	if o.Client.ID == "" && (!o.Client.Secret.IsZero() || !o.Client.Key.IsZero()) {
		o.Client.Secret, o.Client.Key = keystore.Secret{}, keystore.Secret{}
		if s.clientSecret != "" || s.clientKey != "" {
			return usage(say.T("a client secret needs --client-id beside it"))
		}
	}
	switch o.Client.Method {
	case "", "none", "client_secret_basic", "client_secret_post", "private_key_jwt":
		return nil
	}
	return usage(say.T("unknown token_endpoint_auth_method in --static-oauth-client-info"))
}

func setSecret(to *keystore.Secret, text string) {
	if text != "" {
		*to = keystore.NewSecret(text)
	}
}

// readJSON reads a JSON object given in place or, with @ before it, in a file.
// It may hold a secret, so errors do not quote it.
func readJSON(flag, value string, v any) error {
	text := value
	if path, ok := strings.CutPrefix(value, "@"); ok {
		var err error
		if text, err = readSmall(path); err != nil {
			return fail(exitUsage, say.T("cannot read %q for %s: %s", path, flag, plainError(err))).because(err)
		}
	}
	if json.Unmarshal(bytes.TrimSpace([]byte(text)), v) != nil {
		return usage(say.T("the value of %s is no JSON object", flag)).
			hint(say.T("put it into a file and give %s @FILE: shells take quotes away", flag))
	}
	return nil
}
