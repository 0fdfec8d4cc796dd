package blocks

import (
	"net/url"
	"strings"
	"unicode"
)

// canonHref returns a link target in the form that stands between ( and ), and
// whether it is one this package keeps. A target that is empty, too long, or
// of a scheme other than http, https and mailto is not.
func canonHref(s string) (string, bool) {
	if s == "" || len(s) > maxHref {
		return "", false
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	balanced := parensBalanced(s)
	var b strings.Builder
	for _, r := range s {
		paren := r == '(' || r == ')'
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>\\\"`", r) || paren && !balanced:
			b.WriteString(url.PathEscape(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	out := b.String()
	if len(out) > maxHref || !schemeAllowed(out) {
		return "", false
	}
	return out, true
}

// maxParens bounds how deep parentheses nest in a target, so that looking for
// the end of one stays cheap.
const maxParens = 4

func parensBalanced(s string) bool {
	n := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			if n++; n > maxParens {
				return false
			}
		case ')':
			if n--; n < 0 {
				return false
			}
		}
	}
	return n == 0
}

func schemeAllowed(s string) bool {
	i := strings.IndexAny(s, ":/?#")
	if i < 0 || s[i] != ':' {
		return true
	}
	switch strings.ToLower(s[:i]) {
	case "http", "https", "mailto":
		return true
	}
	return false
}
