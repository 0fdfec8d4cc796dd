package dialect

// buckets is how many sets of texts there are for all their runs of three bytes.
const buckets = 256

// grams say which texts can have a text in them: for every run of three bytes
// there is a set of the texts that have it, or another run of the same bucket.
// What is looked for is in the texts that are in all of its sets, if anywhere.
// Most texts have few runs out of all that there are, so few are left.
type grams struct {
	sets [buckets]bits // nil for none
}

func bucket(a, b, c byte) uint32 {
	return (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 0x9e3779b1 >> 24
}

// add takes in text i.
func (g *grams) add(i int32, s string) {
	for k := 2; k < len(s); k++ {
		b := bucket(s[k-2], s[k-1], s[k])
		set := g.sets[b]
		if int(i>>6) >= len(set) {
			set = set.grow(int(i) + 1)
			g.sets[b] = set
		}
		set.set(i)
	}
}

// narrow gives the members of in whose text can contain needle. in itself stays
// as it is, but may be what is returned.
func (g *grams) narrow(needle []byte, in bits) bits {
	if g == nil || len(needle) < 3 {
		return in
	}
	out := make(bits, len(in))
	copy(out, in)
	for k := 2; k < len(needle); k++ {
		set := g.sets[bucket(needle[k-2], needle[k-1], needle[k])]
		n := min(len(set), len(out))
		for i, w := range set[:n] {
			out[i] &= w
		}
		clear(out[n:])
	}
	return out
}

func (g *grams) size() int {
	n := 0
	if g != nil {
		for _, set := range g.sets {
			n += 8 * cap(set)
		}
	}
	return n
}
