package blocks

import "strings"

// The predicates of this file look at one line without its leading blanks.
// The parser reads blocks with them and the renderer asks them what it must
// escape, so the two cannot disagree.

const (
	tabStop = 4
	// maxStart leaves room for every item's number to stay within nine digits.
	maxStart = 900_000_000
)

// columns returns how far a line is indented.
func columns(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += tabStop - n%tabStop
		default:
			return n
		}
	}
	return n
}

// dedent takes up to n columns of blanks from the start of line. A tab that
// reaches past n leaves spaces behind.
func dedent(line string, n int) string {
	col, i := 0, 0
	for i < len(line) && col < n && (line[i] == ' ' || line[i] == '\t') {
		if line[i] == ' ' {
			col++
		} else {
			col += tabStop - col%tabStop
		}
		i++
	}
	if col > n {
		return strings.Repeat(" ", col-n) + line[i:]
	}
	return line[i:]
}

func trimLeft(s string) string { return strings.TrimLeft(s, " \t") }
func trim(s string) string     { return strings.Trim(s, " \t") }

// isRule reports three or more of one of - * _ and nothing else but blanks.
func isRule(s string) bool {
	if s == "" || !strings.Contains("-*_", s[:1]) {
		return false
	}
	n := 0
	for i := range len(s) {
		switch s[i] {
		case s[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// heading returns the level and text of an ATX heading. Levels past the third,
// which the editor lacks, become the third.
func heading(s string) (level int, text string, ok bool) {
	for level < len(s) && s[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level < len(s) && !blank(rune(s[level])) {
		return 0, "", false
	}
	return min(level, 3), trim(s[level:]), true
}

// fence is the opening line of fenced code.
type fence struct {
	char byte
	n    int
	lang string
}

func fenceOpen(s string) (fence, bool) {
	if !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return fence{}, false
	}
	f := fence{char: s[0]}
	for f.n < len(s) && s[f.n] == f.char {
		f.n++
	}
	info := s[f.n:]
	if f.char == '`' && strings.Contains(info, "`") {
		return fence{}, false // a code span that starts the line
	}
	f.lang = canonLang(info)
	return f, true
}

func (f fence) closedBy(s string) bool {
	n := 0
	for n < len(s) && s[n] == f.char {
		n++
	}
	return n >= f.n && trim(s[n:]) == ""
}

// marker is the start of a list item.
type marker struct {
	char   byte // - * + or the . ) after a number: lists with different ones are different lists
	number int
	width  int    // of the marker with the blanks that belong to it
	rest   string // what follows on the line
	at     int    // where char stands
}

func itemMarker(s string) (marker, bool) {
	var m marker
	if s == "" {
		return m, false
	}
	switch c := s[0]; {
	case c == '-' || c == '*' || c == '+':
	case '0' <= c && c <= '9':
		for m.at < len(s) && '0' <= s[m.at] && s[m.at] <= '9' {
			if m.at == 9 {
				return m, false
			}
			m.number = m.number*10 + int(s[m.at]-'0')
			m.at++
		}
		if m.at == len(s) || s[m.at] != '.' && s[m.at] != ')' {
			return m, false
		}
	default:
		return m, false
	}
	m.char = s[m.at]
	after := s[m.at+1:]
	if after != "" && !blank(rune(after[0])) {
		return m, false
	}
	m.rest = trimLeft(after)
	gap := len(after) - len(m.rest)
	if gap < 1 || gap > tabStop || m.rest == "" {
		gap = 1
	}
	m.width = m.at + 1 + gap
	return m, true
}

func (m marker) ordered() bool { return m.char == '.' || m.char == ')' }

// interrupts reports whether a line ends the paragraph before it. A number
// other than 1 does not, or "in the year\n1998. It" would become a list.
func interrupts(s string, containers bool) bool {
	if startsLeaf(s) {
		return true
	}
	if !containers {
		return false
	}
	if s != "" && s[0] == '>' {
		return true
	}
	m, ok := itemMarker(s)
	return ok && m.rest != "" && (!m.ordered() || m.number == 1)
}

func startsLeaf(s string) bool {
	if isRule(s) {
		return true
	}
	if _, _, ok := heading(s); ok {
		return true
	}
	_, ok := fenceOpen(s)
	return ok
}

// escapeLine puts a backslash into a line of a paragraph that would otherwise
// be read as the start of some block, here or behind an item's marker.
func escapeLine(s string) string {
	if m, ok := itemMarker(s); ok && m.ordered() {
		return s[:m.at] + `\` + s[m.at:]
	} else if ok || startsLeaf(s) || strings.HasPrefix(s, ">") || strings.Trim(s, "- \t") == "" {
		return `\` + s
	}
	return s
}
