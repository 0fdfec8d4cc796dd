package dialect

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"math"
	"slices"
)

// aggregate is one value of one group on the way.
type aggregate struct {
	n    int64
	i    int64
	f    float64
	best any
	fold string
}

// groups collects rows that are equal in the columns of GROUP BY, in the order
// in which each group's first row came.
type groups struct {
	st    *Select
	found hits
	first []int32          // position of each group's first row
	aggs  []aggregate      // len(st.Items) for each group
	index map[uint64]int32 // by hash; on a collision the next number is taken
	seed  maphash.Seed
}

func groupSelect(st *Select, found hits) (rows [][]any, total int) {
	g := &groups{st: st, found: found, seed: maphash.MakeSeed()}
	n := len(found.rows)
	if len(st.GroupBy) == 0 {
		g.aggs = make([]aggregate, len(st.Items))
		g.first = []int32{-1}
		for i := range n {
			g.take(0, found.at(i))
		}
	} else {
		g.index = make(map[uint64]int32, min(n, 1<<17))
		g.first = make([]int32, 0, min(n, 1<<15))
		g.aggs = make([]aggregate, 0, cap(g.first)*len(st.Items))
		for i := range n {
			h := found.at(i)
			g.take(g.of(i, h), h)
		}
	}
	var order *ordering
	if len(st.OrderBy) > 0 {
		targets := make([]target, len(st.OrderBy))
		for i, o := range st.OrderBy {
			targets[i] = g.target(o.Name)
		}
		order = newOrdering(len(g.first), st.OrderBy, func(p, i int) key { return g.sortKey(targets[i], p) },
			func(a, b int) int {
				for i, o := range st.OrderBy {
					if d := g.compare(targets[i], a, b); d != 0 {
						return flip(d, o.Desc)
					}
				}
				return 0
			})
	}
	for _, k := range page(len(g.first), st.limit(), st.Offset, st.Random, order) {
		out := make([]any, len(st.Items))
		for i, item := range st.Items {
			if item.Func == "" {
				out[i] = g.head(k).value(item.Column)
			} else {
				out[i] = g.agg(k, i).result(item)
			}
		}
		rows = append(rows, out)
	}
	return rows, len(g.first)
}

func (g *groups) head(k int) hit             { return g.found.at(int(g.first[k])) }
func (g *groups) agg(k, item int) *aggregate { return &g.aggs[k*len(g.st.Items)+item] }
func (g *groups) take(k int, h hit) {
	for i, item := range g.st.Items {
		if item.Func != "" {
			g.agg(k, i).take(item, h)
		}
	}
}

// of gives the group of row i, making it if it is the first.
func (g *groups) of(i int, h hit) int {
	var sum uint64
	for _, c := range g.st.GroupBy {
		sum = sum*0x9e3779b97f4a7c15 + g.hash(h.value(c))
	}
	for {
		k, ok := g.index[sum]
		if !ok {
			k = int32(len(g.first))
			g.index[sum] = k
			g.first = append(g.first, int32(i))
			for range g.st.Items {
				g.aggs = append(g.aggs, aggregate{})
			}
			return int(k)
		}
		same := true
		for _, c := range g.st.GroupBy {
			same = same && equal(h.value(c), g.head(int(k)).value(c))
		}
		if same {
			return int(k)
		}
		sum++
	}
}

func (g *groups) hash(v any) uint64 {
	switch x := v.(type) {
	case string:
		return maphash.String(g.seed, x)
	case int64:
		return uint64(x) + 1
	case float64:
		return math.Float64bits(x) + 2
	case bool:
		if x {
			return 3
		}
		return 4
	case []string:
		var sum uint64 = 5
		for _, s := range x {
			sum = sum*31 + maphash.String(g.seed, s)
		}
		return sum
	case json.RawMessage:
		return maphash.Bytes(g.seed, x)
	}
	return 0
}

// equal compares two values of one column.
func equal(a, b any) bool {
	switch x := a.(type) {
	case []string:
		y, ok := b.([]string)
		return ok && slices.Equal(x, y)
	case []int64:
		y, ok := b.([]int64)
		return ok && slices.Equal(x, y)
	case json.RawMessage:
		y, ok := b.(json.RawMessage)
		return ok && bytes.Equal(x, y)
	}
	return a == b
}

func (a *aggregate) take(item Item, h hit) {
	if item.Func == "count" {
		a.n++
		return
	}
	v := h.value(item.Column)
	switch item.Func {
	case "sum", "avg":
		switch x := v.(type) {
		case int64:
			a.n++
			a.i += x
		case float64:
			a.n++
			a.f += x
		}
		return
	}
	switch v.(type) {
	case string, int64, float64, bool:
	default:
		return
	}
	fold := ""
	if item.Column.Type == String {
		fold = h.fold(item.Column)
	}
	if a.best != nil {
		d := compareValues(v, a.best, fold, a.fold, item.Column.Type)
		if item.Func == "min" && d >= 0 || item.Func == "max" && d <= 0 {
			return
		}
	}
	a.best, a.fold = v, fold
}

func (a *aggregate) result(item Item) any {
	switch item.Func {
	case "count":
		return a.n
	case "sum":
		if item.Column.Type == Number {
			return a.f
		}
		return a.i
	case "avg":
		if a.n == 0 {
			return nil
		}
		return (float64(a.i) + a.f) / float64(a.n)
	}
	return a.best
}

// target is what an item of ORDER BY means: an aggregate, or a column of the
// group's first row.
type target struct {
	item int // -1 for a column
	c    *Column
	t    Type // by which an aggregate is ordered
}

func (g *groups) target(name string) target {
	it, c, _ := g.st.target(name)
	if it != nil && it.Func == "" {
		it, c = nil, it.Column
	}
	if it == nil {
		return target{-1, c, c.Type}
	}
	t := target{item: slices.IndexFunc(g.st.Items, func(x Item) bool { return x.Name == name }), t: Number}
	if it.Func == "min" || it.Func == "max" {
		t.t = it.Column.Type
	}
	return t
}

func (g *groups) sortKey(t target, k int) key {
	if t.item < 0 {
		return g.head(k).sortKey(t.c)
	}
	a := g.agg(k, t.item)
	return keyOf(a.result(g.st.Items[t.item]), a.fold, t.t)
}

func (g *groups) compare(t target, a, b int) int {
	if t.item < 0 {
		return compareHits(t.c, g.head(a), g.head(b))
	}
	item, x, y := g.st.Items[t.item], g.agg(a, t.item), g.agg(b, t.item)
	return compareValues(x.result(item), y.result(item), x.fold, y.fold, t.t)
}
