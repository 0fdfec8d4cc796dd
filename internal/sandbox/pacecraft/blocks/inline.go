package blocks

import (
	"slices"
	"strings"
	"unicode"
)

// The inline grammar has marks that are switched, not brackets that nest: a run
// of one star switches italic, two bold, three both, two tildes strike. A run
// opens a mark only if no white space follows and some later run can close it,
// and closes only if none goes before. So "2 * 3", "5*" and an unpaired "**"
// are text, every change of marks from one letter to the next can be said, and
// reading takes one pass.

type tokenKind uint8

const (
	tText tokenKind = iota
	tCode
	tStars
	tTildes
	tLinkOpen // text is the target
	tLinkClose
)

type token struct {
	kind        tokenKind
	text        string
	open, close bool // tStars, tTildes: what white space around the run allows
}

// has reports whether a run of delimiters has a part that switches m.
func (t token) has(m mark) bool {
	switch t.kind {
	case tStars:
		return m == italic && len(t.text) != 2 || m == bold && len(t.text) >= 2
	case tTildes:
		return m == strike
	}
	return false
}

func parseInline(s string) []Span {
	toks := tokenize(s)
	var last [strike + 1]int // per mark: the last token that could close it
	for i, t := range toks {
		for _, m := range []mark{bold, italic, strike} {
			if t.close && t.has(m) {
				last[m] = i
			}
		}
	}
	var out []Span
	var cur Span
	emit := func(text string, code bool) {
		sp := cur
		sp.Text, sp.Code = text, code
		out = append(out, sp)
	}
	for i, t := range toks {
		switch t.kind {
		case tText:
			emit(t.text, false)
		case tCode:
			emit(t.text, true)
		case tLinkOpen:
			cur.Href = t.text
		case tLinkClose:
			cur.Href = ""
		case tStars:
			if t.has(bold) && !toggle(&cur.Bold, t, i, last[bold]) {
				emit("**", false)
			}
			if t.has(italic) && !toggle(&cur.Italic, t, i, last[italic]) {
				emit("*", false)
			}
		case tTildes:
			if !toggle(&cur.Strike, t, i, last[strike]) {
				emit("~~", false)
			}
		}
	}
	return out
}

// toggle switches on if the run t, the i-th token, may, and reports whether.
func toggle(on *bool, t token, i, last int) bool {
	if *on && t.close || !*on && t.open && i < last {
		*on = !*on
		return true
	}
	return false
}

func tokenize(s string) []token {
	l := lexer{src: s, ticks: tickRuns(s)}
	for l.pos < len(s) {
		l.step()
	}
	l.flush()
	return l.toks
}

type lexer struct {
	src   string
	pos   int
	toks  []token
	text  strings.Builder
	ticks map[int][]int // length of a run of backticks → where such runs start

	linkEnd, linkNext int // while in a link: where its ] stands, and what follows its )
}

func (l *lexer) flush() {
	if l.text.Len() > 0 {
		l.toks = append(l.toks, token{kind: tText, text: l.text.String()})
		l.text.Reset()
	}
}

func (l *lexer) push(t token) {
	l.flush()
	l.toks = append(l.toks, t)
}

func (l *lexer) step() {
	s, i := l.src, l.pos
	if l.linkNext > 0 && i == l.linkEnd {
		l.push(token{kind: tLinkClose})
		l.pos, l.linkNext = l.linkNext, 0
		return
	}
	switch c := s[i]; c {
	case '\\':
		if i+1 < len(s) && (punct(s[i+1]) || s[i+1] == '\n') {
			l.text.WriteByte(s[i+1])
			l.pos += 2
			return
		}
	case '`':
		n := run(s, i)
		if end, ok := l.codeEnd(i, n); ok {
			l.push(token{kind: tCode, text: unpad(s[i+n : end])})
			l.pos = end + n
			return
		}
		l.text.WriteString(s[i : i+n])
		l.pos += n
		return
	case '*', '~':
		n := run(s, i)
		kind, ok := tStars, n <= 3
		if c == '~' {
			kind, ok = tTildes, n == 2
		}
		if ok {
			l.push(token{
				kind: kind, text: s[i : i+n],
				open:  !unicode.IsSpace(firstRune(s[i+n:])),
				close: !unicode.IsSpace(lastRune(s[:i])),
			})
		} else {
			l.text.WriteString(s[i : i+n])
		}
		l.pos += n
		return
	case '[':
		if l.linkNext == 0 {
			if href, end, next, ok := l.link(i); ok {
				l.push(token{kind: tLinkOpen, text: href})
				l.pos, l.linkEnd, l.linkNext = i+1, end, next
				return
			}
		}
	}
	l.text.WriteByte(s[i])
	l.pos++
}

// codeEnd finds the run of n backticks that closes the one at i.
func (l *lexer) codeEnd(i, n int) (int, bool) {
	starts := l.ticks[n]
	k, _ := slices.BinarySearch(starts, i+n)
	if k == len(starts) {
		return 0, false
	}
	return starts[k], true
}

// tickRuns lists the starts of all runs of backticks by their length.
func tickRuns(s string) map[int][]int {
	runs := map[int][]int{}
	for i := strings.IndexByte(s, '`'); i >= 0 && i < len(s); {
		n := run(s, i)
		runs[n] = append(runs[n], i)
		j := strings.IndexByte(s[i+n:], '`')
		if j < 0 {
			break
		}
		i += n + j
	}
	return runs
}

// run returns how often the byte at i is repeated.
func run(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

// unpad takes away the blank on both sides that lets a code span start or end
// with a backtick, or with a blank.
func unpad(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		return s[1 : len(s)-1]
	}
	return s
}

func punct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
