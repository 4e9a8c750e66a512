package litellm

import "math"

// mostWeight is the largest weight that is written.
const mostWeight = 1000

// basis is what deployments are weighed by.
type basis struct {
	name string
	of   func(d *deployment) float64 // -1: not set
}

// bases are what simple-shuffle weighs by: the first that the first deployment of a group has.
// Source: litellm/router_strategy/simple_shuffle.py.
var bases = []basis{
	{"weight", func(d *deployment) float64 { return d.weight }},
	{"rpm", func(d *deployment) float64 { return setOr(d.rpm) }},
	{"tpm", func(d *deployment) float64 { return setOr(d.tpm) }},
}

func setOr(n int64) float64 {
	if n == 0 {
		return -1
	}
	return float64(n)
}

// shares are the weights of a target's deployments. With another strategy than simple-shuffle they
// are alike: those do not look at weights, and a stack that goes by the quota that is left would
// count limits twice.
func (w *writer) shares(t *target) []int64 {
	b := w.basis(t)
	weights := make([]float64, len(t.deployments))
	sum := 0.0
	for i, d := range t.deployments {
		if weights[i] = 1; b.of != nil {
			weights[i] = max(b.of(d), 0)
		}
		sum += weights[i]
		if d.weight >= 0 && b.name != "weight" {
			w.note(d.at, "weight does not count: %s", b.instead())
		}
	}
	if sum == 0 {
		w.note(t.at(), "no deployment of this model has a %s above 0, by which its group is spread: it is asked when the others fail, and its keys by turns", b.name)
	}
	for i, d := range t.deployments {
		switch {
		case sum == 0:
			weights[i] = 1
		case weights[i] == 0:
			w.note(d.at, "its group is spread by %s, of which it has none: it is never picked (weight: 0)", b.name)
		}
	}
	return scaled(weights)
}

// basis is what the deployments are weighed by that a target's are spread with; of is nil if all
// are alike.
func (w *writer) basis(t *target) basis {
	if s := w.settings.strategy; s != "" && s != "simple-shuffle" {
		return basis{name: s}
	}
	first := w.first[spread{t.group, t.order}]
	for _, b := range bases {
		if b.of(first) >= 0 {
			return b
		}
	}
	return basis{}
}

// instead says why weights do not count.
func (b basis) instead() string {
	if b.of == nil && b.name != "" {
		return b.name + " does not look at it"
	}
	return "the first deployment of the group has none, and that decides"
}

// spread is a set of deployments that requests are spread over.
type spread struct {
	group string
	order int64
}

// firsts returns the first deployment of each set.
func firsts(deployments []*deployment) map[spread]*deployment {
	out := map[spread]*deployment{}
	for _, d := range deployments {
		if at := (spread{d.group, d.order}); out[at] == nil {
			out[at] = d
		}
	}
	return out
}

// scaled returns whole weights up to mostWeight that are to each other as given ones, the smallest
// that are exactly so if there are such. None above 0 becomes 0.
func scaled(weights []float64) []int64 {
	out := make([]int64, len(weights))
	most := 0.0
	for _, x := range weights {
		most = max(most, x)
	}
	for factor := 1.0; factor <= mostWeight; factor *= 10 {
		common := int64(0)
		for i, x := range weights {
			out[i] = int64(math.Round(x * factor))
			if math.Abs(x*factor-float64(out[i])) > 1e-9*factor {
				common = -1
				break
			}
			common = divisor(common, out[i])
		}
		if common > 0 && most*factor <= mostWeight*float64(common) {
			for i := range out {
				out[i] /= common
			}
			return out
		}
	}
	for i, x := range weights {
		if out[i] = int64(math.Round(x / most * mostWeight)); x > 0 {
			out[i] = max(out[i], 1)
		}
	}
	return out
}

// divisor is the greatest common one.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
