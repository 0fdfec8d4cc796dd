package tui

import (
	"strconv"
	"strings"
	"time"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
	"bridge/internal/say"
)

func ratingName(r fsrs.Rating) string {
	switch r {
	case fsrs.Again:
		return say.T("Again")
	case fsrs.Hard:
		return say.T("Hard")
	case fsrs.Good:
		return say.T("Good")
	}
	return say.T("Easy")
}

func kindName(k cards.Kind) string {
	switch k {
	case cards.KindNew:
		return say.T("new")
	case cards.KindLearning:
		return say.T("learning")
	}
	return say.T("due")
}

// A unit of an interval, with how many of it there are. Months and years are
// the average ones.
func unitOf(d time.Duration) (n float64, unit byte) {
	const day = 24 * time.Hour
	switch {
	case d.Round(time.Minute) < time.Hour:
		return max(1, float64(d.Round(time.Minute)/time.Minute)), 'm'
	case d.Round(time.Hour) < day:
		return float64(d.Round(time.Hour) / time.Hour), 'h'
	case d.Round(day) < 31*day:
		return float64(d.Round(day) / day), 'd'
	case d < 365*day:
		return d.Hours() / 24 / 30.44, 'o'
	}
	return d.Hours() / 24 / 365.25, 'y'
}

// number has one decimal at most, and none where it would be 0.
func number(n float64) string {
	return strings.TrimRight(strings.TrimSuffix(say.Number("%.1f", n), "0"), ".,")
}

// shortInterval is an interval for a label: <1m, 10m, 3h, 8d, 1.5mo, 2y.
func shortInterval(d time.Duration) string {
	if d <= time.Minute {
		return say.T("<1m")
	}
	n, unit := unitOf(d)
	switch unit {
	case 'm':
		return say.T("%sm", number(n))
	case 'h':
		return say.T("%sh", number(n))
	case 'd':
		return say.T("%sd", number(n))
	case 'o':
		return say.T("%smo", number(n))
	}
	return say.T("%sy", number(n))
}

// longInterval is an interval in words.
func longInterval(d time.Duration) string {
	n, unit := unitOf(d)
	one := number(n) == "1"
	switch {
	case unit == 'm' && one:
		return say.T("1 minute")
	case unit == 'm':
		return say.T("%s minutes", number(n))
	case unit == 'h' && one:
		return say.T("1 hour")
	case unit == 'h':
		return say.T("%s hours", number(n))
	case unit == 'd' && one:
		return say.T("1 day")
	case unit == 'd':
		return say.T("%s days", number(n))
	case unit == 'o' && one:
		return say.T("1 month")
	case unit == 'o':
		return say.T("%s months", number(n))
	case one:
		return say.T("1 year")
	}
	return say.T("%s years", number(n))
}

// previewShort is what a grade does, as on a button.
func previewShort(p cards.Preview) string {
	if p.About {
		return "≈" + shortInterval(p.Interval)
	}
	return shortInterval(p.Interval)
}

func previewLong(p cards.Preview) string {
	if p.About {
		return say.T("about %s", longInterval(p.Interval))
	}
	return longInterval(p.Interval)
}

// clock is a time spent: 4:05, 1:02:03.
func clock(d time.Duration) string {
	s := int(d / time.Second)
	two := func(n int) string {
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
		return strconv.Itoa(n)
	}
	if s >= 3600 {
		return strconv.Itoa(s/3600) + ":" + two(s/60%60) + ":" + two(s%60)
	}
	return strconv.Itoa(s/60) + ":" + two(s%60)
}

// spent is a time spent in words.
func spent(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return say.T("%d s", s)
	case s%60 == 0:
		return say.T("%d min", s/60)
	}
	return say.T("%d min %d s", s/60, s%60)
}

// fromNow says when something is, seen from now.
func fromNow(at, now time.Time) string {
	d := at.Sub(now)
	switch {
	case d <= 0:
		return say.T("now")
	case d < 24*time.Hour:
		return say.T("in %s (%s)", longInterval(d), at.Local().Format("15:04"))
	}
	return say.T("in %s", longInterval(d))
}

func noticeText(n cards.Notice) string {
	switch n {
	case cards.NoticeElsewhere:
		return say.T("reviewed elsewhere; here is the next")
	case cards.NoticeStale:
		return say.T("a card was reviewed elsewhere a moment ago; that review counts")
	case cards.NoticeGone:
		return say.T("a card was deleted elsewhere; its grade is dropped")
	}
	return ""
}

func cardCount(n int) string {
	if n == 1 {
		return say.T("1 card")
	}
	return say.T("%d cards", n)
}

func gradeCount(n int) string {
	if n == 1 {
		return say.T("1 grade")
	}
	return say.T("%d grades", n)
}

// summary is what is said at the end, a line each.
func summary(v cards.Snapshot, now time.Time) (lines []string) {
	n := v.Done()
	if n == 0 {
		if v.Counts.Total() == 0 {
			lines = append(lines, say.T("Nothing is due."))
		}
	} else {
		right := n - v.Grades[fsrs.Again]
		lines = append(lines,
			say.T("%s in %s, %s each.", cardCount(n), spent(v.Elapsed), spent(v.Elapsed/time.Duration(n))),
			say.T("%d %% remembered.", (100*right+n/2)/n))
		var by []string
		for _, r := range fsrs.Ratings() {
			if v.Grades[r] > 0 {
				by = append(by, ratingName(r)+" "+strconv.Itoa(v.Grades[r]))
			}
		}
		lines = append(lines, strings.Join(by, " · "))
	}
	switch left := v.Counts.Total(); {
	case left > 0 && n > 0:
		lines = append(lines, say.T("Still to review: %s.", cardCount(left)))
	case !v.NextDue.IsZero() && v.NextDue.After(now):
		lines = append(lines, say.T("Next due %s.", fromNow(v.NextDue, now)))
	}
	if v.Unsent > 1 || v.Unsent > 0 && v.HeldFor == 0 {
		lines = append(lines, say.T("%s not sent yet; kept on this machine.", gradeCount(v.Unsent)))
	}
	return lines
}
