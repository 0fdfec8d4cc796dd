package auth

import "strings"

// A Challenge is one challenge of a WWW-Authenticate header (RFC 9110
// §11.6.1). Scheme and the names in Params are in lower case; of a parameter
// given twice the first counts.
type Challenge struct {
	Scheme string
	Params map[string]string
}

// maxChallenge bounds what is read of one header value, in bytes.
const maxChallenge = 16 << 10

// ParseChallenges reads the values of all WWW-Authenticate headers of a
// response. A value may hold several challenges, and what separates them also
// separates their parameters. What cannot be read ends its own value only.
func ParseChallenges(values []string) []Challenge {
	var out []Challenge
	for _, v := range values {
		if len(v) > maxChallenge {
			v = v[:maxChallenge]
		}
		out = appendChallenges(out, v)
	}
	return out
}

func appendChallenges(out []Challenge, s string) []Challenge {
	current := -1
	for {
		s = strings.TrimLeft(s, " \t,")
		if s == "" {
			return out
		}
		word, rest := token(s)
		if word == "" {
			return out
		}
		if value, after, ok := parameter(rest); ok && current >= 0 {
			name := strings.ToLower(word)
			if _, twice := out[current].Params[name]; !twice {
				out[current].Params[name] = value
			}
			s = after
			continue
		}
		// A word that is followed by no value begins a challenge.
		out = append(out, Challenge{Scheme: strings.ToLower(word), Params: map[string]string{}})
		current = len(out) - 1
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != ',' {
			return out
		}
		s = skipToken68(strings.TrimLeft(rest, " \t"))
	}
}

// token reads a token of RFC 9110 §5.6.2.
func token(s string) (word, rest string) {
	i := 0
	for i < len(s) && isTokenChar(s[i]) {
		i++
	}
	return s[:i], s[i:]
}

func isTokenChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// parameter reads what follows a parameter's name: "=" with blanks around it,
// and a token or a quoted string.
func parameter(s string) (value, rest string, ok bool) {
	s = strings.TrimLeft(s, " \t")
	if s == "" || s[0] != '=' {
		return "", s, false
	}
	s = strings.TrimLeft(s[1:], " \t")
	if s == "" || s[0] != '"' {
		// Unquoted URLs are not allowed, and are sent all the same.
		i := strings.IndexAny(s, ", \t")
		if i < 0 {
			i = len(s)
		}
		return s[:i], s[i:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		case '"':
			return b.String(), s[i+1:], true
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), "", true // not closed: what there is of it
}

// skipToken68 skips credentials that some schemes have in place of parameters,
// as in "Negotiate TlRMTVNT=".
func skipToken68(s string) string {
	i := 0
	for i < len(s) && (isTokenChar(s[i]) || s[i] == '/') {
		i++
	}
	end := i
	for end < len(s) && s[end] == '=' {
		end++
	}
	after := strings.TrimLeft(s[end:], " \t")
	if i > 0 && (after == "" || after[0] == ',') && (end > i || strings.IndexByte(s[:i], '/') >= 0) {
		return after
	}
	return s
}

// bearer picks the Bearer challenge that says most.
func bearer(list []Challenge) Challenge {
	var best Challenge
	for _, c := range list {
		if c.Scheme != "bearer" {
			continue
		}
		if best.Scheme == "" || best.Params["resource_metadata"] == "" && c.Params["resource_metadata"] != "" {
			best = c
		}
	}
	return best
}
