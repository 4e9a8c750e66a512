package mockupstream

import "time"

// meter is one limit of a quota that is counted: a leaky bucket, or, if there is a
// window, that.
type meter struct {
	leaky  bucket
	window *window
	base   int64 // limit before any cut
	kind   Meter
	tokens bool // counts tokens; else requests
}

func leakyMeter(kind Meter, limit int64, period time.Duration) meter {
	b := bucket{limit: limit, period: uint64(period)}
	return meter{leaky: b, base: limit, kind: kind, tokens: kind == MeterTokens || kind == MeterDayTokens}
}

func windowMeter(kind Meter, limit int64, period time.Duration, clock calendar) meter {
	m := leakyMeter(kind, limit, time.Minute)
	m.window = &window{limit: limit, period: period, clock: clock}
	return m
}

// drain brings the use up to date. All other methods want that first.
func (m *meter) drain(now time.Duration) {
	if m.window != nil {
		m.window.turn(now)
		m.leaky.last = now
		return
	}
	m.leaky.drain(now)
}

// wait returns how long n more must wait, in whole milliseconds, and the same rounded down to
// nanoseconds; 0: there is room.
func (m *meter) wait(n int64) (ms, exact time.Duration) {
	if m.window != nil {
		exact = m.window.wait(m.leaky.last, n)
		return ceilTo(exact, time.Millisecond), exact
	}
	return m.leaky.waits(n)
}

// full reports whether there is no room for n more.
func (m *meter) full(n int64) bool {
	ms, _ := m.wait(n)
	return ms > 0
}

func (m *meter) charge(n int64) {
	if m.window != nil {
		m.window.charge(n)
		return
	}
	m.leaky.charge(n)
}

// fill charges a refused request: a bucket as far as there is room, a window whole.
func (m *meter) fill(n int64) {
	if m.window != nil {
		m.window.charge(n)
		return
	}
	m.leaky.fill(n)
}

// correct changes what was charged before by n.
func (m *meter) correct(n int64) {
	if n < 0 {
		m.leaky.refund(-n)
	} else {
		m.charge(n)
	}
}

func (m *meter) used() int64 {
	if m.window != nil {
		return m.window.used
	}
	return int64(min(m.leaky.used(), most))
}

func (m *meter) state() (remaining int64, reset time.Duration) {
	if m.window != nil {
		return m.window.state(m.leaky.last)
	}
	return m.leaky.state()
}

// scale sets the limit to the configured one times factor, at least 1; what was used is kept.
func (m *meter) scale(factor float64) {
	m.leaky.resize(scaled(m.base, factor))
	if m.window != nil {
		m.window.limit = m.leaky.limit
	}
}

// amount is what a call counts here.
func (m *meter) amount(tokens int64) int64 {
	if m.tokens {
		return tokens
	}
	return 1
}

func scaled(limit int64, factor float64) int64 {
	if limit == 0 || factor == 1 {
		return limit
	}
	return max(1, int64(float64(limit)*factor))
}

// ceilTo rounds a time up to a whole number of grids.
func ceilTo(d, grid time.Duration) time.Duration {
	if d > never-grid {
		return never / grid * grid
	}
	return (d + grid - 1) / grid * grid
}
