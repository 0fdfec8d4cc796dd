package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// The sizes of the texts that calls ask for, in bytes.
const (
	smallText = 256
	oneMB     = 1_000_000
	tenMB     = 10_000_000
)

// inFlight is the window of the throughput figures.
const inFlight = 32

// plan is how much of what is measured.
type plan struct {
	floor, bridge []string // argv, with {url}

	starts     int // process starts a run
	sequential int // calls one at a time
	concurrent int // calls with the window full
	slow       int // the same, to the slow server
	mb1, mb10  int // large results
	settle     time.Duration

	only map[string]bool // the rows wanted; nil means all
}

// fullPlan takes about six seconds a run.
func fullPlan() plan {
	return plan{starts: 15, sequential: 1500, concurrent: 8000, slow: 960, mb1: 40, mb10: 6, settle: 300 * time.Millisecond}
}

// keep restricts the plan to rows that are to be measured again.
func (p *plan) keep(rows []row) {
	p.only = make(map[string]bool)
	for _, r := range rows {
		p.only[r.name] = true
	}
}

func (p *plan) wants(names ...string) bool {
	return p.only == nil || slices.ContainsFunc(names, func(n string) bool { return p.only[n] })
}

// measure makes so many runs and returns the wanted rows.
func (p *plan) measure(ctx context.Context, runs int) ([]row, error) {
	s, err := startServer()
	if err != nil {
		return nil, err
	}
	defer s.stop()
	rows := allRows()
	for range runs {
		for _, part := range []func(context.Context, *server, record) error{p.startUp, p.calls, p.slowCalls, p.events} {
			if err := part(ctx, s, func(name string, floor, bridge float64) {
				i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
				rows[i].floor = append(rows[i].floor, floor)
				rows[i].bridge = append(rows[i].bridge, bridge)
			}); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(rows, func(r row) bool { return len(r.bridge) == 0 || !p.wants(r.name) }), nil
}

// record takes one run's figures of a row.
type record func(name string, floor, bridge float64)

// startUp measures from the start of the process to the answer of initialize. A
// start is mostly page faults, and what they cost depends on where the kernel holds
// the file in memory: each run has copies of its own.
func (p *plan) startUp(ctx context.Context, s *server, rec record) error {
	if !p.wants(rowStart) {
		return nil
	}
	dir, err := os.MkdirTemp("", "perf")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder for temporary files
	programs := [2][]string{p.floor, p.bridge}
	for i, name := range []string{"floor", "bridge"} {
		if programs[i], err = copied(programs[i], filepath.Join(dir, name+filepath.Ext(programs[i][0]))); err != nil {
			return err
		}
	}
	var took [2][]time.Duration
	for range p.starts {
		for i, argv := range programs {
			b, t, err := startBridge(ctx, argv, s.base+"/json")
			if err != nil {
				return err
			}
			if err := b.close(); err != nil {
				return fmt.Errorf("%s: %w", argv[0], err)
			}
			took[i] = append(took[i], t)
		}
	}
	rec(rowStart, median(millis(took[0])), median(millis(took[1])))
	return nil
}

// maxCopy is the size of the largest program that is copied, in bytes.
const maxCopy = 128 << 20

// copied returns argv with a copy of its program at path. A script stays where it
// is, with what belongs to it, and so does what is very large.
func copied(argv []string, path string) ([]string, error) {
	from, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(from); err != nil || info.Size() > maxCopy {
		return argv, err
	}
	program, err := os.ReadFile(from)
	if err != nil || bytes.HasPrefix(program, []byte("#!")) {
		return argv, err
	}
	if err := os.WriteFile(path, program, 0o700); err != nil { //nolint:gosec // it is started
		return nil, err
	}
	return append([]string{path}, argv[1:]...), nil
}

// pair is a floor and a bridge that run side by side.
type pair [2]*bridge

// withPair starts both, has them measured, and ends them.
func (p *plan) withPair(ctx context.Context, url string, measure func(pair) error) (err error) {
	var both pair
	for i, argv := range [][]string{p.floor, p.bridge} {
		b, _, startErr := startBridge(ctx, argv, url)
		if startErr != nil {
			err = startErr
			break
		}
		both[i] = b
	}
	if err == nil {
		err = measure(both)
	}
	for _, b := range both {
		if b != nil {
			err = errors.Join(err, b.close())
		}
	}
	return err
}

// calls measures small and large JSON answers, memory and processor time.
func (p *plan) calls(ctx context.Context, s *server, rec record) error {
	if !p.wants(rowP50, rowP99, rowRate, rowCPU, rowRest, rowSmall, rowPeakJSON, row1JSON, row10JSON) {
		return nil
	}
	url := s.base + "/json"
	return p.withPair(ctx, url, func(both pair) error {
		settle := time.NewTimer(p.settle)
		defer settle.Stop()
		select {
		case <-settle.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := recordMemory(both, rec, rowRest, false); err != nil {
			return err
		}
		if err := p.latency(ctx, url, s.tail(smallText), both, rec); err != nil {
			return err
		}
		var before, after [2]float64
		for i, b := range both {
			before[i], _ = cpu(b.cmd.Process.Pid)
		}
		if err := throughput(both, p.concurrent, s.tail(smallText), rowRate, rec); err != nil {
			return err
		}
		var err error
		for i, b := range both {
			if after[i], err = cpu(b.cmd.Process.Pid); err != nil {
				return err
			}
			after[i] = (after[i] - before[i]) * 10_000 / float64(p.concurrent)
		}
		rec(rowCPU, after[0], after[1])
		if err := recordMemory(both, rec, rowSmall, true); err != nil {
			return err
		}
		return p.large(both, s, rec, row1JSON, row10JSON, rowPeakJSON)
	})
}

// latency takes turns between direct, floor and bridge, fifty calls each, floor
// and bridge being first by turns.
func (p *plan) latency(ctx context.Context, url string, tail []byte, both pair, rec record) error {
	const block = 50
	var times [3][]time.Duration // floor, bridge, direct
	d := &direct{url: url}
	defer d.client.CloseIdleConnections()
	for n := -2 * block; n < p.sequential; n += block {
		if n == 0 { // what came before was to warm up
			for i := range times {
				times[i] = times[i][:0]
			}
		}
		if err := d.calls(ctx, block, smallText, tail, &times[2]); err != nil {
			return err
		}
		for turn := range both {
			// Whoever comes first finds the machine as the direct calls left it.
			i := (turn + n/block) & 1
			if err := both[i].calls(block, 1, smallText, tail, &times[i]); err != nil {
				return err
			}
		}
	}
	for _, q := range []struct {
		row string
		at  float64
	}{{rowP50, 0.50}, {rowP99, 0.99}} {
		floor := percentile(micros(times[0]), q.at)
		bridge := percentile(micros(times[1]), q.at)
		without := percentile(micros(times[2]), q.at)
		rec(q.row, floor-without, bridge-without)
	}
	return nil
}

// throughput takes turns between floor and bridge, an eighth of the calls each.
func throughput(both pair, count int, tail []byte, name string, rec record) error {
	const turns = 8
	var took [2]time.Duration
	for range turns {
		for i, b := range both {
			began := time.Now()
			if err := b.calls(count/turns, inFlight, smallText, tail, nil); err != nil {
				return err
			}
			took[i] += time.Since(began)
		}
	}
	made := float64(count / turns * turns)
	rec(name, made/took[0].Seconds(), made/took[1].Seconds())
	return nil
}

func (p *plan) slowCalls(ctx context.Context, s *server, rec record) error {
	if !p.wants(rowSlow) {
		return nil
	}
	return p.withPair(ctx, s.base+"/slow", func(both pair) error {
		return throughput(both, p.slow, s.tail(smallText), rowSlow, rec)
	})
}

// events measures large answers that come as an event stream.
func (p *plan) events(ctx context.Context, s *server, rec record) error {
	if !p.wants(row1SSE, row10SSE, rowPeakSSE) {
		return nil
	}
	return p.withPair(ctx, s.base+"/sse", func(both pair) error {
		return p.large(both, s, rec, row1SSE, row10SSE, rowPeakSSE)
	})
}

func (p *plan) large(both pair, s *server, rec record, one, ten, peak string) error {
	for _, large := range []struct {
		row         string
		size, count int
	}{{one, oneMB, p.mb1}, {ten, tenMB, p.mb10}} {
		tail := s.tail(large.size)
		var took [2][]time.Duration
		for n := range large.count + 1 {
			for i, b := range both {
				if err := b.calls(1, 1, large.size, tail, &took[i]); err != nil {
					return err
				}
				if n == 0 { // the first one pays for buffers
					took[i] = took[i][:0]
				}
			}
		}
		megabytes := float64(len(tail)) / 1e6
		rec(large.row, megabytes/median(seconds(took[0])), megabytes/median(seconds(took[1])))
	}
	return recordMemory(both, rec, peak, true)
}

func recordMemory(both pair, rec record, name string, highest bool) error {
	var mb [2]float64
	for i, b := range both {
		now, peak, err := memory(b.cmd.Process.Pid)
		if err != nil {
			return err
		}
		if highest {
			now = peak
		}
		mb[i] = now / 1e6
	}
	rec(name, mb[0], mb[1])
	return nil
}
