package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestLimitGarbage_ofSmallAndLargeHeaps(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer allowGarbage()
	runtime.GC()
	LimitGarbage(GrowthOfTexts)
	assert.Greater(t, growth(), uint64(GrowthOfTexts))
	assert.LessOrEqual(t, growth(), uint64(heapGrowth))

	large := make([]byte, 64<<20)
	collected := func() bool { runtime.GC(); return growth() == GrowthOfTexts }
	assert.Eventually(t, collected, time.Minute, time.Millisecond, "a large heap")
	runtime.KeepAlive(large)
	assert.Eventually(t, func() bool { runtime.GC(); return growth() > GrowthOfTexts }, time.Minute, time.Millisecond, "a small heap again")

	allowGarbage()
	assert.EqualValues(t, heapGrowth, growth())
}

func growth() uint64 {
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(percent)
	return percent[0].Value.Uint64()
}
