package krm_test

import (
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
