package dialect

// This file moves the rows of a table to new slots. slots are the old ones by
// the new, and place is the new one by the old.

func (a *arena) moved(slots []int32) arena {
	if a.end == nil {
		return arena{}
	}
	n := 0
	for _, s := range slots {
		n += a.end[s] - a.start(s) + 1
	}
	// Room for what comes next.
	out := arena{buf: make([]byte, 0, n+n/8), end: make([]int, 0, len(slots)+len(slots)/8)}
	if a.grams != nil {
		out.grams = &grams{}
	}
	for i, s := range slots {
		if out.grams != nil {
			out.grams.add(int32(i), string(a.at(s)))
		}
		out.buf = append(out.buf, a.at(s)...)
		out.end = append(out.end, len(out.buf))
		out.buf = append(out.buf, 0)
	}
	return out
}

func movedValues[T any](old []T, slots []int32) []T {
	if old == nil {
		return nil
	}
	out := make([]T, len(slots), len(slots)+len(slots)/8)
	for i, s := range slots {
		out[i] = old[s]
	}
	return out
}

func (v *vector) moved(slots, place []int32, version int) vector {
	out := vector{
		t: v.t, some: v.some, odd: v.odd, null: newBits(len(slots)),
		raw: v.raw.moved(slots), low: v.low.moved(slots),
		lines: movedValues(v.lines, slots), ints: movedValues(v.ints, slots), nums: movedValues(v.nums, slots),
	}
	for i, s := range slots {
		if v.null.has(s) {
			out.null.set(int32(i))
		}
	}
	if v.index.made == 0 {
		return out
	}
	old := &v.index
	out.index = index{made: version, slots: len(slots), code: movedValues(old.code, slots), first: old.first, rank: old.rank, perm: old.perm}
	for i, s := range old.perm {
		old.perm[i] = place[s]
	}
	for i, s := range old.first[1:] {
		old.first[i+1] = place[s]
	}
	return out
}

func (g *tags) moved(slots []int32) *tags {
	out := newTags()
	for _, s := range slots {
		out.add(g.strings(s))
	}
	return out
}
