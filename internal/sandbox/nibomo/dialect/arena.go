package dialect

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// arena holds texts one after the other, so that a search is one pass over
// memory and the garbage collector has nothing to follow. A NUL stands behind
// each. Texts are only ever added.
type arena struct {
	buf   []byte
	end   []int  // where the NUL behind each text is
	grams *grams // nil for texts that are not searched much
}

func (a *arena) add(s string) {
	if a.grams != nil {
		a.grams.add(int32(len(a.end)), s)
	}
	a.buf = append(a.buf, s...)
	a.end = append(a.end, len(a.buf))
	a.buf = append(a.buf, 0)
}

func (a *arena) start(i int32) int {
	if i == 0 {
		return 0
	}
	return a.end[i-1] + 1
}

// at is text i. The caller does not change it.
func (a *arena) at(i int32) []byte {
	end := a.end[i]
	return a.buf[a.start(i):end:end]
}

func (a *arena) size() int { return cap(a.buf) + 8*cap(a.end) + a.grams.size() }

// containing gives the members of in whose text contains needle, which is not
// empty and has no NUL.
func (a *arena) containing(needle []byte, in bits) bits {
	in = a.grams.narrow(needle, in)
	if in.count()*8 < len(a.end) {
		f := newFinder(needle, a.buf)
		return in.pick(func(i int32) bool { return f.index(a.at(i)) >= 0 })
	}
	out := make(bits, len(in))
	f := newFinder(needle, a.buf)
	spread(len(in), func(from, to int) {
		if from == to {
			return
		}
		slot, last := int32(from*64), int32(min(to*64, len(a.end)))-1
		stop := a.end[last]
		for at := a.start(slot); at < stop; {
			i := f.index(a.buf[at:stop])
			if i < 0 {
				return
			}
			for at += i; a.end[slot] < at; {
				slot++
			}
			out.set(slot)
			at = a.end[slot] + 1
		}
	})
	out.and(in)
	return out
}

// finder looks for one text in many. bytes.Index looks for the first byte, which
// is bad luck if that is a common one.
type finder struct {
	needle []byte
	rare   int // place of the rarest byte in needle; -1 if none is rare
}

// newFinder takes a look at where it will search.
func newFinder(needle, where []byte) finder {
	const sample = 1 << 14
	var count [256]int32
	n := min(len(where), sample)
	for i := range n {
		count[where[i*(len(where)/n)]]++
	}
	f := finder{needle, 0}
	for i, c := range needle {
		if count[c] < count[needle[f.rare]] {
			f.rare = i
		}
	}
	if int(count[needle[f.rare]])*24 > n {
		f.rare = -1
	}
	return f
}

func (f finder) index(in []byte) int {
	if f.rare < 0 {
		return bytes.Index(in, f.needle)
	}
	for at := f.rare; at < len(in); {
		i := bytes.IndexByte(in[at:], f.needle[f.rare])
		if i < 0 {
			return -1
		}
		at += i
		if from := at - f.rare; bytes.HasPrefix(in[from:], f.needle) {
			return from
		}
		at++
	}
	return -1
}

// lower appends s in lower case to buf[:0]. It gives what strings.ToLower does.
func lower(buf, s []byte) []byte {
	buf = buf[:0]
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return append(buf[:0], strings.ToLower(string(s))...)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return buf
}

// keyed is a text's next eight bytes, for sorting.
type keyed struct {
	key  uint64
	slot int32
}

func keyAt(s []byte, from int) uint64 {
	var k uint64
	for i := range 8 {
		k <<= 8
		if from+i < len(s) {
			k |= uint64(s[from+i])
		}
	}
	return k
}

// sort orders slots by their texts, bytewise; equal ones stay in no order. It
// compares eight bytes at a time, and looks at the texts again only where those
// are equal.
func (a *arena) sort(slots []int32) {
	list := make([]keyed, len(slots))
	for i, s := range slots {
		list[i].slot = s
	}
	a.sortFrom(list, 0)
	for i := range list {
		slots[i] = list[i].slot
	}
}

// sortFrom sorts texts that are equal up to from.
func (a *arena) sortFrom(list []keyed, from int) {
	if len(list) <= 12 {
		// from is not past the end of any of them.
		slices.SortFunc(list, func(x, y keyed) int {
			s, t := a.at(x.slot), a.at(y.slot)
			return bytes.Compare(s[from:], t[from:])
		})
		return
	}
	// What all have in common is skipped: times of one month, copies of a text.
	first := a.at(list[0].slot)
	same := len(first)
	for _, k := range list {
		if s := a.at(k.slot); len(s) < same || !bytes.Equal(s[from:same], first[from:same]) {
			i := from
			for i < same && i < len(s) && s[i] == first[i] {
				i++
			}
			if same = i; same == from {
				break
			}
		}
	}
	from = same
	for i := range list {
		list[i].key = keyAt(a.at(list[i].slot), from)
	}
	slices.SortFunc(list, func(x, y keyed) int {
		switch {
		case x.key < y.key:
			return -1
		case x.key > y.key:
			return 1
		}
		return 0
	})
	for i := 0; i < len(list); {
		k := i + 1
		for k < len(list) && list[k].key == list[i].key {
			k++
		}
		if k-i > 1 {
			// A text that ends within the eight bytes is the beginning of the others.
			slices.SortFunc(list[i:k], func(x, y keyed) int {
				return min(len(a.at(x.slot)), from+8) - min(len(a.at(y.slot)), from+8)
			})
			for i < k && len(a.at(list[i].slot)) < from+8 {
				i++
			}
			a.sortFrom(list[i:k], from+8)
		}
		i = k
	}
}
