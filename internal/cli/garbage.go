package cli

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// Collecting garbage takes time, and leaving it takes memory. By default, a run is assumed to be short and to keep most
// of the memory that it allocates.
const (
	// heapGrowth is how much the heap may grow, in per cent, before it is collected.
	heapGrowth = 400
	// GrowthOfTrees and GrowthOfTexts are limits for LimitGarbage: if most of the heap are trees that stay, or few texts, and
	// if it is many texts while trees soon are garbage.
	GrowthOfTrees = 100
	GrowthOfTexts = 60
	// freeGarbage is the garbage, in bytes, that is not worth a collection: a small heap grows by this.
	freeGarbage = heapGrowth / 100 * smallestHeap
	// smallestHeap is the heap, in bytes, below which Go counts per cent of this (https://pkg.go.dev/runtime, GOGC).
	smallestHeap = 4 << 20
)

// limit is how much a large heap may grow, in per cent; 0 if heapGrowth holds for every heap.
var limit struct {
	sync.Mutex
	percent int
	adapts  bool // after the next collection
}

// LimitGarbage is for many documents: the heap grows by a limit in per cent before it is collected, or by 16 MB if that is
// more.
func LimitGarbage(percent int) {
	limit.Lock()
	defer limit.Unlock()
	limit.percent = percent
	setHeapGrowth()
	if !limit.adapts {
		afterCollection()
	}
}

// allowGarbage is for documents that are needed at once.
func allowGarbage() {
	limit.Lock()
	defer limit.Unlock()
	limit.percent = 0
	debug.SetGCPercent(heapGrowth)
}

// afterCollection adapts the growth to the heap after each collection, which an object without references does not survive.
func afterCollection() {
	limit.adapts = true
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		limit.Lock()
		defer limit.Unlock()
		limit.adapts = false
		if limit.percent != 0 {
			setHeapGrowth()
			afterCollection()
		}
	}, struct{}{})
}

// setHeapGrowth sets the growth of the heap. It computes the live heap after the last collection from the size at which
// the next one starts.
func setHeapGrowth() {
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	growth := debug.SetGCPercent(-1) // off, so that the right growth is the first to start a collection
	live := heap.NextGC * 100 / uint64(100+growth)
	debug.SetGCPercent(max(limit.percent, int(freeGarbage*100/max(live, smallestHeap))))
}
