// Command perf measures a bridge's whole process, from the pipes a host sees,
// against a floor measured in the same run:
//
//	go run ./internal/perf -bridge PATH [-runs N] [-gate]
//
//	driver ── stdin, stdout ──▶ bridge | floor ── HTTP ──▶ server
//	   └────────── the same calls, directly ───────────────▶
//
// The floor (floor.go) forwards lines and does nothing else, so what a figure
// says is a ratio: what carrying MCP rightly costs above carrying bytes. Figures
// of different machines, or of one machine on different days, are not
// comparable; ratios are.
//
// A run starts floor and bridge side by side and takes turns between them in
// short blocks, so that a change of the machine's speed meets both. A row's ratio
// is the median of the runs' ratios. With -gate the exit status is 1 when a row
// is beyond its bound. The bound is the row's target plus a margin for noise
// (report.go), and a row fails only if it is beyond its bound in three
// measurements: what this catches for certain is a loss of about the margin, not
// of a percent.
//
// Server and driver use the loopback interface only, every loop is bounded, and
// answers are compared byte for byte, so that a figure is never that of a bridge
// which answers wrongly. Process figures need Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// attempts is how often a row may be beyond its bound before it counts.
const attempts = 3

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) == 2 && args[0] == floorCommand {
		return floor(args[1], stdin, stdout)
	}
	flags := flag.NewFlagSet("perf", flag.ContinueOnError)
	bridge := flags.String("bridge", "", "the binary to measure, or a command line with {url}")
	runs := flags.Int("runs", 5, "how many runs the medians are made of")
	gate := flags.Bool("gate", false, "fail when a figure is beyond its bound")
	bound := flags.Duration("timeout", 8*time.Minute, "the longest the whole measurement may take")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *bridge == "" || *runs < 1 || flags.NArg() > 0 {
		flags.Usage()
		return flag.ErrHelp
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, *bound, errors.New("the measurement took too long"))
	defer cancel()

	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	plan := fullPlan()
	plan.bridge = commandLine(*bridge)
	plan.floor = []string{self, floorCommand, "{url}"}
	for try := 1; ; try++ {
		rows, err := plan.measure(ctx, *runs)
		if err != nil {
			return err
		}
		if try == 1 {
			fmt.Fprint(stdout, table(rows))
		} else {
			fmt.Fprintf(stdout, "\nOnce more, what was beyond its bound:\n\n%s", table(rows))
		}
		if !*gate {
			return nil
		}
		failed := beyond(rows)
		if len(failed) == 0 {
			return nil
		}
		if try == attempts {
			return fmt.Errorf("beyond the bound in each of %d measurements: %s", attempts, strings.Join(names(failed), "; "))
		}
		plan.keep(failed)
	}
}

// commandLine is the argv of a bridge given as a path or as a command line.
func commandLine(bridge string) []string {
	if strings.Contains(bridge, "{url}") {
		return strings.Fields(bridge)
	}
	return []string{bridge, "serve", "{url}"}
}
