// Package growth checks that the time and the memory of a function are in proportion to its input and output, even if
// several parts of the input grow together: a rule that is quick for many of one and few of the other may compare each
// with each.
//
//	growth.Check(t, growth.Test[input]{Dimensions: dimensions, Few: 100, Prepare: func(in *input) func() int { … }})
package growth

import (
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const (
	times = 10  // how much more there is of everything in the large input
	most  = 2.5 // how much more it may cost than the smaller one in proportion: of a cost that is quadratic, it is times
	// What costs less than this is the garbage collector's, or that of lists and maps that grow in steps.
	leastTime, leastMemory = 2 * time.Millisecond, 256 << 10
	maxHeap                = 2 << 30 // without collections
)

// Test describes the inputs of a function, and the function.
type Test[T any] struct {
	// Dimensions are the parts of an input that can grow: each adds n of it.
	Dimensions map[string]func(input *T, n int)
	// Few is the smaller size of a single dimension; two dimensions together have a quarter of it each.
	Few int
	// Prepare returns the function to be measured, for an input. It returns the size of its input and output in bytes.
	Prepare func(input *T) func() (size int)
}

// Check compares the CPU time and the allocated bytes of small and of large inputs: of each dimension, and of a random tenth
// of the pairs, with TEST_ROUNDS=10 of all. No other test must run at the same time.
func Check[T any](t *testing.T, test Test[T]) {
	t.Helper()
	random, pairs := checkout.Random(t), 0
	test.cost(t, 0, nil) // fills the caches of the process
	names := slices.Sorted(maps.Keys(test.Dimensions))
	for i, first := range names {
		test.compare(t, test.Few, first)
		for _, second := range names[i+1:] {
			if random.IntN(10) < checkout.Rounds(1) {
				pairs++
				test.compare(t, test.Few/4, first, second)
			}
		}
	}
	t.Logf("%d dimensions and %d pairs", len(names), pairs)
}

// cost is that of a run, and the size of its input and output.
type cost struct {
	cpu       time.Duration
	allocated float64
	size      int
}

// compare compares few with ten times as many.
func (test Test[T]) compare(t *testing.T, few int, dimensions ...string) {
	t.Helper()
	none, one, many := test.cost(t, 0, dimensions), test.cost(t, few, dimensions), test.cost(t, times*few, dimensions)
	for range 3 { // the machine may be busy, and a garbage collection empties pools
		if one.leadsTo(many, none) {
			return
		}
		fixed, again, less := test.cost(t, 0, dimensions), test.cost(t, few, dimensions), test.cost(t, times*few, dimensions)
		one.cpu, many.cpu = max(one.cpu, again.cpu), min(many.cpu, less.cpu)
		none.allocated = min(none.allocated, fixed.allocated)
		one.allocated, many.allocated = max(one.allocated, again.allocated), min(many.allocated, less.allocated)
	}
	if !one.leadsTo(many, none) {
		t.Errorf("%q: 0 take %+v, %d take %+v, %d take %+v", dimensions, none, few, one, times*few, many)
	}
}

// leadsTo reports whether many cost in proportion to one, and none: the output of two dimensions may be their product.
func (one cost) leadsTo(many, none cost) bool {
	larger := max(times, float64(many.size-none.size)/float64(max(1, one.size-none.size)))
	return float64(many.cpu) <= most*larger*float64(max(one.cpu, leastTime)) &&
		many.allocated-none.allocated <= most*larger*max(one.allocated-none.allocated, leastMemory)
}

func (test Test[T]) cost(t *testing.T, n int, dimensions []string) (c cost) {
	t.Helper()
	var input T
	for _, name := range dimensions {
		test.Dimensions[name](&input, n)
	}
	run := test.Prepare(&input)
	runtime.GC()
	runtime.GC() // a pool keeps its content for one more collection
	// Small runs have no collection, and large ones some by chance.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(maxHeap))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := CPU(t)
	c.size = run()
	c.cpu = CPU(t) - started
	runtime.ReadMemStats(&after)
	c.allocated = float64(after.TotalAlloc - before.TotalAlloc)
	return c
}
