package mockupstream

import "time"

// window is a counter that starts anew at fixed instants: every period of the calendar, or
// every midnight in California. Within one of them it admits at most limit; around
// the instant between two, twice as much may come at once.
type window struct {
	limit  int64 // per window; 0: no limit
	used   int64
	until  time.Duration // end of the present one
	period time.Duration // 0: a day in California
	clock  calendar
}

// turn starts a new window if the last one is over.
func (w *window) turn(now time.Duration) {
	if now < w.until {
		return
	}
	w.used = 0
	if w.period == 0 {
		w.until = w.clock.midnight(now)
	} else {
		w.until = w.clock.next(now, w.period)
	}
}

// wait returns how long n more must wait at now: 0 if there is room, else until the end of the window.
func (w *window) wait(now time.Duration, n int64) time.Duration {
	if w.limit == 0 || w.used+n <= w.limit {
		return 0
	}
	return w.until - now
}

// charge adds n to the use, also beyond the limit.
func (w *window) charge(n int64) {
	w.used = plus(w.used, n)
}

// state returns what remains and the time until the next window, 0 if nothing is used.
func (w *window) state(now time.Duration) (remaining int64, reset time.Duration) {
	if w.limit == 0 {
		return 0, 0
	}
	if w.used > 0 {
		reset = w.until - now
	}
	return max(0, w.limit-w.used), reset
}
