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

// EachInOrder calls work for 0 to n-1 on all cores, and done with each outcome in order, in the caller's goroutine. Few
// outcomes are kept until it is their turn. It ends early when done returns false. If work panics, EachInOrder panics.
func EachInOrder[T any](n int, work func(i int) T, done func(outcome T) bool) {
	type outcome struct {
		value    T
		panicked *any
	}
	workers := min(n, runtime.GOMAXPROCS(0))
	turns := make(chan chan outcome, workers) // in order; its length limits how many outcomes are kept
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer close(turns)
		slots := make(chan struct{}, workers)
		for i := range n {
			turn := make(chan outcome, 1)
			select {
			case <-stop:
				return
			case slots <- struct{}{}:
			}
			group.Go(func() {
				var o outcome
				defer func() {
					if cause := recover(); cause != nil {
						o.panicked = &cause
					}
					turn <- o
					<-slots
				}()
				o.value = work(i)
			})
			select {
			case <-stop:
				return
			case turns <- turn:
			}
		}
	})
	defer group.Wait()
	defer close(stop)
	for turn := range turns {
		o := <-turn
		if o.panicked != nil {
			panic(*o.panicked)
		}
		if !done(o.value) {
			return
		}
	}
}
