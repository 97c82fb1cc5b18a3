//go:build e2e

package container

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
)

// BenchmarkStep measures a step with an empty script for each engine. docs/explanation/engines.md has ms/median.
func BenchmarkStep(b *testing.B) {
	processes, err := process.New(process.Options{})
	require.NoError(b, err)
	for _, name := range append(Programs(), process.Name) {
		b.Run(name, func(b *testing.B) {
			engine := localrun.Engine(processes)
			if name != process.Name {
				engine = newEngine(b, name, nil)
			}
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				container := step("#!/bin/sh\necho > /outputs/x\n", "x")
				container.Log = logOf(nil)
				result, err := engine.Run(b.Context(), container)
				require.NoError(b, err)
				require.Zero(b, result.ExitCode, result.Message)
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Milliseconds()), "ms/median")
		})
	}
}
