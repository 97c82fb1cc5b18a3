package krm

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls work for 0 to n-1 on all cores, in any order, and returns when all calls have returned. It is for
// independent work on many items. If work panics, Each panics in the caller's goroutine.
func Each(n int, work func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	var panicked atomic.Pointer[any]
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			defer func() {
				if cause := recover(); cause != nil {
					panicked.Store(&cause)
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	group.Wait()
	if cause := panicked.Load(); cause != nil {
		panic(*cause)
	}
}
