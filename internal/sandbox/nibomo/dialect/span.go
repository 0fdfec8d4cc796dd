package dialect

import "strings"

// span is a run of tokens of one statement.
type span struct {
	s        *source
	from, to int
}

func (p span) len() int        { return p.to - p.from }
func (p span) empty() bool     { return p.from >= p.to }
func (p span) tok(i int) token { return p.s.toks[p.from+i] }

// str is the text of token i.
func (p span) str(i int) string {
	t := p.tok(i)
	return p.s.text[t.start:t.end]
}

// text is the whole run as it stands in the normalised statement.
func (p span) text() string {
	if p.empty() {
		return ""
	}
	return p.s.text[p.s.toks[p.from].start:p.s.toks[p.to-1].end]
}

// sub is the run from i up to, not including, j.
func (p span) sub(i, j int) span { return span{p.s, p.from + i, p.from + j} }

// is says whether token i is this keyword (upper case) or character.
func (p span) is(i int, want string) bool {
	if i < 0 || i >= p.len() {
		return false
	}
	switch k := p.tok(i).kind; k {
	case word:
		return strings.EqualFold(p.str(i), want)
	case punct:
		return p.str(i) == want
	}
	return false
}

// name gives token i in lower case if it is a word.
func (p span) name(i int) (string, bool) {
	if i >= p.len() || p.tok(i).kind != word {
		return "", false
	}
	return strings.ToLower(p.str(i)), true
}

// spaced says whether white space stands before token i.
func (p span) spaced(i int) bool {
	n := p.from + i
	return n == 0 || p.s.toks[n-1].end < p.s.toks[n].start
}

// has says whether a token of this kind is in the run.
func (p span) has(k kind) bool {
	for i := range p.len() {
		if p.tok(i).kind == k {
			return true
		}
	}
	return false
}

// nesting is +1 for an opening bracket, -1 for a closing one.
func (p span) nesting(i int, brackets bool) int {
	if p.tok(i).kind != punct {
		return 0
	}
	switch c := p.str(i); c {
	case "(":
		return 1
	case ")":
		return -1
	case "[", "{":
		if brackets {
			return 1
		}
	case "]", "}":
		if brackets {
			return -1
		}
	}
	return 0
}

// split cuts at a keyword or character outside all brackets. An empty last part
// is dropped; the others are kept, so that the parser can refuse them.
func (p span) split(sep string) []span {
	var parts []span
	depth, from := 0, 0
	for i := range p.len() {
		if n := p.nesting(i, true); n != 0 {
			depth += n
			continue
		}
		if depth == 0 && p.is(i, sep) {
			parts = append(parts, p.sub(from, i))
			from = i + 1
		}
	}
	if from < p.len() {
		parts = append(parts, p.sub(from, p.len()))
	}
	return parts
}

// wrapped says whether the run is one pair of parentheses with all else inside.
func (p span) wrapped() bool {
	if p.len() < 2 || !p.is(0, "(") || !p.is(p.len()-1, ")") {
		return false
	}
	depth := 0
	for i := range p.len() {
		depth += p.nesting(i, false)
		if depth == 0 && i < p.len()-1 {
			return false
		}
	}
	return depth == 0
}

// clause is a keyword found outside parentheses, with the run that follows it.
type clause struct {
	at   int
	body span
	set  bool
}

// clauses finds the keywords (such as "GROUP BY") in p, which must come in the
// given order, each at most once. head is what stands before the first.
func (p span) clauses(statement string, keywords ...string) (head span, found []clause, err error) {
	found = make([]clause, len(keywords))
	type hit struct{ key, at, end int }
	var hits []hit
	depth := 0
	for i := 0; i < p.len(); i++ {
		if n := p.nesting(i, false); n != 0 {
			depth += n
			continue
		}
		if depth != 0 {
			continue
		}
		for k, keyword := range keywords {
			first, second, two := strings.Cut(keyword, " ")
			if !p.is(i, first) || two && !p.is(i+1, second) {
				continue
			}
			end := i + 1
			if two {
				end++
			}
			hits = append(hits, hit{k, i, end})
			i = end - 1
			break
		}
	}
	last := -1
	for n, h := range hits {
		if found[h.key].set {
			return head, nil, errorf("Duplicate %s clause: %s", statement, keywords[h.key])
		}
		if h.key < last {
			return head, nil, errorf("Invalid %s clause order near %s", statement, keywords[h.key])
		}
		last = h.key
		end := p.len()
		if n+1 < len(hits) {
			end = hits[n+1].at
		}
		found[h.key] = clause{h.at, p.sub(h.end, end), true}
	}
	if len(hits) == 0 {
		return p, found, nil
	}
	return p.sub(0, hits[0].at), found, nil
}
