package bridge

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"unicode/utf8"
)

// The scanner walks JSON text without building anything: it finds where values
// begin and end and checks that what it walks over is well formed (RFC 8259),
// so that whatever is passed on is one valid JSON value. A relay reads a few
// members of a message and copies the rest, so this is all the JSON it needs.
//
// The text may still be arriving: when the scanner reaches the end of what is
// there it asks more for the rest. A large body is thereby checked while the
// network delivers it, and not afterwards.

// maxDepth bounds nesting, as encoding/json does. Nothing sensible comes near
// it, and a host's own parser may have a smaller stack than ours.
const maxDepth = 10000

var (
	errSyntax = errors.New("not valid JSON")
	errDepth  = errors.New("JSON nested too deeply")
	errUTF8   = errors.New("not valid UTF-8")
)

type scanner struct {
	b []byte // the text, as far as it is there
	i int    // the next byte
	// more extends the text by at least a byte and returns all of it, or
	// returns false at its end. Nil means that b is the whole text.
	more func() ([]byte, bool)
	// body, if not nil, is where more reads from: it is told when the message is
	// whole, and only its end is still waited for.
	body *bodyReader
	// broken is set when a line break was walked over. It can only stand
	// between tokens.
	broken bool
	// note is set when the members of a result are to be noted (envelope.members).
	note bool
}

// fill tries to have at least n bytes from s.i on.
func (s *scanner) fill(n int) bool {
	for len(s.b)-s.i < n {
		if s.more == nil {
			return false
		}
		b, ok := s.more()
		if !ok {
			return false
		}
		s.b = b
	}
	return true
}

// peek skips white space and returns the byte after it without consuming it;
// 0 means the end of the text (a NUL byte is an error wherever it stands).
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		if c := s.b[s.i]; c > ' ' {
			return c
		}
	}
	return s.skip()
}

func (s *scanner) skip() byte {
	for {
		for s.i < len(s.b) {
			switch c := s.b[s.i]; c {
			case ' ', '\t':
				s.i++
			case '\n', '\r':
				s.i++
				s.broken = true
			default:
				return c
			}
		}
		if !s.fill(1) {
			return 0
		}
	}
}

// value walks over one value, white space before it included.
func (s *scanner) value() error {
	var (
		inline  [4]uint64
		objects = inline[:] // a bit for each open container: 1 is an object
		depth   int
	)
	for {
		switch c := s.peek(); c {
		case '{', '[':
			s.i++
			if depth >= maxDepth {
				return errDepth
			}
			if depth>>6 == len(objects) {
				objects = append(objects, 0)
			}
			bit := uint64(1) << (depth & 63)
			closing := byte(']')
			if c == '{' {
				objects[depth>>6] |= bit
				closing = '}'
			} else {
				objects[depth>>6] &^= bit
			}
			depth++
			if s.peek() == closing {
				s.i++
				depth--
				break
			}
			if c == '{' {
				if err := s.key(); err != nil {
					return err
				}
			}
			continue
		case '"':
			if err := s.str(); err != nil {
				return err
			}
		case 't':
			if !s.literal("true") {
				return errSyntax
			}
		case 'f':
			if !s.literal("false") {
				return errSyntax
			}
		case 'n':
			if !s.literal("null") {
				return errSyntax
			}
		default:
			if err := s.number(); err != nil {
				return err
			}
		}
		// A value has ended: close what ends with it.
		for {
			if depth == 0 {
				return nil
			}
			object := objects[(depth-1)>>6]&(1<<((depth-1)&63)) != 0
			c := s.peek()
			if c == ',' {
				s.i++
				if object {
					if err := s.key(); err != nil {
						return err
					}
				}
				break
			}
			if object && c == '}' || !object && c == ']' {
				s.i++
				depth--
				continue
			}
			return errSyntax
		}
	}
}

// key walks over a member's name and its colon.
func (s *scanner) key() error {
	if s.peek() != '"' {
		return errSyntax
	}
	if err := s.str(); err != nil {
		return err
	}
	if s.peek() != ':' {
		return errSyntax
	}
	s.i++
	return nil
}

func (s *scanner) literal(word string) bool {
	if !s.fill(len(word)) || string(s.b[s.i:s.i+len(word)]) != word {
		return false
	}
	s.i += len(word)
	return true
}

func (s *scanner) number() error {
	if s.at() == '-' {
		s.i++
	}
	switch c := s.at(); {
	case c == '0':
		s.i++
	case c >= '1' && c <= '9':
		s.digits()
	default:
		return errSyntax
	}
	if s.at() == '.' {
		s.i++
		if !s.digits() {
			return errSyntax
		}
	}
	if c := s.at(); c == 'e' || c == 'E' {
		s.i++
		if c := s.at(); c == '+' || c == '-' {
			s.i++
		}
		if !s.digits() {
			return errSyntax
		}
	}
	return nil
}

// at returns the byte at s.i, or 0 at the end.
func (s *scanner) at() byte {
	if s.i < len(s.b) || s.fill(1) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) digits() bool {
	start := s.i
	for {
		for s.i < len(s.b) {
			if c := s.b[s.i]; c < '0' || c > '9' {
				return s.i > start
			}
			s.i++
		}
		if !s.fill(1) {
			return s.i > start
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// str walks over a string that starts at s.i. Most are short: their end is
// looked for eight bytes at a time. Long ones go on in blocks (block.go).
func (s *scanner) str() error {
	b, i := s.b, s.i+1
	short := i + 48
	for {
		if i > short && len(b)-i >= blockLen {
			at, ended, err := blocks(b, i)
			if err != nil {
				return err
			}
			if ended {
				s.i = at
				return nil
			}
			i = at
		}
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote := w ^ ('"' * ones)
			slash := w ^ ('\\' * ones)
			// Bytes below 0x20, equal to a quote or a backslash get their high
			// bit set here, and so may a byte above such a one; the first one
			// is always right, and only the first is looked at.
			m := ((w-0x20*ones)|(quote-ones)|(slash-ones))&^w&highs | w&highs
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			if i += 8; i > short && len(b)-i >= blockLen {
				break
			}
		}
		if i >= len(b) {
			s.i = i
			if !s.fill(1) {
				return errSyntax
			}
			b = s.b
			continue
		}
		switch c := b[i]; {
		case c == '"':
			s.i = i + 1
			return nil
		case c == '\\':
			if i+2 > len(b) {
				s.i = i
				if !s.fill(2) {
					return errSyntax
				}
				b = s.b
			}
			n := int(escapes[b[i+1]])
			if n == 0 {
				return errSyntax
			}
			if n == unicodeEscape {
				s.i = i
				if !s.fill(n) {
					return errSyntax
				}
				b = s.b
				if !isHex4(b[i+2:]) {
					return errSyntax
				}
			}
			i += n
		case c < 0x20:
			return errSyntax
		case c < utf8.RuneSelf:
			i++ // near the end, or marked by a borrow from the byte below it
		default:
			if !utf8.FullRune(b[i:]) {
				s.i = i
				for n := 2; n <= utf8.UTFMax && !utf8.FullRune(s.b[i:]) && s.fill(n); n++ {
				}
				b = s.b
			}
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size <= 1 {
				return errUTF8
			}
			i += size
		}
	}
}

// escapes is the length of the escape that a byte after a backslash begins; 0
// means that there is no such escape.
var escapes = [256]uint8{
	'"': 2, '\\': 2, '/': 2, 'b': 2, 'f': 2, 'n': 2, 'r': 2, 't': 2, 'u': unicodeEscape,
}

const unicodeEscape = 6

func isHex4(b []byte) bool {
	return isHex(b[0]) && isHex(b[1]) && isHex(b[2]) && isHex(b[3])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// valid reports whether b is one JSON value and nothing else.
func valid(b []byte) error {
	s := scanner{b: b}
	if err := s.value(); err != nil {
		return err
	}
	if s.peek(); s.i != len(b) {
		return errSyntax
	}
	return nil
}
