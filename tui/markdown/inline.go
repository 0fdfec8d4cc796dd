package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A piece is a run of inline text.
type piece struct {
	text  string
	look  Look
	url   string
	image bool
}

// inline reads emphasis, code, links, images, formulas and escapes. It goes
// through the text once; what it looks ahead for is found or remembered as
// missing, so that the time taken grows with the length only.
func inline(text string) []piece {
	p := inliner{text: text, missing: map[string]bool{}}
	p.run()
	return p.out
}

type inliner struct {
	text    string
	at      int
	plain   strings.Builder
	look    Look
	out     []piece
	missing map[string]bool // closers that do not come any more
}

func (p *inliner) flush() {
	if p.plain.Len() > 0 {
		p.out = append(p.out, piece{text: p.plain.String(), look: p.look})
		p.plain.Reset()
	}
}

func (p *inliner) emit(x piece) {
	p.flush()
	x.look |= p.look
	p.out = append(p.out, x)
}

func (p *inliner) run() {
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == '\\' && p.at+1 < len(p.text) && strings.IndexByte("\\`*_{}[]()#+-.!|~$<>\n", p.text[p.at+1]) >= 0:
			p.plain.WriteByte(p.text[p.at+1])
			p.at += 2
		case c == '`' && p.code(), c == '$' && p.math(), c == '!' && p.image(), c == '[' && p.link(), c == '<' && p.auto(),
			c == 'h' && p.bare(), (c == '*' || c == '_' || c == '~') && p.emphasis(c):
		default:
			p.plain.WriteByte(c)
			p.at++
		}
	}
	p.flush()
}

// find looks for a closer after from. Once one was not found, it is not there
// further on either.
func (p *inliner) find(from int, closer string) int {
	if p.missing[closer] || from > len(p.text) {
		return -1
	}
	i := strings.Index(p.text[from:], closer)
	if i < 0 {
		p.missing[closer] = true
		return -1
	}
	return from + i
}

func (p *inliner) code() bool {
	n := 1
	for p.at+n < len(p.text) && p.text[p.at+n] == '`' {
		n++
	}
	ticks := p.text[p.at : p.at+n]
	end := p.find(p.at+n, ticks)
	if end < 0 {
		p.plain.WriteString(ticks)
		p.at += n
		return true
	}
	text := strings.ReplaceAll(p.text[p.at+n:end], "\n", " ")
	if t := strings.TrimSpace(text); t != "" {
		text = t
	}
	p.emit(piece{text: text, look: Code})
	p.at = end + n
	return true
}

// math reads $…$ as the service does: no blank inside the dollars at either
// end, no digit after the second, so that prices stay prices.
func (p *inliner) math() bool {
	from := p.at + 1
	if from >= len(p.text) || p.text[from] == ' ' || p.text[from] == '$' {
		return false
	}
	end := p.find(from, "$")
	if end < 0 || p.text[end-1] == ' ' || p.text[end-1] == '\\' || strings.Contains(p.text[from:end], "\n\n") ||
		end+1 < len(p.text) && p.text[end+1] >= '0' && p.text[end+1] <= '9' {
		return false
	}
	text, ok := Formula(p.text[from:end])
	if !ok {
		text = p.text[p.at : end+1]
	}
	p.emit(piece{text: text, look: Math})
	p.at = end + 1
	return true
}

func (p *inliner) image() bool {
	if p.at+1 >= len(p.text) || p.text[p.at+1] != '[' {
		return false
	}
	alt, url, end := p.bracket(p.at + 1)
	if end < 0 {
		return false
	}
	p.emit(piece{text: alt, url: url, image: true, look: Link})
	p.at = end
	return true
}

func (p *inliner) link() bool {
	text, url, end := p.bracket(p.at)
	if end < 0 {
		return false
	}
	if text == "" {
		text = url
	}
	p.emit(piece{text: strip(text), url: url, look: Link})
	p.at = end
	return true
}

// strip takes emphasis out of the text of a link.
func strip(text string) string { return strings.NewReplacer("**", "", "`", "").Replace(text) }

// bracket reads [text](url "title") from at.
func (p *inliner) bracket(at int) (text, url string, end int) {
	middle := p.find(at+1, "](")
	if middle < 0 || strings.Contains(p.text[at+1:middle], "[") {
		return "", "", -1
	}
	stop := p.find(middle+2, ")")
	if stop < 0 {
		return "", "", -1
	}
	// One pair of parentheses inside an address is common.
	if strings.Count(p.text[middle+2:stop], "(") == 1 && stop+1 < len(p.text) {
		if more := strings.IndexByte(p.text[stop+1:], ')'); more >= 0 && !strings.ContainsAny(p.text[stop+1:stop+1+more], " \n") {
			stop += 1 + more
		}
	}
	target := strings.TrimSpace(p.text[middle+2 : stop])
	url, _, _ = strings.Cut(target, " ")
	return strings.ReplaceAll(p.text[at+1:middle], "\n", " "), strings.Trim(url, "<>"), stop + 1
}

// auto reads <https://…>.
func (p *inliner) auto() bool {
	if !strings.HasPrefix(p.text[p.at:], "<https://") && !strings.HasPrefix(p.text[p.at:], "<http://") {
		return false
	}
	end := p.find(p.at, ">")
	if end < 0 || strings.ContainsAny(p.text[p.at:end], " \n") {
		return false
	}
	url := p.text[p.at+1 : end]
	p.emit(piece{text: url, url: url, look: Link})
	p.at = end + 1
	return true
}

// bare reads an https address that stands alone.
func (p *inliner) bare() bool {
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, "https://") {
		return false
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return unicode.IsSpace(r) || r >= utf8.RuneSelf || strings.ContainsRune("<>\"`|*\\", r)
	})
	if end < 0 {
		end = len(rest)
	}
	url := strings.TrimRight(rest[:end], ".,;:!?)'")
	if len(url) <= len("https://") {
		return false
	}
	p.emit(piece{text: url, url: url, look: Link})
	p.at += len(url)
	return true
}

// emphasis opens or closes *, **, ***, _, __ and ~~.
func (p *inliner) emphasis(c byte) bool {
	n := 1
	for p.at+n < len(p.text) && p.text[p.at+n] == c {
		n++
	}
	run := p.text[p.at : p.at+n]
	var look Look
	switch {
	case c == '~' && n == 2:
		look = Strike
	case c == '~' || n > 3:
		p.plain.WriteString(run)
		p.at += n
		return true
	case n == 1:
		look = Italic
	case n == 2:
		look = Bold
	case n == 3:
		look = Bold | Italic
	}
	before, _ := utf8.DecodeLastRuneInString(p.text[:p.at])
	after, _ := utf8.DecodeRuneInString(p.text[p.at+n:])
	opens := p.at+n < len(p.text) && !unicode.IsSpace(after)
	closes := p.at > 0 && !unicode.IsSpace(before)
	if c == '_' { // snake_case is no emphasis
		opens = opens && !isWord(before)
		closes = closes && !isWord(after)
	}
	switch {
	case closes && p.look&look == look:
		p.flush()
		p.look &^= look
	case opens && p.look&look == 0 && p.find(p.at+n, run) >= 0:
		p.flush()
		p.look |= look
	default:
		p.plain.WriteString(run)
	}
	p.at += n
	return true
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
