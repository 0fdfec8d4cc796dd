package dialect

import (
	"math/rand/v2"
	"slices"
)

// hits are the rows of FROM that WHERE left, in the order of the table, with
// their tags if there is UNNEST.
type hits struct {
	t     *Table
	slots []int32
	tags  []int32 // nil without UNNEST
}

// held is a column of the hits: the value of hit i is at pos[i] in the vector.
type held struct {
	*index
	of  *vector
	pos []int32
}

func (h *hits) column(c *Column) held {
	if c.index < len(h.t.columns) {
		return held{h.t.index(c.index), &h.t.columns[c.index], h.slots}
	}
	h.t.mu.Lock()
	defer h.t.mu.Unlock()
	return held{h.t.tags.refresh(), &h.t.tags.names, h.tags}
}

func (h *hits) value(c *Column, i int) any {
	if c.index < len(h.t.columns) {
		return h.t.value(c.index, h.slots[i])
	}
	return h.t.tags.name(uint32(h.tags[i]))
}

// Select runs st and gives its rows, in the columns of Output, and the number
// of rows that there are without LIMIT and OFFSET.
func (t *Table) Select(st *Select, env Env) (rows [][]any, total int) {
	found := t.find(st, env)
	if st.Grouped() {
		return groupSelect(st, found)
	}
	items := st.items()
	for _, i := range st.page(found.slots, func(s *sorter, o Order) {
		_, c, _ := st.target(o.Name) // Check has seen to the error
		col := found.column(c)
		s.by(col.top(), o.Desc, func(i int) uint32 { return col.order(col.code[col.pos[i]]) })
	}) {
		out := make([]any, len(items))
		for k, item := range items {
			out[k] = found.value(item.Column, int(i))
		}
		rows = append(rows, out)
	}
	return rows, len(found.slots)
}

// page chooses which of rows are shown, in their order. sortBy gives a sorter of
// them a key of ORDER BY.
func (st *Select) page(rows []int32, sortBy func(*sorter, Order)) []int32 {
	switch {
	case st.Random:
		return draw(len(rows), st.limit(), st.Offset)
	case len(st.OrderBy) == 0:
		return inTurn(len(rows), st.limit(), st.Offset)
	}
	s := newSorter(rows)
	for i, o := range st.OrderBy {
		// What comes again decides nothing.
		if !slices.ContainsFunc(st.OrderBy[:i], func(p Order) bool { return p.Name == o.Name }) {
			sortBy(s, o)
		}
	}
	return s.page(st.Offset, st.limit())
}

// find runs FROM and WHERE.
func (t *Table) find(st *Select, env Env) *hits {
	order := t.inOrder()
	if st.Unnest == nil {
		if st.Where == nil {
			return &hits{t: t, slots: order}
		}
		in := t.filter(st.Where, env, t.live)
		out := make([]int32, 0, in.count())
		for _, s := range order {
			if in.has(s) {
				out = append(out, s)
			}
		}
		return &hits{t: t, slots: out}
	}
	h := &hits{t: t, slots: make([]int32, 0, len(t.tags.list)), tags: make([]int32, 0, len(t.tags.list))}
	for _, s := range order {
		for _, id := range t.tags.of(s) {
			h.slots, h.tags = append(h.slots, s), append(h.tags, int32(id))
		}
	}
	if st.Where == nil {
		return h
	}
	all := newBits(len(h.slots))
	for i := range h.slots {
		all.set(int32(i))
	}
	left := h.filter(st.Where, env, all)
	out := 0
	for i := range h.slots {
		if left.has(int32(i)) {
			h.slots[out], h.tags[out] = h.slots[i], h.tags[i]
			out++
		}
	}
	h.slots, h.tags = h.slots[:out], h.tags[:out]
	return h
}

// filter is Table.filter for rows with one tag each: a predicate about the tag is
// worked out for every tag, any other for the rows.
func (h *hits) filter(e Expr, env Env, in bits) bits {
	if b, ok := e.(*Bool); ok {
		return boolean(b, in, func(e Expr, in bits) bits { return h.filter(e, env, in) })
	}
	if c := about(e); c == nil || c.index < len(h.t.columns) {
		rows := newBits(h.t.slots)
		for i, s := range h.slots {
			if in.has(int32(i)) {
				rows.set(s)
			}
		}
		rows = h.t.filter(e, env, rows)
		return in.pick(func(i int32) bool { return rows.has(h.slots[i]) })
	}
	h.t.mu.Lock()
	x := h.t.tags.refresh()
	h.t.mu.Unlock()
	v, all := &h.t.tags.names, h.t.tags.all
	var got bits
	switch e := e.(type) {
	case *Compare:
		got = v.compareWith(e, env, x, all)
	case *Like:
		got = v.like(e, all)
	case *In:
		got = v.in(e, func(int) *index { return x }, all)
	case *Null:
		got = v.nulls(!e.Not, all)
	}
	return in.pick(func(i int32) bool { return got.has(h.tags[i]) })
}

// about is the column of a predicate; nil for MATCH, which is about all.
func about(e Expr) *Column {
	switch e := e.(type) {
	case *Compare:
		return e.Column
	case *Like:
		return e.Column
	case *In:
		return e.Column
	case *Null:
		return e.Column
	case *SameTags:
		return e.Column
	case *Overlap:
		return e.Column
	}
	return nil
}

// inTurn is the page of things that are in order already.
func inTurn(n, limit, offset int) []int32 {
	from := min(offset, n)
	out := make([]int32, min(limit, n-from))
	for i := range out {
		out[i] = int32(from + i)
	}
	return out
}

// draw is the page of things in an order by chance.
func draw(n, limit, offset int) []int32 {
	from := min(offset, n)
	to := min(from+limit, n)
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	for i := range to {
		j := i + rand.IntN(n-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[from:to]
}
