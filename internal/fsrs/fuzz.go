package fsrs

import (
	"math"
	"strconv"
	"time"
)

// Fuzz keeps cards that were learned together from coming back together for
// ever. It is drawn from Johannes Baagøe's Alea generator, seeded by the review
// itself, so that server and client agree without sharing a random number.

// fuzzSeed is "<review in ms>_<reps after>_<difficulty·stability before>".
// product is 0 for a new card.
func fuzzSeed(now time.Time, reps int, product float64) string {
	return strconv.FormatInt(now.UnixMilli(), 10) + "_" + strconv.Itoa(reps) + "_" +
		strconv.FormatFloat(product, 'f', -1, 64)
}

// fuzz picks a day uniformly around days.
func fuzz(days, elapsed, maximum int, seed string) int {
	lo, hi := fuzzRange(days, elapsed, maximum)
	return int(math.Floor(float64(firstAlea(seed)*float64(hi-lo+1)) + float64(lo)))
}

func fuzzRange(days, elapsed, maximum int) (lo, hi int) {
	d := float64(days)
	part := func(from, to float64) float64 { return math.Max(math.Min(d, to)-from, 0) }
	delta := 1 + float64(0.15*part(2.5, 7))
	delta += float64(0.10 * part(7, 20))
	delta += float64(0.05 * part(20, math.Inf(1)))
	lo = max(2, int(math.Round(d-delta)))
	hi = min(int(math.Round(d+delta)), maximum)
	if days > elapsed {
		lo = max(lo, elapsed+1)
	}
	return min(lo, hi), hi
}

// firstAlea is the first number, in [0, 1), of an Alea generator with this seed.
//
// The explicit float64 conversions forbid fused multiply-add, which some
// processors would otherwise use and which gives other bits.
func firstAlea(seed string) float64 {
	m := mash{n: 0xefc8249d}
	var s [3]float64
	for i := range s {
		s[i] = m.next(" ")
	}
	for i := range s {
		if s[i] -= m.next(seed); s[i] < 0 {
			s[i]++
		}
	}
	t := float64(2_091_639*s[0]) + 2.3283064365386963e-10
	return t - math.Trunc(t)
}

// mash hashes text into [0, 1), carrying its state from one call to the next.
type mash struct{ n float64 }

func (m *mash) next(text string) float64 {
	n := m.n
	for i := range len(text) {
		n += float64(text[i])
		h := float64(0.02519603282416938 * n)
		n = float64(uint32(uint64(h)))
		h -= n
		h = float64(h * n)
		n = float64(uint32(uint64(h)))
		h -= n
		n += float64(h * 0x1_0000_0000)
	}
	m.n = n
	return float64(uint32(uint64(n))) * 2.3283064365386963e-10
}
