package cli

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// Collecting garbage takes time, and leaving it takes memory. By default, a run is short and keeps most of what it makes.
const (
	// heapGrowth is how much the heap may grow, in per cent, before it is collected.
	heapGrowth = 400
	// limitedGrowth is that of a large heap after LimitGarbage.
	limitedGrowth = 60
	// freeGarbage is the garbage, in bytes, that is not worth a collection: a small heap grows by this.
	freeGarbage = heapGrowth / 100 * smallestHeap
	// smallestHeap is the heap, in bytes, below which Go counts per cent of this (https://pkg.go.dev/runtime, GOGC).
	smallestHeap = 4 << 20
)

// isLimited is whether garbage is limited.
var isLimited atomic.Bool

// LimitGarbage is for many documents, whose trees soon are garbage while texts or objects stay: the heap grows by 60% before
// it is collected, or by 16 MB if that is more.
func LimitGarbage() {
	setHeapGrowth()
	if !isLimited.Swap(true) {
		afterCollection()
	}
}

// allowGarbage is for documents that are needed at once.
func allowGarbage() {
	isLimited.Store(false)
	debug.SetGCPercent(heapGrowth)
}

// afterCollection adapts the growth to the heap after each collection, which an object without references does not survive.
func afterCollection() {
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		if isLimited.Load() {
			setHeapGrowth()
			afterCollection()
		}
	}, struct{}{})
}

// setHeapGrowth computes what the last collection left from the heap that the next one is at.
func setHeapGrowth() {
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	growth := debug.SetGCPercent(-1) // off, so that the right growth is the first to start a collection
	live := heap.NextGC * 100 / uint64(100+growth)
	debug.SetGCPercent(max(limitedGrowth, int(freeGarbage*100/max(live, smallestHeap))))
}
