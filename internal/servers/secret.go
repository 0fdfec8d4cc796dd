package servers

import (
	"net/url"
	"strings"
)

// secretHeader reports whether a header of that name carries a credential
// whatever its value is.
func secretHeader(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "authorization", "proxy-authorization", "cookie", "set-cookie":
		return true
	}
	return secretWord(name)
}

// secretWord reports whether the name of a header, a parameter or a key says
// that its value is a secret.
func secretWord(name string) bool {
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
	switch name {
	case "key", "auth", "code", "sig", "jwt", "pat", "bearer":
		return true
	}
	for _, word := range []string{"token", "secret", "password", "passwd", "apikey", "accesskey", "credential", "signature"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// looksSecret reports whether a value has the form of a credential: a scheme
// and its token, a JWT, or a token that says by its prefix whose it is.
func looksSecret(v string) bool {
	low := strings.ToLower(strings.TrimSpace(v))
	for _, scheme := range []string{"bearer ", "basic ", "apikey ", "token "} {
		if rest, ok := strings.CutPrefix(low, scheme); ok && len(strings.TrimSpace(rest)) > 0 {
			return true
		}
	}
	return holdsToken(v)
}

// holdsToken reports whether a JWT or a token with a telling prefix stands
// anywhere in v.
func holdsToken(v string) bool {
	for _, word := range strings.FieldsFunc(v, func(r rune) bool { return !tokenRune(r) && r != '.' }) {
		if strings.HasPrefix(word, "eyJ") && strings.Count(word, ".") >= 2 {
			return true
		}
		for _, part := range strings.Split(word, ".") {
			if knownPrefix(part) {
				return true
			}
		}
	}
	return false
}

// TokenPrefixes are what tokens of the services we know begin with: static ones
// and those of a sign-in.
func TokenPrefixes() []string { return []string{"pc_", "fca_", "fco_", "fcr_"} }

func knownPrefix(word string) bool {
	for _, p := range append(TokenPrefixes(),
		"ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "sk-", "sk_live_", "xoxb-", "xoxp-", "lin_api_", "ntn_",
	) {
		if rest, ok := strings.CutPrefix(word, p); ok && len(rest) >= 12 && mixed(rest) {
			return true
		}
	}
	return false
}

// looksRandom reports whether a value is long and unreadable enough to be a
// key that no prefix gives away. A UUID is not: those are names of things.
func looksRandom(v string) bool {
	for _, word := range strings.FieldsFunc(v, func(r rune) bool { return !tokenRune(r) }) {
		if len(word) >= 32 && mixed(word) && !isUUID(word) {
			return true
		}
	}
	return false
}

func tokenRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '+' || r == '='
}

// mixed reports whether s has digits as well as letters, as made tokens have
// and words have not. Very long runs of letters count too.
func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") || len(s) >= 40 && !strings.ContainsAny(s, "-_")
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
				return false
			}
		}
	}
	return true
}

// SecretInURL returns where in a URL a secret was put ("user info", "the
// parameter access_token"), or "" when none is seen. The answer holds nothing
// of the secret.
func SecretInURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		if looksSecret(raw) {
			return "it"
		}
		return ""
	}
	if u.User != nil {
		return "user info"
	}
	for _, pair := range strings.Split(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if n, err := url.QueryUnescape(name); err == nil {
			name = n
		}
		if v, err := url.QueryUnescape(value); err == nil {
			value = v
		}
		if value != "" && secretWord(name) {
			return "the parameter " + sanitizeName(name)
		}
		if looksSecret(value) || looksRandom(value) {
			return "a parameter"
		}
	}
	if looksSecret(u.Path) || looksSecret(u.Host) || looksSecret(u.Fragment) {
		return "it"
	}
	return ""
}

// sanitizeName keeps of a name what is safe to show: a name can be pasted
// wrongly too.
func sanitizeName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if tokenRune(r) || r == '.' {
			return r
		}
		return '?'
	}, name)
	if len(clean) > 40 || looksSecret(clean) {
		return "with a long name"
	}
	return clean
}
