// Package bench measures the functions as processes against named peers. Machines are noisy, so the contestants take
// turns, and what is reported are medians and their ratios; nothing asserts a time.
package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"text/tabwriter"
	"time"
)

// contestant is a command line that reads a file as its stdin.
type contestant struct {
	name  string
	stdin string // a file, empty for none
	argv  []string
	// against are those that it is divided by, besides the one of its name with -base.
	against []*contestant

	walls   []time.Duration
	cpus    []time.Duration // of all its processes: what neighbours on the machine change least
	peak    int64           // memory of the largest process, in bytes; never below that of this test, about 12 MB
	written size            // in one run
}

// size counts what is written to it, in bytes.
type size int64

func (s *size) Write(text []byte) (int, error) {
	*s += size(len(text))
	return len(text), nil
}

// contest runs every contestant once an iteration and prints medians and peaks of memory, with their ratios to those of
// others. Each run is also a line for benchstat in the file that BENCH_LINES names.
func contest(b *testing.B, contestants ...*contestant) {
	b.Helper()
	for b.Loop() {
		for _, c := range contestants {
			if err := c.run(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	writeLines(b, contestants)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, c := range contestants {
		wall, cpu := median(c.walls), median(c.cpus)
		fmt.Fprintf(table, "\n%s\t%s\t%.1f ms\tCPU %.1f ms\tmemory %.1f MB\twrote %.1f MB",
			b.Name(), c.name, wall*1000, cpu*1000, float64(c.peak)/(1<<20), float64(c.written)/(1<<20))
		for _, peer := range contestants {
			if peer.name == c.name+"-base" || slices.Contains(c.against, peer) {
				fmt.Fprintf(table, "\t%.2f times %s, CPU %.2f, memory %.2f",
					wall/median(peer.walls), peer.name, cpu/median(peer.cpus), float64(c.peak)/float64(peer.peak))
			}
		}
	}
	fmt.Fprintln(table)
	if err := table.Flush(); err != nil {
		b.Fatal(err)
	}
}

func writeLines(b *testing.B, contestants []*contestant) {
	b.Helper()
	name := os.Getenv("BENCH_LINES")
	if name == "" {
		return
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	for _, c := range contestants {
		for _, wall := range c.walls {
			fmt.Fprintf(file, "%s/program=%s 1 %d ns/op %d B-peak\n", b.Name(), c.name, wall.Nanoseconds(), c.peak)
		}
	}
}

func (c *contestant) run() error {
	command := exec.Command(c.argv[0], c.argv[1:]...)
	if c.stdin != "" {
		file, err := os.Open(c.stdin)
		if err != nil {
			return err
		}
		defer file.Close()
		command.Stdin = file
	}
	var stderr bytes.Buffer
	c.written = 0
	command.Stdout, command.Stderr = &c.written, &stderr
	start := time.Now()
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%.2000s", c.name, err, stderr.String())
	}
	c.walls = append(c.walls, time.Since(start))
	c.cpus = append(c.cpus, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
	c.peak = max(c.peak, peakMemory(command.ProcessState))
	return nil
}

// median returns the median in seconds.
func median(durations []time.Duration) float64 {
	slices.Sort(durations)
	return durations[len(durations)/2].Seconds()
}
