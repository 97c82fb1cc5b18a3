package function

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// contestant is measured in turns with others, since machines are noisy.
type contestant struct {
	times     []time.Duration
	allocated uint64 // bytes, of all runs
}

func (c *contestant) run(work func()) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	work()
	c.times = append(c.times, time.Since(start))
	runtime.ReadMemStats(&after)
	c.allocated += after.TotalAlloc - before.TotalAlloc
}

func (c *contestant) median() time.Duration {
	slices.Sort(c.times)
	return c.times[len(c.times)/2]
}

func (c *contestant) report(b *testing.B, name string) {
	b.Helper()
	b.ReportMetric(float64(c.median().Microseconds())/1000, name+"-ms")
	b.ReportMetric(float64(c.allocated)/float64(len(c.times))/(1<<20), name+"-MB-allocated")
}
