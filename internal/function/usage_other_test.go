//go:build !unix

package function

import (
	"os"
	"testing"
	"time"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// spentCPU leaves a test out that compares CPU times.
func spentCPU(tb testing.TB) time.Duration {
	tb.Helper()
	checkout.LeaveOut(tb, "this machine has no getrusage")
	return 0
}

// peakMemory is unknown.
func peakMemory(*os.ProcessState) int64 { return 0 }
