package main

import "strconv"

// What a flag of serve is good for. All of mcp-remote's are known by name, so
// that its users change the command and nothing else.
type flagUse int

const (
	useNow     flagUse = iota // takes effect
	useSignIn                 // kept in signInOptions
	useAlready                // asks for what bridge does anyway
	useNothing                // has no meaning here: accepted with a note
)

type serveFlag struct {
	name  string
	value bool // takes a value
	use   flagUse
}

// serveFlags is every flag that serve understands: our own first, then those
// of mcp-remote 0.15. It is a function so that nothing is built at start.
func serveFlags() []serveFlag {
	return []serveFlag{
		{"header", true, useNow},
		{"header-file", true, useNow},
		{"transport", true, useNow},
		{"protocol", true, useNow},
		{"modern-on-legacy", true, useNow},
		{"allow-http", false, useNow},
		{"ignore-tool", true, useNow},
		{"timeout", true, useNow},
		{"proxy", true, useNow},
		{"ca-cert", true, useNow},
		{"client-cert", true, useNow},
		{"client-cert-key", true, useNow},
		{"insecure", false, useNow},
		{"trace", true, useNow},
		{"debug", false, useNow},
		{"silent", false, useNow},
		{"json", false, useNow},
		{"color", true, useNow},
		{"help", false, useNow},

		{"connect-timeout", true, useNow},
		{"headers-timeout", true, useNow},

		{"sign-in", true, useSignIn},
		{"client-id", true, useSignIn},
		{"client-secret", true, useSignIn},
		{"client-key", true, useSignIn},
		{"scope", true, useSignIn},
		{"no-resource", false, useSignIn},
		{"issuer", true, useSignIn},
		{"callback-port", true, useSignIn},
		{"assume-pkce", false, useSignIn},

		{"host", true, useSignIn},
		{"callback-path", true, useSignIn},
		{"auth-timeout", true, useSignIn},
		{"auth-success-url", true, useSignIn},
		{"authorize-param", true, useSignIn},
		{"resource", true, useSignIn},
		{"disable-resource-parameter", false, useSignIn},
		{"static-oauth-client-info", true, useSignIn},
		{"static-oauth-client-metadata", true, useSignIn},
		{"client-metadata-url", true, useSignIn},
		{"client-credentials", false, useSignIn},
		{"token-endpoint", true, useSignIn},
		{"device-code", false, useSignIn},
		{"use-id-token", false, useSignIn},

		{"enable-proxy", false, useAlready},
		{"body-timeout", true, useAlready}, // a body may be silent for ever

		{"keep-alive", false, useNothing},
		{"ping-interval", true, useNothing},
		{"ipv4", false, useNothing},
		{"disable-cookies", false, useNothing},
	}
}

func findServeFlag(name string) (serveFlag, bool) {
	if name == "h" {
		name = "help"
	}
	for _, f := range serveFlags() {
		if f.name == name {
			return f, true
		}
	}
	return serveFlag{}, false
}

// signInOptions is what mcp-remote's flags say about signing in. A value may
// hold a secret (clientInfo may), so none of it is ever printed.
type signInOptions struct {
	mode         string // auto, tool or never; empty: auto
	clientID     string
	clientSecret string
	clientKey    string // a file with a private key
	scope        string
	issuer       string
	assumePKCE   bool

	callbackPort      int // 0: any
	badPort           bool
	callbackHost      string // in the redirect URI; empty: the default
	callbackPath      string
	authTimeout       string // seconds
	authSuccessURL    string
	authorizeParams   []string // key=value
	resource          string
	resourceGiven     bool // an empty resource turns the parameter off
	noResource        bool
	clientInfo        string // JSON or @file
	clientMetadata    string // JSON or @file
	clientMetadataURL string
	clientCredentials bool
	tokenEndpoint     string
	deviceCode        bool
	useIDToken        bool
}

func (s *signInOptions) set(name, value string) {
	switch name {
	case "sign-in":
		s.mode = value
	case "client-id":
		s.clientID = value
	case "client-secret":
		s.clientSecret = value
	case "client-key":
		s.clientKey = value
	case "scope":
		s.scope = value
	case "issuer":
		s.issuer = value
	case "no-resource":
		s.noResource = true
	case "callback-port":
		s.callbackPort, _ = strconv.Atoi(value) // options says what is wrong with it
		s.badPort = s.callbackPort < 1 || s.callbackPort > 65535
	case "assume-pkce":
		s.assumePKCE = true
	case "host":
		s.callbackHost = value
	case "callback-path":
		s.callbackPath = value
	case "auth-timeout":
		s.authTimeout = value
	case "auth-success-url":
		s.authSuccessURL = value
	case "authorize-param":
		s.authorizeParams = append(s.authorizeParams, value)
	case "resource":
		s.resource, s.resourceGiven = value, true
	case "disable-resource-parameter":
		s.noResource = true
	case "static-oauth-client-info":
		s.clientInfo = value
	case "static-oauth-client-metadata":
		s.clientMetadata = value
	case "client-metadata-url":
		s.clientMetadataURL = value
	case "client-credentials":
		s.clientCredentials = true
	case "token-endpoint":
		s.tokenEndpoint = value
	case "device-code":
		s.deviceCode = true
	case "use-id-token":
		s.useIDToken = true
	}
}
