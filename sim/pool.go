package sim

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// inTurn calls f for 0 to n-1, one after the other.
func inTurn(n int, f func(i int)) {
	for i := range n {
		f(i)
	}
}

// inParallel calls f for 0 to n-1 on as many goroutines as there are processors.
// Each call works on data of its own; the order of the results is the caller's. A panic of
// f is passed on to the caller.
func inParallel(n int, f func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		inTurn(n, f)
		return
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		next  int
		crash any
	)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if crash != nil || next == n {
			return -1
		}
		next++
		return next - 1
	}
	for range workers {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					mu.Lock()
					crash = fmt.Sprintf("%v\n\nin a run of its own:\n%s", p, debug.Stack())
					mu.Unlock()
				}
			}()
			for i := take(); i >= 0; i = take() {
				f(i)
			}
		})
	}
	wg.Wait()
	if crash != nil {
		panic(crash)
	}
}

// Sweep calls work for 0 to n-1 on as many goroutines as there are processors, and done with each
// result as it comes, in whatever order, but never two at once. It returns when all are done. A panic of
// either is passed on to the caller.
func Sweep[T any](n int, work func(i int) T, done func(i int, result T)) {
	var mu sync.Mutex
	inParallel(n, func(i int) {
		result := work(i)
		mu.Lock()
		defer mu.Unlock()
		done(i, result)
	})
}
