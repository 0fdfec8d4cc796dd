package dialect

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxPattern keeps a pattern under SQLite's own limit of 50,000 bytes after
// every character was escaped.
const maxPattern = 16_000

func terminators(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n', '\r':
			n++
		case 0xe2:
			if strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
				n++
			}
		}
	}
	return n
}

// pattern is a LIKE pattern taken apart.
//
// % and _ do not match line terminators: the service turns them into the dot of a
// JavaScript regular expression. The literal part of a pattern accounts for as
// many terminators as it has; if the value has no more than that, no wildcard
// took one. So match does not look at them, and the caller compares lines.
type pattern struct {
	parts []part // between the %s; the first and the last are anchored
	lines uint32 // line terminators in it
}

// part is text without %: pieces with one _ between each two.
type part struct {
	pieces [][]byte
	runes  int
}

func newPattern(s string) pattern {
	p := pattern{lines: uint32(terminators(s))}
	for text := range strings.SplitSeq(s, "%") {
		p.parts = append(p.parts, part{bytes.Split([]byte(text), []byte("_")), utf8.RuneCountInString(text)})
	}
	return p
}

// word is what the commonest pattern, %word%, looks for; nil for any other.
func (p pattern) word() []byte {
	if len(p.parts) == 3 && p.parts[0].runes == 0 && p.parts[2].runes == 0 && len(p.parts[1].pieces) == 1 && p.parts[1].runes > 0 {
		return p.parts[1].pieces[0]
	}
	return nil
}

// longest is the longest text without a wildcard in it.
func (p pattern) longest() []byte {
	var best []byte
	for _, q := range p.parts {
		for _, piece := range q.pieces {
			if len(piece) > len(best) {
				best = piece
			}
		}
	}
	return best
}

func (p pattern) match(s []byte) bool {
	at, ok := p.parts[0].at(s, 0)
	if !ok {
		return false
	}
	if len(p.parts) == 1 {
		return at == len(s)
	}
	// Each part in between is taken where it first is: that leaves the most room.
	last := len(p.parts) - 1
	for _, q := range p.parts[1:last] {
		if at, ok = q.in(s, at); !ok {
			return false
		}
	}
	tail := p.parts[last]
	from := len(s)
	if len(tail.pieces) == 1 {
		from -= len(tail.pieces[0])
	} else {
		for range tail.runes {
			if from <= at {
				return false
			}
			_, n := utf8.DecodeLastRune(s[:from])
			from -= n
		}
	}
	if from < at {
		return false
	}
	end, ok := tail.at(s, from)
	return ok && end == len(s)
}

// at says whether the part stands at a place, and where it ends.
func (q part) at(s []byte, at int) (end int, ok bool) {
	for i, piece := range q.pieces {
		if i > 0 {
			if at >= len(s) {
				return 0, false
			}
			at += width(s, at)
		}
		if !bytes.HasPrefix(s[at:], piece) {
			return 0, false
		}
		at += len(piece)
	}
	return at, true
}

// in finds the first place of the part from a place on, and gives its end.
func (q part) in(s []byte, at int) (end int, ok bool) {
	// _ at the beginning takes a character, whatever it is.
	for len(q.pieces) > 1 && len(q.pieces[0]) == 0 {
		if at >= len(s) {
			return 0, false
		}
		at += width(s, at)
		q.pieces = q.pieces[1:]
	}
	for {
		i := bytes.Index(s[at:], q.pieces[0])
		if i < 0 {
			return 0, false
		}
		at += i
		if end, ok = q.at(s, at); ok || len(q.pieces) == 1 {
			return end, ok
		}
		at += width(s, at)
	}
}

// width is the length of the character at a place.
func width(s []byte, at int) int {
	if s[at] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(s[at:])
	return n
}

// LikeMatch says whether s matches a LIKE pattern.
func LikeMatch(pattern, s string) bool {
	p := newPattern(pattern)
	return int(p.lines) == terminators(s) && p.match([]byte(s))
}

// glob writes a LIKE pattern in the language of SQLite's GLOB, which is case
// sensitive and has no escape character.
func glob(pattern string) string {
	var b strings.Builder
	for _, r := range pattern {
		switch r {
		case '%':
			b.WriteByte('*')
		case '_':
			b.WriteByte('?')
		case '*', '?', '[':
			b.WriteByte('[')
			b.WriteRune(r)
			b.WriteByte(']')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
