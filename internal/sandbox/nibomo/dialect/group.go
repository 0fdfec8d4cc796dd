package dialect

import "slices"

// groups are the hits that are equal in the columns of GROUP BY, in the order in
// which each group's first hit came.
type groups struct {
	st    *Select
	found *hits
	of    []int32 // group of each hit
	first []int32 // first hit of each group
}

func groupSelect(st *Select, found *hits) (rows [][]any, total int) {
	g := &groups{st: st, found: found, first: []int32{-1}, of: make([]int32, len(found.slots))}
	if len(st.GroupBy) > 0 {
		g.divide()
	}
	which := st.page(g.first, g.orderBy)
	aggs, item := g.aggregates(which)
	for at, k := range which {
		out := make([]any, len(st.Items))
		for i := range st.Items {
			if item[i] < 0 {
				out[i] = found.value(st.Items[i].Column, int(g.first[k]))
			} else {
				out[i] = aggs[item[i]].result(at)
			}
		}
		rows = append(rows, out)
	}
	return rows, len(g.first)
}

// aggregates works out what the page shows, for its groups only: which are the
// groups, and item gives the aggregate of each item, -1 for a column. Items that
// say the same share one.
func (g *groups) aggregates(which []int32) (aggs []*aggregate, item []int) {
	place := make([]int32, len(g.first))
	for at, k := range which {
		place[k] = int32(at) + 1
	}
	all := len(which) == len(g.first)
	var hits, of []int32 // those of the page, and the place of each on it
	if all {
		of = g.of
	}
	for i, k := range g.of {
		switch at := place[k] - 1; {
		case all:
			of[i] = at
		case at >= 0:
			hits, of = append(hits, int32(i)), append(of, at)
		}
	}
	for i := range g.st.Items {
		it := &g.st.Items[i]
		if it.Func == "" {
			item = append(item, -1)
			continue
		}
		k := slices.IndexFunc(aggs, func(a *aggregate) bool {
			return a.fn == it.Func && (a.fn == "count" || a.c.Name == it.Column.Name)
		})
		if k < 0 {
			k = len(aggs)
			aggs = append(aggs, newAggregate(it, g.found))
		}
		item = append(item, k)
	}
	run := func(i int) {
		if pos := aggs[i].col.pos; pos != nil && !all {
			aggs[i].col.pos = movedValues(pos, hits)
		}
		aggs[i].run(of, len(which))
	}
	if len(of) > 10_000 {
		each(len(aggs), run)
	} else {
		for i := range aggs {
			run(i)
		}
	}
	return aggs, item
}

// divide finds the groups, column by column: each divides what the ones before
// have left together.
func (g *groups) divide() {
	n := len(g.found.slots)
	count := min(n, 1)
	for i, c := range g.st.GroupBy {
		if count == n || slices.ContainsFunc(g.st.GroupBy[:i], func(p *Column) bool { return p.Name == c.Name }) {
			continue
		}
		count = g.split(g.found.column(c), count)
	}
	g.first = make([]int32, count)
	for i := n - 1; i >= 0; i-- {
		g.first[g.of[i]] = int32(i)
	}
}

// split divides count groups by one column more.
func (g *groups) split(c held, count int) int {
	next := int32(0)
	number := func(at *int32) int32 {
		if *at == 0 {
			next++
			*at = next
		}
		return *at - 1
	}
	width := uint64(c.top()) + 1
	if size := uint64(count) * width; size <= 1<<20 {
		seen := make([]int32, size)
		for i, was := range g.of {
			g.of[i] = number(&seen[uint64(was)*width+uint64(c.code[c.pos[i]])])
		}
		return int(next)
	}
	// Open addressing over pairs of group and code.
	size := uint64(1)
	for size < 2*uint64(len(g.of)) {
		size *= 2
	}
	keys, seen := make([]uint64, size), make([]int32, size)
	for i, was := range g.of {
		key := uint64(was)<<32 | uint64(c.code[c.pos[i]])
		at := key * 0x9e3779b97f4a7c15 >> 20 & (size - 1)
		for seen[at] != 0 && keys[at] != key {
			at = (at + 1) & (size - 1)
		}
		keys[at] = key
		g.of[i] = number(&seen[at])
	}
	return int(next)
}

// orderBy adds one key: an aggregate, or a column of each group's first hit.
func (g *groups) orderBy(s *sorter, o Order) {
	item, c, _ := g.st.target(o.Name) // Check has seen to the error
	if item == nil || item.Func == "" {
		if item != nil {
			c = item.Column
		}
		col := g.found.column(c)
		s.by(col.top(), o.Desc, func(k int) uint32 { return col.order(col.code[col.pos[g.first[k]]]) })
		return
	}
	a := newAggregate(item, g.found)
	least := item.Func == "min" || item.Func == "max"
	if len(g.first) == len(g.of) && len(g.st.GroupBy) > 0 { // each group is one hit
		switch {
		case item.Func == "count":
			return
		case least && a.ordered():
			s.by(a.col.top(), o.Desc, func(k int) uint32 { return a.col.code[a.col.pos[k]] })
			return
		}
	}
	a.run(g.of, len(g.first))
	if least {
		s.by(a.col.top(), o.Desc, func(k int) uint32 { return a.best[k] })
		return
	}
	keys := a.keys(len(g.first))
	top := uint64(0)
	for _, k := range keys {
		top = max(top, k)
	}
	s.wide(top, o.Desc, func(k int) uint64 { return keys[k] })
}
