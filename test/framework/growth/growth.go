// Package growth checks that the cost of a function is in proportion to its input and output, also if several parts of the
// input grow together: a rule that is quick for many of one and few of the other may compare each with each.
//
//	growth.Check(t, growth.Test[input]{Dimensions: dimensions, Few: 100, Prepare: func(in *input) func() int { … }})
package growth

import (
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const (
	times = 10                   // how much more there is of everything in the large input
	most  = 2.5                  // how much more each byte of it may cost
	least = 2 * time.Millisecond // what costs less is the garbage collector's
)

// Test describes the inputs of a function, and the function.
type Test[T any] struct {
	// Dimensions are what can grow in an input: each adds n of it.
	Dimensions map[string]func(input *T, n int)
	// Few is the smaller size of a single dimension; two dimensions together have a quarter of it each.
	Few int
	// Prepare returns the function to be measured, for an input. It returns the size of its input and output in bytes.
	Prepare func(input *T) func() (size int)
}

// Check compares the CPU time of small and of large inputs: of each dimension, and of a random tenth of the pairs, with
// TEST_ROUNDS=10 of all. No other test must run at the same time.
func Check[T any](t *testing.T, test Test[T]) {
	t.Helper()
	random, pairs := checkout.Random(t), 0
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

// compare compares few with ten times as many.
func (test Test[T]) compare(t *testing.T, few int, dimensions ...string) {
	t.Helper()
	one, small := test.cost(t, few, dimensions)
	many, large := test.cost(t, times*few, dimensions)
	isInProportion := func() bool {
		return float64(many) <= most*float64(max(one, least))*max(float64(large)/float64(small), 1)
	}
	for range 3 { // the machine may be busy
		if !isInProportion() {
			again, _ := test.cost(t, few, dimensions)
			less, _ := test.cost(t, times*few, dimensions)
			one, many = max(one, again), min(many, less)
		}
	}
	if !isInProportion() {
		t.Errorf("%q: %d take %s for %d bytes, %d take %s for %d", dimensions, few, one, small, times*few, many, large)
	}
}

func (test Test[T]) cost(t *testing.T, n int, dimensions []string) (cost time.Duration, size int) {
	t.Helper()
	var input T
	for _, name := range dimensions {
		test.Dimensions[name](&input, n)
	}
	run := test.Prepare(&input)
	runtime.GC()
	before := CPU(t)
	size = run()
	return CPU(t) - before, size
}
