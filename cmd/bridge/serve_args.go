package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"bridge/bridge"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// serveOptions is what the arguments of serve say, after checks that need
// neither network nor files.
type serveOptions struct {
	target      string          // a URL, or a name
	entry       *servers.Server // of the name; see findEntry
	headers     []header
	headerFiles []string
	transport   bridge.Transport
	protocol    bridge.Protocol
	eraGiven    bool // also when auto was
	transparent bool
	allowHTTP   bool
	ignoreTools []string
	timeouts    bridge.Timeouts
	proxy       string
	caCerts     []string
	clientCert  string
	certKey     string
	insecure    bool
	trace       string
	debug       bool
	silent      bool
	color       string
	signIn      signInOptions
	ignored     []string // flags without meaning here
}

// errHelpWanted is what parseServe says to --help.
var errHelpWanted = errors.New("help wanted")

// serveForm says whether args are for serve, and returns what comes after the
// word. mcp-remote's arguments are recognised by their first word that is
// neither a flag nor a flag's value being a URL; someone who has changed the
// command in a client's config and nothing else may still have npx's
// arguments before them.
func serveForm(args []string) (rest []string, ok bool) {
	if slices.Contains(args, "--generate-shell-completion") {
		return nil, false
	}
	if len(args) > 0 && args[0] == "serve" {
		return args[1:], true
	}
	rest = withoutNpx(args)
	for i := 0; i < len(rest); i++ {
		word := rest[i]
		if name, isFlag := strings.CutPrefix(word, "--"); isFlag && name != "" {
			name, _, joined := strings.Cut(name, "=")
			f, known := findServeFlag(name)
			if !known || !f.value || joined {
				continue
			}
			if name == "header" && i+1 < len(rest) {
				_, used := rejoin(rest[i+1:])
				i += used
				continue
			}
			i++
			continue
		}
		if strings.HasPrefix(word, "-") || isPort(word) {
			continue
		}
		return rest, strings.Contains(word, "://")
	}
	return nil, false
}

// withoutNpx drops `-y mcp-remote@latest` and the like.
func withoutNpx(args []string) []string {
	rest := args
	for len(rest) > 0 && (rest[0] == "-y" || rest[0] == "--yes") {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		if name, _, _ := strings.Cut(rest[0], "@"); name == "mcp-remote" {
			return rest[1:]
		}
	}
	return args
}

func parseServe(args []string) (serveOptions, error) {
	var o serveOptions
	help := say.T("see `bridge serve --help`")
	onlyWords := false
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch {
		case onlyWords, word == "-", !strings.HasPrefix(word, "-"):
			if err := o.word(word); err != nil {
				return o, err
			}
			continue
		case word == "--":
			onlyWords = true
			continue
		}
		name, value, joined := strings.Cut(strings.TrimLeft(word, "-"), "=")
		f, known := findServeFlag(name)
		if !known {
			var names []string
			for _, f := range serveFlags() {
				names = append(names, f.name)
			}
			return o, unknownFlag(name, names, help)
		}
		switch {
		case f.name == "help":
			return o, errHelpWanted
		case !f.value:
			if joined && value != "true" {
				if value == "false" {
					continue
				}
				return o, usage(say.T("--%s takes no value", name)).hint(help)
			}
		case f.name == "header":
			words := args[i+1:]
			if joined {
				words = append([]string{value}, words...)
			}
			if len(words) == 0 {
				return o, usage(say.T("%s needs a value", word)).hint(help)
			}
			text, used := rejoin(words)
			value = text
			if joined {
				used--
			}
			i += used
		case !joined:
			if i++; i == len(args) {
				return o, usage(say.T("%s needs a value", word)).hint(help)
			}
			value = args[i]
		}
		if err := o.flag(f, value); err != nil {
			return o, err
		}
	}
	if o.target == "" {
		return o, usage(say.T("the server address is missing")).
			hint("`bridge serve https://mcp.example.com/mcp`")
	}
	if servers.ValidName(o.target) {
		return o, nil // whether there is such a server is in config.toml
	}
	return o, checkURL(o.target, o.allowHTTP)
}

// word takes an argument that is not a flag: the server, or the port that
// mcp-remote wants for its sign-in page.
func (o *serveOptions) word(word string) error {
	switch {
	case secretWord(word) != "":
		return tokenInArguments()
	case isPort(word) && o.signIn.callbackPort == 0:
		o.signIn.callbackPort, _ = strconv.Atoi(word)
	case o.target == "":
		o.target = word
	default:
		return usage(say.T("unexpected argument %q", withoutSecrets(word))).
			hint(say.T("put quotes around a value with blanks in it: --header \"Authorization: Bearer ${TOKEN}\""))
	}
	return nil
}

func isPort(word string) bool {
	n, err := strconv.ParseUint(word, 10, 16)
	return err == nil && n > 0
}

func (o *serveOptions) flag(f serveFlag, value string) (err error) {
	switch f.use {
	case useSignIn:
		o.signIn.set(f.name, value)
		return nil
	case useAlready:
		return nil
	case useNothing:
		o.ignored = append(o.ignored, "--"+f.name)
		return nil
	}
	switch f.name {
	case "header":
		var h header
		if h, err = parseHeader(value); err == nil {
			o.headers = append(o.headers, h)
		}
	case "header-file":
		o.headerFiles = append(o.headerFiles, value)
	case "transport":
		o.transport, err = parseTransport(value)
	case "protocol":
		o.protocol, err = parseProtocol(value)
		o.eraGiven = true
	case "modern-on-legacy":
		o.transparent, err = parseModernOnLegacy(value)
	case "allow-http":
		o.allowHTTP = true
	case "ignore-tool":
		o.ignoreTools = append(o.ignoreTools, value)
	case "timeout":
		err = o.timeout(value)
	case "connect-timeout":
		o.timeouts.Connect, err = parseTimeout("--connect-timeout", value)
	case "headers-timeout":
		o.timeouts.Response, err = parseTimeout("--headers-timeout", value)
	case "proxy":
		o.proxy = value
	case "ca-cert":
		o.caCerts = append(o.caCerts, value)
	case "client-cert":
		o.clientCert = value
	case "client-cert-key":
		o.certKey = value
	case "insecure":
		o.insecure = true
	case "trace":
		o.trace = value
	case "debug":
		o.debug = true
	case "silent":
		o.silent = true
	case "color":
		if why := colorWhen(value); why != nil {
			err = usage(say.T("invalid value %q for --%s: %s", value, f.name, why.Error()))
		} else {
			o.color = value
		}
	}
	return err
}

func parseTransport(value string) (bridge.Transport, error) {
	switch value {
	case "auto", "http-first":
		return bridge.TransportAuto, nil
	case "sse-first":
		return bridge.TransportSSEFirst, nil
	case "http-only":
		return bridge.TransportHTTPOnly, nil
	case "sse-only":
		return bridge.TransportSSEOnly, nil
	}
	return 0, usage(say.T("unknown transport %q", value)).
		hint(say.T("use auto, http-first, sse-first, http-only or sse-only"))
}

// parseProtocol reads the era of a server.
func parseProtocol(value string) (bridge.Protocol, error) {
	switch value {
	case "auto":
		return bridge.ProtocolAuto, nil
	case "legacy":
		return bridge.ProtocolLegacy, nil
	case "modern", "2026-07-28":
		return bridge.ProtocolModern, nil
	}
	return 0, usage(say.T("unknown protocol %q", value)).
		hint(say.T("use auto, legacy (with sessions, up to 2025-11-25) or modern (2026-07-28)"))
}

// parseModernOnLegacy reads what a client of 2026-07-28 is told of a server with
// sessions.
func parseModernOnLegacy(value string) (transparent bool, err error) {
	switch value {
	case "translate":
		return false, nil
	case "transparent":
		return true, nil
	}
	return false, usage(say.T("unknown way %q for --modern-on-legacy", value)).hint(say.T("use translate or transparent"))
}

func (o *serveOptions) timeout(value string) error {
	phase, limit, ok := strings.Cut(value, "=")
	var field *time.Duration
	switch phase {
	case "connect":
		field = &o.timeouts.Connect
	case "tls":
		field = &o.timeouts.TLS
	case "response":
		field = &o.timeouts.Response
	case "probe":
		field = &o.timeouts.Probe
	case "initialize":
		field = &o.timeouts.Initialize
	case "retry":
		field = &o.timeouts.Retry
	}
	if !ok || field == nil {
		return usage(say.T("invalid value %q for --timeout", value)).
			hint(say.T("name a phase and a time, as in --timeout connect=5s; phases are connect, tls, response, probe, initialize and retry"))
	}
	var err error
	*field, err = parseTimeout("--timeout "+phase, limit)
	return err
}

// parseTimeout reads 5s, 1m30s or, as mcp-remote has it, seconds. Zero and, as
// config.toml has it, none mean no limit.
func parseTimeout(flag, value string) (time.Duration, error) {
	if value == "none" {
		return -1, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		d, err = time.ParseDuration(value + "s")
	}
	if err != nil || d < 0 {
		return 0, usage(say.T("invalid time %q for %s", value, flag)).
			hint(say.T("write it as in 5s or 2m; 0 means no limit"))
	}
	if d == 0 {
		return -1, nil
	}
	return d, nil
}
