// Package bench measures the functions as processes against named peers. Machines are noisy, so the contestants take
// turns, and what is reported are medians and their ratios; nothing asserts a time.
package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// contestant is a command line that reads a file as its stdin.
type contestant struct {
	name  string
	stdin string // a file, empty for none
	argv  []string

	walls []time.Duration
	peak  int64 // of the largest process, in bytes
}

// contest runs every contestant once an iteration and reports medians, and ratios against the first of them. Each run
// is also a line for benchstat in the file that BENCH_LINES names.
func contest(b *testing.B, contestants ...*contestant) {
	b.Helper()
	b.Cleanup(func() { writeLines(b, contestants) })
	for b.Loop() {
		for _, c := range contestants {
			if err := c.run(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	peer := contestants[0]
	for _, c := range contestants {
		b.ReportMetric(float64(c.median().Microseconds())/1000, c.name+"-ms")
		b.ReportMetric(float64(c.peak)/(1<<20), c.name+"-MB")
		if c != peer {
			b.ReportMetric(float64(c.median())/float64(peer.median()), c.name+"/"+peer.name)
		}
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
	command.Stdout, command.Stderr = io.Discard, &stderr
	start := time.Now()
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%.2000s", c.name, err, stderr.String())
	}
	c.walls = append(c.walls, time.Since(start))
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = max(c.peak, usage.Maxrss<<10)
	}
	return nil
}

func (c *contestant) median() time.Duration {
	slices.Sort(c.walls)
	return c.walls[len(c.walls)/2]
}
