package report

// Merge adds the runs of o, which come after those of r. Both must be closed and
// of equal setup but for the seed; o is not changed, and r.Variant describes all of them.
func (r *Recorder) Merge(o *Recorder) {
	r.addCounts(o)
	r.abandoned += o.abandoned
	for m := range r.modelLatency {
		for i := range r.modelLatency[m] {
			r.modelLatency[m][i].add(&o.modelLatency[m][i])
		}
	}
	r.left.plus(&o.left)
	r.slowest.merge(&o.slowest)
	r.fair.merge(&o.fair)
	r.gates.add(o.gates)
	r.ended.add(&o.ended)
}

// addCounts adds what is a sum wherever a run begins and ends.
func (r *Recorder) addCounts(o *Recorder) {
	for p := range r.offered {
		r.offered[p].requests += o.offered[p].requests
		r.offered[p].in += o.offered[p].in
		r.offered[p].out += o.offered[p].out
		for m := range r.latency[p] {
			r.latency[p][m].add(&o.latency[p][m])
		}
	}
	for i := range r.cells {
		r.cells[i].plus(&o.cells[i])
	}
	for k := range r.keyLatency {
		r.keyLatency[k].add(&o.keyLatency[k])
	}
	sum(r.keyFailures, o.keyFailures)
	r.sentInWindow += o.sentInWindow
	sum(r.outcomes[:], o.outcomes[:])
	sum(r.rejected[:], o.rejected[:])
	sum(r.dead[:], o.dead[:])
	sum(r.degraded[:], o.degraded[:])
	r.r5xx += o.r5xx
	r.retries += o.retries
	r.cacheHits += o.cacheHits
	r.cacheWrong += o.cacheWrong
	r.cappedUS += o.cappedUS
}

// sum adds b to a, element by element.
func sum(a, b []int64) {
	for i, n := range b {
		a[i] += n
	}
}
