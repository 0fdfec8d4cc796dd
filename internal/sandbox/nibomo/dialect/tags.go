package dialect

import "slices"

// tags are the lists of the Strings column of a table, by slot, as numbers of
// names.
type tags struct {
	ids   map[string]uint32
	names vector // by id
	all   bits   // of the ids
	list  []uint32
	end   []int // by slot, in list
}

func newTags() *tags { return &tags{ids: map[string]uint32{}, names: vector{t: String}} }

func (g *tags) add(list []string) {
	for _, name := range list {
		id, ok := g.ids[name]
		if !ok {
			id = uint32(len(g.ids))
			g.ids[name] = id
			g.names.add(int(id), name)
			g.all = g.all.grow(int(id) + 1)
			g.all.set(int32(id))
		}
		g.list = append(g.list, id)
	}
	g.end = append(g.end, len(g.list))
}

// of is the list of a slot. The caller does not change it.
func (g *tags) of(slot int32) []uint32 {
	from := 0
	if slot > 0 {
		from = g.end[slot-1]
	}
	return g.list[from:g.end[slot]]
}

func (g *tags) strings(slot int32) []string {
	out := []string{}
	for _, id := range g.of(slot) {
		out = append(out, g.name(id))
	}
	return out
}

func (g *tags) name(id uint32) string { return string(g.names.raw.at(int32(id))) }

// refresh is the index of the names.
func (g *tags) refresh() *index {
	n := len(g.ids)
	return g.names.refresh(n+1, n, g.all)
}

// known gives the ids of those names that there are.
func (g *tags) known(names []string) []uint32 {
	var out []uint32
	for _, name := range names {
		if id, ok := g.ids[name]; ok {
			out = append(out, id)
		}
	}
	return out
}

// same gives the members of in that have just these tags, each once.
func (g *tags) same(names []string, in bits) bits {
	ids := g.known(names)
	return in.pick(func(slot int32) bool {
		have := g.of(slot) // all different
		if len(have) != len(names) {
			return false
		}
		for _, id := range have {
			if !slices.Contains(ids, id) {
				return false
			}
		}
		return true
	})
}

// overlap gives the members of in that have one of these tags.
func (g *tags) overlap(names []string, in bits) bits {
	wanted := newBits(len(g.ids))
	for _, id := range g.known(names) {
		wanted.set(int32(id))
	}
	return in.pick(func(slot int32) bool {
		for _, id := range g.of(slot) {
			if wanted.has(int32(id)) {
				return true
			}
		}
		return false
	})
}

func (g *tags) size() int {
	n := g.names.size() + 4*cap(g.list) + 8*cap(g.end)
	for name := range g.ids {
		n += len(name) + 32
	}
	return n
}
