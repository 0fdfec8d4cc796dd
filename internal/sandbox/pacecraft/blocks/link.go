package blocks

import "strings"

// link reads the [text](target) at i: the target, where ] stands and where the
// rest starts. The text may hold code, but no other bracket.
func (l *lexer) link(i int) (href string, end, next int, ok bool) {
	s := l.src
	for end = i + 1; end < len(s); {
		switch s[end] {
		case '\\':
			end++
		case '[':
			return "", 0, 0, false
		case '`':
			n := run(s, end)
			if e, ok := l.codeEnd(end, n); ok {
				end = e
			}
			end += n - 1
		case ']':
			href, next, ok = target(s, end+1)
			return href, end, next, ok && end > i+1
		}
		end++
	}
	return "", 0, 0, false
}

// target reads (url), (<url>) or (url "title") at i. A title is dropped.
func target(s string, i int) (href string, next int, ok bool) {
	if i >= len(s) || s[i] != '(' {
		return "", 0, false
	}
	i++
	var b strings.Builder
	angle := i < len(s) && s[i] == '<'
	if angle {
		i++
	}
	depth := 0
scan:
	for ; i < len(s) && b.Len() <= maxHref; i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && punct(s[i+1]):
			i++
			c = s[i]
		case c == '\n' || c == '<':
			return "", 0, false
		case angle && c == '>':
			i++
			break scan
		case angle:
		case c == ' ' || c == '\t':
			break scan
		case c == '(':
			if depth++; depth > maxParens {
				return "", 0, false
			}
		case c == ')':
			if depth == 0 {
				break scan
			}
			depth--
		}
		b.WriteByte(c)
	}
	i = skipTitle(s, i)
	if i >= len(s) || s[i] != ')' {
		return "", 0, false
	}
	href, ok = canonHref(b.String())
	return href, i + 1, ok
}

func skipTitle(s string, i int) int {
	start := i
	for i < len(s) && blank(rune(s[i])) {
		i++
	}
	if i == start || i >= len(s) || s[i] != '"' {
		return i
	}
	// A title longer than a target may be is no title; it keeps this cheap.
	for j := i + 1; j < len(s) && j < i+maxHref; j++ {
		switch s[j] {
		case '\\':
			j++
		case '\n':
			return i
		case '"':
			for j++; j < len(s) && blank(rune(s[j])); j++ {
			}
			return j
		}
	}
	return i
}
