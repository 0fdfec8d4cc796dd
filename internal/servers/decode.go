package servers

import (
	"fmt"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Keys of an entry, in the order in which new entries are written.
func entryKeys() []string {
	return []string{
		"preset", "url", "workspace", "auth", "headers", "allow", "deny", "read_only",
		"token_command", "transport", "protocol", "allow_http", "ca_cert", "client_cert", "client_cert_key", "insecure", "timeouts",
	}
}

func timeoutKeys() []string {
	return []string{"connect", "tls", "response", "probe", "initialize", "retry"}
}

// settings are what the file says besides servers.
type settings struct {
	keystore string
}

// decode turns the leafs into entries, in the order of their first mention.
func (d *document) decode() ([]Server, settings, error) {
	var set settings
	byName := make(map[string]*Server)
	lines := make(map[string]int)
	var order []string
	for _, l := range d.leafs {
		// Secrets first: whatever else is wrong with a line, this matters most.
		if err := l.refuseSecret(); err != nil {
			return nil, set, err
		}
	}
	for _, l := range d.leafs {
		switch {
		case l.path[0] == "keystore" && len(l.path) == 1:
			if l.kind != unstable.String || (l.text != "keychain" && l.text != "file") {
				return nil, set, l.bad("", `keystore must be "keychain" or "file"`)
			}
			set.keystore = l.text
			continue
		case l.path[0] != "servers":
			return nil, set, l.unknown("", []string{"servers", "keystore"})
		case l.kind == unstable.ArrayTable:
			return nil, set, l.bad("", "servers are tables [servers.NAME], not a list")
		case len(l.path) == 1:
			if l.kind != unstable.Table {
				return nil, set, l.bad("", "servers must be tables [servers.NAME]")
			}
			continue
		}
		name := l.path[1]
		s := byName[name]
		if s == nil {
			if !ValidName(name) {
				return nil, set, &Error{Line: l.line, Problem: BadValue, Key: "servers",
					Detail: nameDetail(name)}
			}
			s = &Server{Name: name}
			byName[name], lines[name] = s, l.line
			order = append(order, name)
		}
		if len(l.path) == 2 {
			if l.kind != unstable.Table {
				return nil, set, l.bad(name, "a server must be a table [servers.NAME]")
			}
			continue
		}
		if err := l.into(s); err != nil {
			return nil, set, err
		}
	}
	list := make([]Server, 0, len(order))
	for _, name := range order {
		s := byName[name]
		if s.URL == "" {
			if p := s.Kind(); p != nil {
				s.URL = p.URL
			}
		}
		if err := s.Validate(); err != nil {
			e := err.(*Error)
			e.Line = d.lineOf(name, e.Key, lines[name])
			return nil, set, e
		}
		list = append(list, *s)
	}
	return list, set, nil
}

// lineOf returns the line of a key of an entry, or fallback.
func (d *document) lineOf(name, key string, fallback int) int {
	for _, l := range d.leafs {
		if len(l.path) > 2 && l.path[1] == name && l.path[2] == key {
			return l.line
		}
	}
	return fallback
}

// into puts the leaf's value into its field of s.
func (l leaf) into(s *Server) error {
	key := l.path[2]
	if len(l.path) > 3 && key != "headers" && key != "timeouts" {
		return l.unknown(s.Name, nil)
	}
	switch key {
	case "preset":
		return l.str(s.Name, &s.Preset)
	case "url":
		return l.str(s.Name, &s.URL)
	case "workspace":
		return l.str(s.Name, &s.Workspace)
	case "auth":
		return l.str(s.Name, (*string)(&s.Auth))
	case "transport":
		return l.str(s.Name, &s.Transport)
	case "protocol":
		return l.str(s.Name, &s.Protocol)
	case "ca_cert":
		return l.str(s.Name, &s.CACert)
	case "client_cert":
		return l.str(s.Name, &s.ClientCert)
	case "client_cert_key":
		return l.str(s.Name, &s.ClientCertKey)
	case "allow":
		return l.strings(s.Name, &s.Allow)
	case "deny":
		return l.strings(s.Name, &s.Deny)
	case "read_only":
		return l.boolean(s.Name, &s.ReadOnly)
	case "insecure":
		return l.boolean(s.Name, &s.Insecure)
	case "allow_http":
		return l.boolean(s.Name, &s.AllowHTTP)
	case "token_command":
		if l.kind == unstable.Array {
			return l.strings(s.Name, &s.TokenCommand)
		}
		var line string
		if err := l.str(s.Name, &line); err != nil {
			return err
		}
		argv, err := SplitCommand(line)
		if err != nil {
			return l.bad(s.Name, "token_command: "+err.Error())
		}
		s.TokenCommand = argv
		return nil
	case "headers":
		if len(l.path) == 3 {
			return l.table(s.Name)
		}
		if len(l.path) > 4 {
			return l.unknown(s.Name, nil)
		}
		var v string
		if err := l.str(s.Name, &v); err != nil {
			return err
		}
		if s.Headers == nil {
			s.Headers = make(map[string]string)
		}
		s.Headers[l.path[3]] = v
		return nil
	case "timeouts":
		if len(l.path) == 3 {
			return l.table(s.Name)
		}
		var v string
		field := s.Timeouts.field(l.path[3])
		if field == nil || len(l.path) > 4 {
			return l.unknown(s.Name, timeoutKeys())
		}
		if err := l.str(s.Name, &v); err != nil {
			return err
		}
		dur, err := ParseTimeout(v)
		if err != nil {
			return l.bad(s.Name, "timeouts."+l.path[3]+" "+err.Error())
		}
		*field = dur
		return nil
	}
	return l.unknown(s.Name, entryKeys())
}

// Set gives one phase its limit, by its name in config.toml, and reports
// whether there is such a phase.
func (t *Timeouts) Set(phase string, limit time.Duration) bool {
	field := t.field(phase)
	if field != nil {
		*field = limit
	}
	return field != nil
}

func (t *Timeouts) field(key string) *time.Duration {
	switch key {
	case "connect":
		return &t.Connect
	case "tls":
		return &t.TLS
	case "response":
		return &t.Response
	case "probe":
		return &t.Probe
	case "initialize":
		return &t.Initialize
	case "retry":
		return &t.Retry
	}
	return nil
}

// ParseTimeout reads a time such as "15s" or "2m", or "none" for no limit
// (negative), as it is written in config.toml and in flags.
func ParseTimeout(v string) (time.Duration, error) {
	if v == "none" {
		return -1, nil
	}
	dur, err := time.ParseDuration(v)
	if err != nil || dur <= 0 || dur > 24*time.Hour {
		return 0, fmt.Errorf(`must be a time such as "15s" or "2m", or "none"`)
	}
	return dur, nil
}

func (l leaf) str(server string, to *string) error {
	if l.kind != unstable.String {
		return l.bad(server, l.path[len(l.path)-1]+" must be text in quotes")
	}
	*to = l.text
	return nil
}

func (l leaf) boolean(server string, to *bool) error {
	if l.kind != unstable.Bool {
		return l.bad(server, l.path[2]+" must be true or false")
	}
	*to = l.text == "true"
	return nil
}

func (l leaf) strings(server string, to *[]string) error {
	if l.kind != unstable.Array || l.list == nil {
		return l.bad(server, l.path[2]+` must be a list of texts, ["…", "…"]`)
	}
	if len(l.list) > 0 {
		*to = l.list
	}
	return nil
}

func (l leaf) table(server string) error {
	if l.kind != unstable.Table {
		return l.bad(server, l.path[2]+" must be a table, { name = \"value\" }")
	}
	return nil
}

func (l leaf) key() string {
	if len(l.path) > 2 && l.path[0] == "servers" {
		return l.path[2]
	}
	return l.path[0]
}

func (l leaf) bad(server, detail string) *Error {
	return &Error{Line: l.line, Problem: BadValue, Server: server, Key: sanitizeName(l.key()), Detail: detail}
}

func (l leaf) unknown(server string, known []string) *Error {
	key := sanitizeName(l.path[len(l.path)-1])
	e := &Error{Line: l.line, Problem: UnknownKey, Server: server, Key: key, Detail: fmt.Sprintf("unknown key %q", key)}
	if len(known) > 0 {
		e.Advice = "known here are " + strings.Join(known, ", ")
	}
	return e
}

// refuseSecret returns an Error when the leaf holds a secret or hopes for the
// expansion of a variable.
func (l leaf) refuseSecret() error {
	server := ""
	if len(l.path) > 1 && l.path[0] == "servers" && ValidName(l.path[1]) {
		server = l.path[1]
	}
	last := l.path[len(l.path)-1]
	values := l.list
	if l.kind == unstable.String {
		values = []string{l.text}
	}
	if len(values) == 0 {
		return nil
	}
	inHeaders := len(l.path) == 4 && l.path[2] == "headers"
	if inHeaders && secretHeader(last) {
		return secretError(server, l.key(), l.line, "the header "+sanitizeName(last)+" carries a secret")
	}
	for _, part := range l.path {
		if looksSecret(part) {
			return secretError(server, "", l.line, "this line holds a secret")
		}
	}
	known := len(l.path) == 3 && l.path[0] == "servers" && Server{}.knows(last)
	if !inHeaders && !known && secretWord(last) {
		return secretError(server, sanitizeName(last), l.line, sanitizeName(last)+" is a secret")
	}
	for _, v := range values {
		if last == "url" {
			if where := SecretInURL(v); where != "" {
				return secretError(server, "url", l.line, "the URL holds a secret: "+where)
			}
		} else if looksSecret(v) || inHeaders && looksRandom(v) {
			return secretError(server, sanitizeName(l.key()), l.line, sanitizeName(l.key())+" holds a secret")
		}
		if strings.Contains(v, "${") {
			e := l.bad(server, "${…} is not expanded here")
			e.Problem = Expansion
			e.Advice = "for a token, set the variable " + envOrExample(server) + " or use token_command"
			return e
		}
	}
	return nil
}

func (Server) knows(key string) bool {
	for _, k := range entryKeys() {
		if k == key {
			return true
		}
	}
	return false
}

func envOrExample(server string) string {
	if server == "" {
		return "BRIDGE_TOKEN_NAME"
	}
	return EnvName(server)
}

func secretError(server, key string, line int, detail string) *Error {
	name := server
	if name == "" {
		name = "NAME"
	}
	return &Error{
		Line: line, Problem: SecretInside, Server: server, Key: key, Detail: detail + ", and this file is no place for secrets",
		Advice: "delete it from the file, then run: bridge login " + name,
	}
}
