package bridge

import "encoding/binary"

// masksGo sets a bit for each byte of block that is a backslash, a quote, and a
// control character or part of a multi-byte character, eight bytes at a time.
func masksGo(block *[blockLen]byte) (slash, quote, other uint64) {
	for k := 0; k < blockLen; k += 8 {
		s, q, o := marks(binary.LittleEndian.Uint64(block[k:]))
		slash |= gather(s) << k
		quote |= gather(q) << k
		other |= gather(o) << k
	}
	return slash, quote, other
}

// marks sets the high bits of the bytes of w that masksGo looks for. Unlike the
// test in scanner.str it is exact for every byte.
func marks(w uint64) (slash, quote, other uint64) {
	const lows = ^uint64(highs)
	s, q := w^('\\'*ones), w^('"'*ones)
	slash = ^((s&lows + lows) | s) & highs
	quote = ^((q&lows + lows) | q) & highs
	other = (^(w&(0x60*ones) + 0x60*ones) | w) & highs
	return slash, quote, other
}

// gather turns the high bits of eight bytes into eight bits.
func gather(m uint64) uint64 {
	return (m >> 7) * 0x0102040810204080 >> 56
}
