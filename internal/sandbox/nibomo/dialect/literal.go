package dialect

import (
	"strconv"
	"strings"
)

// unquote takes the quotes off a string token.
func unquote(s string) string { return strings.ReplaceAll(s[1:len(s)-1], "''", "'") }

// literal reads a single value: string, int64, float64, bool or nil.
func literal(p span) (any, error) {
	if p.len() == 1 {
		switch p.tok(0).kind {
		case quoted:
			return unquote(p.str(0)), nil
		case number:
			return numeral(p.str(0))
		case word:
			switch strings.ToUpper(p.str(0)) {
			case "NULL":
				return nil, nil
			case "TRUE":
				return true, nil
			case "FALSE":
				return false, nil
			}
		}
	}
	if p.len() == 2 && p.is(0, "-") && p.tok(1).kind == number && !p.spaced(1) {
		return numeral("-" + p.str(1))
	}
	t := p.text()
	if len(t) > 1 && t[0] == '\'' && t[len(t)-1] == '\'' {
		// 'it's' : a stray quote inside. The service takes it as one string.
		return unquote(t), nil
	}
	return nil, errorf("Unsupported literal: %s", t)
}

func numeral(s string) (any, error) {
	if !strings.Contains(s, ".") {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, errorf("Unsupported literal: %s", s)
	}
	return f, nil
}

// value is a literal or NOW().
func value(p span) (any, error) {
	if p.len() == 3 && p.is(0, "NOW") && p.is(1, "(") && p.is(2, ")") {
		return Now{}, nil
	}
	if err := noSubquery(p); err != nil {
		return nil, err
	}
	return literal(p)
}

// list reads ('a','b'), (), ARRAY['a'], ['a'], '{a,b}' and {a,b}.
func list(p span, column string) ([]string, error) {
	whole := p.text()
	if p.len() == 1 && p.tok(0).kind == quoted && strings.HasPrefix(whole, "'{") && strings.HasSuffix(whole, "}'") {
		return braces(unquote(whole), column, whole)
	}
	if p.len() >= 2 && p.is(0, "{") && p.is(p.len()-1, "}") {
		return braces(whole, column, whole)
	}
	q := p
	if q.is(0, "ARRAY") && q.is(1, "[") {
		q = q.sub(1, q.len())
	}
	if q.len() < 2 || !(q.is(0, "(") && q.is(q.len()-1, ")") && q.from == p.from || q.is(0, "[") && q.is(q.len()-1, "]")) {
		return nil, errorf(`Array column "%s" expects a parenthesized list like ('tag1','tag2'), or () for an empty list. Got: %s`, column, whole)
	}
	out := []string{}
	for _, item := range q.sub(1, q.len()-1).split(",") {
		v, err := literal(item)
		if err != nil {
			return nil, err
		}
		s, ok := v.(string)
		if !ok {
			return nil, errorf(`Array column "%s" accepts only quoted string literals, e.g. ('a','b'). Got: %s`, column, whole)
		}
		out = append(out, s)
	}
	return out, nil
}

// braces reads the inside of a PostgreSQL array, {a,"b, c"}.
func braces(s, column, whole string) ([]string, error) {
	s = strings.TrimSpace(s[1 : len(s)-1])
	out := []string{}
	if s == "" {
		return out, nil
	}
	bad := errorf(`Array column "%s" accepts only string elements, e.g. {a,b} or {"a","b"}. Got: %s`, column, whole)
	for s != "" {
		var item string
		if s[0] == '"' {
			end := 1
			for end < len(s) && s[end] != '"' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(s) {
				return nil, bad
			}
			item = strings.ReplaceAll(s[1:end], `\"`, `"`)
			s = strings.TrimSpace(s[end+1:])
			if s != "" && s[0] != ',' {
				return nil, bad
			}
		} else {
			end := strings.IndexByte(s, ',')
			if end < 0 {
				end = len(s)
			}
			item = strings.TrimSpace(s[:end])
			if item == "" || strings.Contains(item, `"`) {
				return nil, bad
			}
			s = s[end:]
		}
		out = append(out, item)
		if s != "" {
			if s = strings.TrimSpace(s[1:]); s == "" {
				return nil, bad // a comma with nothing after it
			}
		}
	}
	return out, nil
}

func noSubquery(p span) error {
	for i := 0; i+1 < p.len(); i++ {
		if p.is(i, "(") && p.is(i+1, "SELECT") {
			return unsupported("Sub-queries are not supported")
		}
	}
	return nil
}
