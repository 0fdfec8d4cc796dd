package tui

import (
	"testing"
	"time"
)

// A little less than an hour, a day or a month was 60m, 24h or 31d.
func TestIntervalsRoundIntoTheNextUnit(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		20 * time.Second:                "<1m",
		59*time.Minute + 20*time.Second: "59m",
		59*time.Minute + 40*time.Second: "1h",
		23*time.Hour + 20*time.Minute:   "23h",
		23*time.Hour + 40*time.Minute:   "1d",
		30*day + time.Hour:              "30d",
		30*day + 20*time.Hour:           "1mo",
	} {
		if got := shortInterval(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
