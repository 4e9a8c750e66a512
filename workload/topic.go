package workload

import (
	"math"
	"sort"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// maxTopics bounds the topics of a profile, whose shares are held in a table.
const maxTopics = 100_000

// Salts of what a request is about, apart from the draws of its lengths and instants: a profile that
// has topics asks for as many tokens at the same instants as without.
const (
	topicSalt   = 0x7069c0de
	wordingSalt = 0x30bd1e5
	hardSalt    = 0x4a6d1e7
)

// topics says how often each of a profile's topics comes up.
type topics struct {
	upTo []float64 // share of the topics up to and including this one
}

// newTopics gives topic i of n the weight i^-skew (Zipf's law; skew 0: all are alike).
func newTopics(n int, skew float64) topics {
	t := topics{upTo: make([]float64, n)}
	sum := 0.0
	for i := range t.upTo {
		sum += math.Pow(float64(i+1), -skew)
		t.upTo[i] = sum
	}
	for i := range t.upTo {
		t.upTo[i] /= sum
	}
	return t
}

// of returns the topic for a number from 0 to 1, from 1 on.
func (t *topics) of(u float64) uint64 {
	return uint64(min(sort.SearchFloat64s(t.upTo, u), len(t.upTo)-1)) + 1
}

// part returns a number from 0 up to, but not including, 1, for a request and a salt.
func part(id, salt uint64) float64 {
	return float64(jitter.Mix(id^salt*golden)>>11) / (1 << 53)
}

// about draws what a request is about.
func (w *Workload) about(d *Demand, p *Profile) {
	if t := &w.topics[d.Profile]; len(t.upTo) > 0 {
		d.Topic = t.of(part(d.ID, topicSalt))
	}
	if p.Wordings > 1 {
		d.Wording = uint32(part(d.ID, wordingSalt) * float64(p.Wordings))
	}
	// A topic is hard or it is not, however it is worded; what has no topic is by itself.
	of := d.ID
	if d.Topic > 0 {
		of = jitter.Mix(d.Topic + uint64(d.Profile)<<32)
	}
	d.Hard = p.HardShare > 0 && part(of, hardSalt) < p.HardShare
}
