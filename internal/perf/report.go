package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// The rows of the report.
const (
	rowStart    = "start → `initialize` answered, ms"
	rowP50      = "added to a call, p50, µs"
	rowP99      = "added to a call, p99, µs"
	rowRate     = "calls/s, 32 in flight"
	rowSlow     = "calls/s, 32 in flight, server takes 20 ms"
	row1JSON    = "1 MB results, JSON, MB/s"
	row10JSON   = "10 MB results, JSON, MB/s"
	row1SSE     = "1 MB results, SSE, MB/s"
	row10SSE    = "10 MB results, SSE, MB/s"
	rowCPU      = "CPU s per 10,000 calls, 32 in flight"
	rowRest     = "memory at rest, MB"
	rowSmall    = "peak memory after small calls, MB"
	rowPeakJSON = "peak memory after 10 MB results, JSON, MB"
	rowPeakSSE  = "peak memory after 10 MB results, SSE, MB"
)

// kind says what a row's target limits.
type kind int

const (
	atMostRatio  kind = iota // bridge ÷ floor, less is better
	atLeastRatio             // bridge ÷ floor, more is better
	atMost                   // the bridge's figure itself, less is better
)

// row is one figure: what it should reach, what the gate holds it to, and the
// runs' values.
type row struct {
	name          string
	kind          kind
	target, bound float64
	floor, bridge []float64
}

// allRows are the rows without values. A target is what bridge is to reach; a
// bound leaves room for noise on a machine of two cores that does other things,
// most of it where a tail or a short time is compared.
func allRows() []row {
	const peak = 3*tenMB/1e6 + 12
	return []row{
		{name: rowStart, kind: atMostRatio, target: 1.3, bound: 1.9},
		{name: rowP50, kind: atMostRatio, target: 1.15, bound: 1.6},
		{name: rowP99, kind: atMostRatio, target: 1.15, bound: 2.5},
		{name: rowRate, kind: atLeastRatio, target: 0.9, bound: 0.65},
		{name: rowSlow, kind: atLeastRatio, target: 0.95, bound: 0.85},
		{name: row1JSON, kind: atLeastRatio, target: 0.8, bound: 0.6},
		{name: row10JSON, kind: atLeastRatio, target: 0.8, bound: 0.6},
		{name: row1SSE, kind: atLeastRatio, target: 0.8, bound: 0.55},
		{name: row10SSE, kind: atLeastRatio, target: 0.8, bound: 0.55},
		{name: rowCPU, kind: atMostRatio, target: 1.2, bound: 1.7},
		{name: rowRest, kind: atMost, target: 12, bound: 13},
		{name: rowSmall, kind: atMost, target: 18, bound: 20},
		{name: rowPeakJSON, kind: atMost, target: peak, bound: peak * 1.1},
		{name: rowPeakSSE, kind: atMost, target: peak, bound: peak * 1.5},
	}
}

// figure is what target and bound are compared with: the median of the runs'
// ratios, or of the bridge's own values.
func (r row) figure() float64 {
	if r.kind == atMost {
		return median(r.bridge)
	}
	ratios := make([]float64, len(r.bridge))
	for i := range ratios {
		ratios[i] = r.bridge[i] / r.floor[i]
	}
	return median(ratios)
}

// within tells whether the figure keeps a limit. A figure that is no number, or
// the negative ratio of a floor faster than no bridge at all, says nothing about
// the bridge and keeps none.
func (r row) within(limit float64) bool {
	f := r.figure()
	if math.IsNaN(f) || f < 0 {
		return false
	}
	if r.kind == atLeastRatio {
		return f >= limit
	}
	return f <= limit
}

func beyond(rows []row) []row {
	var failed []row
	for _, r := range rows {
		if !r.within(r.bound) {
			failed = append(failed, r)
		}
	}
	return failed
}

func names(rows []row) []string {
	var all []string
	for _, r := range rows {
		all = append(all, r.name)
	}
	return all
}

// table is the report as a Markdown table.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| figure | floor | bridge | ratio | target | bound | |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		sign, verdict, ratio := "≤", "✓", "–"
		if r.kind == atLeastRatio {
			sign = "≥"
		}
		if r.kind != atMost {
			ratio = number(r.figure())
		}
		switch {
		case !r.within(r.bound):
			verdict = "✗ beyond the bound"
		case !r.within(r.target):
			verdict = "! misses the target"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s %s | %s %s | %s |\n", r.name, number(median(r.floor)), number(median(r.bridge)),
			ratio, sign, number(r.target), sign, number(r.bound), verdict)
	}
	return b.String()
}

// number shows a figure with three digits or so.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

func in(unit time.Duration) func([]time.Duration) []float64 {
	return func(times []time.Duration) []float64 {
		values := make([]float64, len(times))
		for i, t := range times {
			values[i] = float64(t) / float64(unit)
		}
		return values
	}
}

func seconds(t []time.Duration) []float64 { return in(time.Second)(t) }
func millis(t []time.Duration) []float64  { return in(time.Millisecond)(t) }
func micros(t []time.Duration) []float64  { return in(time.Microsecond)(t) }

func median(values []float64) float64 { return percentile(values, 0.5) }

// percentile is the value below which the given part of the values lies,
// interpolated between neighbors; of no values it is NaN.
func percentile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, cmp.Compare)
	at := part * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
