// Package keyring chooses among keys by smooth weighted round-robin.
//
// Every pick adds each candidate's weight to its credit, takes the candidate with
// the most credit and subtracts the sum of the weights from it (the scheme of
// nginx's upstream module). With fixed weights, while the same keys are
// candidates, every W consecutive picks, W being the sum of the weights, serve
// each key exactly its weight, and evenly spread (INV-51).
//
// A pick is Best, then as many rounds of Drop and Best as keys turn out to be
// unable, then Commit or Abandon.
package keyring

// Ring is the rotation of one target. Make one with New.
type Ring struct {
	weight  []int64 // 0: no candidate
	credit  []int64
	dropped []drop // in the pick under way
}

type drop struct {
	key    int
	weight int64
}

// New returns a ring of n keys whose weights are all 0.
func New(n int) *Ring {
	return &Ring{weight: make([]int64, n), credit: make([]int64, n), dropped: make([]drop, 0, n)}
}

// Len returns the number of keys.
func (r *Ring) Len() int { return len(r.weight) }

// SetWeight sets the weight of key i, at least 0, between picks; a key of weight 0 is
// never picked and neither gains nor loses credit.
func (r *Ring) SetWeight(i int, w int64) { r.weight[i] = w }

// Weight returns the weight of key i, 0 if it was dropped in the pick under way.
func (r *Ring) Weight(i int) int64 { return r.weight[i] }

// Best returns the candidate that is next, or -1 if there is none. It changes nothing.
func (r *Ring) Best() int {
	best, most := -1, int64(0)
	for i, w := range r.weight {
		if w > 0 && (best < 0 || r.credit[i]+w > most) {
			best, most = i, r.credit[i]+w
		}
	}
	return best
}

// Drop takes key i out of the pick under way: it keeps its credit and gains none.
func (r *Ring) Drop(i int) {
	r.dropped = append(r.dropped, drop{i, r.weight[i]})
	r.weight[i] = 0
}

// Commit ends the pick with key i served.
func (r *Ring) Commit(i int) {
	var total int64
	for k, w := range r.weight {
		r.credit[k] += w
		total += w
	}
	r.credit[i] -= total
	r.Abandon()
}

// Abandon ends the pick with no key served.
func (r *Ring) Abandon() {
	for _, d := range r.dropped {
		r.weight[d.key] = d.weight
	}
	r.dropped = r.dropped[:0]
}
