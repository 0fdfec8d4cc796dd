package dialect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	word    kind = iota // a name or keyword
	number              // 12, 1.5
	quoted              // '…'
	open                // ' without its end: it swallows the rest
	comment             // the start of one, -- or /*
	punct               // any other single character
)

type token struct {
	kind       kind
	start, end int // in the normalised text
}

// source is one statement: its text with single spaces, and its tokens.
type source struct {
	raw  string // as the caller wrote it
	text string
	toks []token
}

// Split cuts a batch at its semicolons. It returns at least one statement.
// The parts can be handed to Parse.
func Split(sql string) ([]Part, error) {
	if strings.ContainsRune(sql, 0) {
		return nil, errorf("sql must not contain NUL characters")
	}
	sql = strings.TrimSpace(sql)
	if sql == "" {
		return nil, errorf("sql must not be empty")
	}
	var parts []Part
	l := lexer{in: sql}
	for l.pos < len(sql) {
		s := l.statement()
		if len(s.toks) == 0 {
			if l.ended {
				return nil, errorf("SQL batch contains an empty statement")
			}
			break // white space after the last semicolon
		}
		parts = append(parts, Part{s})
	}
	return parts, nil
}

// Part is one statement of a batch, not yet parsed.
type Part struct{ s source }

// Text is the statement as the caller wrote it, trimmed.
func (p Part) Text() string { return p.s.raw }

type lexer struct {
	in    string
	pos   int
	ended bool // the statement just read had a semicolon
}

// statement reads to the next semicolon outside parentheses.
func (l *lexer) statement() source {
	var s source
	var text strings.Builder
	begin := l.pos
	depth := 0
	l.ended = false
	for l.pos < len(l.in) {
		r, size := utf8.DecodeRuneInString(l.in[l.pos:])
		if unicode.IsSpace(r) || r == '\ufeff' {
			l.pos += size
			continue
		}
		if r == ';' && depth == 0 {
			l.ended = true
			break
		}
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		k, n := l.next(r, size)
		if text.Len() > 0 && l.pos > begin && gap(l.in, l.pos) {
			text.WriteByte(' ')
		}
		at := text.Len()
		text.WriteString(l.in[l.pos : l.pos+n])
		s.toks = append(s.toks, token{k, at, text.Len()})
		l.pos += n
	}
	s.raw = strings.TrimSpace(l.in[begin:l.pos])
	if l.ended {
		l.pos++
	}
	s.text = text.String()
	return s
}

// gap says whether white space stands before pos.
func gap(in string, pos int) bool {
	r, _ := utf8.DecodeLastRuneInString(in[:pos])
	return unicode.IsSpace(r) || r == '\ufeff'
}

// next gives the kind and length of the token at l.pos, which starts with r.
func (l *lexer) next(r rune, size int) (kind, int) {
	rest := l.in[l.pos:]
	switch {
	case r == '\'':
		for i := 1; i < len(rest); i++ {
			if rest[i] != '\'' {
				continue
			}
			if i+1 < len(rest) && rest[i+1] == '\'' {
				i++
				continue
			}
			return quoted, i + 1
		}
		return open, len(rest)
	case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "/*"):
		return comment, 2
	case letter(r):
		n := 1
		for n < len(rest) && (letter(rune(rest[n])) || digit(rest[n])) {
			n++
		}
		return word, n
	case digit(rest[0]):
		n := 1
		for n < len(rest) && digit(rest[n]) {
			n++
		}
		if n+1 < len(rest) && rest[n] == '.' && digit(rest[n+1]) {
			for n++; n < len(rest) && digit(rest[n]); n++ {
			}
		}
		return number, n
	}
	return punct, size
}

func letter(r rune) bool { return r == '_' || 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 }
func digit(b byte) bool  { return '0' <= b && b <= '9' }
