//go:build unix

package growth

import (
	"syscall"
	"testing"
	"time"
)

// CPU returns the time that all cores have spent on this process.
func CPU(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
