package sim

import "github.com/seed-4fd17b57/simload/stack"

// eachCore looks at the stacks, one after the other, at this instant.
func (r *run) eachCore(look func(i int, c *stack.Core)) {
	if r.wall != nil {
		r.wall.eachCore(look)
		return
	}
	for i, c := range r.cores {
		look(i, c)
	}
}

// resting counts the keys at models that rest after a refusal, on average of the stacks.
func (r *run) resting() int64 {
	var n int64
	r.eachCore(func(_ int, c *stack.Core) {
		for m := range r.set.Stack.Targets {
			for _, u := range r.set.Stack.Targets[m].Keys {
				if _, rests := c.Excluded(u.Quota); rests {
					n++
				}
			}
		}
	})
	if !r.tells() {
		return 0
	}
	return n / int64(r.set.Instances)
}

// tells reports whether this process is the one that tells what all of several have alike.
func (r *run) tells() bool {
	return r.wall == nil || r.wall.alike == 0 || r.set.Workload.Share.Index == 0
}

// gauge looks at the gates and comes again while there is something to see.
func (r *run) gauge() {
	n := int64(r.set.Instances)
	clear(r.gauges.Models)
	r.eachCore(func(k int, c *stack.Core) {
		for m := range r.gauges.Models {
			u, before, sum := c.Use(r.now, m), &r.used[k][m], &r.gauges.Models[m]
			own := int64(1)
			if r.set.Stack.Shared && (k > 0 || !r.tells()) {
				own = 0 // what they share each tells
			}
			sum.Limit += own * (u.Limit - before.Limit)
			sum.InFlight += u.InFlight - before.InFlight
			for class := range u.Waiting {
				sum.Waiting[class] += u.Waiting[class] - before.Waiting[class]
			}
			for b := range u.Blocked {
				sum.Blocked[b] += (u.Blocked[b] - before.Blocked[b]) / n
				sum.Waited[b] += u.Waited[b] - before.Waited[b]
			}
			sum.LimitMin += int(own) * u.LimitMin
			sum.LimitMax += int(own) * u.LimitMax
			sum.InFlightMax += u.InFlightMax
			sum.WaitingMax += u.WaitingMax
			*before = u
		}
	})
	r.gauges.Span = gaugeEvery
	r.gauges.ExcludedKeys = r.resting()
	r.rec.Gauge(r.now, &r.gauges)
	r.queue.push(r.now+gaugeEvery, evGauge, 0, 0)
}
