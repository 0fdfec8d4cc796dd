package dialect

import (
	"cmp"
	mathbits "math/bits"
	"math/rand/v2"
	"slices"
)

// sorter puts things in order by keys that are small integers, packed into as
// few words as they need: nearly always one, with the place of the thing in it,
// so that it sorts plain numbers.
type sorter struct {
	slots []int32 // what is sorted; only their number matters here
	words [][]uint64
	used  int // bits of the last word
}

func newSorter(slots []int32) *sorter { return &sorter{slots: slots} }

// by adds a key that is at most top. Earlier keys count more.
func (s *sorter) by(top uint32, desc bool, key func(i int) uint32) {
	s.wide(uint64(top), desc, func(i int) uint64 { return uint64(key(i)) })
}

func (s *sorter) wide(top uint64, desc bool, key func(i int) uint64) {
	width := mathbits.Len64(top)
	word := s.room(width)
	for i := range s.slots {
		k := key(i)
		if desc {
			k = top - k
		}
		word[i] = word[i]<<width | k
	}
}

// room is a word with so many bits free.
func (s *sorter) room(width int) []uint64 {
	if len(s.words) == 0 || s.used+width > 64 {
		s.words = append(s.words, make([]uint64, len(s.slots)))
		s.used = 0
	}
	s.used += width
	return s.words[len(s.words)-1]
}

// page gives the places at [offset, offset+limit) of the order; of equal things
// the one that comes first stays first. It sorts no more than it must.
func (s *sorter) page(offset, limit int) []int32 {
	n := len(s.slots)
	from := min(offset, n)
	to := min(from+limit, n)
	if from == to {
		return nil
	}
	places := mathbits.Len(uint(n))
	word := s.room(places)
	for i := range word {
		word[i] = word[i]<<places | uint64(i)
	}
	out := make([]int32, to-from)
	if len(s.words) == 1 {
		narrow(word, from, to, func(a, b uint64) bool { return a < b })
		slices.Sort(word[from:to])
		for i := range out {
			out[i] = int32(word[from+i] & (1<<places - 1))
		}
		return out
	}
	// The first word goes with the place: most comparisons need no more.
	all := make([]keyed, n)
	for i, w := range s.words[0] {
		all[i] = keyed{w, int32(i)}
	}
	compare := func(a, b keyed) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		for _, w := range s.words[1:] {
			if c := cmp.Compare(w[a.slot], w[b.slot]); c != 0 {
				return c
			}
		}
		return 0
	}
	narrow(all, from, to, func(a, b keyed) bool {
		if a.key != b.key {
			return a.key < b.key
		}
		return compare(a, b) < 0
	})
	slices.SortFunc(all[from:to], compare)
	for i := range out {
		out[i] = all[from+i].slot
	}
	return out
}

// narrow rearranges all, whose elements are all different, so that [from, to)
// holds what a full sort would put there, in any order. It is quickselect at
// both ends.
func narrow[T any](all []T, from, to int, less func(a, b T) bool) {
	if from > 0 {
		nth(all, 0, len(all), from, less)
	}
	if to < len(all) {
		nth(all, from, len(all), to, less)
	}
}

// nth puts into place k what a sort of all[lo:hi] would, with nothing greater
// before it and nothing less after it.
func nth[T any](all []T, lo, hi, k int, less func(a, b T) bool) {
	for hi-lo > 1 {
		p := lo + rand.IntN(hi-lo)
		all[p], all[hi-1] = all[hi-1], all[p]
		pivot := all[hi-1]
		at := lo
		for i := lo; i < hi-1; i++ {
			if less(all[i], pivot) {
				all[at], all[i] = all[i], all[at]
				at++
			}
		}
		all[at], all[hi-1] = all[hi-1], all[at]
		switch {
		case at == k:
			return
		case at < k:
			lo = at + 1
		default:
			hi = at
		}
	}
}
