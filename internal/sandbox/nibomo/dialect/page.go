package dialect

import "math/rand/v2"

// shuffle puts a random choice of all into its first n places.
func shuffle(all []int, n int) {
	for i := range n {
		j := i + rand.IntN(len(all)-i)
		all[i], all[j] = all[j], all[i]
	}
}

// narrow rearranges all so that [from, to) holds what a full sort would put
// there, in any order. It is quickselect at both ends; order must be total.
func narrow(all []int, order func(i, j int) bool, from, to int) {
	if from > 0 {
		nth(all, order, 0, len(all), from)
	}
	if to < len(all) {
		nth(all, order, from, len(all), to)
	}
}

// nth puts into place k what a sort of all[lo:hi] would, with nothing greater
// before it and nothing less after it.
func nth(all []int, order func(i, j int) bool, lo, hi, k int) {
	for hi-lo > 1 {
		p := lo + rand.IntN(hi-lo)
		all[p], all[hi-1] = all[hi-1], all[p]
		at := lo
		for i := lo; i < hi-1; i++ {
			if order(i, hi-1) {
				all[at], all[i] = all[i], all[at]
				at++
			}
		}
		all[at], all[hi-1] = all[hi-1], all[at]
		switch {
		case at == k:
			return
		case at < k:
			lo = at + 1
		default:
			hi = at
		}
	}
}
