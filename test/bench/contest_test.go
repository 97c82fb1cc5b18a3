// Package bench compares the functions as processes with named peers. Since machines are noisy, the contestants take turns,
// and the tests report medians and ratios; they assert no times.
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
	stdin string // empty for none
	argv  []string
	// against are contestants to compare with, in addition to the one with the same name and -base.
	against []*contestant

	walls   []time.Duration
	cpus    []time.Duration // all processes: least affected by other load on the machine
	peak    int64           // largest process, in bytes; at least that of this test, about 12 MB
	written size            // by one run
}

// size counts the bytes written to it.
type size int64

func (s *size) Write(text []byte) (int, error) {
	*s += size(len(text))
	return len(text), nil
}

// contest runs every contestant once per iteration. It prints medians and peaks of memory, with ratios to those of other
// contestants. Each run is also a line for benchstat in the file BENCH_LINES.
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
