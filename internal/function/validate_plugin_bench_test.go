package function

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// BenchmarkFiles validates folders of plugins with overlays and scripts, a file each, in a separate process. Besides
// the time, it reports the CPU time of all cores, in total and for a document, and the peak memory.
func BenchmarkFiles(b *testing.B) {
	program := filepath.Join(b.TempDir(), "validate-plugin")
	require.NoError(b, checkout.BuildProgram(program, "functions/validate-plugin"))
	text, err := os.ReadFile("testdata/bench/plugin.yaml")
	require.NoError(b, err)
	for _, n := range []int{1_000, 5_000, 20_000} {
		folder := b.TempDir()
		for i := range n {
			document := strings.ReplaceAll(string(text), "NUMBER", strconv.Itoa(i))
			require.NoError(b, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.yaml", i)), []byte(document), 0o600))
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var spent time.Duration
			var peak int64
			for b.Loop() {
				call := exec.Command(program, "--verbose", folder)
				out, err := call.CombinedOutput()
				require.NoError(b, err)
				require.Contains(b, string(out), fmt.Sprintf("checked %d plugins", n))
				require.NotContains(b, string(out), "[")
				spent += call.ProcessState.UserTime() + call.ProcessState.SystemTime()
				peak = max(peak, peakMemory(call.ProcessState))
			}
			b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(spent.Microseconds())/float64(b.N)/float64(n), "cpu-µs/document")
			b.ReportMetric(float64(peak)/1024, "peak-MB")
		})
	}
}
