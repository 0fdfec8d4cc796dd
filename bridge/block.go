package bridge

import (
	"math/bits"
	"unicode/utf8"
)

// Inside a long string the scanner takes 64 bytes at a time and makes a bit
// mask of each kind of byte that matters. Which backslashes escape, and where
// the string ends, then follows from arithmetic on the masks instead of from a
// branch a byte: tool results are mostly text full of escaped quotes, and a
// branch a quote is what makes checking it slow. The arithmetic for runs of
// backslashes is that of Langdale and Lemire, "Parsing gigabytes of JSON per
// second" (2019), §3.1.1.

const blockLen = 64

// blocks walks over the inside of a string from b[i] on as long as whole
// blocks are there. It returns where it stopped: behind the closing quote, or
// at a byte that begins a character or an escape.
func blocks(b []byte, i int) (at int, ended bool, err error) {
	const even = 0x5555555555555555
	var (
		carry uint64 // 1: the first byte of the block is escaped
		tail  int    // bytes at the block's start that end a character
	)
	for len(b)-i >= blockLen {
		block := (*[blockLen]byte)(b[i:])
		began := i - int(carry) + tail
		slash, quote, other := masks(block)
		escaped := carry
		if slash != 0 {
			first := slash &^ carry // those that may begin an escape
			after := first<<1 | carry
			odd := first &^ even &^ after
			var sum uint64
			sum, carry = bits.Add64(odd, first, 0)
			escaped = (even ^ sum<<1) & after
		} else {
			carry = 0
		}
		plainly := quote | slash // \" and \\ need no look
		end := ^uint64(0)        // what lies before the closing quote
		if quote &^= escaped; quote != 0 {
			end = quote&-quote - 1
		}
		if other &= end &^ (1<<tail - 1); other != 0 {
			at, err := characters(b, i, other)
			if err != nil {
				return 0, false, err
			}
			if at < 0 {
				// A character is cut by the end of what is there; the
				// scanner goes on where the block begins.
				return began, false, nil
			}
			tail = max(at-i-blockLen, 0)
		} else {
			tail = 0
		}
		for e := escaped & end &^ plainly; e != 0; e &= e - 1 {
			p := bits.TrailingZeros64(e)
			switch escapes[block[p]] {
			case 2:
			case unicodeEscape:
				if rest := b[i+p+1:]; len(rest) < 4 {
					return i + p - 1, false, nil
				} else if !isHex4(rest) {
					return 0, false, errSyntax
				}
			default:
				return 0, false, errSyntax
			}
		}
		if quote != 0 {
			return i + bits.TrailingZeros64(quote) + 1, true, nil
		}
		i += blockLen
	}
	// The scanner wants to begin at a whole escape and a whole character.
	return i - int(carry) + tail, false, nil
}

// characters checks the bytes of a block that are control characters or belong
// to multi-byte characters, and returns where the last character ends, or -1
// when one is cut by the end of b.
func characters(b []byte, i int, other uint64) (int, error) {
	at := 0
	for other != 0 {
		p := bits.TrailingZeros64(other)
		c := b[i+p:]
		if c[0] < 0x20 {
			return 0, errSyntax
		}
		size := 2
		if c[0] < 0xC2 || c[0] > 0xDF || len(c) < 2 || c[1]&0xC0 != 0x80 {
			if !utf8.FullRune(c) {
				return -1, nil
			}
			var r rune
			if r, size = utf8.DecodeRune(c); r == utf8.RuneError && size <= 1 {
				return 0, errUTF8
			}
		}
		at = i + p + size
		if p+size >= blockLen {
			break
		}
		other &^= 1<<(p+size) - 1
	}
	return at, nil
}
