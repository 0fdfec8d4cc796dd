package dialect

import (
	"bytes"
	"cmp"
	"slices"
)

// index numbers the different values of a vector in their order. With it,
// ORDER BY, GROUP BY, MIN, MAX and comparisons with a literal work on small
// integers. It is made when it is first needed, and follows what was written by
// merging that in.
type index struct {
	made  int      // table's version that it is of; 0 for none
	slots int      // how many slots there were then
	perm  []int32  // live slots by value
	code  []uint32 // by slot: 0 for null, 1 for the least value, and so on without gaps
	first []int32  // by code: a slot that has it; first[0] means nothing
	rank  []uint32 // by code, tags only: the same number for what ORDER BY finds equal
}

func (x *index) size() int { return 4 * (cap(x.perm) + cap(x.code) + cap(x.first) + cap(x.rank)) }

// top is the greatest code.
func (x *index) top() uint32 { return uint32(len(x.first)) - 1 }

// orders are the codes that ORDER BY goes by.
func (x *index) order(code uint32) uint32 {
	if x.rank != nil {
		return x.rank[code]
	}
	return code
}

// refresh brings the index of v up to a version of the table with n slots.
func (v *vector) refresh(version, n int, live bits) *index {
	x := &v.index
	if x.made == version {
		return x
	}
	fresh := live.from(x.slots, n)
	old := x.slots
	if len(fresh) > len(x.perm)/4 {
		old, fresh = 0, live.from(0, n)
		v.sort(fresh)
		x.perm = fresh
	} else {
		slices.SortFunc(fresh, v.compare)
		x.perm = merge(x.perm, fresh, live, v.compare)
	}
	for len(x.code) < n {
		x.code = append(x.code, 0)
	}
	x.first = append(x.first[:0], -1)
	before, was := int32(-1), uint32(0)
	for _, s := range x.perm {
		if v.null.has(s) {
			x.code[s] = 0
			continue
		}
		code := x.code[s]
		var same bool
		switch {
		case before < 0:
		case int(s) < old && int(before) < old:
			same = code == was
		default:
			same = v.compare(before, s) == 0
		}
		if !same {
			x.first = append(x.first, s)
		}
		before, was = s, code
		x.code[s] = x.top()
	}
	if v.t == Strings {
		x.rank = append(x.rank[:0], 0)
		for c := 1; c < len(x.first); c++ {
			r := x.rank[c-1]
			if c == 1 || !bytes.Equal(v.low.at(x.first[c-1]), v.low.at(x.first[c])) {
				r++
			}
			x.rank = append(x.rank, r)
		}
	}
	x.made, x.slots = version, n
	return x
}

// merge puts fresh, which is in order, into old, and drops what is not live.
func merge(old, fresh []int32, live bits, compare func(a, b int32) int) []int32 {
	out := make([]int32, 0, len(old)+len(fresh))
	take := func(part []int32) {
		for _, s := range part {
			if live.has(s) {
				out = append(out, s)
			}
		}
	}
	for _, s := range fresh {
		at, _ := slices.BinarySearchFunc(old, s, compare)
		take(old[:at])
		out = append(out, s)
		old = old[at:]
	}
	take(old)
	return out
}

// sort orders slots as compare does.
func (v *vector) sort(slots []int32) {
	nulls := 0
	for i, s := range slots {
		if v.null.has(s) {
			slots[i], slots[nulls] = slots[nulls], slots[i]
			nulls++
		}
	}
	slots = slots[nulls:]
	switch {
	case v.ints != nil || v.nums != nil:
		slices.SortFunc(slots, v.compare)
	case v.low.end == nil:
		v.raw.sort(slots)
	default:
		v.low.sort(slots)
		for i := 0; i < len(slots); {
			k := i + 1
			for k < len(slots) && bytes.Equal(v.low.at(slots[i]), v.low.at(slots[k])) {
				k++
			}
			if k-i > 1 {
				v.raw.sort(slots[i:k])
			}
			i = k
		}
	}
}

// find gives the codes whose values x has equal to it, as [lo, hi); at compares a
// slot's value with what is looked for, and grows with the codes.
func (x *index) find(at func(slot int32) int) (lo, hi uint32) {
	values := x.first[1:]
	l, _ := slices.BinarySearchFunc(values, 0, func(s int32, _ int) int { return cmp.Compare(at(s), 0) })
	h, _ := slices.BinarySearchFunc(values[l:], 1, func(s int32, _ int) int { return cmp.Compare(at(s), 1) })
	return uint32(l) + 1, uint32(l+h) + 1
}
