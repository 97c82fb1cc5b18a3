package krm_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func TestEachCallsOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]atomic.Int32, n)
		krm.Each(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			assert.EqualValues(t, 1, calls[i].Load(), i)
		}
	}
}

func TestPanicIsTheCallers(t *testing.T) {
	t.Parallel()
	assert.PanicsWithValue(t, "no", func() {
		krm.Each(10, func(i int) {
			if i == 7 {
				panic("no")
			}
		})
	})
}

func TestEachInOrder_ordersOutcomes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 1000} {
		var got []int
		var running, most atomic.Int32
		krm.EachInOrder(n, func(i int) int {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			return i * i
		}, func(square int) bool {
			got = append(got, square)
			return true
		})
		assert.Len(t, got, n)
		for i, square := range got {
			assert.Equal(t, i*i, square)
		}
		assert.LessOrEqual(t, int(most.Load()), runtime.GOMAXPROCS(0))
	}
}

func TestEachInOrder_endsEarly(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	turns := 0
	krm.EachInOrder(1000, func(i int) int { calls.Add(1); return i }, func(int) bool {
		turns++
		return turns < 3
	})
	assert.Equal(t, 3, turns)
	assert.LessOrEqual(t, int(calls.Load()), 3+2*runtime.GOMAXPROCS(0)+1, "outcomes that nothing takes")
}

func TestEachInOrder_panicsInTheCaller(t *testing.T) {
	t.Parallel()
	var got []int
	assert.PanicsWithValue(t, "no", func() {
		krm.EachInOrder(100, func(i int) int {
			if i == 7 {
				panic("no")
			}
			return i
		}, func(i int) bool {
			got = append(got, i)
			return true
		})
	})
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6}, got)
}
