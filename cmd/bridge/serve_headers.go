package main

import (
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"strings"

	"bridge/internal/say"
)

// A header is what --header said. The value may be a secret: it is in no
// error, and formatting a header shows the name only.
type header struct {
	name  string
	value string
}

func (h header) String() string   { return h.name }
func (h header) GoString() string { return h.name }

// rejoin puts together what a client's shell has split: some clients pass
// their arguments through one, so that "Authorization: Bearer x" arrives as
// three. It returns the header and how many words it took.
//
//	Authorization: Bearer x       the name alone: the value follows
//	Authorization:Bearer x        a scheme alone: the credential follows
//	"Authorization: Bearer x"     quotes that were split as well
func rejoin(words []string) (string, int) {
	if len(words) == 0 {
		return "", 0
	}
	text, used := words[0], 1
	next := func() (string, bool) {
		if used == len(words) || strings.HasPrefix(words[used], "--") || strings.Contains(words[used], "://") {
			return "", false
		}
		used++
		return words[used-1], true
	}
	if quote := leadingQuote(text); quote != 0 {
		for !closes(text, quote) {
			word, ok := next()
			if !ok {
				break
			}
			text += " " + word
		}
		return strings.Trim(text, string(quote)), used
	}
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return text, used
	}
	if strings.TrimSpace(value) == "" {
		word, ok := next()
		if !ok {
			return text, used
		}
		value = word
		text = name + ": " + word
	}
	if isScheme(strings.TrimSpace(value)) {
		if word, ok := next(); ok {
			text += " " + word
		}
	}
	return text, used
}

func leadingQuote(s string) byte {
	if len(s) > 0 && (s[0] == '"' || s[0] == '\'') {
		return s[0]
	}
	return 0
}

func closes(s string, quote byte) bool { return len(s) > 1 && s[len(s)-1] == quote }

// isScheme knows the authentication schemes that are written before a
// credential.
func isScheme(word string) bool {
	switch strings.ToLower(word) {
	case "bearer", "basic", "token", "apikey", "api-key", "digest", "negotiate":
		return true
	}
	return false
}

// parseHeader checks what can be checked without the environment. Its errors
// name the header, never the value.
func parseHeader(text string) (header, error) {
	name, value, ok := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if !ok {
		return header{}, usage(say.T("a --header has no colon between name and value")).
			hint(say.T("write it as in --header \"X-Api-Key: ${KEY}\""))
	}
	if !isToken(name) {
		return header{}, usage(say.T("a --header has an invalid name")).
			hint(say.T("write it as in --header \"X-Api-Key: ${KEY}\""))
	}
	return header{textproto.CanonicalMIMEHeaderKey(name), strings.TrimSpace(value)}, nil
}

// isToken is RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// readHeaderFile reads a file of mcp-remote's --header-file.
func readHeaderFile(path string) ([]header, error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, fail(exitUsage, say.T("cannot read the headers in %q: %s", path, plainError(err))).because(err)
	}
	var headers []header
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		h, err := parseHeader(line)
		if err != nil {
			return nil, usage(say.T("line %d of %q is not a header", n+1, path)).
				hint(say.T("one header a line, as in X-Api-Key: ${KEY}"))
		}
		headers = append(headers, h)
	}
	return headers, nil
}

// httpHeader fills in the variables and checks the outcome.
func httpHeader(headers []header, getenv func(string) (string, bool)) (http.Header, error) {
	out := http.Header{}
	for _, h := range headers {
		value, err := expand(h, getenv)
		if err != nil {
			return nil, err
		}
		value = strings.TrimSpace(value)
		for i := range len(value) {
			if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
				return nil, usage(say.T("the header %q has a line break or another control character in its value", h.name))
			}
		}
		if h.name == "Authorization" && (value == "" || isScheme(value)) {
			return nil, usage(say.T("the Authorization header has no value")).
				hint(say.T("put quotes around it, or leave it out and set BRIDGE_TOKEN: some clients split arguments at blanks"))
		}
		out.Set(h.name, value)
	}
	return out, nil
}

// expand replaces ${NAME}, and ${env:NAME} as some clients write it, by the
// environment's value. What was put in is not looked at again.
func expand(h header, getenv func(string) (string, bool)) (string, error) {
	var b strings.Builder
	rest := h.value
	for {
		before, after, found := strings.Cut(rest, "${")
		name, tail, closed := strings.Cut(after, "}")
		name = strings.TrimPrefix(name, "env:")
		if !found || !closed {
			b.WriteString(rest)
			return b.String(), nil
		}
		b.WriteString(before)
		if !isVariable(name) {
			b.WriteString("${")
			rest = after
			continue
		}
		value, set := getenv(name)
		if !set {
			return "", usage(say.T("the header %q needs the variable %s, which is not set", h.name, name)).
				hint(say.T("set %s in the env of the client's config, or in the shell", name))
		}
		b.WriteString(value)
		rest = tail
	}
}

func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// envToken is BRIDGE_TOKEN, or what BRIDGE_TOKEN_FILE names, or "".
func envToken(getenv func(string) (string, bool)) (string, error) {
	if raw, ok := getenv("BRIDGE_TOKEN"); ok && raw != "" {
		return cleanToken(raw, "BRIDGE_TOKEN")
	}
	path, _ := getenv("BRIDGE_TOKEN_FILE")
	if path == "" {
		return "", nil
	}
	raw, err := readSmall(path)
	if err != nil {
		return "", fail(exitSignIn, say.T("cannot read the token in %q: %s", path, plainError(err))).
			hint(say.T("BRIDGE_TOKEN_FILE has to name a file that you may read")).because(err)
	}
	return cleanToken(raw, "BRIDGE_TOKEN_FILE")
}

// cleanToken takes off what people paste along with a token: blanks, quotes
// (typographic ones too, of web pages and chats), marks that cannot be seen (of
// Windows' editors and shells, too), a leading Authorization: or Bearer. from
// names where it came from, for errors.
func cleanToken(raw, from string) (string, error) {
	token := strings.TrimSpace(raw)
	for {
		before := token
		if q := leadingQuote(token); q != 0 && closes(token, q) {
			token = token[1 : len(token)-1]
		}
		token = strings.Trim(token, "\ufeff\u200b\u200c\u200d\u2060\u201c\u201d\u2018\u2019\u00ab\u00bb")
		if name, rest, ok := strings.Cut(token, ":"); ok && strings.EqualFold(name, "authorization") {
			token = rest
		}
		if len(token) >= 6 && strings.EqualFold(token[:6], "bearer") && (len(token) == 6 || token[6] == ' ' || token[6] == '\t') {
			token = token[6:]
		}
		if token = strings.TrimSpace(token); token == before {
			break
		}
	}
	if token == "" {
		return "", fail(exitSignIn, say.T("%s contains no token", from))
	}
	for i := range len(token) {
		if c := token[i]; c <= ' ' || c >= 0x7f {
			return "", fail(exitSignIn, say.T("the token in %s contains blanks, line breaks or other characters that no token has", from)).
				hint(say.T("copy the token again, all of it and nothing else"))
		}
	}
	return token, nil
}

// readSmall reads a file that has no reason to be large.
func readSmall(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s", say.T("it is larger than 1 MiB"))
	}
	return string(text), err
}
