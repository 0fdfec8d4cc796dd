package dialect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// A condition is worked out for a whole set of rows at a time: each predicate
// takes the set that is still in question and gives the part for which it holds.

// filter gives the members of in for which e holds; all of them if e is nil.
func (t *Table) filter(e Expr, env Env, in bits) bits {
	select {
	case <-env.Done:
		return make(bits, len(in))
	default:
	}
	switch e := e.(type) {
	case *Bool:
		return boolean(e, in, func(e Expr, in bits) bits { return t.filter(e, env, in) })
	case *Match:
		return t.match(e, in)
	case *Compare:
		return t.columns[e.Column.index].compareWith(e, env, t.index(e.Column.index), in)
	case *Like:
		return t.columns[e.Column.index].like(e, in)
	case *In:
		return t.columns[e.Column.index].in(e, t.index, in)
	case *Null:
		return t.columns[e.Column.index].nulls(!e.Not, in)
	case *SameTags:
		return t.tags.same(e.Values, in)
	case *Overlap:
		return t.tags.overlap(e.Values, in)
	}
	return in
}

// boolean works out the cheap arguments first, and the others for what those
// have left open.
func boolean(e *Bool, in bits, f func(Expr, bits) bits) bits {
	args := slices.Clone(e.Args)
	slices.SortStableFunc(args, func(a, b Expr) int { return cmp.Compare(cost(a), cost(b)) })
	if !e.Or {
		for _, a := range args {
			in = f(a, in)
		}
		return in
	}
	open, out := slices.Clone(in), make(bits, len(in))
	for _, a := range args {
		got := f(a, open)
		out.or(got)
		open.minus(got)
	}
	return out
}

func cost(e Expr) int {
	switch e := e.(type) {
	case *Bool:
		n := 0
		for _, a := range e.Args {
			n += cost(a)
		}
		return n
	case *Like:
		return 20
	case *Match:
		return 50
	case *In:
		if e.Fold {
			return 5
		}
	}
	return 1
}

// nulls gives the members of in that are, or are not, null.
func (v *vector) nulls(null bool, in bits) bits {
	out := slices.Clone(in)
	if null {
		out.and(v.null[:len(in)])
	} else {
		out.minus(v.null[:len(in)])
	}
	return out
}

// compareWith follows the service: = compares type and value, the others compare
// numbers with numbers and anything else as text; null is equal to null only.
func (v *vector) compareWith(e *Compare, env Env, x *index, in bits) bits {
	value := e.Value
	if _, ok := value.(Now); ok {
		value = env.Now
	}
	none := make(bits, len(in))
	if e.Op == "=" && value == nil {
		return v.nulls(true, in)
	}
	if value == nil || v.t == Strings || v.t == Integers || e.Op == "=" && !sameType(v.t, value) {
		return none
	}
	at := func(s int32) int { return compareNumbers(v.value(s), value) }
	s := []byte(asText(value))
	switch {
	case e.Op == "=" && v.t == String:
		at = v.exactly(s)
	case v.t == String:
		at = v.exactly(s)
	case v.t.text():
		at = func(slot int32) int { return bytes.Compare(v.raw.at(slot), s) }
	case !sameType(v.t, value): // a number or truth value as text: not in order
		return v.whose(x, in, func(slot int32) bool { return holds(e.Op, strings.Compare(asText(v.value(slot)), string(s))) })
	}
	lo, hi := x.find(at)
	switch e.Op {
	case "<":
		lo, hi = 1, lo
	case "<=":
		lo = 1
	case ">":
		lo, hi = hi, x.top()+1
	case ">=":
		hi = x.top() + 1
	}
	return in.within(x.code, lo, hi)
}

// exactly compares with s in the order of String columns.
func (v *vector) exactly(s []byte) func(int32) int {
	low := []byte(strings.ToLower(string(s)))
	return func(slot int32) int {
		if c := bytes.Compare(v.low.at(slot), low); c != 0 {
			return c
		}
		return bytes.Compare(v.raw.at(slot), s)
	}
}

func holds(op string, d int) bool {
	switch op {
	case "<":
		return d < 0
	case "<=":
		return d <= 0
	case ">":
		return d > 0
	case ">=":
		return d >= 0
	}
	return d == 0
}

// whose gives the members of in whose value, which is not null, passes test. Each
// different value is tested once.
func (v *vector) whose(x *index, in bits, test func(slot int32) bool) bits {
	codes := newBits(len(x.first))
	for c, slot := range x.first {
		if c > 0 && test(slot) {
			codes.set(int32(c))
		}
	}
	return in.coded(x.code, codes)
}

func (v *vector) in(e *In, indexed func(int) *index, in bits) bits {
	texts := map[string]bool{}
	numbers := map[float64]bool{}
	null := false
	for _, value := range e.Values {
		switch {
		case value == nil:
			null = true
		case !sameType(v.t, value):
		default:
			if s, ok := value.(string); ok {
				if e.Fold {
					s = strings.ToLower(s)
				}
				texts[s] = true
			} else {
				numbers[asFloat(value)] = true
			}
		}
	}
	var out bits
	switch {
	case !v.t.text():
		out = v.whose(indexed(e.Column.index), in, func(slot int32) bool { return numbers[asFloat(v.value(slot))] })
	case e.Fold && v.t == String:
		out = in.pick(func(slot int32) bool { return texts[string(v.low.at(slot))] })
	case e.Fold:
		out = in.pick(func(slot int32) bool {
			var buf [64]byte
			return texts[string(lower(buf[:0], v.raw.at(slot)))]
		})
	default:
		out = in.pick(func(slot int32) bool { return texts[string(v.raw.at(slot))] })
	}
	out.minus(v.null[:len(in)])
	if e.Not {
		rest := v.nulls(false, in)
		rest.minus(out)
		return rest
	}
	if null {
		out.or(v.nulls(true, in))
	}
	return out
}

func (v *vector) like(e *Like, in bits) bits {
	text, texts := e.Pattern, &v.raw
	if e.Fold {
		text = strings.ToLower(text)
	}
	switch {
	case e.Fold && v.t == String:
		texts = &v.low
	case e.Fold && v.t == Datetime && !v.odd:
		text = strings.ToUpper(text) // which its letters are, T and Z
	}
	p := newPattern(text)
	in = v.nulls(false, in)
	could := v.low.grams.narrow([]byte(strings.ToLower(string(p.longest()))), in)
	could = could.pick(func(slot int32) bool { return v.lines[slot] == p.lines })
	var out bits
	switch word := p.word(); {
	case e.Fold && v.odd:
		out = could.pick(func(slot int32) bool {
			var buf [64]byte
			return p.match(lower(buf[:0], v.raw.at(slot)))
		})
	case word != nil:
		out = texts.containing(word, could)
	default:
		out = could.pick(func(slot int32) bool { return p.match(texts.at(slot)) })
	}
	if e.Not {
		in.minus(out)
		return in
	}
	return out
}
