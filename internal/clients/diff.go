package clients

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	// around is how many lines are shown before and after a change.
	around = 3
	// maxCells bounds the table of the comparison; texts that differ in more
	// lines than that are shown as one change.
	maxCells = 4 << 20
	// maxLine is how much of a line is shown, in runes: some clients write
	// megabytes on one.
	maxLine = 240
)

// diff is a unified diff of two texts, each line shown through show. It is ""
// if they are equal.
func diff(path string, before, after []byte, show func(string) string) string {
	if string(before) == string(after) {
		return ""
	}
	a, b := lines(before), lines(after)
	ops := compare(a, b)
	var out strings.Builder
	old := path
	if before == nil {
		old = "/dev/null"
	}
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", old, path)
	for i := 0; i < len(ops); {
		if ops[i].kind == ' ' {
			i++
			continue
		}
		from := max(0, i-around)
		to, same := i, 0
		for j := i; j < len(ops) && same <= 2*around; j++ {
			if ops[j].kind == ' ' {
				same++
			} else {
				same, to = 0, j
			}
		}
		end := min(len(ops), to+1+around)
		hunk(&out, ops[from:end], show)
		i = end
	}
	return out.String()
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	list := strings.SplitAfter(string(text), "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// An op is one line of a diff.
type op struct {
	kind byte // ' ', '-', '+'
	text string
	a, b int // 1-based numbers of the line in either text
}

// compare lines up two texts: what begins and ends alike is left out first,
// the rest is the longest common subsequence.
func compare(a, b []string) []op {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var ops []op
	i, j := 0, 0
	put := func(kind byte) {
		switch kind {
		case ' ':
			ops = append(ops, op{' ', a[i], i + 1, j + 1})
			i, j = i+1, j+1
		case '-':
			ops = append(ops, op{'-', a[i], i + 1, j + 1})
			i++
		case '+':
			ops = append(ops, op{'+', b[j], i + 1, j + 1})
			j++
		}
	}
	for range head {
		put(' ')
	}
	endA, endB := len(a)-tail, len(b)-tail
	n, m := endA-head, endB-head
	if n*m <= maxCells {
		// longest[x][y] is the length for a[head+x:], b[head+y:].
		longest := make([][]int, n+1)
		for x := range longest {
			longest[x] = make([]int, m+1)
		}
		for x := n - 1; x >= 0; x-- {
			for y := m - 1; y >= 0; y-- {
				if a[head+x] == b[head+y] {
					longest[x][y] = longest[x+1][y+1] + 1
				} else {
					longest[x][y] = max(longest[x+1][y], longest[x][y+1])
				}
			}
		}
		for i < endA && j < endB {
			switch x, y := i-head, j-head; {
			case a[i] == b[j]:
				put(' ')
			case longest[x+1][y] >= longest[x][y+1]:
				put('-')
			default:
				put('+')
			}
		}
	}
	for i < endA {
		put('-')
	}
	for j < endB {
		put('+')
	}
	for range tail {
		put(' ')
	}
	return ops
}

func hunk(out *strings.Builder, ops []op, show func(string) string) {
	var olds, news int
	for _, o := range ops {
		if o.kind != '+' {
			olds++
		}
		if o.kind != '-' {
			news++
		}
	}
	a, b := ops[0].a, ops[0].b
	if olds == 0 {
		a--
	}
	if news == 0 {
		b--
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", a, olds, b, news)
	for _, o := range ops {
		text := strings.TrimRight(o.text, "\r\n")
		out.WriteByte(o.kind)
		out.WriteString(shorten(printable(show(text))))
		out.WriteByte('\n')
	}
}

// printable drops what a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= maxLine {
		return s
	}
	return string(runes[:maxLine/2]) + " … " + string(runes[len(runes)-maxLine/2:])
}
