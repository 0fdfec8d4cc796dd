package dialect

import "math"

// aggregate is one function over one column, for all groups.
type aggregate struct {
	fn   string
	c    *Column // nil for count
	col  held
	n    []int64 // values that are not null; for count, rows
	ints []int64
	nums []sum
	best []uint32 // code, 0 for none
}

func newAggregate(item *Item, found *hits) *aggregate {
	a := &aggregate{fn: item.Func, c: item.Column}
	if item.Func != "count" {
		a.col = found.column(item.Column)
	}
	return a
}

// run goes through the hits that a.col gives; of is the group of each, out of
// count.
func (a *aggregate) run(of []int32, count int) {
	pos := a.col.pos
	switch a.fn {
	case "count":
		a.n = make([]int64, count)
		for _, k := range of {
			a.n[k]++
		}
	case "sum", "avg":
		a.n = make([]int64, count)
		v := a.col.of
		if v.t == Number {
			a.nums = make([]sum, count)
		} else {
			a.ints = make([]int64, count)
		}
		for i, k := range of {
			switch at := pos[i]; {
			case v.null.has(at):
			case a.nums != nil:
				a.n[k]++
				a.nums[k].add(v.nums[at])
			default:
				a.n[k]++
				a.ints[k] += v.ints[at]
			}
		}
	default:
		a.best = make([]uint32, count)
		code := a.col.code
		switch {
		case !a.ordered():
		case a.fn == "max":
			for i, k := range of {
				a.best[k] = max(a.best[k], code[pos[i]])
			}
		default:
			// Zero is null, and less one it is greater than everything.
			for i, k := range of {
				a.best[k] = min(a.best[k]-1, code[pos[i]]-1) + 1
			}
		}
	}
}

// ordered says whether values of the column have a least: lists have none.
func (a *aggregate) ordered() bool {
	return a.c.Type != Strings && a.c.Type != Integers && a.c.Type != JSON
}

// result is the value of one group.
func (a *aggregate) result(k int) any {
	switch a.fn {
	case "count":
		return a.n[k]
	case "sum":
		if a.nums != nil {
			return a.nums[k].value()
		}
		return a.ints[k]
	case "avg":
		if a.n[k] == 0 {
			return nil
		}
		return a.mean(k)
	}
	if a.best[k] == 0 {
		return nil
	}
	return a.col.of.value(a.col.first[a.best[k]])
}

func (a *aggregate) mean(k int) float64 {
	if a.nums != nil {
		return a.nums[k].value() / float64(a.n[k])
	}
	return float64(a.ints[k]) / float64(a.n[k])
}

// keys are numbers in the order of the results, 0 for null. min and max have
// their codes for that.
func (a *aggregate) keys(n int) []uint64 {
	out := make([]uint64, n)
	ints := func(list []int64) {
		least := int64(math.MaxInt64)
		for _, v := range list {
			least = min(least, v)
		}
		for k, v := range list {
			out[k] = uint64(v) - uint64(least)
		}
	}
	switch {
	case a.fn == "count":
		ints(a.n)
	case a.fn == "sum" && a.c.Type != Number:
		ints(a.ints)
	case a.fn == "sum":
		for k := range out {
			out[k] = floatKey(a.nums[k].value())
		}
	case a.fn == "avg":
		for k := range out {
			if a.n[k] > 0 {
				out[k] = floatKey(a.mean(k))
			}
		}
	}
	return out
}

// floatKey orders numbers as unsigned integers, none of them 0.
func floatKey(f float64) uint64 {
	if f == 0 {
		f = 0 // not -0
	}
	b := math.Float64bits(f)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// sum adds numbers as SQLite does (Kahan, Babuška, Neumaier), so that both ways to
// run a statement give the same digits.
type sum struct{ s, rest float64 }

func (a *sum) add(x float64) {
	t := a.s + x
	if math.Abs(a.s) > math.Abs(x) {
		a.rest += a.s - t + x
	} else {
		a.rest += x - t + a.s
	}
	a.s = t
}

func (a *sum) value() float64 { return a.s + a.rest }
