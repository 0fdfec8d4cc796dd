package dialect

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// ordering sorts positions. The first two keys of each are laid out in one array:
// nearly all comparisons end there and do not touch the rows.
type ordering struct {
	keys  []key
	width int // keys of one position
	desc  [2]bool
	full  func(a, b int) int // all keys, with their directions
}

type key struct {
	null bool
	num  float64
	text string
}

// newOrdering takes key, which gives the i-th key of a position, and full.
func newOrdering(n int, by []Order, first func(position, i int) key, full func(a, b int) int) *ordering {
	o := &ordering{width: min(len(by), 2), full: full}
	o.keys = make([]key, n*o.width)
	for i := range o.width {
		o.desc[i] = by[i].Desc
		for p := range n {
			o.keys[p*o.width+i] = first(p, i)
		}
	}
	return o
}

// keyOf makes the first key of a value; fold is its lower case if it has one.
func keyOf(v any, fold string, t Type) key {
	if v == nil {
		return key{null: true}
	}
	if t == String || t == Strings {
		return key{text: fold}
	}
	if s, ok := v.(string); ok {
		return key{text: s}
	}
	return key{num: asFloat(v)}
}

// compare orders positions a and b; of equal ones the lower comes first.
func (o *ordering) compare(a, b int32) int {
	x, y := o.keys[int(a)*o.width:], o.keys[int(b)*o.width:]
	for i := range o.width {
		if d := x[i].compare(&y[i]); d != 0 {
			return flip(d, o.desc[i])
		}
	}
	if d := o.full(int(a), int(b)); d != 0 {
		return d
	}
	return cmp.Compare(a, b)
}

func (k *key) compare(other *key) int {
	switch {
	case k.null != other.null:
		if k.null {
			return -1
		}
		return 1
	case k.num != other.num:
		return cmp.Compare(k.num, other.num)
	}
	return cmp.Compare(k.text, other.text)
}

// page gives the positions at [offset, offset+limit) of n things in order, or by
// chance. It sorts no more than it must: a page out of 100,000 rows does not
// need the other rows in order.
func page(n, limit, offset int, random bool, order *ordering) []int {
	from := min(offset, n)
	to := min(from+limit, n)
	if from == to {
		return nil
	}
	out := make([]int, to-from)
	if order == nil && !random {
		for i := range out {
			out[i] = from + i
		}
		return out
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	if random {
		for i := range to {
			j := i + rand.IntN(n-i)
			all[i], all[j] = all[j], all[i]
		}
	} else {
		order.narrow(all, from, to)
		slices.SortFunc(all[from:to], order.compare)
	}
	for i := range out {
		out[i] = int(all[from+i])
	}
	return out
}

// narrow rearranges all so that [from, to) holds what a full sort would put
// there, in any order. It is quickselect at both ends.
func (o *ordering) narrow(all []int32, from, to int) {
	if from > 0 {
		o.nth(all, 0, len(all), from)
	}
	if to < len(all) {
		o.nth(all, from, len(all), to)
	}
}

// nth puts into place k what a sort of all[lo:hi] would, with nothing greater
// before it and nothing less after it.
func (o *ordering) nth(all []int32, lo, hi, k int) {
	for hi-lo > 1 {
		p := lo + rand.IntN(hi-lo)
		all[p], all[hi-1] = all[hi-1], all[p]
		pivot := all[hi-1]
		at := lo
		for i := lo; i < hi-1; i++ {
			if o.compare(all[i], pivot) < 0 {
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
