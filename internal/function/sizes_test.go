package function

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/importplugin"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/growth"
)

// maxGrowth is how much more ten times as much of anything may cost.
const maxGrowth = 14

// sized is a function with its input: a list, or a folder of native files.
type sized struct {
	function cli.Function
	list     string
	args     []string
}

func (s sized) run() {
	s.function.Run(context.Background(), s.args, strings.NewReader(s.list), io.Discard, io.Discard)
}

// allocated returns the bytes that a run allocates.
func (s sized) allocated() uint64 {
	runtime.GC()
	runtime.GC() // the first one keeps the objects of pools
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// cpu returns the time that all cores spend on a run.
func (s sized) cpu(tb testing.TB) time.Duration {
	tb.Helper()
	runtime.GC()
	before := growth.CPU(tb)
	s.run()
	return growth.CPU(tb) - before
}

// runs returns a shape of a size for every function.
func (s shape) runs(tb testing.TB, n int) (all []sized) {
	tb.Helper()
	documents, foreign := s.documents(n)
	var krm, texts []string
	for _, document := range documents {
		krm, texts = append(krm, document.krm()), append(texts, document.text())
	}
	list := phaseList(append(krm, foreign...))
	for _, f := range []cli.Function{validateplugin.New(), resolveversion.New(), renderphase.New(), rendersandbox.New()} {
		all = append(all, sized{function: f, list: list})
	}
	file := filepath.Join(tb.TempDir(), "native.yaml")
	require.NoError(tb, os.WriteFile(file, []byte(strings.Join(texts, "---\n")), 0o600))
	return append(all, sized{function: importplugin.New(), args: []string{file}})
}

// Ten times as much of anything allocates about ten times as much. No other test runs at the same time.
func TestSizes_allocations(t *testing.T) {
	checkout.Slow(t, "renders lists of thousands of documents")
	require.GreaterOrEqual(t, len(shapes), 20)
	for _, s := range shapes {
		few, many := s.runs(t, s.few), s.runs(t, 10*s.few)
		for i := range few {
			name := few[i].function.Name + " with " + s.name
			few[i].run() // warm up: some files are read only once
			before, after := few[i].allocated(), many[i].allocated()
			assert.LessOrEqual(t, float64(after), maxGrowth*float64(before), "%s: %d bytes become %d", name, before, after)
		}
	}
}

// BenchmarkSizes reports by how much more CPU time ten times as much of anything takes, the least of some runs. It fails if
// that is not in proportion.
func BenchmarkSizes(b *testing.B) {
	for _, s := range shapes {
		size := 10 * s.few
		few, many := s.runs(b, size), s.runs(b, 10*size)
		for i := range few {
			b.Run(fmt.Sprintf("%s/%s", strings.ReplaceAll(s.name, " ", "-"), few[i].function.Name), func(b *testing.B) {
				least, most := time.Hour, time.Hour
				for b.Loop() {
					least, most = min(least, few[i].cpu(b)), min(most, many[i].cpu(b))
				}
				growth := float64(most) / float64(least)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(most.Milliseconds()), "CPU-ms")
				b.ReportMetric(growth, "times")
				if growth > maxGrowth && least > 20*time.Millisecond { // else it is the garbage collector's
					b.Errorf("%d take %s, %d take %s", size, least, 10*size, most)
				}
			})
		}
	}
}
