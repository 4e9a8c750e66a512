package mockupstream

import "time"

const (
	rollingBin  = 100 * time.Millisecond
	rollingBins = int64(time.Minute/rollingBin) + 1 // what a sliding minute may touch
)

// rolling finds the largest charge in any sliding minute, counted in tenths of a second: a window is taken as the
// bins that it touches, so the peak is that of 60 s at least and 60.1 s at most. A charge counts as it was made at admission: what a
// vendor corrects when the call ends changes no minute that has been held already. Its bins are made with the first charge.
type rolling struct {
	bins                     []charge
	last                     int64 // bin under way
	sum                      charge
	mostRequests, mostTokens int64
}

type charge struct{ requests, tokens int64 }

// add takes a charge at an instant, which is not before the last.
func (r *rolling) add(now time.Duration, requests, tokens int64) {
	if r.bins == nil {
		r.bins = make([]charge, rollingBins)
	}
	bin := int64(now / rollingBin)
	if bin-r.last >= rollingBins {
		clear(r.bins)
		r.sum, r.last = charge{}, bin
	}
	for r.last < bin {
		r.last++
		old := &r.bins[r.last%rollingBins]
		r.sum.requests -= old.requests
		r.sum.tokens -= old.tokens
		*old = charge{}
	}
	in := &r.bins[bin%rollingBins]
	in.requests += requests
	in.tokens += tokens
	r.sum.requests += requests
	r.sum.tokens += tokens
	r.mostRequests, r.mostTokens = max(r.mostRequests, r.sum.requests), max(r.mostTokens, r.sum.tokens)
}
