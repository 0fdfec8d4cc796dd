package clients

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// A masker takes secrets out of text that is about to be shown. A diff shows
// the lines of other programs' files, and those hold tokens; which of them are
// secret is told by where they stand and by how they look, and in doubt they
// are. What is left of one is its last four characters.
type masker struct {
	secrets []string // longest first
	safe    []string // not to be taken for one
}

// newMasker knows the secrets of the entries given, and those that the caller
// knows of.
func newMasker(entries []Entry, known, safe []string) *masker {
	var list []string
	add := func(s string) {
		if len(s) >= 6 && !isReference(s) {
			list = append(list, s, strings.Trim(quoteJSON(s), `"`))
		}
	}
	for _, s := range known {
		add(s)
	}
	for _, e := range entries {
		for name, v := range e.Env {
			if ours := slices.Contains(VariableNames(), name); !ours && secretName(name) || strings.Contains(strings.ToLower(name), "header") {
				add(v)
			}
		}
		for _, v := range e.Headers {
			add(credentialIn(v))
		}
		for i, arg := range e.Args {
			name, value, joined := strings.Cut(arg, "=")
			if !joined && i+1 < len(e.Args) {
				value = e.Args[i+1]
			}
			switch low := strings.ToLower(name); {
			case low == "--header" || low == "-h":
				if _, v, ok := strings.Cut(value, ":"); ok {
					add(credentialIn(v))
				}
				// A header that a client's shell would split.
				for _, more := range e.Args[min(i+2, len(e.Args)):] {
					if strings.HasPrefix(more, "-") {
						break
					}
					if !strings.Contains(more, "://") {
						add(credentialIn(more))
					}
				}
			case strings.HasPrefix(name, "-") && secretName(name):
				add(value)
			}
		}
	}
	sort.Slice(list, func(i, j int) bool { return len(list[i]) > len(list[j]) })
	return &masker{secrets: slices.Compact(list), safe: safe}
}

// credentialIn is a header's value without the name of its scheme.
func credentialIn(v string) string {
	v = strings.TrimSpace(v)
	if scheme, rest, ok := strings.Cut(v, " "); ok && len(scheme) <= 9 {
		return strings.TrimSpace(rest)
	}
	return v
}

// isReference reports a value that names a variable instead of being one.
func isReference(v string) bool {
	return strings.HasPrefix(v, "$") || strings.HasPrefix(v, "{env:") || strings.HasPrefix(v, "${")
}

// secretName reports whether the name of a variable, a header, a flag or a
// parameter says that its value is secret.
func secretName(name string) bool {
	low := strings.ToLower(name)
	for _, word := range []string{"token", "secret", "passw", "key", "auth", "credential", "cookie", "bearer", "session", "jwt", "pat", "sig"} {
		if strings.Contains(low, word) && word != "pat" || strings.HasSuffix(low, word) {
			return true
		}
	}
	return false
}

// patterns are compiled on the first use.
var patterns = sync.OnceValue(func() (p struct{ named, param, user, random *regexp.Regexp }) {
	p.named = regexp.MustCompile(`(?i)(["']?[\w.-]*(?:token|secret|passw|key|auth|credential|cookie|bearer|jwt)[\w.-]*["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'{}\[\],]+)`)
	p.param = regexp.MustCompile(`(?i)([?&][\w.-]*(?:token|secret|passw|key|auth|credential|sig|code|jwt)[\w.-]*=)([^&"'\s]+)`)
	p.user = regexp.MustCompile(`(://)([^/@"'\s]+)(@)`)
	p.random = regexp.MustCompile(`[A-Za-z0-9_\-+=~]{20,}(?:\.[A-Za-z0-9_\-+=]+)*`)
	return p
})

// line returns a line without its secrets.
func (m *masker) line(s string) string {
	for _, secret := range m.secrets {
		s = strings.ReplaceAll(s, secret, masked(secret))
	}
	for i, safe := range m.safe {
		s = strings.ReplaceAll(s, safe, hole(i))
	}
	p := patterns()
	s = p.named.ReplaceAllStringFunc(s, func(found string) string {
		parts := p.named.FindStringSubmatch(found)
		value := strings.Trim(parts[2], `"'`)
		if slices.Contains(VariableNames(), strings.Trim(parts[1], "\"' \t:=")) {
			return found
		}
		if strings.HasPrefix(value, "…") || strings.HasPrefix(value, "\x00") || isReference(credentialIn(value)) || value == "true" || value == "false" || value == "null" || len(value) < 4 || strings.EqualFold(value, "bearer") {
			return found
		}
		quote := ""
		if c := parts[2][0]; c == '"' || c == '\'' {
			quote = string(c)
		}
		return parts[1] + quote + masked(value) + quote
	})
	s = p.param.ReplaceAllStringFunc(s, func(found string) string {
		parts := p.param.FindStringSubmatch(found)
		if strings.HasPrefix(parts[2], "…") || isReference(parts[2]) {
			return found
		}
		return parts[1] + masked(parts[2])
	})
	s = p.user.ReplaceAllString(s, "$1…$3")
	s = p.random.ReplaceAllStringFunc(s, func(found string) string {
		if !strings.ContainsAny(found, "0123456789") || strings.Trim(found, "0123456789") == "" {
			return found
		}
		return masked(found)
	})
	for i, safe := range m.safe {
		s = strings.ReplaceAll(s, hole(i), safe)
	}
	return s
}

func hole(i int) string { return "\x00" + strconv.Itoa(i) + "\x00" }

// masked is what is shown of a secret.
func masked(secret string) string {
	if len(secret) < 12 {
		return "…"
	}
	return "…" + strings.ToValidUTF8(secret[len(secret)-4:], "")
}
