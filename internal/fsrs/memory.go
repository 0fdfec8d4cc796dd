package fsrs

import (
	"math"
	"strconv"
	"time"
)

const (
	minStability = 0.001
	maxStability = 36_500
)

// The 21 weights of FSRS-6 as the server pins them; they are not trained per user.
const (
	w0, w1, w2, w3 = 0.212, 1.2931, 2.3065, 8.2956 // first stability, by grade
	w4, w5         = 6.4133, 0.8334                // first difficulty
	w6, w7         = 3.0194, 0.001                 // change of difficulty, pull to the mean
	w8, w9, w10    = 1.8722, 0.1666, 0.796         // recall
	w11, w12       = 1.4835, 0.0614                // forgetting
	w13, w14       = 0.2629, 1.6483
	w15, w16       = 0.6014, 1.8729 // Hard, Easy
	w17, w18, w19  = 0.5425, 0.0912, 0.0658
	w20            = 0.1542 // decay of the forgetting curve
	decay          = -w20
)

// memory is the pair that FSRS calls a memory state.
type memory struct{ stability, difficulty float64 }

// grade is FSRS's 1..4.
func grade(r Rating) float64 { return float64(r) + 1 }

// round8 keeps eight decimals, halves away from zero. The server rounds through
// decimal text at each step, and so does this: scaling by 1e8 would round other
// values than it does.
func round8(x float64) float64 {
	// Only an odd multiple of 2^-9 lies exactly between two 8-decimal numbers.
	// strconv would round it to even.
	if t := x * 512; t == math.Trunc(t) && math.Mod(t, 2) != 0 {
		x = math.Nextafter(x, math.Copysign(math.Inf(1), x))
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 8, 64), 64)
	if err != nil {
		return x // NaN and infinities print as words that parse; nothing else fails
	}
	return y
}

func clamp(x, lo, hi float64) float64 { return math.Min(math.Max(x, lo), hi) }

// factor is 0.9^(1/decay) - 1 to eight decimals: it makes the curve pass 0.9 at
// t = stability.
const factor = 0.98034649

// forgetting is R(t, S) = (1 + factor·t/S)^decay.
func forgetting(days int, stability float64) float64 {
	return round8(math.Pow(1+factor*float64(days)/stability, decay))
}

func firstStability(r Rating) float64 {
	return math.Max([4]float64{w0, w1, w2, w3}[r], 0.1)
}

// firstDifficulty is not clamped: the mean that difficulties revert to is the
// unclamped value for Easy.
func firstDifficulty(r Rating) float64 {
	return round8(w4 - math.Exp((grade(r)-1)*w5) + 1)
}

func first(r Rating) memory {
	return memory{firstStability(r), clamp(firstDifficulty(r), 1, 10)}
}

func nextDifficulty(d float64, r Rating) float64 {
	damped := round8(-w6 * (grade(r) - 3) * (10 - d) / 9)
	return clamp(round8(w7*firstDifficulty(Easy)+(1-w7)*(d+damped)), 1, 10)
}

// shortTermWeights are w17 and w18, held under a ceiling when there are several
// relearning steps, so that a lapse and the steps after it cannot end above the
// stability from before.
func shortTermWeights(relearningSteps int) (a, b float64) {
	if relearningSteps <= 1 {
		return w17, w18
	}
	limit := -(math.Log(w11) + math.Log(math.Pow(2, w13)-1) + w14*0.3) / float64(relearningSteps)
	limit = clamp(round8(limit), 0.01, 2)
	return clamp(w17, 0, limit), clamp(w18, 0, limit)
}

// shortTerm is the memory after a review in the learning or relearning steps.
func (m memory) shortTerm(r Rating, relearningSteps int) memory {
	a, b := shortTermWeights(relearningSteps)
	inc := math.Pow(m.stability, -w19) * math.Exp(a*(grade(r)-3+b))
	if r >= Good {
		inc = math.Max(inc, 1)
	}
	return memory{round8(clamp(m.stability*inc, minStability, maxStability)), nextDifficulty(m.difficulty, r)}
}

// longTerm is the memory after a review in phase Review, days after the last.
func (m memory) longTerm(r Rating, days, relearningSteps int) memory {
	recall := forgetting(days, m.stability)
	next := memory{difficulty: nextDifficulty(m.difficulty, r)}
	if r == Again {
		forgot := round8(clamp(
			w11*math.Pow(m.difficulty, -w12)*(math.Pow(m.stability+1, w13)-1)*math.Exp((1-recall)*w14),
			minStability, maxStability))
		a, b := shortTermWeights(relearningSteps)
		next.stability = clamp(round8(m.stability/math.Exp(a*b)), minStability, forgot)
		return next
	}
	gain := math.Exp(w8) * (11 - m.difficulty) * math.Pow(m.stability, -w9) * (math.Exp((1-recall)*w10) - 1)
	switch r {
	case Hard:
		gain *= w15
	case Easy:
		gain *= w16
	}
	next.stability = round8(clamp(m.stability*(1+gain), minStability, maxStability))
	return next
}

// daysBetween counts UTC midnights from a to b.
func daysBetween(a, b time.Time) int { return utcDay(b) - utcDay(a) }

// utcDay numbers UTC calendar days.
func utcDay(t time.Time) int {
	s := t.Unix()
	d := s / 86_400
	if s%86_400 < 0 {
		d--
	}
	return int(d)
}
