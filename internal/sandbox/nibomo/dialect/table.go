package dialect

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Row is one row of a resource. It is immutable.
type Row struct{ v []any }

// NewRow makes a row of values as Output.Decode gives them, in the order of the
// columns. The caller gives up v.
func NewRow(v []any) *Row { return &Row{v} }

// Value is the row's value of a column of its resource.
func (row *Row) Value(c *Column) any { return row.v[c.index] }

// Table holds all visible rows of one resource of one workspace, column by
// column. Select and IDs may be called concurrently with each other, not with
// Put or Delete.
//
// A row has a slot, a number that it keeps. A change takes a new slot and leaves
// the old one dead; when there are many of those, the table is made anew.
type Table struct {
	r       *Resource
	columns []vector
	tags    *tags // of the Strings column; nil without one
	live    bits
	rows    int // live slots
	slots   int
	version int // moves with every change, from 1

	id   int
	made int // the column that is compared first, descending
	desc bool

	mu sync.Mutex // guards what a reader brings up to date: indexes and order
	// order are the slots as SELECT gives them without ORDER BY, as they were at
	// ordered; news are the rows that came after, by identifier.
	order   []int32
	ordered int
	news    map[string]int32
}

// NewTable makes an empty table.
func NewTable(r *Resource) *Table {
	t := &Table{r: r, columns: make([]vector, len(r.Columns)), version: 1, id: r.ID().index, desc: r.Name != "cards", news: map[string]int32{}}
	made := "created_at"
	if r.Name == "review_events" {
		made = "reviewed_at_server"
	}
	t.made = r.Column(made).index
	for i := range t.columns {
		t.columns[i].t = r.Columns[i].Type
		if r.Columns[i].Type == Strings {
			t.tags = newTags()
		}
	}
	return t
}

// Len is the number of rows.
func (t *Table) Len() int { return t.rows }

// Size is about the memory the table takes, in bytes.
func (t *Table) Size() int {
	n := 8*cap(t.live) + 4*cap(t.order)
	for i := range t.columns {
		n += t.columns[i].size()
	}
	if t.tags != nil {
		n += t.tags.size()
	}
	return n
}

// Append adds a row that is not in the table. It keeps nothing of v.
func (t *Table) Append(v []any) {
	for i := range t.columns {
		t.columns[i].add(t.slots, v[i])
		if t.columns[i].t == Strings {
			list, _ := v[i].([]string)
			t.tags.add(list)
		}
	}
	t.live = t.live.grow(t.slots + 1)
	t.live.set(int32(t.slots))
	t.slots++
	t.rows++
	t.version++
}

// Put adds a row, or replaces the one with the same id and creation time.
func (t *Table) Put(row *Row) {
	t.Delete(row)
	t.Append(row.v)
	id, _ := row.v[t.id].(string)
	t.news[id] = int32(t.slots - 1)
	if dead := t.slots - t.rows; dead > 1000 && dead > t.rows/4 {
		t.compact()
	}
}

// Delete removes the row with the same id and creation time.
func (t *Table) Delete(row *Row) {
	id, _ := row.v[t.id].(string)
	made, _ := row.v[t.made].(string)
	slot, ok := t.news[id]
	if !ok {
		i, found := slices.BinarySearchFunc(t.sorted(), 0, func(s int32, _ int) int {
			return t.compareTo(s, []byte(made), []byte(id))
		})
		if !found {
			return
		}
		slot = t.order[i]
	}
	delete(t.news, id)
	if t.live.has(slot) {
		t.live.unset(slot)
		t.rows--
		t.version++
	}
}

// compareTo orders a slot and a creation time with an identifier.
func (t *Table) compareTo(s int32, made, id []byte) int {
	if c := bytes.Compare(made, t.columns[t.made].raw.at(s)); c != 0 {
		return c
	}
	c := bytes.Compare(t.columns[t.id].raw.at(s), id)
	if t.desc {
		return -c
	}
	return c
}

func (t *Table) compare(a, b int32) int {
	return t.compareTo(a, t.columns[t.made].raw.at(b), t.columns[t.id].raw.at(b))
}

// sorted is order for searching: news are not in it, and dead slots may be.
func (t *Table) sorted() []int32 {
	if t.ordered == 0 {
		t.refresh()
	}
	return t.order
}

// refresh brings order up to date.
func (t *Table) refresh() []int32 {
	if t.ordered == t.version {
		return t.order
	}
	var fresh []int32
	for _, s := range t.news {
		fresh = append(fresh, s)
	}
	if t.ordered == 0 || len(fresh) > t.rows/4 {
		t.order = t.arrange()
	} else {
		slices.SortFunc(fresh, t.compare)
		t.order = merge(t.order, fresh, t.live, t.compare)
	}
	t.ordered = t.version
	clear(t.news)
	return t.order
}

// arrange sorts all rows.
func (t *Table) arrange() []int32 {
	made, id := t.fresh(t.made), t.fresh(t.id)
	s := newSorter(t.live.from(0, t.slots))
	s.by(made.top(), true, func(i int) uint32 { return made.code[s.slots[i]] })
	s.by(id.top(), t.desc, func(i int) uint32 { return id.code[s.slots[i]] })
	out := make([]int32, len(s.slots))
	for i, at := range s.page(0, len(s.slots)) {
		out[i] = s.slots[at]
	}
	return out
}

// fresh is the index of a column. The caller holds t.mu, or is the only one who
// uses the table.
func (t *Table) fresh(column int) *index {
	return t.columns[column].refresh(t.version, t.slots, t.live)
}

// index is the index of a column, for readers. It does not change while they
// read.
func (t *Table) index(column int) *index {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fresh(column)
}

// Prepare makes all indexes, which otherwise the first query that needs one does.
func (t *Table) Prepare() {
	t.mu.Lock()
	defer t.mu.Unlock()
	var next atomic.Int32
	each(runtime.GOMAXPROCS(0), func(int) {
		for i := int(next.Add(1)) - 1; i < len(t.columns); i = int(next.Add(1)) - 1 {
			t.fresh(i)
		}
	})
	t.refresh()
}

func (t *Table) inOrder() []int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refresh()
}

// compact leaves the dead slots behind. The indexes go with it: to make them
// anew would take longer than all the rest.
func (t *Table) compact() {
	order := slices.Clone(t.refresh())
	place := make([]int32, t.slots)
	for i, s := range order {
		place[s] = int32(i)
		t.order[i] = int32(i)
	}
	for i := range t.columns {
		if t.columns[i].index.made > 0 {
			t.fresh(i)
		}
	}
	t.version++
	for i := range t.columns {
		t.columns[i] = t.columns[i].moved(order, place, t.version)
	}
	if t.tags != nil {
		t.tags = t.tags.moved(order)
	}
	t.slots = len(order)
	t.live = newBits(t.slots)
	for i := range order {
		t.live.set(int32(i))
	}
	t.ordered = t.version
}

// value is as Output.Decode gives it.
func (t *Table) value(column int, slot int32) any {
	if t.columns[column].t == Strings {
		if t.columns[column].null.has(slot) {
			return nil
		}
		return t.tags.strings(slot)
	}
	return t.columns[column].value(slot)
}

// IDs lists the rows that an UPDATE or DELETE affects, one more than it may.
// overlay has rows as they are by now, by identifier: nil for one that is gone.
func (t *Table) IDs(where Expr, env Env, overlay map[string]*Row) []string {
	var ids []string
	if len(overlay) > 0 {
		now := NewTable(t.r)
		for _, row := range overlay {
			if row != nil {
				now.Append(row.v)
			}
		}
		ids = now.IDs(where, env, nil)
	}
	for _, s := range t.filter(where, env, t.live).from(0, t.slots) {
		if len(ids) > MaxRows {
			break
		}
		id := string(t.columns[t.id].raw.at(s))
		if _, changed := overlay[id]; !changed {
			ids = append(ids, id)
		}
	}
	return ids[:min(len(ids), MaxRows+1)]
}
