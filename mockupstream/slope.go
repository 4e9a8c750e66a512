package mockupstream

import "time"

// slope limits how fast the token rate grows (Slope). Time is cut into periods from
// instant 0 on; what a minute may admit is
//
//	max(From, (1+Growth) * the largest minute of the period before)
//
// and a request that is larger than that passes alone in its minute. The wait is
// until the next minute.
type slope struct {
	from           int64
	growth         float64
	over           time.Duration
	before, peak   int64 // largest minute of the period before, and of this one
	used           int64 // in this minute
	minute, period time.Duration
}

func newSlope(cfg Slope) *slope {
	s := &slope{from: cfg.From, growth: cfg.Growth, over: cfg.Over}
	if s.growth == 0 {
		s.growth = .5
	}
	if s.over == 0 {
		s.over = 15 * time.Minute
	}
	return s
}

// drain moves on to the minute that now lies in.
func (s *slope) drain(now time.Duration) {
	if minute := now / time.Minute; minute != s.minute {
		s.peak = max(s.peak, s.used)
		s.minute, s.used = minute, 0
	}
	if period := now / s.over; period != s.period {
		s.before = s.peak
		if period != s.period+1 {
			s.before = 0
		}
		s.period, s.peak = period, 0
	}
}

func (s *slope) limit() int64 {
	return max(s.from, min(int64(float64(s.before)*(1+s.growth)), maxLimit))
}

// wait returns how long tokens must wait at now; 0: there is room.
func (s *slope) wait(now time.Duration, tokens int64) time.Duration {
	if s.used == 0 || s.used+tokens <= s.limit() {
		return 0
	}
	return time.Minute - now%time.Minute
}

func (s *slope) charge(tokens int64) {
	s.used += tokens
}
