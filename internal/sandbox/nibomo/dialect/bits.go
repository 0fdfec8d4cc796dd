package dialect

import (
	mathbits "math/bits"
	"runtime"
	"sync"
)

// bits is a set of small numbers. Sets that meet in one operation have the same
// length.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bits) set(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bits) unset(i int32)    { b[i>>6] &^= 1 << (i & 63) }

// grow makes room for n numbers.
func (b bits) grow(n int) bits {
	for len(b)*64 < n {
		b = append(b, 0)
	}
	return b
}

func (b bits) count() int {
	n := 0
	for _, w := range b {
		n += mathbits.OnesCount64(w)
	}
	return n
}

func (b bits) and(other bits) {
	for i := range b {
		b[i] &= other[i]
	}
}

func (b bits) or(other bits) {
	for i := range b {
		b[i] |= other[i]
	}
}

func (b bits) minus(other bits) {
	for i := range b {
		b[i] &^= other[i]
	}
}

// pick gives the members of b for which test holds. test is called from several
// goroutines at once when there is much to do.
func (b bits) pick(test func(i int32) bool) bits {
	out := make(bits, len(b))
	spread(len(b), func(from, to int) {
		for w := from; w < to; w++ {
			var got uint64
			for rest := b[w]; rest != 0; rest &= rest - 1 {
				k := mathbits.TrailingZeros64(rest)
				if test(int32(w<<6 | k)) {
					got |= 1 << k
				}
			}
			out[w] = got
		}
	})
	return out
}

// within gives the members of b whose code is at least lo and less than hi.
func (b bits) within(code []uint32, lo, hi uint32) bits {
	out := make(bits, len(b))
	if hi <= lo {
		return out
	}
	width := hi - lo
	for w, word := range b {
		var got uint64
		for rest := word; rest != 0; rest &= rest - 1 {
			k := mathbits.TrailingZeros64(rest)
			if code[w<<6|k]-lo < width {
				got |= 1 << k
			}
		}
		out[w] = got
	}
	return out
}

// coded gives the members of b whose code is in set.
func (b bits) coded(code []uint32, set bits) bits {
	out := make(bits, len(b))
	for w, word := range b {
		var got uint64
		for rest := word; rest != 0; rest &= rest - 1 {
			k := mathbits.TrailingZeros64(rest)
			c := code[w<<6|k]
			got |= set[c>>6] >> (c & 63) & 1 << k
		}
		out[w] = got
	}
	return out
}

// from lists the members of b that are at least lo and less than hi.
func (b bits) from(lo, hi int) []int32 {
	var out []int32
	for w := lo / 64; w*64 < hi; w++ {
		for rest := b[w]; rest != 0; rest &= rest - 1 {
			if i := w<<6 | mathbits.TrailingZeros64(rest); i >= lo && i < hi {
				out = append(out, int32(i))
			}
		}
	}
	return out
}

// spread calls f for parts of [0, n), on all processors when n, in words of a
// set, stands for many rows.
func spread(n int, f func(from, to int)) {
	parts := 1
	if n > 10_000/64 {
		parts = min(runtime.GOMAXPROCS(0), 8)
	}
	each(parts, func(i int) { f(n*i/parts, n*(i+1)/parts) })
}

// each calls f with 0 to n-1, all at once, and waits.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { f(i) })
	}
	if n > 0 {
		f(0)
	}
	wg.Wait()
}
